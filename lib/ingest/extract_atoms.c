/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atoms: for each kind the best few, then one of each kind in turn until there
 * are enough. So the list starts with the best of every kind, which is what a
 * list of results shows, and no kind crowds out another.
 *
 * Sentences are of people and agent alone: what a tool printed and what a
 * person pasted never becomes a decision of ours.
 */
#include "ingest/extract_internal.h"

#include <string.h>

static const char *const kind_names[JZ__EXTRACT_ATOM_KINDS] = {
    "decision", "fix", "error", "command", "rationale", "risk", "fact"
};

/* A sentence with less than this is about nothing in particular. */
#define TELLING_LEAST 2

/* The kind whose cues weigh most; the earlier kind at a tie. -1: none. */
static int kind_of(const struct jz__extract_sentence *sentence)
{
    const uint8_t *cues = sentence->cues;
    int fact = cues[JZ__CUE_FACT];
    int best = -1;
    int weight = 2;
    int i;

    for (i = 0; i < JZ__CUE_FACT; i++) {
        if (cues[i] > weight) {
            best = i;
            weight = cues[i];
        }
    }
    /* What was done is a fact when nothing better can be said of it. */
    fact = cues[JZ__CUE_OUTCOME] > fact ? cues[JZ__CUE_OUTCOME] : fact;
    return best < 0 && fact > 2 ? JZ__CUE_FACT : best;
}

/* A fact that is one only by what was done has the weight of its outcome
 * cues. */
static int weight_of(const struct jz__extract_sentence *sentence, int kind)
{
    int weight = sentence->cues[kind];

    if (kind == JZ__CUE_FACT && sentence->cues[JZ__CUE_OUTCOME] > weight) {
        weight = sentence->cues[JZ__CUE_OUTCOME];
    }
    return weight;
}

/* "I kept mixing the two up" is no decision to keep something. */
static bool is_habit(struct jz__str text)
{
    size_t at = jz__str_find_nocase(text, "kept ");
    size_t end;

    if (at == SIZE_MAX) {
        return false;
    }
    at += 5;
    for (end = at; end < text.length && text.data[end] != ' '; end++) {
    }
    return jz__str_ends((struct jz__str){ text.data + at, end - at }, "ing");
}

/* Plans, offers and hedges undo a cue unless it is the stronger one. What is
 * left needs a sure cue, or one that is half sure beside the name of a thing:
 * "it takes long" is nothing to come back to, "parse_price() takes 3 s" is.
 * What a person says with half a cue still counts, because they decide in few
 * words. */
static bool is_usable(const struct jz__extract_sentence *sentence, int kind)
{
    const uint8_t *cues = sentence->cues;
    int weight = weight_of(sentence, kind);

    if ((sentence->flags & (JZ__SENTENCE_PASTED | JZ__SENTENCE_HEAD |
                            JZ__SENTENCE_LEAD | JZ__SENTENCE_QUESTION)) != 0 ||
        sentence->telling < TELLING_LEAST || sentence->text.length < 20) {
        return false;
    }
    if (cues[JZ__CUE_OFFER] >= 4 || cues[JZ__CUE_PLAN] >= weight ||
        (kind != JZ__CUE_DECISION && cues[JZ__CUE_PLAN] >= 5)) {
        return false;
    }
    if (kind != JZ__CUE_RISK && cues[JZ__CUE_HEDGE] >= weight) {
        return false;
    }
    /* Facts and fixes are many: one that names nothing need not be there. */
    if ((kind == JZ__CUE_FACT || kind == JZ__CUE_FIX) && sentence->marks == 0 &&
        sentence->telling < TELLING_LEAST + 2) {
        return false;
    }
    if (kind == JZ__CUE_DECISION && is_habit(sentence->text)) {
        return false;
    }
    if ((sentence->flags & JZ__SENTENCE_USER) != 0 &&
        kind == JZ__CUE_DECISION) {
        return weight >= 6 || sentence->telling >= 3 || sentence->marks > 0;
    }
    return (weight >= 5 || (weight >= 4 && sentence->marks > 0)) &&
           jz__extract_alone_is_clear(sentence);
}

/* The sure and the telling first: names of things count twice, because they
 * are what people search for. A report repeats what matters, so it is
 * preferred to what was said on the way. Fragments and long-winded sentences
 * come later. */
static int score_of(const struct jz__extract_work *work,
                    const struct jz__extract_sentence *sentence, int kind)
{
    int score = weight_of(sentence, kind) * 2;
    int telling = sentence->telling < 8 ? sentence->telling : 8;
    int marks = sentence->marks < 4 ? sentence->marks : 4;

    score += telling + marks * 2;
    score += jz__extract_counts_central(work, sentence) / 3;
    score += (sentence->flags & JZ__SENTENCE_REPORT) != 0 ? 4 : 0;
    score +=
        (sentence->flags & JZ__SENTENCE_USER) != 0 && kind == JZ__CUE_DECISION
            ? 4
            : 0;
    score -= sentence->text.length < 30 ? 4 : 0;
    score -= sentence->text.length > 220 ? 4 : 0;
    score -= (sentence->flags & JZ__SENTENCE_ROW) != 0 ? 4 : 0;
    score -= sentence->cues[JZ__CUE_HEDGE] + sentence->cues[JZ__CUE_PLAN];
    return score;
}

/* Every sentence is of one kind at most: an atom that stands under two kinds
 * would push out another. */
static void put_sentences(struct jz__extract_candidates *sets,
                          const struct jz__extract_work *work)
{
    size_t i;

    for (i = 0; i < work->sentence_count; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];
        int kind = kind_of(sentence);
        struct jz__extract_candidate candidate = {
            .text = sentence->text,
            .order = (uint32_t)i,
            .sentence = sentence,
        };

        if (kind < 0 || !is_usable(sentence, kind)) {
            continue;
        }
        candidate.key = jz__extract_words_key(sentence->text);
        candidate.score = score_of(work, sentence, kind);
        jz__extract_candidates_put(&sets[kind], &candidate);
    }
}

/* Was the same said in an atom of another kind? */
static bool is_known(const struct jz__extract_candidate *const *taken,
                     size_t count, const struct jz__extract_candidate *next)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (taken[i]->key == next->key ||
            (taken[i]->sentence != NULL && next->sentence != NULL &&
             jz__extract_counts_alike(taken[i]->sentence, next->sentence))) {
            return true;
        }
    }
    return false;
}

/* The best of every kind, then the second best of every kind, and so on. */
static int keep_in_turn(struct jz__extract *out,
                        const struct jz__extract_candidates *sets)
{
    const struct jz__extract_candidate *taken[JZ__EXTRACT_ATOMS_MOST];
    size_t rank;
    int kind;

    for (rank = 0; rank < JZ__EXTRACT_CANDIDATES; rank++) {
        for (kind = 0; kind < JZ__EXTRACT_ATOM_KINDS; kind++) {
            const struct jz__extract_candidate *next = &sets[kind].best[rank];
            struct jz__extract_atom *atom = &out->atoms[out->atom_count];
            int r;

            if (out->atom_count == JZ__EXTRACT_ATOMS_MOST) {
                return 0;
            }
            if (rank >= sets[kind].count ||
                is_known(taken, out->atom_count, next)) {
                continue;
            }
            r = jz__extract_keep(&atom->text, &out->arena, next->text,
                                 JZ__EXTRACT_ATOM_MOST);
            if (r < 0) {
                return r;
            }
            atom->kind = kind_names[kind];
            taken[out->atom_count++] = next;
        }
    }
    return 0;
}

/* The sets are on the stack: they are bounded by the number of kinds. */
int jz__extract_atoms_pick(struct jz__extract *out,
                           struct jz__extract_work *work)
{
    struct jz__extract_candidates sets[JZ__EXTRACT_ATOM_KINDS];
    int r;

    memset(sets, 0, sizeof(sets));
    r = jz__extract_commands_pick(&sets[JZ__CUE_COMMAND], work);
    if (r == 0) {
        r = jz__extract_errors_pick(&sets[JZ__CUE_ERROR], work);
    }
    if (r < 0) {
        return r;
    }
    put_sentences(sets, work);
    return keep_in_turn(out, sets);
}
