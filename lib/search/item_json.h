/* SPDX-License-Identifier: Apache-2.0 */
/* Items as JSON, in the key order of the data model. */
#ifndef JZ_SEARCH_ITEM_JSON_H
#define JZ_SEARCH_ITEM_JSON_H

#include "base/buf.h"
#include "search/terms.h"
#include "store/item.h"

/* No score. */
#define JZ__ITEM_JSON_NO_SCORE (-1)

/* Limits of an item in a list. */
#define JZ__ITEM_JSON_SUMMARY_MOST 400 /* characters */
#define JZ__ITEM_JSON_ATOMS_MOST 8
/* Characters of an original in get_item. */
#define JZ__ITEM_JSON_ORIGINAL_MOST 200000

/* As an element of a list: summary and atoms cut, "trimmed": true if so. Atoms
 * that hold one of the terms come first (terms may be NULL). score is in
 * ten-thousandths. */
void jz__item_json_put_short(struct jz__buf *out, const struct jz__item *item,
                             const struct jz__terms *terms, int64_t score);

/* Whole. The original is there with_original: null, or the text, cut with
 * a note of what is missing. */
void jz__item_json_put_full(struct jz__buf *out, const struct jz__item *item,
                            bool with_original);

/* As a line of an export: whole, the original uncut. */
void jz__item_json_put_export(struct jz__buf *out, const struct jz__item *item);

#endif
