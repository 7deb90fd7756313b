/* SPDX-License-Identifier: Apache-2.0 */
/* Where sessions are cut, and how events look in an original. */
#include "ingest/segment.h"

#include "base/utf8.h"
#include "tap.h"

#define MINUTE INT64_C(60000)
#define START INT64_C(1791580000000) /* 2026-10-09 21:06:40 */

static struct jz__event *add(struct jz__conversation *talk, int64_t time_ms,
                             enum jz__event_kind kind, const char *text)
{
    struct jz__event *event = jz__conversation_add(talk);

    event->time_ms = time_ms;
    event->kind = kind;
    event->text = jz__str_of(text);
    return event;
}

/* The sizes of the segments: "3 1". */
static void check_cut(const struct jz__conversation *talk,
                      const struct jz__segment_options *options,
                      const char *want)
{
    struct jz__buf shown = JZ__BUF_INIT;
    struct jz__segment *segments;
    size_t count;
    size_t next = 0;
    size_t i;

    jz__buf_puts(&shown, "");
    CHECK_INT(jz__segment_cut(&segments, &count, talk, options), 0);
    for (i = 0; i < count; i++) {
        CHECK_INT(segments[i].number, i);
        CHECK_INT(segments[i].first, next);
        next += segments[i].count;
        jz__buf_printf(&shown, i > 0 ? " %zu" : "%zu", segments[i].count);
    }
    CHECK_INT(next, talk->count);
    CHECK_STR(shown.data, want);
    free(segments);
    jz__buf_finish(&shown);
}

static void empty_session_has_no_segment(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;

    check_cut(&talk, NULL, "");
    jz__conversation_finish(&talk);
}

static void pause_of_four_hours_begins_a_segment(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;

    add(&talk, START, JZ__EVENT_USER, "a");
    add(&talk, START + 240 * MINUTE - 1, JZ__EVENT_ASSISTANT, "b");
    add(&talk, START + 480 * MINUTE - 1, JZ__EVENT_USER, "c");
    check_cut(&talk, NULL, "2 1");
    check_cut(&talk, &(struct jz__segment_options){ .pause_ms = 500 * MINUTE },
              "3");
    jz__conversation_finish(&talk);
}

static void boundary_begins_a_segment(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;

    add(&talk, START, JZ__EVENT_USER, "a")->is_boundary = true;
    add(&talk, START, JZ__EVENT_USER, "b");
    add(&talk, START, JZ__EVENT_USER, "c")->is_boundary = true;
    check_cut(&talk, NULL, "2 1");
    jz__conversation_finish(&talk);
}

/* "[2026-10-09 21:06] user: xxxx\n" is 26 characters and the text. */
static void size_is_counted_in_rendered_characters(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__segment_options options = { .most_characters = 60 };
    int i;

    for (i = 0; i < 5; i++) {
        add(&talk, START, JZ__EVENT_USER, "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9");
    }
    check_cut(&talk, &options, "2 2 1");
    options.most_characters = 61;
    check_cut(&talk, &options, "3 2");
    options.most_characters = 1;
    check_cut(&talk, &options, "1 1 1 1 1");
    jz__conversation_finish(&talk);
}

static void growing_session_keeps_its_segments(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__segment_options options = { .most_characters = 200 };
    size_t firsts[64] = { 0 };
    size_t known = 0;
    int i;

    for (i = 0; i < 60; i++) {
        struct jz__segment *segments;
        size_t count;
        size_t k;

        add(&talk, START + i * (i % 7 == 0 ? 300 : 1) * MINUTE, JZ__EVENT_USER,
            "some words of somebody");
        CHECK_INT(jz__segment_cut(&segments, &count, &talk, &options), 0);
        CHECK(count >= known);
        for (k = 0; k < known; k++) {
            CHECK_INT(segments[k].first, firsts[k]);
        }
        for (; k < count; k++) {
            firsts[k] = segments[k].first;
        }
        known = count;
        free(segments);
    }
    CHECK(known > 5);
    jz__conversation_finish(&talk);
}

static void times_of_any_size_are_survived(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;

    add(&talk, INT64_MIN, JZ__EVENT_USER, "a");
    add(&talk, INT64_MAX, JZ__EVENT_USER, "b");
    check_cut(&talk, NULL, "1 1");
    jz__conversation_finish(&talk);
}

static void check_rendered(const struct jz__event *event, const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__segment_render(&out, event);
    CHECK_STR(out.data, want);
    jz__buf_finish(&out);
}

static void messages_have_time_and_role(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;

    check_rendered(add(&talk, START, JZ__EVENT_USER, "why\nnow"),
                   "[2026-10-09 21:06] user: why\nnow\n");
    check_rendered(add(&talk, START, JZ__EVENT_ASSISTANT, "because"),
                   "[2026-10-09 21:06] assistant: because\n");
    check_rendered(add(&talk, -1, JZ__EVENT_USER, "x"),
                   "[1969-12-31 23:59] user: x\n");
    jz__conversation_finish(&talk);
}

static void calls_show_output_only_when_they_failed(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__event *event = add(&talk, START, JZ__EVENT_TOOL, "");

    event->tool = JZ__STR("Bash");
    event->argument = JZ__STR("make test");
    event->output = JZ__STR("make: Error 2");
    event->state = JZ__TOOL_OK;
    check_rendered(event, "[2026-10-09 21:06] tool Bash: make test\n");
    event->state = JZ__TOOL_FAILED;
    check_rendered(event, "[2026-10-09 21:06] tool Bash: make test\n"
                          "make: Error 2\n");
    event->argument = JZ__STR("");
    event->state = JZ__TOOL_UNKNOWN;
    check_rendered(event, "[2026-10-09 21:06] tool Bash\n");
    jz__conversation_finish(&talk);
}

static void failed_output_is_cut_at_1000_characters(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__event *event = add(&talk, START, JZ__EVENT_TOOL, "");
    struct jz__buf output = JZ__BUF_INIT;
    struct jz__buf out = JZ__BUF_INIT;
    int i;

    for (i = 0; i < 1500; i++) {
        jz__buf_puts(&output, "\xC3\xA9");
    }
    event->tool = JZ__STR("Bash");
    event->state = JZ__TOOL_FAILED;
    event->output.data = output.data;
    event->output.length = output.length;
    jz__segment_render(&out, event);
    CHECK_INT(jz__utf8_count(out.data, out.length),
              strlen("[2026-10-09 21:06] tool Bash\n") + 1000 + 1);
    jz__buf_finish(&output);
    jz__buf_finish(&out);
    jz__conversation_finish(&talk);
}

int main(void)
{
    TAP_RUN(empty_session_has_no_segment);
    TAP_RUN(pause_of_four_hours_begins_a_segment);
    TAP_RUN(boundary_begins_a_segment);
    TAP_RUN(size_is_counted_in_rendered_characters);
    TAP_RUN(growing_session_keeps_its_segments);
    TAP_RUN(times_of_any_size_are_survived);
    TAP_RUN(messages_have_time_and_role);
    TAP_RUN(calls_show_output_only_when_they_failed);
    TAP_RUN(failed_output_is_cut_at_1000_characters);
    return tap_done();
}
