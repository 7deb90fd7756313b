/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word is a run of characters that are neither white space nor a quote. What
 * stands between two quotes is a phrase: trimmed, its inner white space kept. A
 * quote without a partner is ignored, so the words behind it stay words.
 */
#include "search/terms.h"

#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "jezero.h"

static struct jz__str trim_white(struct jz__str text)
{
    size_t start = 0;
    size_t end = 0;
    size_t at = 0;

    while (at < text.length) {
        uint32_t point;
        size_t n = jz__utf8_next(&point, text.data + at, text.length - at);

        if (!jz__utf8_is_white(point)) {
            end = at + n;
        } else if (end == 0) {
            start = at + n;
        }
        at += n;
    }
    text.data += start;
    text.length = end > start ? end - start : 0;
    return text;
}

static bool holds_cjk(struct jz__str text)
{
    size_t at = 0;

    while (at < text.length) {
        uint32_t point;

        at += jz__utf8_next(&point, text.data + at, text.length - at);
        if (jz__utf8_is_cjk(point)) {
            return true;
        }
    }
    return false;
}

static bool is_known(const struct jz__terms *terms, struct jz__str term)
{
    size_t i;

    for (i = 0; i < terms->count; i++) {
        if (jz__str_equal(terms->terms[i], term)) {
            return true;
        }
    }
    return false;
}

/*
 * Fold one word or phrase and keep it if it counts. The slices point into a
 * buffer that has been given its whole room at the start, so they stay valid.
 */
static int add_term(struct jz__terms *out, struct jz__str raw)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folded = JZ__BUF_INIT;
    struct jz__str term;

    if (out->count == JZ__TERMS_MOST) {
        return JZ_OK;
    }
    jz__fold_text(&folded, raw.data, raw.length);
    if (folded.error != 0) {
        return folded.error;
    }
    term.data = folded.data;
    term.length =
        jz__utf8_prefix(folded.data, folded.length, JZ__TERMS_TERM_MOST);
    if (term.length == 0 ||
        (jz__utf8_count(term.data, term.length) < JZ__TERMS_SHORTEST &&
         !holds_cjk(term)) ||
        is_known(out, term)) {
        return JZ_OK;
    }
    assert(out->text.capacity - out->text.length > term.length);
    jz__buf_append(&out->text, term.data, term.length);
    term.data = out->text.data + out->text.length - term.length;
    out->terms[out->count++] = term;
    return out->text.error;
}

/* The next word or phrase, taken off *rest: false at the end. */
static bool next_raw(struct jz__str *raw, struct jz__str *rest)
{
    size_t at = 0;

    while (rest->length > 0) {
        const char *close;
        uint32_t point;
        size_t n = jz__utf8_next(&point, rest->data, rest->length);

        if (point != '"' && !jz__utf8_is_white(point)) {
            break;
        }
        rest->data += n;
        rest->length -= n;
        if (point != '"' || rest->length == 0) {
            continue;
        }
        close = memchr(rest->data, '"', rest->length);
        if (close != NULL) {
            raw->data = rest->data;
            raw->length = (size_t)(close - rest->data);
            *raw = trim_white(*raw);
            rest->length -= (size_t)(close - rest->data) + 1;
            rest->data = close + 1;
            return true;
        }
    }
    while (at < rest->length) {
        uint32_t point;
        size_t n = jz__utf8_next(&point, rest->data + at, rest->length - at);

        if (point == '"' || jz__utf8_is_white(point)) {
            break;
        }
        at += n;
    }
    raw->data = rest->data;
    raw->length = at;
    rest->data += at;
    rest->length -= at;
    return at > 0;
}

int jz__terms_parse(struct jz__terms *out, const char *query)
{
    struct jz__str rest = jz__str_of(query);
    struct jz__str raw;
    int r = JZ_OK;

    assert(query != NULL);

    memset(out, 0, sizeof(*out));
    rest.length = jz__utf8_prefix(rest.data, rest.length, JZ__TERMS_QUERY_MOST);
    /* A folded term has at most 256 characters of 4 bytes. */
    if (jz__buf_reserve(&out->text, (size_t)JZ__TERMS_MOST *
                                        JZ__TERMS_TERM_MOST * 4) == NULL) {
        return JZ_ENOMEM;
    }
    while (r == 0 && next_raw(&raw, &rest)) {
        r = add_term(out, raw);
    }
    return r;
}

void jz__terms_finish(struct jz__terms *terms)
{
    jz__buf_finish(&terms->text);
    memset(terms, 0, sizeof(*terms));
}

bool jz__terms_match(const struct jz__terms *terms, struct jz__str folded)
{
    size_t i;

    for (i = 0; i < terms->count; i++) {
        if (folded.length > 0 &&
            memmem(folded.data, folded.length, terms->terms[i].data,
                   terms->terms[i].length) != NULL) {
            return true;
        }
    }
    return false;
}
