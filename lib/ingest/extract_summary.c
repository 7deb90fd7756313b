/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary: what was asked, how it ended, and then the sentences that the
 * rest of the segment turns around, in their order. The outcome stands before
 * the details because lists show the first 400 characters only.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* Bytes for each part; what one leaves over goes to the details. Bytes are never
 * fewer than characters, so the limit of the summary holds in any script. */
#define REQUEST_MOST 220
#define OUTCOME_MOST 420
#define SENTENCE_MOST 300
#define PICKS_MOST 16

/* The text so far and the sentences that it was made of, so that nothing is
 * said twice. */
struct summary {
    struct jz__buf text;
    size_t taken[PICKS_MOST * 2];
    size_t count;
    bool is_open; /* the last sentence has no full stop yet */
    bool is_list; /* it announced a list, or is of one */
};

/* Does it begin with a small letter that is none of a name's? */
static bool is_small(struct jz__str text)
{
    size_t i = 0;

    while (i < text.length && text.data[i] >= 'a' && text.data[i] <= 'z') {
        i++;
    }
    return i > 0 && (i == text.length || text.data[i] == ' ');
}

/* The same sentence, or one that says much the same. */
static bool is_taken(const struct summary *summary,
                     const struct jz__extract_work *work, size_t i)
{
    size_t k;

    for (k = 0; k < summary->count; k++) {
        if (summary->taken[k] == i ||
            jz__extract_counts_alike(&work->sentences[summary->taken[k]],
                                     &work->sentences[i])) {
            return true;
        }
    }
    return false;
}

/* Is there a point at the end, or behind it closing marks alone? */
static bool is_ended(struct jz__str text)
{
    while (text.length > 0 &&
           strchr("\"')", text.data[text.length - 1]) != NULL) {
        text.length--;
    }
    return text.length > 0 &&
           strchr(".!?:;", text.data[text.length - 1]) != NULL;
}

/* Is sentence i the next item of the list that the text ends with? Items are
 * pieces of sentences more often than not: they read well only behind what
 * announced them, and apart by semicolons. */
static bool goes_on_list(const struct summary *summary,
                         const struct jz__extract_work *work, size_t i)
{
    const struct jz__extract_sentence *next = &work->sentences[i];
    const struct jz__extract_sentence *last;

    if (summary->count == 0 || (next->flags & JZ__SENTENCE_ITEM) == 0) {
        return false;
    }
    last = &work->sentences[summary->taken[summary->count - 1]];
    return next == last + 1 && next->event == last->event &&
           (summary->is_list ||
            ((last->flags & JZ__SENTENCE_ITEM) != 0 && is_small(next->text)));
}

/* Append the sentence, if it fits in `room` bytes in all. Its full stop waits
 * for what comes next. */
static bool put(struct summary *summary, const struct jz__extract_work *work,
                size_t i, size_t room)
{
    struct jz__str text = work->sentences[i].text;
    bool is_list = goes_on_list(summary, work, i);

    if (summary->count == JZ__LENGTH(summary->taken) ||
        text.length > SENTENCE_MOST ||
        summary->text.length + text.length + 2 > room) {
        return false;
    }
    if (summary->is_open) {
        jz__buf_putc(&summary->text, is_list ? ';' : '.');
    }
    if (summary->text.length > 0) {
        jz__buf_putc(&summary->text, ' ');
    }
    summary->is_open = !is_ended(text);
    summary->is_list =
        is_list || (work->sentences[i].flags & JZ__SENTENCE_LEAD) != 0;
    while (text.length > 0 && text.data[text.length - 1] == ',') {
        text.length--;
    }
    jz__buf_append(&summary->text, text.data, text.length);
    summary->taken[summary->count++] = i;
    return true;
}

/* A sentence that is too long stands cut rather than not at all. */
static void put_cut(struct summary *summary,
                    const struct jz__extract_work *work, size_t i, size_t most)
{
    struct jz__str text = work->sentences[i].text;
    bool is_whole = text.length <= most;
    size_t length = is_whole ? text.length : most;

    if (summary->count == JZ__LENGTH(summary->taken)) {
        return;
    }
    while (!is_whole && length > most / 2 && text.data[length] != ' ') {
        length--;
    }
    while (!is_whole && length > 0 &&
           ((unsigned char)text.data[length] & 0xC0) == 0x80) {
        length--;
    }
    if (summary->is_open) {
        jz__buf_putc(&summary->text, '.');
    }
    if (summary->text.length > 0) {
        jz__buf_putc(&summary->text, ' ');
    }
    summary->is_open = is_whole && !is_ended(text);
    summary->is_list = false;
    jz__buf_append(&summary->text, text.data, length);
    if (!is_whole) {
        jz__buf_puts(&summary->text, "\xE2\x80\xA6");
    }
    summary->taken[summary->count++] = i;
}

/* One request with what the person said next in the same message. */
static void put_request(struct summary *summary,
                        const struct jz__extract_work *work, size_t first)
{
    size_t i = first;

    if (!put(summary, work, i, REQUEST_MOST)) {
        put_cut(summary, work, i, REQUEST_MOST);
        return;
    }
    /* What the person said next belongs to it. */
    for (i++; i < work->sentence_count &&
              work->sentences[i].event == work->sentences[first].event;
         i++) {
        if ((work->sentences[i].flags & JZ__SENTENCE_PASTED) != 0 ||
            work->sentences[i].content < 2 ||
            !put(summary, work, i, REQUEST_MOST)) {
            break;
        }
    }
}

/* The first request, and if that says nothing in particular the one that says
 * most. */
static void put_requests(struct summary *summary,
                         const struct jz__extract_work *work)
{
    struct jz__extract_request first;
    struct jz__extract_request next;
    struct jz__extract_request best;
    size_t at = 0;

    if (!jz__extract_request_next(&first, work, &at)) {
        return;
    }
    put_request(summary, work, first.sentence);
    best = first;
    while (first.weight < 4 && jz__extract_request_next(&next, work, &at)) {
        if (next.weight > best.weight) {
            best = next;
        }
    }
    if (best.sentence != first.sentence &&
        !is_taken(summary, work, best.sentence)) {
        put_request(summary, work, best.sentence);
    }
}

/* Does the text end with a sentence that announces what follows it? */
static bool is_lead(const struct jz__extract_work *work,
                    const struct summary *summary)
{
    size_t last = summary->taken[summary->count - 1];

    return (work->sentences[last].flags & JZ__SENTENCE_LEAD) != 0;
}

/* If not even the first sentence fits, it stands cut: a summary without the
 * outcome is worth little. */
static void put_outcome(struct summary *summary,
                        const struct jz__extract_work *work)
{
    size_t picks[PICKS_MOST];
    size_t count = jz__extract_outcome_pick(picks, PICKS_MOST, work);
    size_t room = summary->text.length + OUTCOME_MOST;
    size_t before = summary->count;
    size_t length = 0; /* of the text before the last sentence */
    size_t i;

    for (i = 0; i < count; i++) {
        size_t start = summary->text.length;
        size_t taken = summary->count;

        if (!put(summary, work, picks[i], room) && summary->count == before) {
            put_cut(summary, work, picks[i], OUTCOME_MOST);
        }
        length = summary->count > taken ? start : length;
    }
    /* What was announced did not fit. */
    if (summary->count > before && is_lead(work, summary)) {
        summary->text.length = length;
        summary->count--;
        summary->is_open =
            length > 0 &&
            !is_ended((struct jz__str){ summary->text.data, length });
        summary->is_list = false;
    }
}

/* "A. A queue of its own", "(b) a file": offered, and mostly not taken. */
static bool is_choice(struct jz__str text)
{
    size_t at = text.length > 3 && text.data[0] == '(';

    return text.length > 3 && (text.data[at] | 32) >= 'a' &&
           (text.data[at] | 32) <= 'f' &&
           (text.data[at + 1] == '.' || text.data[at + 1] == ')') &&
           text.data[at + 2] == ' ';
}

/* How much a summary wants the sentence; 0: not at all. */
static int score_of(const struct jz__extract_work *work, size_t i)
{
    const struct jz__extract_sentence *sentence = &work->sentences[i];
    const uint8_t *cues = sentence->cues;
    int score = jz__extract_counts_central(work, sentence);

    if ((sentence->flags &
         (JZ__SENTENCE_USER | JZ__SENTENCE_LEAD | JZ__SENTENCE_ROW)) != 0 ||
        sentence->text.length < 40 || sentence->telling < 3 ||
        sentence->text.length > SENTENCE_MOST ||
        ((sentence->flags & JZ__SENTENCE_ITEM) != 0 &&
         is_small(sentence->text)) ||
        is_choice(sentence->text) || !jz__extract_outcome_can_stand(sentence)) {
        return 0;
    }
    score += cues[JZ__CUE_FIX] * 2 + cues[JZ__CUE_DECISION] * 2 +
             cues[JZ__CUE_OUTCOME] + cues[JZ__CUE_RATIONALE] +
             cues[JZ__CUE_RISK];
    score += sentence->marks < 4 ? sentence->marks : 4;
    score += (sentence->flags & JZ__SENTENCE_REPORT) != 0 ? 6 : 0;
    score += (sentence->flags & JZ__SENTENCE_BREAK) != 0 ? 3 : 0;
    score -= cues[JZ__CUE_HEDGE] * 2 + cues[JZ__CUE_PLAN] * 2;
    return score > 0 ? score : 0;
}

/* What a candidate has to beat to get into the set. */
static int worst_of(const struct jz__extract_candidates *set)
{
    return set->count < JZ__EXTRACT_CANDIDATES
               ? 0
               : set->best[set->count - 1].score;
}

/* Chosen by score, written in the order in which they were said. */
static void put_details(struct summary *summary,
                        const struct jz__extract_work *work)
{
    struct jz__extract_candidates set = { .count = 0 };
    uint32_t last = 0;
    size_t i;
    size_t k;

    for (i = 0; i < work->sentence_count; i++) {
        struct jz__extract_candidate candidate = {
            .key = i + 1,
            .score = score_of(work, i),
            .order = (uint32_t)i,
            .sentence = &work->sentences[i],
        };

        /* The comparison is the dear part: only for one that would get in. */
        if (candidate.score > worst_of(&set) && !is_taken(summary, work, i)) {
            jz__extract_candidates_put(&set, &candidate);
        }
    }
    /* The best are chosen by what fits, then written in their order. */
    for (i = 0, k = summary->text.length; i < set.count; i++) {
        k += set.best[i].sentence->text.length + 2;
        if (k > JZ__EXTRACT_SUMMARY_MOST) {
            set.best[i].score = 0;
            k -= set.best[i].sentence->text.length + 2;
        }
    }
    for (k = 0; k < set.count; k++) {
        const struct jz__extract_candidate *next = NULL;

        for (i = 0; i < set.count; i++) {
            if (set.best[i].score > 0 && set.best[i].order >= last &&
                (next == NULL || set.best[i].order < next->order)) {
                next = &set.best[i];
            }
        }
        if (next == NULL ||
            !put(summary, work, next->order, JZ__EXTRACT_SUMMARY_MOST)) {
            break;
        }
        last = next->order + 1;
    }
}

/* Nothing said much: then what was said first and last has to do. */
static void put_any(struct summary *summary,
                    const struct jz__extract_work *work)
{
    if (summary->text.length == 0 && work->sentence_count > 0) {
        put(summary, work, 0, JZ__EXTRACT_SUMMARY_MOST);
        if (work->sentence_count > 1) {
            put(summary, work, work->sentence_count - 1,
                JZ__EXTRACT_SUMMARY_MOST);
        }
    }
}

/* A segment in which nobody said anything has an empty summary. */
int jz__extract_summary_pick(struct jz__extract *out,
                             struct jz__extract_work *work)
{
    struct summary summary = { .text = JZ__BUF_INIT, .count = 0 };
    int r;

    put_requests(&summary, work);
    put_outcome(&summary, work);
    put_details(&summary, work);
    put_any(&summary, work);
    if (summary.is_open) {
        jz__buf_putc(&summary.text, '.');
    }
    r = summary.text.error < 0
            ? JZ_ENOMEM
            : jz__extract_keep(
                  &out->summary, &out->arena,
                  (struct jz__str){ summary.text.data, summary.text.length },
                  JZ__EXTRACT_SUMMARY_MOST);
    jz__buf_finish(&summary.text);
    return r;
}
