/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what an agent writes to a hook, and as the end of a transcript:
 * what is taken of it is valid UTF-8, its words are searchable, and an answer
 * that shows it is one object on one line.
 */
#include "hook_call.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "context.h"
#include "hook_answer.h"
#include "hook_transcript.h"
#include "words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void require_clean(const struct jz__buf *text)
{
    require(text->length == 0 || jz__utf8_is_clean(text->data, text->length));
}

static void check_words(const struct jz__buf *text)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };

    require(words_find(&words, hook_call_text(text), text->length) == 0);
    require(words.count <= WORDS_MOST);
    require_clean(&words.query);
    for (size_t i = 0; i < words.count; i++) {
        struct jz__str word = words_get(&words, i);

        require(word.length > 0 &&
                jz__utf8_count(word.data, word.length) <= WORDS_LENGTH_MOST);
        require(memchr(word.data, ' ', word.length) == NULL);
    }
}

/* The text as a title. */
static void check_answer(enum agent_id agent, const struct jz__buf *text)
{
    JZ_CLEANUP(context_finish) struct context context = { .agent = agent };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    struct context_item item = { 1, "2026-05-05", hook_call_text(text), true };
    int lines = 0;

    context_put_related(&context, &item, 1);
    require(context.text.length > 0 && context.points <= CONTEXT_MOST);
    for (size_t i = 0; i < context.text.length; i++) {
        lines += context.text.data[i] == '\n';
    }
    /* The heading, if there is one, the head of the section, and the item. */
    require(lines == (agent == AGENT_HERMES ? 3 : 2));
    hook_answer_put(&out, agent, context.text.data);
    require_clean(&out);
    require(strlen(out.data) == out.length);
    if (agent == AGENT_HERMES || agent == AGENT_ANTIGRAVITY) {
        require(jz__json_parse(&tree, out.data, out.length, NULL) == 0);
        require(strchr(out.data, '\n') == out.data + out.length - 1);
    } else {
        require(out.data[0] != '{' && out.data[0] != '[');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct jz__str text = { (const char *)data, size };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf request = JZ__BUF_INIT;

    for (int i = 0; i < AGENT_COUNT; i++) {
        JZ_CLEANUP(hook_call_finish) struct hook_call call = { 0 };

        if (hook_call_read(&call, (enum agent_id)i, text, NULL) == 0) {
            require_clean(&call.session);
            require_clean(&call.cwd);
            require_clean(&call.prompt);
            require_clean(&call.transcript);
            require_clean(&call.source);
            require_clean(&call.database);
            check_words(&call.prompt);
            check_answer((enum agent_id)i, &call.prompt);
        }
    }
    require(hook_transcript_find(&request, text, size % 2 == 0) == 0);
    require_clean(&request);
    check_words(&request);
    return 0;
}
