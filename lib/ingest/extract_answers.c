/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that a person picked when the agent's program showed them a choice:
 *
 *     "Which cache?"="Redis (Recommended)", "How long?"="One hour".
 *
 * They are decisions in so many words, the surest that a transcript has.
 */
#include "ingest/extract_internal.h"

#include <string.h>

bool jz__extract_answers_is_text(struct jz__str text)
{
    return text.length > 0 && text.data[0] == '"' &&
           jz__str_find(text, "?\"=\"") != SIZE_MAX;
}

/* The signs between two pairs, or the end of the last one. */
static size_t end_of_answer(struct jz__str text)
{
    size_t end = jz__str_find(text, "\", \"");

    if (end != SIZE_MAX) {
        return end;
    }
    end = text.length;
    while (end > 0 && text.data[end - 1] != '"') {
        end--;
    }
    return end > 0 ? end - 1 : text.length;
}

bool jz__extract_answers_next(struct jz__buf *out, struct jz__str *rest)
{
    static const char advice[] = " (Recommended)";
    struct jz__str text = *rest;
    size_t at = jz__str_find(text, "\"=\"");
    struct jz__str answer;
    size_t end;

    /* An empty question is none, and its quote is not its own. */
    if (at == SIZE_MAX || at == 0 || text.data[0] != '"') {
        return false;
    }
    answer.data = text.data + at + 3;
    answer.length = text.length - at - 3;
    end = end_of_answer(answer);
    rest->data = answer.data + end;
    rest->length = answer.length - end;
    /* The next pair begins at its own quote, behind `", `. */
    if (rest->length > 3) {
        rest->data += 3;
        rest->length -= 3;
    }
    answer.length = end;
    if (jz__str_ends(answer, advice)) {
        answer.length -= sizeof(advice) - 1;
    }
    jz__buf_append(out, text.data + 1, at - 1);
    jz__buf_putc(out, ' ');
    jz__buf_append(out, answer.data, answer.length);
    return true;
}
