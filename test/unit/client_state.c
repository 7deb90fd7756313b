/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "home.h"
#include "state.h"
#include "tap.h"
#include "tmpdir.h"

static struct tmpdir dir;
static struct home home;

static void begin(const char *text)
{
    tmpdir_make(&dir);
    home = (struct home){ .path = dir.path };
    if (text != NULL) {
        (void)tmpdir_write(&dir, "state.json", text, strlen(text));
    }
}

static void end(void)
{
    tmpdir_remove(&dir);
}

/* What the file holds, "" if it is not there. */
static void check_file(const char *name, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    (void)jz__file_read(&text, tmpdir_path(&dir, name), 100000, NULL);
    CHECK_STR(text.length > 0 ? text.data : "", want);
}

static void set_number(struct state *state, const char *key, double value)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = cJSON_CreateNumber(value);

    CHECK_INT(state_set(state, key, tree), 0);
}

static void what_was_not_touched_stays_byte_for_byte(void)
{
    JZ_CLEANUP(state_close) struct state state;

    begin("{ \"new\" : {\"n\": 12345678901234567890, \"t\":\"\\u00e9\"} ,"
          "\"unreachable_until\":5, \"text\":\"a\\\"b\",\"k\\u0065y\":[ 1 ]}");
    CHECK_INT(state_open(&state, &home, true, NULL), 0);
    set_number(&state, "unreachable_until", 1790000000);
    CHECK_INT(state_save(&state, NULL), 0);
    check_file("state.json",
               "{\"unreachable_until\":1790000000,"
               "\"new\":{\"n\": 12345678901234567890, \"t\":\"\\u00e9\"},"
               "\"text\":\"a\\\"b\",\"k\\u0065y\":[ 1 ]}\n");
    end();
}

static void a_member_reads_as_it_was_set(void)
{
    JZ_CLEANUP(state_close) struct state state;
    cJSON *tree;

    begin("{\"a\":1,\"b\":2}");
    CHECK_INT(state_open(&state, &home, true, NULL), 0);
    set_number(&state, "a", 7);
    set_number(&state, "a", 8);
    CHECK_INT(state_set(&state, "b", NULL), 0);
    tree = state_get(&state, "a");
    CHECK_INT(tree->valueint, 8);
    cJSON_Delete(tree);
    CHECK(state_get(&state, "b") == NULL);
    CHECK(state_get(&state, "c") == NULL);
    CHECK_INT(state_save(&state, NULL), 0);
    check_file("state.json", "{\"a\":8}\n");
    end();
}

static void without_a_file_the_state_is_empty(void)
{
    JZ_CLEANUP(state_close) struct state state;
    struct stat info;

    begin(NULL);
    CHECK_INT(state_open(&state, &home, true, NULL), 0);
    CHECK(state_get(&state, "sent") == NULL);
    CHECK_INT(state_save(&state, NULL), 0);
    check_file("state.json", ""); /* nothing changed */
    set_number(&state, "a", 1);
    CHECK_INT(state_save(&state, NULL), 0);
    check_file("state.json", "{\"a\":1}\n");
    CHECK_INT(stat(tmpdir_path(&dir, "state.json"), &info), 0);
    CHECK_INT(info.st_mode & 07777, 0600);
    end();
}

static void a_damaged_file_is_set_aside_by_who_changes_it(void)
{
    static const char *const damaged[] = { "", "{", "[1]", "{} x", "\"a\"" };

    for (size_t i = 0; i < JZ__LENGTH(damaged); i++) {
        struct state state;

        begin(damaged[i]);
        CHECK_INT(state_open(&state, &home, false, NULL), 0);
        CHECK(state_get(&state, "sent") == NULL);
        state_close(&state);
        check_file("state.json", damaged[i]);
        CHECK_INT(state_open(&state, &home, true, NULL), 0);
        set_number(&state, "a", 1);
        CHECK_INT(state_save(&state, NULL), 0);
        state_close(&state);
        check_file("state.json", "{\"a\":1}\n");
        check_file("state.json.damaged", damaged[i]);
        end();
    }
}

/* Another process, since a lock is the descriptor's. */
static void one_changes_it_at_a_time(void)
{
    struct state state;
    struct state other;
    struct jz__error error = { 0 };

    begin("{\"a\":1}");
    CHECK_INT(state_open(&state, &home, true, NULL), 0);
    CHECK_INT(state_open(&other, &home, true, &error), JZ_EBUSY);
    CHECK(strstr(error.message, "state.lock") != NULL);
    state_close(&other);
    CHECK_INT(state_open(&other, &home, false, NULL), 0); /* may be read */
    state_close(&other);
    state_close(&state);
    CHECK_INT(state_open(&other, &home, true, NULL), 0);
    state_close(&other);
    end();
}

static void a_home_that_is_gone_is_an_error(void)
{
    struct state state;

    begin(NULL);
    end();
    CHECK(state_open(&state, &home, true, NULL) < 0);
    state_close(&state);
}

int main(void)
{
    TAP_RUN(what_was_not_touched_stays_byte_for_byte);
    TAP_RUN(a_member_reads_as_it_was_set);
    TAP_RUN(without_a_file_the_state_is_empty);
    TAP_RUN(a_damaged_file_is_set_aside_by_who_changes_it);
    TAP_RUN(one_changes_it_at_a_time);
    TAP_RUN(a_home_that_is_gone_is_an_error);
    return tap_done();
}
