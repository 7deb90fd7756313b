/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the disk each device's files take, and how much they may. The
 * functions may be called by several threads at a time.
 */
#ifndef JEZERO_SERVER_INBOX_USAGE_H
#define JEZERO_SERVER_INBOX_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct inbox_usage;

/* inbox is borrowed; most: bytes of one device. NULL: out of memory. */
struct inbox_usage *inbox_usage_new(const char *inbox, uint64_t most);

/* NULL is allowed. */
void inbox_usage_free(struct inbox_usage *usage);

/*
 * Room for so many bytes more of a device's that are arriving; false: there is
 * none, or no memory to know.
 */
bool inbox_usage_take(struct inbox_usage *usage, const char *device,
                      uint64_t bytes);

/* What was taken for an upload is given back; its files have grown by so many
 * bytes (negative: become less). */
void inbox_usage_settle(struct inbox_usage *usage, const char *device,
                        uint64_t taken, int64_t growth);

#endif
