/* SPDX-License-Identifier: Apache-2.0 */
/* Event streams, whole, byte by byte, and in pieces of three: "a|b|". */
#include "net/sse.h"

#include "base/mem.h"
#include "tap.h"

static char *tell(struct jz__str bytes, size_t step, size_t most)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf told = JZ__BUF_INIT;
    struct jz__sse sse = { .most = most };
    char *text = NULL;

    for (size_t at = 0; at < bytes.length; at += step) {
        const char *data = bytes.data + at;
        size_t left = bytes.length - at < step ? bytes.length - at : step;
        enum jz__sse_event event;
        struct jz__str out;

        while ((event = jz__sse_read(&out, &sse, &data, &left)) !=
               JZ__SSE_MORE) {
            jz__buf_append(&told, out.data, out.length);
            jz__buf_puts(&told, event == JZ__SSE_DATA ? "|" : "too large");
        }
        CHECK_INT(left, 0);
    }
    jz__sse_finish(&sse);
    CHECK_INT(jz__buf_take(&text, &told), 0);
    return text;
}

static void check_most(struct jz__str bytes, size_t most, const char *want)
{
    static const size_t steps[] = { 1, 3, 1000000 };

    for (size_t i = 0; i < JZ__LENGTH(steps); i++) {
        JZ_CLEANUP(jz__mem_freep) char *got = tell(bytes, steps[i], most);

        CHECK_STR(got, want);
    }
}

static void check(const char *bytes, const char *want)
{
    check_most(jz__str_of(bytes), 1000, want);
}

static void data_of_events_is_told(void)
{
    check("data: {\"a\":1}\n\n", "{\"a\":1}|");
    check("data: a\n\ndata:b\n\n\n\ndata:  c\n\n", "a|b| c|");
    check("id: 7\nretry: 10\ndata: a\n\n", "a|");
}

static void lines_of_an_event_are_joined(void)
{
    check("data: a\ndata: b\ndata:\n\n", "a\nb\n|");
}

static void any_line_end_will_do(void)
{
    check("data: a\r\rdata: b\r\n\r\ndata: c\n\n", "a|b|c|");
    check("data: a\r\ndata: b\r\rdata: c\n\r\n", "a\nb|c|");
}

/* Behind a CR no further byte is waited for. */
static void event_is_told_at_its_cr(void)
{
    struct jz__sse sse = { .most = 100 };
    const char *data = "data: a\r\n\r";
    size_t left = strlen(data);
    struct jz__str out;

    CHECK_INT(jz__sse_read(&out, &sse, &data, &left), JZ__SSE_DATA);
    CHECK(jz__str_is(out, "a"));
    data = "\n";
    left = 1;
    CHECK_INT(jz__sse_read(&out, &sse, &data, &left), JZ__SSE_MORE);
    CHECK_INT(left, 0);
    jz__sse_finish(&sse);
}

static void other_fields_mean_nothing(void)
{
    check(": comment\n\ndatax: no\nDATA: no\n data: no\ndata: a\n:\n\n", "a|");
}

static void other_events_are_passed_over(void)
{
    check("event: ping\ndata: no\n\ndata: a\n\n", "a|");
    check("event: message\ndata: a\n\nevent:\ndata: b\n\n", "a|b|");
    check("event: ping\n\ndata: a\n\n", "a|");
    check("event: ping\ndata: no\n\n\n: comment\n\n", "");
}

static void event_without_data_is_none(void)
{
    check("id: 1\ndata:\n\ndata: a\n\n", "a|");
    check("data\n\n\n\n", "");
}

static void event_that_was_cut_is_dropped(void)
{
    check("data: a\n\ndata: half\n", "a|");
    check("data: a", "");
}

static void byte_order_mark_is_passed_over(void)
{
    check("\xEF\xBB\xBF"
          "data: a\n\ndata: \xEF\xBB\xBF\n\n",
          "a|\xEF\xBB\xBF|");
}

static void nul_is_a_byte_like_others(void)
{
    struct jz__sse sse = { .most = 100 };
    static const char bytes[] = "data: a\0b\n\n";
    const char *data = bytes;
    size_t left = sizeof(bytes) - 1;
    struct jz__str out;

    CHECK_INT(jz__sse_read(&out, &sse, &data, &left), JZ__SSE_DATA);
    CHECK_INT(out.length, 3);
    jz__sse_finish(&sse);
}

static void events_are_bounded(void)
{
    check_most(JZ__STR("data: 123\n\ndata: 1234567890\n\ndata: a\n\n"), 9,
               "123|too large");
    check_most(JZ__STR("data:12\ndata:34\ndata:56\ndata:78\n\n"), 9,
               "too large");
    check_most(JZ__STR("data:12\ndata:34\ndata:56\n\n"), 9, "12\n34\n56|");
    check_most(JZ__STR(": comment without an end"), 9, "too large");
}

int main(void)
{
    TAP_RUN(data_of_events_is_told);
    TAP_RUN(lines_of_an_event_are_joined);
    TAP_RUN(any_line_end_will_do);
    TAP_RUN(event_is_told_at_its_cr);
    TAP_RUN(other_fields_mean_nothing);
    TAP_RUN(other_events_are_passed_over);
    TAP_RUN(event_without_data_is_none);
    TAP_RUN(event_that_was_cut_is_dropped);
    TAP_RUN(byte_order_mark_is_passed_over);
    TAP_RUN(nul_is_a_byte_like_others);
    TAP_RUN(events_are_bounded);
    return tap_done();
}
