/* SPDX-License-Identifier: Apache-2.0 */
/* What a flush remembers, and what Retry-After means to it. */
#include <time.h>

#include "base/mem.h"
#include "ledger.h"
#include "state.h"
#include "tap.h"
#include "tmpdir.h"
#include "upload.h"

static struct tmpdir dir;
static struct home home;

static void set_up(void)
{
    tmpdir_make(&dir);
    home = (struct home){ .path = dir.path,
                          .is_set_up = true,
                          .may_upload = true };
}

static void tear_down(void)
{
    tmpdir_remove(&dir);
}

static const struct transcript_state first = { 10, 1792573920123456 };
static const struct transcript_state second = { 10, 1792573920123457 };

static bool is_known(const char *path, const struct transcript_state *state)
{
    JZ_CLEANUP(ledger_close) struct ledger ledger;

    CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
    return ledger_is_known(&ledger, path, state);
}

static void what_was_sent_is_known_by_size_and_time(void)
{
    JZ_CLEANUP(ledger_close) struct ledger ledger;
    const struct ledger_end end = { .is_accepted = true };
    const struct ledger_rejection why = { "codex", "HTTP 413", 413 };
    const char *sent;
    const char *rejected;
    const char *gone;

    set_up();
    sent = tmpdir_write(&dir, "sent", "", 0);
    rejected = tmpdir_write(&dir, "rejected", "", 0);
    gone = tmpdir_path(&dir, "gone");
    CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
    CHECK(!ledger_is_known(&ledger, sent, &first));
    CHECK_INT(ledger_add_sent(&ledger, sent, &first), 0);
    CHECK_INT(ledger_add_sent(&ledger, gone, &first), 0);
    CHECK_INT(ledger_add_rejected(&ledger, rejected, &second, &why), 0);
    CHECK(ledger_is_known(&ledger, sent, &first));
    CHECK(!ledger_is_known(&ledger, sent, &second));
    CHECK_INT(ledger_finish(&ledger, &end, NULL), 0);
    CHECK(is_known(sent, &first) && !is_known(sent, &second));
    CHECK(is_known(rejected, &second));
    CHECK(!is_known(gone, &first));
    tear_down();
}

static void thousands_are_known(void)
{
    JZ_CLEANUP(ledger_close) struct ledger ledger;
    char path[32];
    int known = 0;

    set_up();
    CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
    for (int i = 0; i < 3000; i++) {
        struct transcript_state state = { i, 7 };

        (void)snprintf(path, sizeof(path), "/x/%d", i);
        CHECK_INT(ledger_add_sent(&ledger, path, &state), 0);
    }
    for (int i = 0; i < 4000; i++) {
        struct transcript_state state = { i, 7 };

        (void)snprintf(path, sizeof(path), "/x/%d", i);
        known += ledger_is_known(&ledger, path, &state);
    }
    CHECK_INT(known, 3000);
    tear_down();
}

static void fail(int64_t asked_s, const char *late)
{
    JZ_CLEANUP(ledger_close) struct ledger ledger;
    const struct ledger_end end = { .is_failed = true,
                                    .reason = "HTTP 503",
                                    .pause_s = asked_s,
                                    .late = late };

    CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
    CHECK_INT(ledger_finish(&ledger, &end, NULL), 0);
}

/* Seconds from now. */
static int64_t pause_left(void)
{
    JZ_CLEANUP(state_close) struct state state = { 0 };
    JZ_CLEANUP(jz__json_freep) cJSON *pause = NULL;
    int64_t until = 0;

    CHECK_INT(state_open(&state, &home, false, NULL), 0);
    pause = state_get(&state, "flush_pause");
    (void)jz__json_whole(&until, jz__json_get(pause, "until"));
    return until - (int64_t)time(NULL);
}

static void each_failure_means_a_longer_pause(void)
{
    JZ_CLEANUP(ledger_close) struct ledger ledger;
    const struct ledger_end end = { .is_accepted = true };
    int64_t before = 0;

    set_up();
    CHECK(!ledger_is_paused(&home));
    for (int i = 0; i < 5; i++) {
        fail(0, NULL);
        CHECK(ledger_is_paused(&home));
        CHECK(pause_left() > before);
        before = pause_left();
    }
    for (int i = 0; i < 10; i++) {
        fail(0, NULL);
    }
    CHECK(pause_left() <= 600);
    fail(3600, "codex__1.json");
    CHECK(pause_left() > 3500 && pause_left() <= 3600);
    fail(INT64_MAX, "codex__1.json");
    CHECK(pause_left() <= 86400);
    CHECK(ledger_is_paused(&home));
    CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
    CHECK_STR(ledger.late, "codex__1.json");
    CHECK_INT(ledger_finish(&ledger, &end, NULL), 0);
    CHECK(!ledger_is_paused(&home));
    tear_down();
}

static void a_pause_of_a_wrong_clock_is_none(void)
{
    static const char text[] = "{\"flush_pause\":{\"until\":99999999999}}";

    set_up();
    (void)tmpdir_write(&dir, "state.json", text, sizeof(text) - 1);
    CHECK(!ledger_is_paused(&home));
    tear_down();
}

static void a_refusal_stays_until_the_key_is_taken(void)
{
    const struct ledger_end refused = { .is_refused = true,
                                        .reason = "HTTP 403" };
    const struct ledger_end nothing = { .is_accepted = false };
    const struct ledger_end accepted = { .is_accepted = true };
    const struct ledger_end *const ends[] = { &refused, &refused, &nothing,
                                              &accepted };
    static const bool was[] = { false, true, true, true };

    set_up();
    for (size_t i = 0; i < JZ__LENGTH(ends); i++) {
        JZ_CLEANUP(ledger_close) struct ledger ledger;

        CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
        CHECK_INT(ledger.was_refused, was[i]);
        CHECK_INT(ledger_finish(&ledger, ends[i], NULL), 0);
        CHECK(!ledger_is_paused(&home));
    }
    {
        JZ_CLEANUP(ledger_close) struct ledger ledger;

        CHECK_INT(ledger_open(&ledger, &home, NULL), 0);
        CHECK(!ledger.was_refused);
    }
    tear_down();
}

static void retry_after_is_a_number_or_a_date(void)
{
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {
        { "0", 0 },
        { "120", 120 },
        { " 7", 7 },
        { "Wed, 21 Oct 2026 07:28:00 GMT", 60 },
        { "Wed, 21 Oct 2026 07:26:00 GMT", 0 },
        { "Wed, 21 Oct 2026 07:28:00 CET", 0 },
        { "soon", 0 },
        { "-5", 0 },
        { "5 minutes", 0 },
        { "", 0 },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        CHECK_INT(upload_pause_of(cases[i].text, 1792567620), cases[i].want);
    }
}

int main(void)
{
    TAP_RUN(what_was_sent_is_known_by_size_and_time);
    TAP_RUN(thousands_are_known);
    TAP_RUN(each_failure_means_a_longer_pause);
    TAP_RUN(a_pause_of_a_wrong_clock_is_none);
    TAP_RUN(a_refusal_stays_until_the_key_is_taken);
    TAP_RUN(retry_after_is_a_number_or_a_date);
    return tap_done();
}
