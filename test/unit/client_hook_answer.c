/* SPDX-License-Identifier: Apache-2.0 */
/* What hooks print, as each agent takes it. */
#include "hook_answer.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "tap.h"

#define TEXT "## a \"b\"\\ c\n- d\te\x01\xE2\x80\xA8\n"

static void check_answer(enum agent_id agent, const char *context,
                         const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    hook_answer_put(&out, agent, context);
    CHECK_STR(out.length > 0 ? out.data : "", want);
}

static void plain_text_stays_as_it_is(void)
{
    check_answer(AGENT_CLAUDE_CODE, TEXT, TEXT);
    check_answer(AGENT_CODEX, TEXT, TEXT);
    check_answer(AGENT_OPENCODE, TEXT, TEXT);
}

static void nothing_is_printed_for_nothing(void)
{
    check_answer(AGENT_CLAUDE_CODE, "", "");
    check_answer(AGENT_CODEX, "", "");
    check_answer(AGENT_OPENCODE, "", "");
    check_answer(AGENT_HERMES, "", "");
    check_answer(AGENT_ANTIGRAVITY, "", "{}\n");
}

static void objects_have_the_shape_that_agents_know(void)
{
    check_answer(AGENT_HERMES, "a\n", "{\"context\":\"a\\n\"}\n");
    check_answer(
        AGENT_ANTIGRAVITY, "a\n",
        "{\"injectSteps\":[{\"systemMessage\":{\"systemMessage\":\"a\\n\"}}]}"
        "\n");
}

static void objects_hold_the_text_unharmed(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;

    hook_answer_put(&out, AGENT_HERMES, TEXT);
    CHECK_INT(jz__json_parse(&tree, out.data, out.length, NULL), 0);
    CHECK_STR(jz__json_text(tree, "context", ""), TEXT);
    CHECK(strchr(out.data, '\n') == out.data + out.length - 1);
}

int main(void)
{
    TAP_RUN(plain_text_stays_as_it_is);
    TAP_RUN(nothing_is_printed_for_nothing);
    TAP_RUN(objects_have_the_shape_that_agents_know);
    TAP_RUN(objects_hold_the_text_unharmed);
    return tap_done();
}
