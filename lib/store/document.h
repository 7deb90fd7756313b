/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: the transcript files that were read, and the messages in them. */
#ifndef JZ_STORE_DOCUMENT_H
#define JZ_STORE_DOCUMENT_H

#include "base/file.h"
#include "base/mem.h"
#include "store/store.h"

struct jz__document {
    struct jz__arena arena; /* of the texts, when it was read from the store */
    int64_t id;             /* 0: not stored yet */
    const char *source;
    const char *path;
    const char *session;
    const char *agent;
    struct jz__file_state file; /* as it was when it was read */
    int64_t reader;             /* version of the code that read it */
    const char *state;          /* "stored", "skipped" or "failed" */
    const char *reason;         /* NULL, or why it is not stored */
    int64_t read_at;            /* seconds since 1970 */
    int64_t own_time_ms;        /* INT64_MAX: unknown */
    const char *parent;         /* NULL, or the session it names */
};

/* One message that a document holds. */
struct jz__document_message {
    uint64_t key;
    int64_t time_ms;
    bool is_owned; /* it counts for this document */
};

void jz__document_finish(struct jz__document *document);

/* 1: found; 0: not; negative. */
int jz__document_find(struct jz__document *out, struct jz__store *store,
                      const char *source, const char *path);
int jz__document_get(struct jz__document *out, struct jz__store *store,
                     int64_t id);

/* The stored document of this session that lies at another path. */
int jz__document_find_other(struct jz__document *out, struct jz__store *store,
                            const char *source, const char *session,
                            const char *but_path);

/* Add or replace, by source and path, in the write transaction that is open. */
int jz__document_put(int64_t *id, struct jz__store *store,
                     const struct jz__document *document);

/* The file lies elsewhere now. */
int jz__document_move(struct jz__store *store, int64_t id, const char *path);

/* Replace the messages of a document. */
int jz__document_set_messages(struct jz__store *store, int64_t id,
                              const struct jz__document_message *messages,
                              size_t count);

/* *out is malloc'ed. */
int jz__document_messages(struct jz__document_message **out, size_t *count,
                          struct jz__store *store, int64_t id);

/* The documents that hold a message, appended to the array *ids. */
int jz__document_holders(int64_t **ids, size_t *count, size_t *capacity,
                         struct jz__store *store, const char *source,
                         uint64_t key);

/* fn for each document that failed, newest first, at most `most`. */
typedef void (*jz__document_fn)(void *userdata,
                                const struct jz__document *document);
int jz__document_each_failed(struct jz__store *store, int64_t most,
                             jz__document_fn fn, void *userdata);

/* Numbers of documents by state. */
struct jz__document_counts {
    int64_t stored;
    int64_t skipped;
    int64_t failed;
};
int jz__document_count(struct jz__document_counts *out,
                       struct jz__store *store);

#endif
