/* SPDX-License-Identifier: Apache-2.0 */
/* A query as terms. No character of it is an operator. */
#ifndef JZ_SEARCH_TERMS_H
#define JZ_SEARCH_TERMS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

#define JZ__TERMS_QUERY_MOST 8192 /* characters that are looked at */
#define JZ__TERMS_TERM_MOST 256   /* characters of a folded term */
#define JZ__TERMS_SHORTEST 3      /* characters, unless it holds a CJK one */
#define JZ__TERMS_MOST 64

struct jz__terms {
    struct jz__buf text; /* the folded terms, one behind the other */
    struct jz__str terms[JZ__TERMS_MOST];
    size_t count;
};

/* Words and quoted phrases of valid UTF-8: folded, cut, without those that are
 * too short, without duplicates, the first 64. 0 or JZ_ENOMEM; finish it in
 * every case. */
int jz__terms_parse(struct jz__terms *out, const char *query);

void jz__terms_finish(struct jz__terms *terms);

/* Does the folded text hold one of the terms? */
bool jz__terms_match(const struct jz__terms *terms, struct jz__str folded);

#endif
