/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "inbox.h"
#include "tap.h"

#define UUID "01a22d7d-1e34-7c31-a114-af91a685ace4"
#define ROLLOUT "rollout-2026-11-30T17-25-04-" UUID

static const struct {
    enum agent_id agent;
    const char *path;
    const char *want; /* NULL: refused */
} by_file[] = {
    { AGENT_CLAUDE_CODE, "/home/dana/.claude/projects/-home-dana/1.jsonl",
      "-home-dana/1.jsonl" },
    { AGENT_CLAUDE_CODE, "/c/projects/Dana Rey\xC3\xA9s & $HOME/a b.jsonl",
      "Dana_Rey_s____HOME/a_b.jsonl" },
    { AGENT_CLAUDE_CODE, "/c/projects/\xF0\x9F\x99\x82\xFFx/1.jsonl",
      "__x/1.jsonl" },
    { AGENT_CLAUDE_CODE, "/subagents/projects/-x/1.jsonl", "-x/1.jsonl" },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/1/subagents/agent-2.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/1/subagents/2.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/1/subagents/workflows/w/2.jsonl",
      NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/1/subagents/w/2.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/agent-2.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/journal.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/..jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/.x/1.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/../1.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/1.json", NULL },
    { AGENT_CLAUDE_CODE, "/c/projects/-x/1.jsonl.zst", NULL },
    { AGENT_CLAUDE_CODE, "/1.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "1.jsonl", NULL },
    { AGENT_CLAUDE_CODE, "", NULL },
    { AGENT_CODEX, "/c/sessions/2026/11/30/" ROLLOUT ".jsonl",
      "2026/11/30/" ROLLOUT ".jsonl" },
    { AGENT_CODEX, "/c/sessions/2026/11/30/" ROLLOUT ".jsonl.zst",
      "2026/11/30/" ROLLOUT ".jsonl" },
    { AGENT_CODEX, "/c/archived_sessions/" ROLLOUT ".jsonl",
      "2026/11/30/" ROLLOUT ".jsonl" },
    { AGENT_CODEX, "/c/archived_sessions/rollout-2026-13-30T1.jsonl", NULL },
    { AGENT_CODEX, "/c/archived_sessions/rollout-" UUID ".jsonl", NULL },
    { AGENT_CODEX, "/c/sessions/2026/11/30/rollout-x.jsonl",
      "2026/11/30/rollout-x.jsonl" },
    { AGENT_CODEX, "/c/sessions/2026/11/32/rollout-x.jsonl", NULL },
    { AGENT_CODEX, "/c/sessions/2026/1/30/rollout-x.jsonl", NULL },
    { AGENT_CODEX, "/c/sessions/2026/11/30/history.jsonl", NULL },
    { AGENT_CODEX, "rollout-.jsonl", NULL },
};

static void a_file_has_its_place_or_is_refused(void)
{
    for (size_t i = 0; i < JZ__LENGTH(by_file); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        const char *reason = NULL;
        bool is_taken;

        jz__buf_puts(&out, "=");
        is_taken = inbox_put_path(&out, &reason, by_file[i].agent,
                                  by_file[i].path, NULL);
        if (CHECK_INT(is_taken, by_file[i].want != NULL)) {
            CHECK_STR(out.data + 1, is_taken ? by_file[i].want : "");
        } else {
            fprintf(stderr, "# of %s\n", by_file[i].path);
        }
        CHECK_INT(reason == NULL, is_taken);
    }
}

static const struct {
    const char *id;
    const char *want;
} by_id[] = {
    { "ses_dd282b613ffe", "ses_dd282b613ffe" },
    { "20261021_091200_ab12cd", "20261021_091200_ab12cd" },
    { "name with spaces", "name_with_spaces" },
    { "a/../b", "a_.._b" },
    { "\xE3\x81\x82\xE3\x81\x82", "__" },
    { "\xE2\x80\xAErtl", "_rtl" },
    { "con", "con" },
    { "../../x", NULL },
    { ".....", NULL },
    { ".", NULL },
    { "..", NULL },
    { "", NULL },
    { NULL, NULL },
};

static void an_id_is_cleaned_or_refused(void)
{
    static const enum agent_id agents[] = { AGENT_ANTIGRAVITY, AGENT_OPENCODE,
                                            AGENT_HERMES };

    for (size_t i = 0; i < JZ__LENGTH(by_id) * JZ__LENGTH(agents); i++) {
        const char *want = by_id[i / JZ__LENGTH(agents)].want;
        enum agent_id agent = agents[i % JZ__LENGTH(agents)];
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf whole = JZ__BUF_INIT;
        const char *reason;

        CHECK_INT(inbox_put_path(&out, &reason, agent, "/x/y.jsonl",
                                 by_id[i / JZ__LENGTH(agents)].id),
                  want != NULL);
        if (want != NULL) {
            jz__buf_printf(&whole, "%s%s", want,
                           agent == AGENT_ANTIGRAVITY ? ".jsonl" : ".json");
            CHECK_STR(out.data, whole.data);
        }
    }
}

/* 149 letters, a character of two bytes, and more. */
static void a_part_is_cut_and_its_ending_stays(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    const char *reason;

    for (int i = 0; i < 149; i++) {
        jz__buf_putc(&name, 'a');
    }
    jz__buf_puts(&name, "\xC3\xA9 and so on");
    jz__buf_printf(&path, "/projects/%s/%s.jsonl", name.data, name.data);
    CHECK(inbox_put_path(&out, &reason, AGENT_CLAUDE_CODE, path.data, NULL));
    CHECK_INT(out.length, 150 + 1 + 150 + 6);
    CHECK(jz__str_ends((struct jz__str){ out.data, out.length }, "a_.jsonl"));
    CHECK(strncmp(out.data + 148, "a_/a", 4) == 0);
}

int main(void)
{
    TAP_RUN(a_file_has_its_place_or_is_refused);
    TAP_RUN(an_id_is_cleaned_or_refused);
    TAP_RUN(a_part_is_cut_and_its_ending_stays);
    return tap_done();
}
