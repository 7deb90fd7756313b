/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The five reads: what a caller in some scope sees. Each works on one snapshot
 * of the library and appends its result, compact JSON, to a buffer.
 */
#ifndef JZ_SEARCH_READS_H
#define JZ_SEARCH_READS_H

#include "base/buf.h"
#include "search/arguments.h"
#include "store/store.h"

/* [search] of the configuration. */
struct jz__reads_options {
    int64_t candidate_pool;
    double recency_weight; /* 0 to 1 */
    double recency_half_life_days;
    int64_t limit;
    int64_t limit_max;
    int64_t later_limit;
    int64_t later_limit_max;
    int64_t timeline_limit;
    int64_t timeline_limit_max;
};

#define JZ__READS_OPTIONS_INIT                                                 \
    {                                                                          \
        200, 0.3, 90.0, 10, 50, 5, 20, 20, 100                                 \
    }

/* One caller's view. All borrowed. */
struct jz__reads {
    struct jz__store *store;
    const struct jz__reads_options *options;
    const char *const *scope; /* source globs; NULL: everything */
    size_t scope_count;
    struct jz__error *error;
};

/* 0, or negative with the message in reads->error: JZ_EINVAL, JZ_EBUSY (took
 * too long, interrupted, locked), JZ_EIO, JZ_ECORRUPT, JZ_ENOMEM. */
int jz__reads_search(struct jz__buf *out, struct jz__reads *reads,
                     const struct jz__reads_arguments *arguments);
int jz__reads_get_item(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments);
int jz__reads_later(struct jz__buf *out, struct jz__reads *reads,
                    const struct jz__reads_arguments *arguments);
int jz__reads_timeline(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments);
int jz__reads_list_sources(struct jz__buf *out, struct jz__reads *reads,
                           const struct jz__reads_arguments *arguments);

#endif
