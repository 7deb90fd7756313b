/* SPDX-License-Identifier: Apache-2.0 */
/* Instants: parsing and printing, always UTC, never through the C library's
 * time zone. */
#ifndef JZ_BASE_TIME_H
#define JZ_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Bytes of "2026-10-09T21:23:12+00:00" with the NUL. */
#define JZ__TIME_SIZE 26

/*
 * Parse a bound of a range: YYYY-MM-DD, alone or followed by T or one space
 * and HH:MM[:SS[.fraction]][Z|+HH:MM|-HH:MM], nothing else. Without an offset
 * it is UTC; a fraction is cut. *is_date tells that no time of day was given.
 * *out is in seconds since 1970 (of the date's first instant). false: not such
 * a text, or no such day or time.
 */
bool jz__time_parse_bound(int64_t *out, bool *is_date, struct jz__str text);

/*
 * Parse a time stamp of a transcript: what jz__time_parse_bound() takes, or a
 * number of seconds or milliseconds since 1970 (above 1e11 they are
 * milliseconds). *out is in milliseconds since 1970.
 */
bool jz__time_parse_stamp(int64_t *out, struct jz__str text);

/* "2026-10-09T21:23:12+00:00"; the year is held within 0000 to 9999. */
void jz__time_format(char out[JZ__TIME_SIZE], int64_t seconds);

/* "2026-10-09 21:23" (17 bytes with the NUL), for the lines of an original. */
void jz__time_format_minute(char out[17], int64_t seconds);

#endif
