/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of relevance, held against numbers worked out by hand. */
#include "index/bm25.h"

#include <math.h>

#include "tap.h"

static int near(double got, double want)
{
    return fabs(got - want) < 1e-12;
}

static void idf_is_that_of_the_documentation(void)
{
    CHECK(near(jz__bm25_idf(10, 1), log(1.0 + 9.5 / 1.5)));
    CHECK(near(jz__bm25_idf(0, 0), log(2.0)));
}

static void idf_stays_positive_for_a_term_in_every_item(void)
{
    CHECK(jz__bm25_idf(10, 10) > 0.0);
    CHECK(jz__bm25_idf(1, 1) > 0.0);
    CHECK(jz__bm25_idf(1000000, 1000000) > 0.0);
}

static void a_term_in_a_document_of_average_length_has_norm_1(void)
{
    /* tf 1: 1 x 2.2 / (1 + 1.2) = 1. */
    CHECK(near(jz__bm25_term(3.0, 2, 50, 50.0), 3.0));
}

static void weights_count_in_halves(void)
{
    /* tf 0.5: 0.5 x 2.2 / (0.5 + 1.2). */
    CHECK(near(jz__bm25_term(1.0, 1, 50, 50.0), 1.1 / 1.7));
    CHECK_INT(jz__bm25_weights[JZ__COLUMN_TITLE], 4);
    CHECK_INT(jz__bm25_weights[JZ__COLUMN_PROJECT], 1);
}

static void longer_documents_count_less(void)
{
    CHECK(jz__bm25_term(1.0, 2, 100, 50.0) < jz__bm25_term(1.0, 2, 50, 50.0));
    /* norm 1 - 0.75 + 0.75 x 2 = 1.75. */
    CHECK(near(jz__bm25_term(1.0, 2, 100, 50.0), 2.2 / (1.0 + 1.2 * 1.75)));
}

static void an_average_length_of_0_has_norm_1(void)
{
    CHECK(near(jz__bm25_term(2.0, 2, 0, 0.0), 2.0));
}

static void no_document_reaches_more_than_idf_times_k1_plus_1(void)
{
    CHECK(jz__bm25_term(1.0, 1 << 30, 0, 50.0) < 2.2);
}

int main(void)
{
    TAP_RUN(idf_is_that_of_the_documentation);
    TAP_RUN(idf_stays_positive_for_a_term_in_every_item);
    TAP_RUN(a_term_in_a_document_of_average_length_has_norm_1);
    TAP_RUN(weights_count_in_halves);
    TAP_RUN(longer_documents_count_less);
    TAP_RUN(an_average_length_of_0_has_norm_1);
    TAP_RUN(no_document_reaches_more_than_idf_times_k1_plus_1);
    return tap_done();
}
