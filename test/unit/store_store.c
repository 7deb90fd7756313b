/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a real file: transactions, snapshots, ids, hiding, documents. */
#include "store/store.h"

#include <unistd.h>

#include "store/change.h"
#include "store/check.h"
#include "tap.h"
#include "tmpdir.h"

static struct tmpdir folder;
static const char *path;
static struct jz__error error;
static struct jz__log log_;

static void set_up(void)
{
    tmpdir_make(&folder);
    path = tmpdir_path(&folder, "library.db");
}

static void tear_down(void)
{
    tmpdir_remove(&folder);
}

static void open_store(struct jz__store *store)
{
    const struct jz__store_options options = { .create = true,
                                               .busy_timeout_ms = 200 };

    if (!CHECK_INT(jz__store_open(store, path, &options, &error, &log_), 0)) {
        printf("# %s\n", error.message);
    }
}

static int64_t put(struct jz__store *store, const char *external_id,
                   const char *title)
{
    struct jz__item item = { .source = "notes",
                             .external_id = external_id,
                             .occurred_at = 100,
                             .title = title,
                             .summary = "",
                             .trust = "own" };
    int64_t id = 0;
    bool created;

    CHECK_INT(jz__store_write_begin(store), 0);
    CHECK_INT(jz__item_put(&id, &created, store, &item), 0);
    CHECK_INT(jz__store_write_commit(store), 0);
    return id;
}

static size_t docs(struct jz__store *store)
{
    size_t count;

    CHECK_INT(jz__store_read_begin(store, 0), 0);
    count = store->index.docs.count;
    jz__store_read_end(store);
    return count;
}

static void a_second_connection_sees_what_was_committed(void)
{
    struct jz__store a;
    struct jz__store b;

    set_up();
    open_store(&a);
    open_store(&b);
    CHECK_INT(docs(&b), 0);
    put(&a, "1#0", "one");
    CHECK_INT(docs(&b), 1);
    put(&b, "2#0", "two");
    CHECK_INT(docs(&a), 2);
    jz__store_close(&a);
    jz__store_close(&b);
    tear_down();
}

static void a_read_sees_one_snapshot(void)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    struct jz__store a;
    struct jz__store b;
    int64_t id;

    set_up();
    open_store(&a);
    open_store(&b);
    id = put(&a, "1#0", "old");
    CHECK_INT(jz__store_read_begin(&b, 0), 0);
    put(&a, "1#0", "new");
    CHECK_INT(jz__item_get(&item, &b, id), 1);
    CHECK_STR(item.title, "old");
    jz__store_read_end(&b);
    CHECK_INT(jz__item_get(&item, &b, id), 1);
    CHECK_STR(item.title, "new");
    jz__store_close(&a);
    jz__store_close(&b);
    tear_down();
}

static void a_transaction_that_is_not_committed_leaves_nothing(void)
{
    struct jz__item item = { .source = "notes",
                             .external_id = "1#0",
                             .title = "t",
                             .summary = "",
                             .trust = "own" };
    struct jz__store store;
    int64_t id;
    bool created;

    set_up();
    open_store(&store);
    CHECK_INT(jz__store_write_begin(&store), 0);
    CHECK_INT(jz__item_put(&id, &created, &store, &item), 0);
    jz__store_write_rollback(&store);
    CHECK_INT(docs(&store), 0);
    jz__store_close(&store);
    open_store(&store);
    CHECK_INT(docs(&store), 0);
    jz__store_close(&store);
    tear_down();
}

static void a_hidden_item_is_not_found_and_its_id_stays_taken(void)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    struct jz__store store;
    int64_t id;

    set_up();
    open_store(&store);
    id = put(&store, "1#0", "marzipan");
    CHECK_INT(jz__store_write_begin(&store), 0);
    CHECK_INT(jz__item_hide(&store, id), 0);
    CHECK_INT(jz__item_hide(&store, id), 0);
    CHECK_INT(jz__item_hide(&store, 99), 0);
    CHECK_INT(jz__store_write_commit(&store), 0);
    CHECK_INT(docs(&store), 0);
    CHECK_INT(jz__item_get(&item, &store, id), 1);
    CHECK(item.is_hidden);
    CHECK_STR(item.title, "");
    CHECK_INT(jz__item_next(&item, &store, 0), 0);
    CHECK_INT(put(&store, "2#0", "two"), id + 1);
    CHECK_INT(put(&store, "1#0", "back again"), id);
    CHECK_INT(docs(&store), 2);
    jz__store_close(&store);
    tear_down();
}

static void a_stale_list_of_changes_is_not_applied(void)
{
    struct jz__changes changes = { .items = NULL };
    struct jz__changes_result result = { .ids = NULL };
    struct jz__item *item = jz__changes_add_item(&changes);
    struct jz__store store;

    set_up();
    open_store(&store);
    *item = (struct jz__item){ .source = "notes",
                               .external_id = "1#0",
                               .title = "t",
                               .summary = "",
                               .trust = "own" };
    changes.position = 0;
    put(&store, "2#0", "another writer");
    CHECK_INT(jz__changes_apply(&result, &store, &changes, true), 0);
    CHECK(result.is_stale);
    CHECK_INT(docs(&store), 1);
    jz__changes_result_finish(&result);
    CHECK_INT(jz__changes_apply(&result, &store, &changes, false), 0);
    CHECK(!result.is_stale);
    CHECK_INT(result.created, 1);
    CHECK_INT(docs(&store), 2);
    jz__changes_result_finish(&result);
    jz__changes_finish(&changes);
    jz__store_close(&store);
    tear_down();
}

static void an_interrupted_read_ends(void)
{
    struct jz__store store;

    set_up();
    open_store(&store);
    put(&store, "1#0", "one");
    CHECK_INT(jz__store_read_begin(&store, 10), 0);
    atomic_store(&store.is_interrupted, true);
    CHECK_INT(jz__store_fail(&store, SQLITE_INTERRUPT), JZ_EBUSY);
    CHECK_STR(error.message, "interrupted");
    jz__store_read_end(&store);
    CHECK_INT(docs(&store), 1);
    jz__store_close(&store);
    tear_down();
}

/* Counts what is left and what is mended: [0] and [1]. */
static void note(void *userdata, const char *problem, bool is_mended)
{
    (void)problem;
    ((int *)userdata)[is_mended]++;
}

static void an_index_that_lost_an_item_is_found_and_made_anew(void)
{
    struct jz__store store;
    int problems[2] = { 0, 0 };

    set_up();
    open_store(&store);
    put(&store, "1#0", "one item");
    put(&store, "2#0", "two items");
    CHECK_INT(jz__check_library(&store, false, note, problems), 0);
    CHECK_INT(problems[0], 0);
    CHECK_INT(sqlite3_exec(store.db,
                           "UPDATE item SET title = 'other words' "
                           "WHERE id = 1",
                           NULL, NULL, NULL),
              SQLITE_OK);
    CHECK_INT(jz__check_library(&store, false, note, problems), 0);
    /* The words, and how many they are. */
    CHECK_INT(problems[0], 2);
    CHECK_INT(jz__check_library(&store, true, note, problems), 0);
    CHECK_INT(problems[0], 2);
    CHECK_INT(problems[1], 2);
    CHECK_INT(jz__check_library(&store, false, note, problems), 0);
    CHECK_INT(problems[0], 2);
    jz__store_close(&store);
    tear_down();
}

static void an_index_of_another_folding_is_made_anew_on_opening(void)
{
    struct jz__store store;
    int problems[2] = { 0, 0 };

    set_up();
    open_store(&store);
    put(&store, "1#0", "one item");
    CHECK_INT(sqlite3_exec(store.db,
                           "UPDATE item SET title = 'other words';"
                           "UPDATE state SET value = 1 WHERE name = 'folding'",
                           NULL, NULL, NULL),
              SQLITE_OK);
    jz__store_close(&store);
    open_store(&store);
    CHECK_INT(jz__check_library(&store, false, note, problems), 0);
    CHECK_INT(problems[0], 0);
    jz__store_close(&store);
    tear_down();
}

static void documents_keep_their_messages(void)
{
    struct jz__document_message messages[] = { { 5, 50, true },
                                               { 6, 60, false } };
    struct jz__document document = { .source = "s",
                                     .path = "/p",
                                     .session = "x",
                                     .agent = "codex",
                                     .state = "stored",
                                     .own_time_ms = INT64_MAX };
    JZ_CLEANUP(jz__document_finish) struct jz__document found = { .id = 0 };
    JZ_CLEANUP(jz__mem_freep) struct jz__document_message *read = NULL;
    struct jz__store store;
    size_t count = 0;
    int64_t id = 0;

    set_up();
    open_store(&store);
    CHECK_INT(jz__store_write_begin(&store), 0);
    CHECK_INT(jz__document_put(&id, &store, &document), 0);
    CHECK_INT(jz__document_set_messages(&store, id, messages, 2), 0);
    CHECK_INT(jz__store_write_commit(&store), 0);
    CHECK_INT(jz__document_find(&found, &store, "s", "/p"), 1);
    CHECK_INT(found.id, id);
    CHECK_INT(found.own_time_ms, INT64_MAX);
    CHECK_INT(jz__document_find(&found, &store, "t", "/p"), 0);
    CHECK_INT(jz__document_messages(&read, &count, &store, id), 0);
    CHECK_INT(count, 2);
    CHECK(read[0].key == 5 && read[0].is_owned && !read[1].is_owned);
    CHECK_INT(jz__document_find_other(&found, &store, "s", "x", "/q"), 1);
    CHECK_INT(jz__document_find_other(&found, &store, "s", "x", "/p"), 0);
    jz__store_close(&store);
    tear_down();
}

int main(void)
{
    TAP_RUN(a_second_connection_sees_what_was_committed);
    TAP_RUN(a_read_sees_one_snapshot);
    TAP_RUN(a_transaction_that_is_not_committed_leaves_nothing);
    TAP_RUN(a_hidden_item_is_not_found_and_its_id_stays_taken);
    TAP_RUN(a_stale_list_of_changes_is_not_applied);
    TAP_RUN(an_interrupted_read_ends);
    TAP_RUN(an_index_that_lost_an_item_is_found_and_made_anew);
    TAP_RUN(an_index_of_another_folding_is_made_anew_on_opening);
    TAP_RUN(documents_keep_their_messages);
    return tap_done();
}
