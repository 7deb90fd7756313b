/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check reads everything twice: SQLite's own integrity check, and every item
 * against what is kept of it elsewhere: in the index, in its row, in the state of
 * the library. It looks at one snapshot, so that what is compared stands still,
 * and holds up no writer. A repair makes anew whatever follows from the items, in
 * one transaction, and looks again before it commits.
 */
#include "store/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "store/item.h"

/* Pages of 4 KiB: 64 MiB. */
#define LOG_FRAMES_MOST 16384

/* What a look has found, each a text. */
struct found {
    struct jz__store *store;
    struct jz__arena arena;
    const char **texts;
    size_t count;
    size_t capacity;
    int error; /* 0 or JZ_ENOMEM */
};

static void found_finish(struct found *found)
{
    jz__arena_finish(&found->arena);
    free(found->texts);
}

static void note(struct found *found, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct found *found, const char *format, ...)
{
    char text[256];
    va_list arguments;
    const char *copy;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    copy = jz__arena_copy(&found->arena, text, strlen(text));
    if (copy == NULL ||
        jz__mem_grow(&found->texts, &found->capacity, found->count + 1,
                     sizeof(*found->texts)) < 0) {
        found->error = jz__fail_memory(found->store->error);
        return;
    }
    found->texts[found->count++] = copy;
}

static bool has(const struct found *found, const char *text)
{
    size_t i;

    for (i = 0; i < found->count; i++) {
        if (strcmp(found->texts[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* Bytes that are shown of a line of SQLite's. */
#define SHOWN_MOST 100

/* What SQLite finds in a file, in its own words: rows of many lines, of which
 * those with stars are headings. */
struct damage {
    size_t places;
    char first[SHOWN_MOST + 1];
};

static void add_damage(struct damage *damage, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        if (length > 0 && text[0] != '*' && damage->places++ == 0) {
            (void)snprintf(damage->first, sizeof(damage->first), "%.*s",
                           (int)length, text);
        }
        text += length;
        text += *text == '\n';
    }
}

static int look_at_pages(struct found *found)
{
    struct jz__store *store = found->store;
    sqlite3_stmt *statement = NULL;
    struct damage damage = { 0 };
    int rc = sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(20)", -1,
                                &statement, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        const char *text;

        rc = sqlite3_step(statement);
        if (rc != SQLITE_ROW) {
            break;
        }
        text = (const char *)sqlite3_column_text(statement, 0);
        if (text != NULL && strcmp(text, "ok") != 0) {
            add_damage(&damage, text);
        }
    }
    (void)sqlite3_finalize(statement);
    if (damage.places > 0) {
        note(found, "the file is damaged in %zu place%s, first: %s",
             damage.places, damage.places == 1 ? "" : "s", damage.first);
    }
    if ((rc & 0xFF) == SQLITE_CORRUPT) {
        note(found, "the file is damaged");
        return JZ_OK;
    }
    return rc == SQLITE_DONE ? JZ_OK : jz__store_fail(store, rc);
}

static int get_number(int64_t *out, struct jz__store *store, enum jz__sql which)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, which);

    *out = 0;
    if (r < 0) {
        return r;
    }
    r = jz__store_step(store, statement);
    if (r > 0) {
        *out = sqlite3_column_int64(statement, 0);
        r = jz__store_run(store, statement);
    }
    return r;
}

/* What the library says of itself as a whole. */
static int look_at_state(struct found *found)
{
    struct jz__store *store = found->store;
    int64_t position = 0;
    int64_t most = 0;
    int64_t lost = 0;
    int64_t folding = 0;
    int r = jz__store_state_get(&position, store, "position");

    if (r == 0) {
        r = get_number(&most, store, JZ__SQL_ITEM_POSITION_MOST);
    }
    if (r == 0) {
        r = get_number(&lost, store, JZ__SQL_ITEMS_LOST);
    }
    if (r == 0) {
        r = jz__store_state_get(&folding, store, "folding");
    }
    if (r < 0) {
        return r;
    }
    if (position < most) {
        note(found, "the position of the library is behind that of its items");
    }
    if (lost > 0) {
        note(found, "%lld items are of a source that is not there",
             (long long)lost);
    }
    if (folding != jz__fold_version()) {
        note(found, "the index was made by another version of the folding");
    }
    return JZ_OK;
}

static int look_at_items(struct found *found)
{
    struct jz__item_faults faults;
    struct jz__verify verify;
    const char *problem = NULL;
    int rc;
    int r = jz__item_verify(&faults, &verify, found->store);

    if (faults.rows > 0) {
        note(found,
             "the length or the project of %lld items differs from their "
             "texts, first of item %lld",
             (long long)faults.rows, (long long)faults.first);
    }
    if (faults.originals > 0) {
        note(found, "%lld originals are damaged, first that of item %lld",
             (long long)faults.originals, (long long)faults.original);
    }
    if (r == JZ_ECORRUPT) {
        note(found, "the items behind %lld cannot be read: the file is damaged",
             (long long)faults.last_read);
        return JZ_OK;
    }
    if (r < 0) {
        return r;
    }
    rc = jz__verify_end(&problem, &verify, &found->store->index);
    if (rc != SQLITE_OK) {
        return jz__store_fail(found->store, rc);
    }
    if (problem != NULL) {
        note(found, "%s", problem);
    }
    return JZ_OK;
}

/* In the transaction that is open. */
static int look(struct found *found, struct jz__store *store)
{
    int r;

    found->store = store;
    r = look_at_pages(found);
    if (r == 0) {
        r = look_at_state(found);
    }
    if (r == 0) {
        r = look_at_items(found);
    }
    return r == 0 ? found->error : r;
}

/* SQLite's own indexes, where one of them has suffered, and everything that
 * follows from the items. Items themselves cannot be made. */
static int mend(struct jz__store *store)
{
    int64_t position = 0;
    int64_t most = 0;
    int rc = sqlite3_exec(store->db, "REINDEX", NULL, NULL, NULL);
    int r = rc == SQLITE_OK || rc == SQLITE_CONSTRAINT
                ? JZ_OK
                : jz__store_fail(store, rc);

    if (r == 0) {
        r = jz__store_state_get(&position, store, "position");
    }
    if (r == 0) {
        r = get_number(&most, store, JZ__SQL_ITEM_POSITION_MOST);
    }
    if (r == 0 && position < most) {
        r = jz__store_state_set(store, "position", most);
    }
    if (r == 0) {
        r = jz__item_reindex(store);
    }
    if (r == 0) {
        r = jz__store_state_set(store, "folding", jz__fold_version());
    }
    return r;
}

/* Report what is left, and what is not. */
static void report(const struct found *before, const struct found *after,
                   jz__check_fn fn, void *userdata)
{
    size_t i;

    for (i = 0; i < before->count; i++) {
        if (!has(after, before->texts[i])) {
            fn(userdata, before->texts[i], true);
        }
    }
    for (i = 0; i < after->count; i++) {
        fn(userdata, after->texts[i], false);
    }
}

static int check_only(struct jz__store *store, jz__check_fn fn, void *userdata)
{
    JZ_CLEANUP(found_finish) struct found found = { .count = 0 };
    int r = jz__store_read_begin(store, 0);

    if (r < 0) {
        return r;
    }
    r = look(&found, store);
    jz__store_read_end(store);
    /* What cannot be read any more ends the look; it is damage like the rest. */
    if (r == 0 || (r == JZ_ECORRUPT && found.count > 0)) {
        report(&found, &found, fn, userdata);
        return JZ_OK;
    }
    return r;
}

static int repair_in_write(struct found *before, struct found *after,
                           struct jz__store *store)
{
    int r = look(before, store);

    if (r < 0 || before->count == 0) {
        return r;
    }
    r = mend(store);
    return r < 0 ? r : look(after, store);
}

static int check_and_repair(struct jz__store *store, jz__check_fn fn,
                            void *userdata)
{
    JZ_CLEANUP(found_finish) struct found before = { .count = 0 };
    JZ_CLEANUP(found_finish) struct found after = { .count = 0 };
    int r = jz__store_write_begin(store);

    if (r < 0) {
        return r;
    }
    r = repair_in_write(&before, &after, store);
    if (r == 0) {
        r = jz__store_write_commit(store);
    } else {
        jz__store_write_rollback(store);
    }
    if (r == 0) {
        report(&before, &after, fn, userdata);
    } else if (r == JZ_ECORRUPT && before.count > 0) {
        /* It cannot be mended from here: what was found is the result. */
        report(&before, &before, fn, userdata);
        return JZ_OK;
    }
    return r;
}

int jz__check_library(struct jz__store *store, bool repair, jz__check_fn fn,
                      void *userdata)
{
    return repair ? check_and_repair(store, fn, userdata)
                  : check_only(store, fn, userdata);
}

/* Cut the write-ahead log back. Readers that still need it make this do less:
 * the next time does the rest. One that never ends is worth a line. */
static void checkpoint(struct jz__store *store)
{
    int frames = 0;

    (void)sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                    &frames, NULL);
    if (frames > LOG_FRAMES_MOST) {
        jz__log_write(store->log, JZ_LOG_WARNING,
                      "the write-ahead log of %s holds %d pages: a reader "
                      "that does not end keeps it from being cut",
                      store->path, frames);
    }
}

int jz__check_maintain(struct jz__store *store, bool *more)
{
    int rc;
    int r = jz__store_write_begin(store);

    *more = false;
    if (r < 0) {
        return r;
    }
    rc = jz__index_maintain(&store->index, more);
    if (rc != SQLITE_OK) {
        r = jz__store_fail(store, rc);
        jz__store_write_rollback(store);
        return r;
    }
    r = jz__store_write_commit(store);
    if (r == 0 && !*more) {
        checkpoint(store);
    }
    return r;
}

int jz__check_sizes(struct jz__check_sizes *out, struct jz__store *store)
{
    sqlite3_stmt *statement = NULL;
    int r = jz__store_statement(&statement, store, JZ__SQL_ITEM_COUNTS);

    memset(out, 0, sizeof(*out));
    if (r < 0) {
        return r;
    }
    r = jz__store_step(store, statement);
    if (r > 0) {
        out->items = sqlite3_column_int64(statement, 0);
        out->hidden = sqlite3_column_int64(statement, 1);
        out->originals = sqlite3_column_int64(statement, 2);
        out->originals_plain = sqlite3_column_int64(statement, 3);
        r = jz__store_run(store, statement);
    }
    return r;
}
