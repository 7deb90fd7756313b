/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of relevance: BM25 (Robertson and Zaragoza, "The Probabilistic
 * Relevance Framework: BM25 and Beyond", 2009) over five weighted columns, with
 * an idf that stays positive, divided by the best that any document could reach.
 *
 * Every expression is written in the order in which it is meant to be computed:
 * equal inputs give equal bits on every machine (the build turns the
 * contraction of floating-point expressions off), so that ties are ties.
 */
#ifndef JZ_INDEX_BM25_H
#define JZ_INDEX_BM25_H

#include <stdint.h>

#define JZ__BM25_K1 1.2
#define JZ__BM25_B 0.75

/* The columns, in the order of the index. */
enum jz__column {
    JZ__COLUMN_TITLE,
    JZ__COLUMN_SUMMARY,
    JZ__COLUMN_QUESTIONS,
    JZ__COLUMN_ATOMS,
    JZ__COLUMN_PROJECT,
    JZ__COLUMN_COUNT
};

/* Twice the weight of each column: 2.0, 1.0, 1.5, 1.5, 0.5. Whole numbers, so
 * that a weighted count is exact whatever the order of the additions. */
extern const int jz__bm25_weights[JZ__COLUMN_COUNT];

/* with: items that hold the term, of total, both in scope. Always positive. */
double jz__bm25_idf(int64_t total, int64_t with);

/* What one term adds to a document: half_tf is twice the weighted number of
 * occurrences, length and average are in windows of 3 characters. */
double jz__bm25_term(double idf, int64_t half_tf, int64_t length,
                     double average);

#endif
