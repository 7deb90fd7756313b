/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index: which items hold these terms, and how well. The whole interface
 * between those who store or search and the structure that answers; today that
 * structure is FTS5 inside the library file.
 *
 * Writes belong to the caller's transaction on the same connection. The docs
 * are the caller's to keep current (jz__docs_put, jz__docs_remove): they follow
 * the snapshot that a read works on, while the index proper is in the file.
 */
#ifndef JZ_INDEX_INDEX_H
#define JZ_INDEX_INDEX_H

#include <sqlite3.h>

#include "base/error.h"
#include "index/columns.h"
#include "index/docs.h"

struct jz__index {
    sqlite3 *db; /* borrowed */
    struct jz__docs docs;
    sqlite3_stmt *statements[8];
    double *scores; /* by place in docs; scratch of a search */
    size_t scores_capacity;
};

struct jz__index_hit {
    int64_t id;
    int64_t occurred_at;
    double relevance; /* 0 to 1 */
};

/* Make the index's tables in an empty library, inside a transaction. An SQLite
 * result code, as everything here that touches the file: the caller, who owns
 * the connection, turns it into an error with a text. SQLITE_NOMEM also stands
 * for our own memory. */
int jz__index_create(sqlite3 *db);

/* Register what the index needs on a connection; no I/O. */
int jz__index_open(struct jz__index *out, sqlite3 *db);

void jz__index_close(struct jz__index *index);

/* Add an item's text; it must not be there. */
int jz__index_add(struct jz__index *index, int64_t id,
                  const struct jz__columns *columns);

/* Take it out: `columns` must be what was added. The words are only gone from
 * the file after jz__index_maintain() has nothing more to do. */
int jz__index_remove(struct jz__index *index, int64_t id,
                     const struct jz__columns *columns);

/* Make its tables anew, empty and whatever state they are in, inside a
 * transaction. Before everything is added again. */
int jz__index_clear(struct jz__index *index);

/* Can what the index keeps beside the words be read? */
int jz__index_check_state(struct jz__index *index);

/*
 * One short step of merging away what was removed, inside a transaction of the
 * caller's. *more: there is more to do. Costs nothing when there is nothing.
 */
int jz__index_maintain(struct jz__index *index, bool *more);

/* What is looked for. All borrowed. */
struct jz__index_query {
    const struct jz__str *terms; /* folded, distinct, not empty */
    size_t term_count;
    const struct jz__doc_filter *filter;
    size_t most; /* hits wanted */
};

/*
 * The best `most` items, by (relevance, newer, higher id), of those that hold a
 * term and match the filter. N, n and lengths are those of filter->scope alone.
 * out has room for `most`. Without a term there is no hit. An interrupted
 * connection ends the search with SQLITE_INTERRUPT.
 */
int jz__index_search(struct jz__index_hit *out, size_t *count,
                     struct jz__index *index,
                     const struct jz__index_query *query);

#endif
