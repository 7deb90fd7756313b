/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a line may be logged that anybody can cause, with a key or without:
 * the first at once, then one a minute that tells how many were left out. Pure:
 * the time is given.
 */
#ifndef JEZERO_SERVER_LOG_LIMIT_H
#define JEZERO_SERVER_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds that get lines of their own within a minute. What else comes shares
 * one, so there are never more than this and one more lines a minute. */
#define LOG_LIMIT_KINDS 16

/* Bytes of a kind that are looked at, with the NUL. */
#define LOG_LIMIT_KIND_SIZE 64

struct log_limit_kind {
    char name[LOG_LIMIT_KIND_SIZE];
    uint64_t told_at; /* milliseconds */
    uint64_t left_out;
    bool is_used;
};

/* Zeroed at first. One for each sort of line (refused hosts, refused keys), so
 * that a flood of the one does not silence the other. */
struct log_limit {
    struct log_limit_kind kinds[LOG_LIMIT_KINDS];
    struct log_limit_kind rest;
};

/*
 * May a line of this kind ("nas.lan") be written now (milliseconds of a clock
 * that never goes back)? *left_out is the number of those that were not since
 * the last one; it is 0 otherwise.
 */
bool log_limit_take(struct log_limit *limit, const char *kind, uint64_t now_ms,
                    uint64_t *left_out);

#endif
