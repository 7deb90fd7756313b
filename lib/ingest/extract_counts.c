/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words a segment comes back to, and how much of that a sentence holds:
 * the words of each sentence are counted into one table a segment. A summary
 * prefers the sentences that hold what the segment comes back to, and no two
 * picks may say the same; both are questions about words, so the hashes of a
 * sentence's words are kept with it.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* In how many sentences a word stands. When the table is three quarters full,
 * new words are no longer counted: they are the rare ones by then. */
static void count_word(struct jz__extract_work *work, uint32_t hash)
{
    size_t slot = hash & (JZ__EXTRACT_TABLE_SIZE - 1);

    while (work->table[slot].hash != 0 && work->table[slot].hash != hash) {
        slot = (slot + 1) & (JZ__EXTRACT_TABLE_SIZE - 1);
    }
    if (work->table[slot].hash == 0) {
        if (work->table_used >= JZ__EXTRACT_TABLE_SIZE / 4 * 3) {
            return;
        }
        work->table[slot].hash = hash;
        work->table_used++;
    }
    work->table[slot].count++;
}

/* A word that found no room was not counted and counts for nothing. */
static uint32_t count_of(const struct jz__extract_work *work, uint32_t hash)
{
    size_t slot = hash & (JZ__EXTRACT_TABLE_SIZE - 1);

    while (work->table[slot].hash != 0) {
        if (work->table[slot].hash == hash) {
            return work->table[slot].count;
        }
        slot = (slot + 1) & (JZ__EXTRACT_TABLE_SIZE - 1);
    }
    return 0;
}

/* At most JZ__EXTRACT_WORDS_MOST words: a plain search is the fastest. */
static bool holds(const uint32_t *words, size_t count, uint32_t hash)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (words[i] == hash) {
            return true;
        }
    }
    return false;
}

/* A word that comes twice in a sentence counts once, else a list of one thing
 * would look like what the whole segment is about. */
int jz__extract_counts_scan(struct jz__extract_work *work,
                            struct jz__extract_sentence *sentence)
{
    uint32_t words[JZ__EXTRACT_WORDS_MOST];
    struct jz__extract_word word;
    struct jz__str rest = sentence->text;
    size_t count = 0;

    while (count < JZ__EXTRACT_WORDS_MOST &&
           jz__extract_words_next(&word, &rest)) {
        if (word.is_stop || holds(words, count, word.hash)) {
            continue;
        }
        words[count++] = word.hash;
        sentence->telling += !word.is_generic;
        sentence->marks += word.is_mark;
        count_word(work, word.hash);
    }
    sentence->content = (uint8_t)count;
    sentence->word_count = (uint8_t)count;
    if (count == 0) {
        return 0;
    }
    sentence->words = jz__arena_alloc(&work->arena, count * sizeof(words[0]));
    if (sentence->words == NULL) {
        return JZ_ENOMEM;
    }
    memcpy(sentence->words, words, count * sizeof(words[0]));
    return 0;
}

/* The sum over its words of in how many other sentences they stand (at most 6
 * a word), by the root of its length: else the longest sentence would win. */
int jz__extract_counts_central(const struct jz__extract_work *work,
                               const struct jz__extract_sentence *sentence)
{
    static const uint8_t root[] = { 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                    3, 3, 4, 4, 4, 4, 4, 4, 4, 4 };
    uint32_t sum = 0;
    size_t i;

    for (i = 0; i < sentence->word_count; i++) {
        uint32_t count = count_of(work, sentence->words[i]);

        sum += count > 7 ? 6 : count > 1 ? count - 1 : 0;
    }
    i = sentence->word_count / 2u;
    sum /= root[i < sizeof(root) ? i : sizeof(root) - 1];
    return sum > 30 ? 30 : (int)sum;
}

/* Seven of ten content words in common, counted over the shorter one. */
bool jz__extract_counts_alike(const struct jz__extract_sentence *a,
                              const struct jz__extract_sentence *b)
{
    size_t common = 0;
    size_t least;
    size_t i;

    for (i = 0; i < a->word_count; i++) {
        common += holds(b->words, b->word_count, a->words[i]);
    }
    least = a->word_count < b->word_count ? a->word_count : b->word_count;
    return least > 0 && common * 10 >= least * 7;
}
