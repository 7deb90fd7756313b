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

/*
 * What a file of so many bytes counts: its blocks of 4 KiB, and one more for its
 * name and what the file system keeps of it. So files without a byte are not
 * free, and a device cannot use up the inodes of a disk.
 */
uint64_t inbox_usage_of(uint64_t bytes);

/* inbox is borrowed; most: for one device, as inbox_usage_of() counts. NULL: out
 * of memory. */
struct inbox_usage *inbox_usage_new(const char *inbox, uint64_t most);

/* NULL is allowed. */
void inbox_usage_free(struct inbox_usage *usage);

/*
 * Room for so much more of a device's that is arriving; false: there is none, or
 * no memory to know.
 */
bool inbox_usage_take(struct inbox_usage *usage, const char *device,
                      uint64_t bytes);

/* What was taken for an upload is given back; its files count so much more
 * (negative: less). */
void inbox_usage_settle(struct inbox_usage *usage, const char *device,
                        uint64_t taken, int64_t growth);

#endif
