/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists stay readable for an agent: a long summary is cut and of many atoms the
 * first few are shown, those that hold a term before the others, each group in
 * its own order. An item that lost something says so behind its other fields.
 */
#include "search/item_json.h"

#include <stdio.h>
#include <string.h>

#include "base/fold.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"

static void put_field(struct jz__buf *out, const char *key, const char *text)
{
    jz__json_put_key(out, key);
    jz__json_put_str(out, text);
}

static void put_head(struct jz__buf *out, const struct jz__item *item)
{
    char time[JZ__TIME_SIZE];

    jz__time_format(time, item->occurred_at);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "id");
    jz__json_put_int(out, item->id);
    put_field(out, "source", item->source);
    put_field(out, "external_id", item->external_id);
    put_field(out, "occurred_at", time);
    put_field(out, "title", item->title);
}

static void put_questions(struct jz__buf *out, const struct jz__item *item)
{
    size_t i;

    jz__json_put_key(out, "questions");
    jz__buf_putc(out, '[');
    for (i = 0; i < item->question_count; i++) {
        jz__json_put_comma(out);
        jz__json_put_str(out, item->questions[i]);
    }
    jz__buf_putc(out, ']');
}

static void put_atom(struct jz__buf *out, const struct jz__item_atom *atom)
{
    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    put_field(out, "kind", atom->kind);
    put_field(out, "text", atom->text);
    jz__buf_putc(out, '}');
}

static void put_tail(struct jz__buf *out, const struct jz__item *item)
{
    put_field(out, "project", item->project);
    put_field(out, "account", item->account);
    put_field(out, "original_ref", item->original_ref);
    put_field(out, "trust", item->trust);
}

static bool atom_matches(const struct jz__item_atom *atom,
                         const struct jz__terms *terms)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folded = JZ__BUF_INIT;
    struct jz__str text;

    if (terms == NULL || terms->count == 0) {
        return false;
    }
    jz__fold_text(&folded, atom->text, strlen(atom->text));
    text.data = folded.data;
    text.length = folded.length;
    return folded.error == 0 && jz__terms_match(terms, text);
}

/* Those that hold a term, then the others, until the limit. */
static void put_some_atoms(struct jz__buf *out, const struct jz__item *item,
                           const struct jz__terms *terms)
{
    size_t shown = 0;
    int pass;
    size_t i;

    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < item->atom_count && shown < JZ__ITEM_JSON_ATOMS_MOST;
             i++) {
            if (atom_matches(&item->atoms[i], terms) == (pass == 0)) {
                put_atom(out, &item->atoms[i]);
                shown++;
            }
        }
    }
}

static void put_all_atoms(struct jz__buf *out, const struct jz__item *item)
{
    size_t i;

    for (i = 0; i < item->atom_count; i++) {
        put_atom(out, &item->atoms[i]);
    }
}

static void put_score(struct jz__buf *out, int64_t score)
{
    char text[32];
    size_t length;

    /* 0.5634, 0.5, 1: digits that say nothing are left out. */
    (void)snprintf(text, sizeof(text), "%lld.%04lld",
                   (long long)(score / 10000), (long long)(score % 10000));
    length = strlen(text);
    while (text[length - 1] == '0' && text[length - 2] != '.') {
        length--;
    }
    jz__json_put_key(out, "score");
    jz__buf_append(out, text, length);
}

void jz__item_json_put_short(struct jz__buf *out, const struct jz__item *item,
                             const struct jz__terms *terms, int64_t score)
{
    size_t length = strlen(item->summary);
    bool is_long = jz__utf8_prefix(item->summary, length,
                                   JZ__ITEM_JSON_SUMMARY_MOST) < length;
    bool is_many = item->atom_count > JZ__ITEM_JSON_ATOMS_MOST;

    put_head(out, item);
    jz__json_put_key(out, "summary");
    if (is_long) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;

        jz__utf8_cut(&cut, item->summary, length, JZ__ITEM_JSON_SUMMARY_MOST);
        if (cut.error != 0) {
            out->error = cut.error;
        } else {
            jz__json_put_text(out, cut.data, cut.length);
        }
    } else {
        jz__json_put_text(out, item->summary, length);
    }
    put_questions(out, item);
    jz__json_put_key(out, "atoms");
    jz__buf_putc(out, '[');
    if (is_many) {
        put_some_atoms(out, item, terms);
    } else {
        put_all_atoms(out, item);
    }
    jz__buf_putc(out, ']');
    put_tail(out, item);
    if (score >= 0) {
        put_score(out, score);
    }
    if (is_long || is_many) {
        jz__json_put_key(out, "trimmed");
        jz__json_put_bool(out, true);
    }
    jz__buf_putc(out, '}');
}

static void put_whole(struct jz__buf *out, const struct jz__item *item)
{
    put_head(out, item);
    put_field(out, "summary", item->summary);
    put_questions(out, item);
    jz__json_put_key(out, "atoms");
    jz__buf_putc(out, '[');
    put_all_atoms(out, item);
    jz__buf_putc(out, ']');
    put_tail(out, item);
}

static void put_cut_original(struct jz__buf *out, const char *original)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;
    size_t length = strlen(original);
    size_t kept =
        jz__utf8_prefix(original, length, JZ__ITEM_JSON_ORIGINAL_MOST);

    jz__buf_append(&cut, original, kept);
    if (kept < length) {
        jz__buf_printf(&cut, "\n… [%zu of %zu characters are missing]",
                       jz__utf8_count(original + kept, length - kept),
                       jz__utf8_count(original, length));
    }
    if (cut.error != 0) {
        out->error = cut.error;
        return;
    }
    jz__json_put_text(out, cut.data, cut.length);
}

void jz__item_json_put_full(struct jz__buf *out, const struct jz__item *item,
                            bool with_original)
{
    put_whole(out, item);
    if (with_original) {
        jz__json_put_key(out, "original");
        if (item->original != NULL) {
            put_cut_original(out, item->original);
        } else {
            jz__json_put_str(out, NULL);
        }
    }
    jz__buf_putc(out, '}');
}

void jz__item_json_put_export(struct jz__buf *out, const struct jz__item *item)
{
    put_whole(out, item);
    put_field(out, "original", item->original);
    jz__buf_putc(out, '}');
}
