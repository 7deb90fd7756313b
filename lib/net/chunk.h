/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The framing of a chunked body, byte by byte and strict: where the parser
 * behind it would let a bare LF or a wrong line end pass, two programs could
 * disagree about where a request ends.
 */
#ifndef JZ_NET_CHUNK_H
#define JZ_NET_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jz__chunk_state {
    JZ__CHUNK_SIZE, /* at the first digit of a size */
    JZ__CHUNK_DIGITS,
    JZ__CHUNK_EXTENSION,
    JZ__CHUNK_SIZE_LF,
    JZ__CHUNK_DATA,
    JZ__CHUNK_DATA_CR,
    JZ__CHUNK_DATA_LF,
    JZ__CHUNK_TRAILER,      /* at the first byte of a trailer line */
    JZ__CHUNK_TRAILER_NAME, /* inside its name */
    JZ__CHUNK_TRAILER_LINE, /* behind its colon */
    JZ__CHUNK_TRAILER_LF,
    JZ__CHUNK_END_LF,
    JZ__CHUNK_END
};

struct jz__chunk {
    enum jz__chunk_state state;
    uint64_t left;     /* bytes of data in this chunk still to come */
    uint64_t overhead; /* bytes of extensions and trailers so far */
};

/* JZ__CHUNK_SIZE is zero, so a zeroed struct stands before the first chunk. */

/* What was wrong with the bytes. */
enum jz__chunk_fault {
    JZ__CHUNK_FINE,
    JZ__CHUNK_WRONG,
    JZ__CHUNK_TOO_LARGE /* extensions and trailers over 16 KiB */
};

/*
 * Go over bytes until one run of data ends, the body ends or the bytes do:
 * *used of them were looked at. At most one run of data lies within them.
 */
enum jz__chunk_fault jz__chunk_read(size_t *used, struct jz__chunk *chunk,
                                    const char *data, size_t length);

#endif
