/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks remember from one to the next. */
#include "hook_state.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "tap.h"
#include "tmpdir.h"

struct place {
    struct tmpdir dir;
    struct home home;
};

static void make_place(struct place *place)
{
    memset(place, 0, sizeof(*place));
    tmpdir_make(&place->dir);
    place->home.path = place->dir.path;
}

static struct hook_state open_state(const struct place *place,
                                    const char *session)
{
    struct hook_state state;

    CHECK_INT(hook_state_open(&state, &place->home, AGENT_CODEX, session, NULL),
              0);
    return state;
}

static bool claim(const struct place *place, const char *session, bool is_again)
{
    struct hook_state state = open_state(place, session);
    bool is_due = hook_state_claim_protocol(&state, is_again, false);

    hook_state_close(&state);
    return is_due;
}

static char *read_state(struct place *place)
{
    struct jz__buf text = JZ__BUF_INIT;
    char *taken = NULL;

    (void)jz__file_read(&text, tmpdir_path(&place->dir, "state.json"),
                        SIZE_MAX / 2, NULL);
    CHECK_INT(jz__buf_take(&taken, &text), 0);
    return taken;
}

static void protocol_is_due_once_and_again_after_clear(void)
{
    struct place place;

    make_place(&place);
    CHECK(claim(&place, "s", false));
    CHECK(!claim(&place, "s", false));
    CHECK(claim(&place, "t", false));
    CHECK(claim(&place, "s", true));
    CHECK(!claim(&place, "s", false));
    tmpdir_remove(&place.dir);
}

/* Both read the state before either wrote it. */
static void two_hooks_at_once_give_one_protocol(void)
{
    struct place place;
    struct hook_state a;
    struct hook_state b;

    make_place(&place);
    a = open_state(&place, "s");
    b = open_state(&place, "s");
    CHECK(hook_state_claim_protocol(&a, false, false));
    CHECK(!hook_state_claim_protocol(&b, false, false));
    hook_state_close(&a);
    hook_state_close(&b);
    tmpdir_remove(&place.dir);
}

static void session_without_a_name_is_left_to_the_caller(void)
{
    struct place place;
    struct hook_state state;

    make_place(&place);
    state = open_state(&place, "");
    CHECK(!hook_state_claim_protocol(&state, false, false));
    CHECK(hook_state_claim_protocol(&state, false, true));
    hook_state_close(&state);
    tmpdir_remove(&place.dir);
}

static void items_are_claimed_once(void)
{
    struct place place;
    struct hook_state a;
    struct hook_state b;
    struct related first = { .items = { { .id = 1 }, { .id = 2 } },
                             .count = 2 };
    struct related second = { .items = { { .id = 2 }, { .id = 3 } },
                              .count = 2 };

    make_place(&place);
    a = open_state(&place, "s");
    b = open_state(&place, "s");
    hook_state_claim_items(&a, &first);
    CHECK_INT(first.count, 2);
    hook_state_claim_items(&b, &second);
    CHECK_INT(second.count, 1);
    CHECK_INT(second.items[0].id, 3);
    hook_state_close(&a);
    hook_state_close(&b);
    a = open_state(&place, "s");
    CHECK(related_holds_id(a.shown, 1) && related_holds_id(a.shown, 3));
    hook_state_close(&a);
    tmpdir_remove(&place.dir);
}

static void what_cannot_be_remembered_is_not_shown(void)
{
    struct place place;
    struct hook_state state;
    struct related related = { .items = { { .id = 1 } }, .count = 1 };

    make_place(&place);
    state = open_state(&place, "s");
    tmpdir_mkdir(&place.dir, "state.lock");
    hook_state_claim_items(&state, &related);
    CHECK_INT(related.count, 0);
    CHECK(hook_state_claim_protocol(&state, false, true));
    CHECK(!hook_state_claim_protocol(&state, false, false));
    hook_state_close(&state);
    tmpdir_remove(&place.dir);
}

static void server_is_left_alone_for_a_while(void)
{
    struct place place;
    struct hook_state state;
    char text[64];

    make_place(&place);
    state = open_state(&place, "s");
    CHECK(!state.is_paused);
    hook_state_pause(&state);
    hook_state_close(&state);
    state = open_state(&place, "s");
    CHECK(state.is_paused);
    /* The clock was set back by more than the pause. */
    (void)snprintf(text, sizeof(text), "{\"unreachable_until\":%lld}",
                   (long long)state.now + HOOK_STATE_PAUSE + 60);
    hook_state_close(&state);
    tmpdir_write(&place.dir, "state.json", text, strlen(text));
    state = open_state(&place, "s");
    CHECK(!state.is_paused);
    hook_state_close(&state);
    tmpdir_remove(&place.dir);
}

static size_t count_lines(struct place *place)
{
    struct jz__buf text = JZ__BUF_INIT;
    size_t count = 0;

    (void)jz__file_read(&text, tmpdir_path(&place->dir, "client.log"),
                        SIZE_MAX / 2, NULL);
    for (size_t i = 0; i < text.length; i++) {
        count += text.data[i] == '\n';
    }
    jz__buf_finish(&text);
    return count;
}

static void same_complaint_is_logged_once(void)
{
    struct place place;
    struct hook_state state;

    make_place(&place);
    state = open_state(&place, "s");
    hook_state_log(&state, "place",
                   "HTTP 401 {\"error\": \"invalid_token\"}, at 1");
    hook_state_log(&state, "place",
                   "HTTP 401 {\"error\": \"invalid_token\"}, at 2");
    CHECK_INT(count_lines(&place), 1);
    hook_state_log(&state, "place", "HTTP 500 <html>");
    CHECK_INT(count_lines(&place), 2);
    state.now += 3601;
    hook_state_log(&state, "place", "HTTP 500 <html>");
    CHECK_INT(count_lines(&place), 3);
    hook_state_close(&state);
    tmpdir_remove(&place.dir);
}

static void old_sessions_are_forgotten(void)
{
    struct place place;
    char name[32];
    JZ_CLEANUP(jz__mem_freep) char *text = NULL;

    make_place(&place);
    for (int i = 0; i <= HOOK_STATE_SESSIONS; i++) {
        struct hook_state state;

        (void)snprintf(name, sizeof(name), "s%d", i);
        state = open_state(&place, name);
        state.now += i == 3 ? -5 : 0;
        CHECK(hook_state_claim_protocol(&state, false, false));
        hook_state_close(&state);
    }
    text = read_state(&place);
    CHECK(strstr(text, "\"codex:s3\"") == NULL);
    CHECK(strstr(text, "\"codex:s4\"") != NULL);
    CHECK(strstr(text, "\"codex:s200\"") != NULL);
    tmpdir_remove(&place.dir);
}

static void long_names_stay_apart(void)
{
    struct place place;
    char a[400];
    char b[400];
    JZ_CLEANUP(jz__mem_freep) char *text = NULL;

    make_place(&place);
    memset(a, 'x', sizeof(a));
    memset(b, 'x', sizeof(b));
    a[399] = b[399] = '\0';
    b[398] = 'y';
    CHECK(claim(&place, a, false));
    CHECK(claim(&place, b, false));
    CHECK(!claim(&place, a, false));
    text = read_state(&place);
    CHECK(strlen(text) < 600);
    tmpdir_remove(&place.dir);
}

static void other_members_stay(void)
{
    static const char before[] =
        "{\"sent\":{\"/a\":{\"size\":1.50}},\"sessions\":[],\"new\":[1, 2]}";
    struct place place;
    JZ_CLEANUP(jz__mem_freep) char *text = NULL;

    make_place(&place);
    tmpdir_write(&place.dir, "state.json", before, strlen(before));
    CHECK(claim(&place, "s", false));
    text = read_state(&place);
    CHECK(strstr(text, "\"sent\":{\"/a\":{\"size\":1.50}}") != NULL);
    CHECK(strstr(text, "\"new\":[1, 2]") != NULL);
    CHECK(strstr(text, "\"codex:s\":{") != NULL);
    tmpdir_remove(&place.dir);
}

int main(void)
{
    TAP_RUN(protocol_is_due_once_and_again_after_clear);
    TAP_RUN(two_hooks_at_once_give_one_protocol);
    TAP_RUN(session_without_a_name_is_left_to_the_caller);
    TAP_RUN(items_are_claimed_once);
    TAP_RUN(what_cannot_be_remembered_is_not_shown);
    TAP_RUN(server_is_left_alone_for_a_while);
    TAP_RUN(same_complaint_is_logged_once);
    TAP_RUN(old_sessions_are_forgotten);
    TAP_RUN(long_names_stay_apart);
    TAP_RUN(other_members_stay);
    return tap_done();
}
