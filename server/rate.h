/* SPDX-License-Identifier: Apache-2.0 */
/* requests_per_minute: how often one client may ask. Pure: the time is given. */
#ifndef JEZERO_SERVER_RATE_H
#define JEZERO_SERVER_RATE_H

#include <stdint.h>

struct rate_table;

/* NULL: out of memory. per_minute 0: no limit. */
struct rate_table *rate_table_new(int64_t per_minute);
void rate_table_free(struct rate_table *table);

/*
 * Count a request of the client with this name at this time (milliseconds of a
 * clock that never goes back). 0: it may be answered; else the whole seconds,
 * from 1, after which the next one will be. Names outlive a reload of the
 * clients, and with them what is used up.
 */
int rate_take(struct rate_table *table, const char *client, uint64_t now_ms);

#endif
