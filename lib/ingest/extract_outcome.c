/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How it ended: the last message of the agent that says what was done or found.
 * A report ends a turn: the person speaks after it, or nobody does. Its first
 * sentences carry the result; questions back, offers and plans do not.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* Telling words and marks of a report that says what happened: "committed as
 * 1a2b3c4 and pushed to origin/main" has four. */
#define SUBSTANCE_ENOUGH 5
/* Cues of one sentence that says what was done. */
#define RESULT_LEAST 4
/* Reports from the end in which that is looked for: further back it is the
 * outcome of something else. */
#define REPORTS_MOST 3

/* A plan stands only with a fix or a decision that outweighs it, or with
 * something done if it is but the shadow of a plan ("I've added"). */
bool jz__extract_outcome_can_stand(const struct jz__extract_sentence *sentence)
{
    const uint8_t *cues = sentence->cues;
    int strong = cues[JZ__CUE_FIX] > cues[JZ__CUE_DECISION]
                     ? cues[JZ__CUE_FIX]
                     : cues[JZ__CUE_DECISION];
    int plan = cues[JZ__CUE_PLAN];

    strong = plan < 6 && cues[JZ__CUE_OUTCOME] > strong ? cues[JZ__CUE_OUTCOME]
                                                        : strong;

    if ((sentence->flags & (JZ__SENTENCE_QUESTION | JZ__SENTENCE_HEAD |
                            JZ__SENTENCE_PASTED)) != 0 ||
        sentence->text.length < 16 || sentence->content < 2) {
        return false;
    }
    return cues[JZ__CUE_OFFER] < 4 && (plan < 4 || strong > plan);
}

/* What a person said is no outcome, however they put it. */
static bool is_report(const struct jz__extract_sentence *sentence)
{
    return (sentence->flags & JZ__SENTENCE_USER) == 0 &&
           (sentence->flags & JZ__SENTENCE_REPORT) != 0;
}

/* The substance of the message whose sentences are [first, end). */
static int substance_of(const struct jz__extract_work *work, size_t first,
                        size_t end)
{
    int sum = 0;
    size_t i;

    for (i = first; i < end; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];

        if (is_report(sentence) && jz__extract_outcome_can_stand(sentence)) {
            sum += sentence->telling + sentence->marks;
        }
    }
    return sum;
}

/* Does a sentence of [first, end) say that something was done? */
static bool has_result(const struct jz__extract_work *work, size_t first,
                       size_t end)
{
    size_t i;

    for (i = first; i < end; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];

        if (is_report(sentence) && jz__extract_outcome_can_stand(sentence) &&
            (sentence->cues[JZ__CUE_OUTCOME] >= RESULT_LEAST ||
             sentence->cues[JZ__CUE_FIX] >= RESULT_LEAST)) {
            return true;
        }
    }
    return false;
}

/* The last report with substance that says what was done; if none near the end
 * does, the last with substance, because the answer to a question is an outcome
 * too; else the one that has most: *first, *end. */
static bool find_report(size_t *first, size_t *end,
                        const struct jz__extract_work *work)
{
    size_t last = work->sentence_count;
    size_t seen = 0; /* reports with substance */
    int best = 0;

    while (last > 0) {
        size_t start = last - 1;
        int substance;
        bool is_done;

        while (start > 0 && work->sentences[start - 1].event ==
                                work->sentences[last - 1].event) {
            start--;
        }
        substance = substance_of(work, start, last);
        is_done =
            substance >= SUBSTANCE_ENOUGH && has_result(work, start, last);

        if (is_done || (seen == 0 && substance > best)) {
            best = substance;
            *first = start;
            *end = last;
        }
        seen += substance >= SUBSTANCE_ENOUGH;
        if (is_done || seen == REPORTS_MOST) {
            break;
        }
        last = start;
    }
    return best > 0;
}

/* In the order of the message: agents put the result first. */
size_t jz__extract_outcome_pick(size_t *out, size_t most,
                                const struct jz__extract_work *work)
{
    size_t count = 0;
    size_t first;
    size_t end;
    size_t i;

    if (!find_report(&first, &end, work)) {
        return 0;
    }
    for (i = first; i < end && count < most; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];
        bool leads = (sentence->flags & JZ__SENTENCE_LEAD) != 0;

        /* A lead without its list says nothing, and "Here is what I did:" says
         * nothing with it. */
        if (leads &&
            (i + 1 == end || sentence->telling < 2 ||
             sentence->cues[JZ__CUE_PLAN] > 0 ||
             (work->sentences[i + 1].flags & JZ__SENTENCE_ITEM) == 0)) {
            continue;
        }
        if ((sentence->flags & JZ__SENTENCE_ROW) != 0) {
            continue;
        }
        if (jz__extract_outcome_can_stand(sentence)) {
            out[count++] = i;
        }
    }
    return count;
}
