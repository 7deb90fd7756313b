/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the item answers: the questions that people asked, and their requests as
 * they stand, in the order in which they came. The best few when there are
 * many. Whoever searches months later asks in much the same words, so these
 * stand as they were written.
 */
#include "ingest/extract_internal.h"

/* Bytes in which the verb of a statement stands. */
#define HEAD_MOST 32

/* "The other one is called so as well, I looked it up." tells the agent
 * something and asks for nothing. That a thing is broken asks for its repair.
 */
static bool is_statement(const struct jz__extract_sentence *sentence)
{
    static const char *const verbs[] = { " is ",   " are ",       " was ",
                                         " were ", " es ",        " son ",
                                         " era ",  " está ",      " seems ",
                                         " has ",  " looks like " };
    static const char *const wants[] = {
        "fail",    "error", "wrong", "broke",  " not ", "n't ",  "miss",
        "bug",     "crash", "slow",  "should", "must",  " need", "want",
        "like to", "let",   "falla", " no ",   "debe",  "quiero"
    };
    struct jz__str core = jz__extract_request_core(sentence->text);
    struct jz__str head = core;
    size_t i;

    if ((sentence->flags & JZ__SENTENCE_QUESTION) != 0) {
        return false;
    }
    for (i = 0; i < JZ__LENGTH(wants); i++) {
        if (jz__str_find_nocase(core, wants[i]) != SIZE_MAX) {
            return false;
        }
    }
    head.length = head.length < HEAD_MOST ? head.length : HEAD_MOST;
    for (i = 0; i < JZ__LENGTH(verbs); i++) {
        if (jz__str_find_nocase(head, verbs[i]) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

/* Requests that differ only in their courtesies are one. */
static void put_question(struct jz__extract_candidates *set,
                         const struct jz__extract_work *work, size_t i,
                         int score)
{
    const struct jz__extract_sentence *sentence = &work->sentences[i];
    struct jz__extract_candidate candidate = {
        .text = sentence->text,
        .key = jz__extract_words_key(jz__extract_request_core(sentence->text)),
        .score = score,
        .order = (uint32_t)i,
        .sentence = sentence,
    };

    jz__extract_candidates_put(set, &candidate);
}

/* In the order in which they were asked: what came up later often only makes
 * sense behind what came before. A score of 0 marks one that was written. */
static int keep_questions(struct jz__extract *out,
                          struct jz__extract_candidates *set)
{
    size_t taken;

    for (taken = 0; taken < set->count; taken++) {
        struct jz__extract_candidate *next = NULL;
        size_t i;
        int r;

        for (i = 0; i < set->count; i++) {
            if (set->best[i].score > 0 &&
                (next == NULL || set->best[i].order < next->order)) {
                next = &set->best[i];
            }
        }
        if (next == NULL) {
            break;
        }
        r = jz__extract_keep(&out->questions[out->question_count++],
                             &out->arena, next->text,
                             JZ__EXTRACT_QUESTION_MOST);
        if (r < 0) {
            return r;
        }
        next->score = 0;
    }
    return 0;
}

int jz__extract_questions_pick(struct jz__extract *out,
                               const struct jz__extract_work *work)
{
    struct jz__extract_candidates set = { .count = 0 };
    struct jz__extract_request request;
    size_t at = 0;
    size_t i;

    while (jz__extract_request_next(&request, work, &at)) {
        if (set.count == 0 ||
            (request.weight >= 6 &&
             !is_statement(&work->sentences[request.sentence]))) {
            put_question(&set, work, request.sentence, 1 + request.weight);
        }
    }
    for (i = 0; i < work->sentence_count; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];
        uint32_t own =
            sentence->flags &
            (JZ__SENTENCE_USER | JZ__SENTENCE_QUESTION | JZ__SENTENCE_PASTED);

        if (own == (JZ__SENTENCE_USER | JZ__SENTENCE_QUESTION) &&
            sentence->content >= 2 && sentence->telling >= 1 &&
            !jz__extract_request_is_filler(sentence)) {
            put_question(&set, work, i,
                         5 + jz__extract_request_weight(sentence));
        }
    }
    return keep_questions(out, &set);
}
