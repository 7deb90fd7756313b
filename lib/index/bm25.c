/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See bm25.h. The formula is small on purpose and stands alone, so that another
 * index can compute the very same numbers, and a test can hold it against a
 * plain program that scores every item.
 */
#include "index/bm25.h"

#include <assert.h>
#include <math.h>

const int jz__bm25_weights[JZ__COLUMN_COUNT] = { 4, 2, 3, 3, 1 };

double jz__bm25_idf(int64_t total, int64_t with)
{
    assert(with >= 0 && with <= total);

    /* The 1 + keeps idf above 0: by the textbook formula a term in half of the
     * items weighs nothing, and in a new user's ten-item library every hit would
     * tie. Do not replace it by SQLite's bm25(). */
    return log(1.0 + ((double)(total - with) + 0.5) / ((double)with + 0.5));
}

double jz__bm25_term(double idf, int64_t half_tf, int64_t length,
                     double average)
{
    double tf = (double)half_tf / 2.0;
    /* In a library of nothing but tiny items every length is 0. */
    double ratio = average > 0.0 ? (double)length / average : 1.0;
    double norm = 1.0 - JZ__BM25_B + JZ__BM25_B * ratio;

    assert(half_tf >= 0 && length >= 0);

    return idf * ((tf * (JZ__BM25_K1 + 1.0)) / (tf + JZ__BM25_K1 * norm));
}
