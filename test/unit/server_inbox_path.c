/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"
#include "inbox_path.h"
#include "tap.h"

#define UUID "0199aaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"

static const struct {
    const char *text;
    size_t count;
} taken[] = {
    { "claude-code/-home-dana-shop/" UUID ".jsonl", 2 },
    { "claude-code/a/b.jsonl", 2 },
    { "claude-code/x..y/a..b.jsonl", 2 },
    { "codex/2026/03/02/rollout-2026-03-02T09-00-00-" UUID ".jsonl", 4 },
    { "codex/2026/12/31/rollout-x.jsonl", 4 },
    { "antigravity/" UUID ".jsonl", 1 },
    { "opencode/ses_1.json", 1 },
    { "hermes/20261021_091200_ab12cd.json", 1 },
};

static const char *const refused[] = {
    "",
    "/",
    "claude-code",
    "claude-code/",
    "Claude-Code/a/b.jsonl",
    "/claude-code/a/b.jsonl",
    "no-such-agent/a/b.jsonl",
    "laptop/claude-code/a/b.jsonl",
    "claude-code/b.jsonl",
    "claude-code/a/b/c.jsonl",
    "claude-code/a/b.jsonl/",
    "claude-code//b.jsonl",
    "claude-code/a//b.jsonl",
    "claude-code/../b.jsonl",
    "claude-code/./b.jsonl",
    "claude-code/.a/b.jsonl",
    "claude-code/a/.b.jsonl",
    "claude-code/a/.jsonl",
    "claude-code/a/..",
    "claude-code/a/b.json",
    "claude-code/a/b.jsonl.gz",
    "claude-code/a/bjsonl",
    "claude-code/a/b c.jsonl",
    "claude-code/a/b%41.jsonl",
    "claude-code/a/b\\c.jsonl",
    "claude-code/a/b:c.jsonl",
    "claude-code/a/caf\xC3\xA9.jsonl",
    "claude-code/a/b\n.jsonl",
    "claude-code/a/b~.jsonl",
    "claude-code/a/agent-1.jsonl",
    "claude-code/subagents/b.jsonl",
    "claude-code/a/journal.jsonl",
    "claude-code/a/history.jsonl",
    "codex/rollout-x.jsonl",
    "codex/2026/13/02/rollout-x.jsonl",
    "codex/2026/00/02/rollout-x.jsonl",
    "codex/2026/3/2/rollout-x.jsonl",
    "codex/2026/03/32/rollout-x.jsonl",
    "codex/20a6/03/02/rollout-x.jsonl",
    "codex/2026/03/02/session-x.jsonl",
    "codex/2026/03/02/rollout-x.jsonl.zst",
    "antigravity/a/b.jsonl",
    "antigravity/b.json",
    "opencode/b.jsonl",
    "hermes/b.jsonl",
    "hermes/.json",
};

static bool parse(struct inbox_path *out, const char *text)
{
    const char *reason = NULL;
    bool is_taken = inbox_path_parse(out, &reason, jz__str_of(text));

    if (!is_taken && (reason == NULL || strlen(reason) < 10)) {
        CHECK_STR(reason, "a phrase");
    }
    return is_taken;
}

static void each_agents_own_shape_is_taken(void)
{
    struct inbox_path path;
    size_t i;

    for (i = 0; i < JZ__LENGTH(taken); i++) {
        if (!tap_check(parse(&path, taken[i].text), __FILE__, __LINE__,
                       taken[i].text)) {
            continue;
        }
        CHECK_INT(path.count, taken[i].count);
        CHECK(strncmp(path.agent, taken[i].text, strlen(path.agent)) == 0);
    }
    CHECK(parse(&path, taken[3].text));
    CHECK(jz__str_is(path.parts[0], "2026"));
    CHECK(jz__str_is(path.parts[3], strrchr(taken[3].text, '/') + 1));
}

static void everything_else_is_refused(void)
{
    struct inbox_path path;
    size_t i;

    for (i = 0; i < JZ__LENGTH(refused); i++) {
        tap_check(!parse(&path, refused[i]), __FILE__, __LINE__, refused[i]);
    }
}

static void a_nul_ends_nothing(void)
{
    static const char text[] = "claude-code/a/b.jsonl\0/../../x.jsonl";
    struct inbox_path path;
    const char *reason;

    CHECK(!inbox_path_parse(&path, &reason,
                            (struct jz__str){ text, sizeof(text) - 1 }));
}

static bool takes_length(const char *before, size_t length, const char *behind)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct inbox_path path;

    jz__buf_puts(&text, before);
    while (length-- > 0) {
        jz__buf_putc(&text, 'a');
    }
    jz__buf_puts(&text, behind);
    return parse(&path, text.data);
}

static void a_part_has_150_characters_and_its_ending(void)
{
    CHECK(takes_length("claude-code/a/", 150, ".jsonl"));
    CHECK(!takes_length("claude-code/a/", 151, ".jsonl"));
    CHECK(takes_length("claude-code/", 150, "/b.jsonl"));
    CHECK(!takes_length("claude-code/", 151, "/b.jsonl"));
    CHECK(!takes_length("claude-code/", 145, ".jsonl/b.jsonl"));
    CHECK(takes_length("hermes/", 150, ".json"));
    CHECK(!takes_length("hermes/", 151, ".json"));
    CHECK(!takes_length("hermes/", 100000, ".json"));
}

static void every_agent_has_a_shape(void)
{
    size_t i;

    for (i = 0; inbox_agents[i] != NULL; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        const char *reason = NULL;
        struct inbox_path path;

        jz__buf_printf(&text, "%s/%%", inbox_agents[i]);
        CHECK(!inbox_path_parse(&path, &reason, jz__str_of(text.data)));
        CHECK(strcmp(reason, "unknown agent") != 0);
    }
    CHECK_INT(i, 5);
}

int main(void)
{
    TAP_RUN(each_agents_own_shape_is_taken);
    TAP_RUN(everything_else_is_refused);
    TAP_RUN(a_nul_ends_nothing);
    TAP_RUN(a_part_has_150_characters_and_its_ending);
    TAP_RUN(every_agent_has_a_shape);
    return tap_done();
}
