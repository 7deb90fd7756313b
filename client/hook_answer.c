/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claude Code, Codex and our OpenCode plugin take plain text. It must not begin
 * with a bracket, which makes the first two read it as JSON of theirs, refuse
 * it and say so to the user at every turn; ours begins with a heading or a
 * sentence. Antigravity wants an object in every case, Hermes one or nothing.
 */
#include "hook_answer.h"

#include <assert.h>

#include "base/json.h"

/* One step with one message: the agent takes nothing else. */
static void put_antigravity(struct jz__buf *out, const char *context)
{
    jz__buf_putc(out, '{');
    if (context[0] != '\0') {
        jz__json_put_key(out, "injectSteps");
        jz__buf_puts(out, "[{\"systemMessage\":{");
        jz__json_put_key(out, "systemMessage");
        jz__json_put_str(out, context);
        jz__buf_puts(out, "}}]");
    }
    jz__buf_puts(out, "}\n");
}

void hook_answer_put(struct jz__buf *out, enum agent_id agent,
                     const char *context)
{
    assert(out != NULL && context != NULL && agent < AGENT_COUNT);

    if (agent == AGENT_ANTIGRAVITY) {
        put_antigravity(out, context);
    } else if (agent != AGENT_HERMES) {
        assert(context[0] != '{' && context[0] != '[');
        jz__buf_puts(out, context);
    } else if (context[0] != '\0') {
        jz__buf_putc(out, '{');
        jz__json_put_key(out, "context");
        jz__json_put_str(out, context);
        jz__buf_puts(out, "}\n");
    }
}
