/* SPDX-License-Identifier: Apache-2.0 */
/* Items: rows <-> struct jz__item. */
#ifndef JZ_STORE_ITEM_H
#define JZ_STORE_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "index/verify.h"
#include "store/store.h"

#define JZ__ITEM_TITLE_MOST 200  /* characters */
#define JZ__ITEM_PROJECT_MOST 80 /* characters */

struct jz__item_atom {
    const char *kind;
    const char *text;
};

/* One item. Texts lie in the arena, or are borrowed for the item's life; NULL
 * is null. All are valid UTF-8. */
struct jz__item {
    struct jz__arena arena;
    int64_t id; /* 0: not stored yet */
    const char *source;
    const char *external_id;
    int64_t occurred_at; /* seconds since 1970 */
    const char *title;
    const char *summary;
    const char **questions;
    size_t question_count;
    struct jz__item_atom *atoms;
    size_t atom_count;
    const char *project;
    const char *account;
    const char *original_ref;
    const char *trust; /* "own" or "external" */
    bool has_original;
    const char *original; /* NULL until it is asked for */
    const char *summarizer;
    int64_t text_hash; /* of what it was made from; 0: unknown */
    bool is_hidden;
};

#define JZ__ITEM_INIT                                                          \
    {                                                                          \
        .id = 0                                                                \
    }

void jz__item_finish(struct jz__item *item);

/* The kinds of atoms, NULL at the end. */
extern const char *const jz__item_kinds[];

/* 1: *out is filled; 0: there is no such row (hidden ones are found: look at
 * is_hidden); negative. The original is not read. */
int jz__item_get(struct jz__item *out, struct jz__store *store, int64_t id);
int jz__item_find(struct jz__item *out, struct jz__store *store,
                  const char *source, const char *external_id);

/* The ids of the items of a session that are not hidden, with the numbers of
 * their segments; *out is malloc'ed. */
struct jz__item_segment {
    int64_t id;
    int64_t number;
};
int jz__item_segments(struct jz__item_segment **out, size_t *count,
                      struct jz__store *store, const char *source,
                      const char *session);

/* The first item that is not hidden with an id over `after`: 1, 0, negative. */
int jz__item_next(struct jz__item *out, struct jz__store *store, int64_t after);

/* Unpack the original of a stored item into its arena. */
int jz__item_load_original(struct jz__item *item, struct jz__store *store);

/*
 * Write an item in the write transaction that is open: a new row, or that of
 * its (source, external_id), with its index rows. item->id != 0 asks for that
 * id: JZ_EINVAL if another item has it. *id gets the id, *created whether it is
 * new (or was hidden).
 */
int jz__item_put(int64_t *id, bool *created, struct jz__store *store,
                 const struct jz__item *item);

/* Make an item not found for ever: its texts leave the row and the index. An
 * item that is hidden already, or not there, is no error. */
int jz__item_hide(struct jz__store *store, int64_t id);

/* Hide every item of a source, in the write transaction that is open; *count
 * tells how many. */
int jz__item_hide_source(int64_t *count, struct jz__store *store,
                         const char *source);

/* Make the index anew from the items, and with it what the rows keep that
 * follows from their texts, in the write transaction that is open. */
int jz__item_reindex(struct jz__store *store);

/* What jz__item_verify() found. */
struct jz__item_faults {
    int64_t rows;     /* whose length or project key is wrong */
    int64_t first;    /* the first of them */
    int64_t original; /* the first item whose original is damaged; 0: none */
    int64_t originals;
    int64_t last_read; /* of the items that could be read */
};

/* Read every item whole and gather what the index must hold. JZ_ECORRUPT: the
 * one behind out->last_read cannot be read. */
int jz__item_verify(struct jz__item_faults *out, struct jz__verify *verify,
                    struct jz__store *store);

#endif
