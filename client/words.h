/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a prompt that past work is looked for with. */
#ifndef JEZERO_CLIENT_WORDS_H
#define JEZERO_CLIENT_WORDS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

#define WORDS_MOST 20
/* A search looks at so many characters of a word. */
#define WORDS_LENGTH_MOST 256

struct words {
    struct jz__buf query; /* all of them, a blank between two */
    size_t at[WORDS_MOST];
    size_t length[WORDS_MOST];
    size_t count;
};

/*
 * Append the first WORDS_MOST words of a text that are not there yet: runs of
 * letters, digits, '.', '-' and '_', folded as the search folds, these three
 * trimmed at the ends, at least 3 characters, no stop words. A run of Chinese,
 * Japanese or Korean characters gives its pairs: what is written without blanks
 * cannot be told apart without a dictionary, and a search finds the pairs of
 * all its words. 0 or JZ_ENOMEM.
 */
int words_find(struct words *words, const char *text, size_t length);

/* Word n, borrowed. */
struct jz__str words_get(const struct words *words, size_t n);

void words_finish(struct words *words);

/* English and Spanish words that say nothing, folded and in byte order. The
 * build makes them of stopwords.txt. */
extern const char *const words_stop[];
extern const size_t words_stop_count;

#endif
