/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An id that the caller may not read takes the way of one that is not there:
 * the statements that SQLite runs for the two are the same, and none of them asks
 * for an item.
 */
#include "search/view.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/item.h"
#include "tap.h"
#include "tmpdir.h"

#define ITEMS 50

static struct tmpdir folder;
static struct jz__error error;
static struct jz__log log_;
static struct jz__store store;
static const struct jz__reads_options options = JZ__READS_OPTIONS_INIT;
static const char *const scope[] = { "open*" };
static struct jz__buf ran; /* the texts of the statements that ran */

static int on_statement(unsigned kind, void *context, void *statement,
                        void *text)
{
    (void)context;
    (void)text;
    if (kind == SQLITE_TRACE_STMT) {
        jz__buf_puts(&ran, sqlite3_sql(statement));
        jz__buf_putc(&ran, '\n');
    }
    return 0;
}

/* Items 1 to ITEMS, every other one in a source that is out of scope. */
static void set_up(void)
{
    const struct jz__store_options how = { .create = true,
                                           .busy_timeout_ms = 200 };
    char name[32];
    int i;

    tmpdir_make(&folder);
    CHECK_INT(jz__store_open(&store, tmpdir_path(&folder, "l.db"), &how, &error,
                             &log_),
              0);
    CHECK_INT(jz__store_write_begin(&store), 0);
    for (i = 1; i <= ITEMS; i++) {
        struct jz__item item = { .source = i % 2 ? "open" : "secret",
                                 .external_id = name,
                                 .title = "A title",
                                 .summary = "",
                                 .trust = "own" };
        int64_t id;
        bool created;

        snprintf(name, sizeof(name), "%d#0", i);
        CHECK_INT(jz__item_put(&id, &created, &store, &item), 0);
        CHECK_INT(id, i);
    }
    CHECK_INT(jz__store_write_commit(&store), 0);
}

static void tear_down(void)
{
    jz__store_close(&store);
    jz__buf_finish(&ran);
    tmpdir_remove(&folder);
}

typedef int (*read_fn)(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments);

/* The answer, borrowed until the next call; `ran` is what it took. */
static const char *ask(read_fn fn, int64_t id)
{
    static char answer[4096];
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct jz__reads reads = { &store, &options, scope, 1, &error };
    struct jz__reads_arguments arguments = { .item_id = id };

    jz__buf_clear(&ran);
    CHECK_INT(fn(&out, &reads, &arguments), 0);
    snprintf(answer, sizeof(answer), "%s", out.data);
    return answer;
}

static void check_alike(read_fn fn)
{
    JZ_CLEANUP(jz__mem_freep) char *absent = NULL;
    int64_t id;

    /* The first read brings the docs up to date, and prepares. */
    (void)ask(fn, 1);
    CHECK_STR(ask(fn, ITEMS + 1), "{\"found\":false}");
    absent = jz__mem_copy(ran.data, ran.length);
    CHECK(strstr(absent, "position") == NULL && strstr(absent, "item") == NULL);
    for (id = 2; id <= ITEMS; id += 2) {
        CHECK_STR(ask(fn, id), "{\"found\":false}");
        CHECK_STR(ran.data, absent);
    }
    CHECK_STR(ask(fn, INT64_MAX), "{\"found\":false}");
    CHECK_STR(ran.data, absent);
    CHECK(strstr(ask(fn, 3), "{\"found\":true,") != NULL);
    CHECK(strstr(ran.data, "FROM item ") != NULL);
}

static void hidden_and_absent_ids_ask_the_store_alike(void)
{
    set_up();
    CHECK_INT(sqlite3_trace_v2(store.db, SQLITE_TRACE_STMT, on_statement, NULL),
              SQLITE_OK);
    check_alike(jz__reads_get_item);
    check_alike(jz__reads_later);
    tear_down();
}

static void a_view_finds_what_is_in_scope_alone(void)
{
    struct jz__reads reads = { &store, &options, scope, 1, &error };
    struct jz__view view;
    int64_t id;

    set_up();
    CHECK_INT(jz__view_begin(&view, &reads), 0);
    for (id = 0; id <= ITEMS + 2; id++) {
        const struct jz__doc *doc = jz__view_find(&view, id);

        if (id % 2 == 1 && id <= ITEMS) {
            CHECK(doc != NULL && doc->id == id);
        } else {
            CHECK(doc == NULL);
        }
    }
    jz__view_end(&view);
    tear_down();
}

int main(void)
{
    TAP_RUN(hidden_and_absent_ids_ask_the_store_alike);
    TAP_RUN(a_view_finds_what_is_in_scope_alone);
    return tap_done();
}
