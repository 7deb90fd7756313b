/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bucket a client. It holds per_minute requests when it is full, each request
 * takes one out, and time fills it evenly; so a client may ask for a minute's
 * worth at once and then goes on at the even pace.
 *
 * Whole numbers alone: a bucket counts in parts of 1/60000 request, of which a
 * millisecond brings per_minute.
 *
 * A full bucket says nothing that an absent one does not. They are taken out
 * before the table grows, so it stays as small as the number of clients that
 * asked within the last minute, however often names change.
 */
#include "rate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MINUTE_MS 60000

/* What a request takes, in the parts that buckets count in. */
#define REQUEST ((int64_t)MINUTE_MS)

struct bucket {
    char *client;
    int64_t left;
    uint64_t at_ms; /* when left was right */
};

struct rate_table {
    int64_t per_minute;
    struct bucket *buckets; /* sorted by client */
    size_t count;
    size_t capacity;
};

struct rate_table *rate_table_new(int64_t per_minute)
{
    struct rate_table *table = calloc(1, sizeof(*table));

    assert(per_minute >= 0);

    if (table != NULL) {
        /* Above this a limit is none, and the products would not fit. */
        table->per_minute = per_minute < INT32_MAX ? per_minute : INT32_MAX;
    }
    return table;
}

void rate_table_free(struct rate_table *table)
{
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        free(table->buckets[i].client);
    }
    free(table->buckets);
    free(table);
}

/* What is in a bucket now. */
static int64_t left_at(const struct rate_table *table,
                       const struct bucket *bucket, uint64_t now_ms)
{
    int64_t full = table->per_minute * REQUEST;
    uint64_t passed = now_ms > bucket->at_ms ? now_ms - bucket->at_ms : 0;
    int64_t left;

    if (passed >= MINUTE_MS) {
        return full;
    }
    left = bucket->left + (int64_t)passed * table->per_minute;
    return left < full ? left : full;
}

/* Where the client's bucket is, or where it belongs. */
static size_t find(const struct rate_table *table, const char *client)
{
    size_t low = 0;
    size_t high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(table->buckets[middle].client, client) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void drop_full(struct rate_table *table, uint64_t now_ms)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->count; i++) {
        struct bucket *bucket = &table->buckets[i];

        if (left_at(table, bucket, now_ms) >= table->per_minute * REQUEST) {
            free(bucket->client);
        } else {
            table->buckets[kept++] = *bucket;
        }
    }
    table->count = kept;
}

/* A new, full bucket; NULL: out of memory. */
static struct bucket *add(struct rate_table *table, const char *client,
                          uint64_t now_ms)
{
    JZ_CLEANUP(jz__mem_freep)
    char *name = jz__mem_copy(client, strlen(client));
    struct bucket *bucket;
    size_t at;

    if (table->count == table->capacity) {
        drop_full(table, now_ms);
    }
    if (name == NULL ||
        jz__mem_grow(&table->buckets, &table->capacity, table->count + 1,
                     sizeof(*table->buckets)) < 0) {
        return NULL;
    }
    at = find(table, client);
    bucket = &table->buckets[at];
    memmove(bucket + 1, bucket, (table->count - at) * sizeof(*bucket));
    table->count++;
    *bucket = (struct bucket){ .client = jz__mem_steal(&name),
                               .left = table->per_minute * REQUEST,
                               .at_ms = now_ms };
    return bucket;
}

int rate_take(struct rate_table *table, const char *client, uint64_t now_ms)
{
    struct bucket *bucket;
    int64_t missing;
    size_t at;

    assert(table != NULL && client != NULL);

    if (table->per_minute == 0) {
        return 0;
    }
    at = find(table, client);
    if (at < table->count && strcmp(table->buckets[at].client, client) == 0) {
        bucket = &table->buckets[at];
    } else {
        bucket = add(table, client, now_ms);
        /* The limit is a courtesy among known clients and no defence: without
         * memory to count in, the request is answered. */
        if (bucket == NULL) {
            return 0;
        }
    }
    bucket->left = left_at(table, bucket, now_ms);
    bucket->at_ms = now_ms;
    if (bucket->left >= REQUEST) {
        bucket->left -= REQUEST;
        return 0;
    }
    missing = REQUEST - bucket->left;
    return (int)((missing + table->per_minute * 1000 - 1) /
                 (table->per_minute * 1000));
}
