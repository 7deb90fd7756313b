/* SPDX-License-Identifier: Apache-2.0 */
#include "prog/render.h"

#include "tap.h"

static const struct jz__render_options plain = { 0, false };

static void check_as(jz__render_fn render, const char *json,
                     const struct jz__render_options *options, const char *want)
{
    struct jz__buf out = JZ__BUF_INIT;
    struct jz__error error = { 0 };

    if (!CHECK_INT(render(&out, json, options, &error), 0)) {
        printf("# %s\n", error.message);
    }
    CHECK_STR(out.data, want);
    jz__buf_finish(&out);
}

static void check(jz__render_fn render, const char *json, const char *want)
{
    check_as(render, json, &plain, want);
}

#define SECOND                                                                 \
    "{\"id\":2,\"source\":\"agent-codex-laptop\",\"external_id\":\"x#0\","     \
    "\"occurred_at\":\"2026-10-19T21:23:12+00:00\",\"title\":\"Back to "       \
    "UTF-8\",\"summary\":\"The import refused the mark.\\nSo it went.\","      \
    "\"questions\":[\"Why?\"],\"atoms\":[{\"kind\":\"decision\",\"text\":"     \
    "\"No BOM\"},{\"kind\":\"command\",\"text\":\"make\\ttest\"}],"            \
    "\"project\":\"billing\",\"account\":null,\"original_ref\":\"codex-"       \
    "session:x\",\"trust\":\"own\""

static void search_lists_items_with_their_score(void)
{
    check(jz__render_search,
          "{\"count\":2,\"results\":[" SECOND ",\"score\":0.5394},{\"id\":9,"
          "\"source\":\"mail\",\"occurred_at\":\"2026-01-02T00:00:00+00:00\","
          "\"title\":\"Hello\",\"summary\":\"\",\"questions\":[],\"atoms\":[],"
          "\"project\":null,\"trust\":\"external\",\"score\":0.1}]}",
          "[2] 2026-10-19 Back to UTF-8\n"
          "    billing, agent-codex-laptop, score 0.5394\n"
          "    The import refused the mark.\n"
          "    So it went.\n"
          "    - decision: No BOM\n"
          "    - command: make test\n"
          "\n"
          "[9] 2026-01-02 Hello (external)\n"
          "    mail, score 0.1000\n");
    check(jz__render_search, "{\"count\":0,\"results\":[]}",
          "No item matches. Words are matched literally, and those "
          "under three characters are left out.\n");
}

static void timeline_lists_items_without_score(void)
{
    check(jz__render_timeline, "{\"count\":1,\"items\":[" SECOND "}]}",
          "[2] 2026-10-19 Back to UTF-8\n"
          "    billing, agent-codex-laptop\n"
          "    The import refused the mark.\n"
          "    So it went.\n"
          "    - decision: No BOM\n"
          "    - command: make test\n");
    check(jz__render_timeline, "{\"count\":0,\"items\":[]}",
          "No item in this period.\n");
}

static void later_says_how_it_found_the_items(void)
{
    check(jz__render_later,
          "{\"found\":true,\"item\":{\"id\":1},\"matched_by\":\"subject\","
          "\"count\":1,\"later\":[{\"id\":2,\"occurred_at\":\"2026-10-19T21:23:"
          "12+00:00\",\"title\":\"T\",\"source\":\"s\"}]}",
          "NEWER ON THIS SUBJECT\n\n[2] 2026-10-19 T\n    s\n");
    check(jz__render_later,
          "{\"found\":true,\"item\":{\"id\":1},\"matched_by\":"
          "\"project_timeline\",\"count\":1,\"later\":[{\"id\":2,"
          "\"occurred_at\":\"2026-10-19T21:23:12+00:00\",\"title\":\"T\","
          "\"source\":\"s\"}]}",
          "NEWER IN THIS PROJECT (by date, not by subject)\n\n"
          "[2] 2026-10-19 T\n    s\n");
    check(jz__render_later,
          "{\"found\":true,\"item\":{\"id\":1},\"matched_by\":"
          "\"project_timeline\",\"count\":0,\"later\":[]}",
          "Nothing newer.\n");
    check(jz__render_later, "{\"found\":false}", "No such item.\n");
}

static void an_item_is_shown_in_full(void)
{
    check(jz__render_item,
          "{\"found\":true,\"item\":" SECOND ",\"original\":\"[2026-10-19 "
          "21:05] user: hi\\n[2026-10-19 21:06] assistant: ho\"}}",
          "[2] Back to UTF-8\n"
          "date      2026-10-19 21:23 UTC\n"
          "project   billing\n"
          "source    agent-codex-laptop\n"
          "original  codex-session:x\n"
          "\nSummary\n"
          "    The import refused the mark.\n"
          "    So it went.\n"
          "\nQuestions\n"
          "- Why?\n"
          "\nAtoms\n"
          "- decision: No BOM\n"
          "- command: make test\n"
          "\nOriginal\n"
          "    [2026-10-19 21:05] user: hi\n"
          "    [2026-10-19 21:06] assistant: ho\n");
    check(jz__render_item,
          "{\"found\":true,\"item\":{\"id\":3,\"source\":\"mail\",\"title\":"
          "\"T\",\"occurred_at\":\"2026-10-19T21:23:12+00:00\",\"account\":"
          "\"me@example.com\",\"trust\":\"external\",\"original\":null}}",
          "[3] T (external)\n"
          "date      2026-10-19 21:23 UTC\n"
          "source    mail\n"
          "account   me@example.com\n"
          "trust     external: written by third parties, data only\n"
          "\nOriginal\n"
          "    (stored without one)\n");
    check(jz__render_item, "{\"found\":false}", "No such item.\n");
}

static void item_text_cannot_act_or_pass_for_ours(void)
{
    check(jz__render_search,
          "{\"count\":1,\"results\":[{\"id\":1,\"source\":\"s\\u001b[2J\","
          "\"occurred_at\":\"2026-10-19\",\"title\":\"a\\n[2] 2026-01-01 "
          "Forged\\u001b]0;x\\u0007\\u202e\",\"project\":\"p\\r\\nq\","
          "\"summary\":\"x\\r[3] 2026-01-01 Forged\\u009b31m\\u2066\","
          "\"atoms\":[{\"kind\":\"f\\u001bact\",\"text\":\"t\\n# h\"}]}]}",
          "[1] 2026-10-19 a [2] 2026-01-01 Forged]0;x\n"
          "    p q, s\n"
          "    x\n"
          "    [3] 2026-01-01 Forged31m\n"
          "    - fact: t # h\n");
}

static void lines_break_at_the_width(void)
{
    static const struct jz__render_options narrow = { 40, false };

    check_as(jz__render_timeline,
             "{\"items\":[{\"id\":1,\"source\":\"s\",\"title\":\"T\","
             "\"occurred_at\":\"2026-10-19\",\"summary\":\"one two three four "
             "five six seven eight nine ten\",\"atoms\":[{\"kind\":\"fact\","
             "\"text\":\"one two three four five six seven\"}]}]}",
             &narrow,
             "[1] 2026-10-19 T\n"
             "    s\n"
             "    one two three four five six seven\n"
             "    eight nine ten\n"
             "    - fact: one two three four five six\n"
             "      seven\n");
}

static void colour_is_used_where_it_is_allowed(void)
{
    static const struct jz__render_options colour = { 0, true };

    check_as(jz__render_timeline,
             "{\"items\":[{\"id\":1,\"source\":\"s\",\"title\":\"T\","
             "\"occurred_at\":\"2026-10-19\",\"trust\":\"external\"}]}",
             &colour,
             "[1] 2026-10-19 \x1b[1mT\x1b[0m \x1b[33m(external)\x1b[0m\n"
             "    \x1b[2ms\x1b[0m\n");
}

static void sources_are_a_table(void)
{
    check(jz__render_sources,
          "{\"sources\":{\"agent-a\":{\"items\":3,\"latest\":\"2026-10-20T21:"
          "23:12+00:00\"},\"mail\\u001b\":{\"items\":12,\"latest\":"
          "\"2026-10-16T21:23:12+00:00\"}}}",
          "  items  latest      source\n"
          "      3  2026-10-20  agent-a\n"
          "     12  2026-10-16  mail\n");
    check(jz__render_sources, "{\"sources\":{}}",
          "No source has an item yet.\n");
}

static void status_names_failed_documents_with_their_reasons(void)
{
    check(jz__render_status,
          "{\"path\":\"/tmp/x.db\",\"schema\":1,\"items\":5,\"hidden\":1,"
          "\"sources\":{\"agent-a\":{\"items\":5,\"latest\":\"2026-10-20T21:"
          "23:12+00:00\"}},\"documents\":{\"stored\":4,\"skipped\":2,"
          "\"failed\":1},\"failed\":[{\"path\":\"/a\\nb\",\"reason\":\"no "
          "JSON\",\"at\":\"2026-10-19T21:23:12+00:00\"}],\"bytes\":{\"file\":"
          "1234567,\"wal\":0}}",
          "library   /tmp/x.db\n"
          "schema    1\n"
          "size      1.2 MB, write-ahead log 0 B\n"
          "items     5\n"
          "hidden    1\n"
          "documents 4 stored, 2 skipped, 1 failed\n"
          "\nSources\n"
          "      5  2026-10-20  agent-a\n"
          "\nFailed documents\n"
          "- /a b: no JSON\n");
}

static void status_tells_of_server_and_inbox(void)
{
    check(jz__render_status,
          "{\"path\":\"/x.db\",\"schema\":1,\"items\":5,\"hidden\":0,"
          "\"documents\":{},\"bytes\":{},\"server\":{\"running\":true,"
          "\"process\":4711},\"inbox\":{\"files\":12,\"bytes\":3456,"
          "\"waiting\":2}}",
          "library   /x.db\n"
          "server    running, process 4711\n"
          "schema    1\n"
          "size      0 B, write-ahead log 0 B\n"
          "items     5\n"
          "hidden    0\n"
          "documents 0 stored, 0 skipped, 0 failed\n"
          "inbox     2 waiting of 12 uploads, 3.5 kB\n");
    check(jz__render_status,
          "{\"path\":\"/x.db\",\"schema\":1,\"items\":5,\"hidden\":0,"
          "\"documents\":{},\"bytes\":{},\"inbox\":{\"files\":1,"
          "\"bytes\":3456,\"waiting\":0,\"unread\":1}}",
          "library   /x.db\n"
          "schema    1\n"
          "size      0 B, write-ahead log 0 B\n"
          "items     5\n"
          "hidden    0\n"
          "documents 0 stored, 0 skipped, 0 failed\n"
          "inbox     0 waiting of 1 upload, 1 for a version that reads it, "
          "3.5 kB\n");
}

static void check_names_the_problems(void)
{
    check(jz__render_check, "{\"ok\":true,\"problems\":[]}",
          "The library is in order.\n");
    check(jz__render_check, "{\"ok\":false,\"problems\":[\"row 3 is gone\"]}",
          "- row 3 is gone\n"
          "Next: check --repair makes anew whatever follows from the "
          "items.\n");
    check(jz__render_check,
          "{\"ok\":true,\"problems\":[],\"repaired\":[\"no index\"]}",
          "- repaired: no index\nThe library is in order.\n");
    check(jz__render_check,
          "{\"ok\":false,\"problems\":[\"row 3 is gone\"],"
          "\"repaired\":[\"no index\"]}",
          "- repaired: no index\n- row 3 is gone\n"
          "Next: put the last backup in the library's place (man "
          "jezero-server, backup).\n");
}

static void an_answer_of_another_kind_is_an_error(void)
{
    struct jz__buf out = JZ__BUF_INIT;
    struct jz__error error = { 0 };

    CHECK_INT(jz__render_search(&out, "{\"items\":[]}", &plain, &error),
              JZ_EINVAL);
    CHECK_STR(error.message, "the answer has no 'results'");
    CHECK_INT(jz__render_item(&out, "nonsense", &plain, &error), JZ_EINVAL);
    jz__buf_finish(&out);
}

static void missing_is_told_from_found(void)
{
    CHECK(jz__render_is_missing("{\"found\":false}"));
    CHECK(!jz__render_is_missing("{\"found\":true,\"item\":{}}"));
    CHECK(!jz__render_is_missing("{\"count\":0}"));
}

int main(void)
{
    TAP_RUN(search_lists_items_with_their_score);
    TAP_RUN(timeline_lists_items_without_score);
    TAP_RUN(later_says_how_it_found_the_items);
    TAP_RUN(an_item_is_shown_in_full);
    TAP_RUN(item_text_cannot_act_or_pass_for_ours);
    TAP_RUN(lines_break_at_the_width);
    TAP_RUN(colour_is_used_where_it_is_allowed);
    TAP_RUN(sources_are_a_table);
    TAP_RUN(status_names_failed_documents_with_their_reasons);
    TAP_RUN(status_tells_of_server_and_inbox);
    TAP_RUN(check_names_the_problems);
    TAP_RUN(an_answer_of_another_kind_is_an_error);
    TAP_RUN(missing_is_told_from_found);
    return tap_done();
}
