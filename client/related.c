/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A prompt is not a query: most of its words are there by chance, and a search
 * finds an item by any one of them. What is shown without having been asked for
 * must be right, so an item needs two of the words, and a score that is near
 * the best one's. Scores of searches for the same words compare, whatever
 * project they were restricted to, but the best in the project counts there:
 * its items are to come first also when others fit better.
 *
 * Words are looked for as the search does it, as substrings of the folded text.
 * An item's project counts for the search and not here: it would be a word that
 * all items of the project hold.
 */
#include "related.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/fold.h"
#include "base/mem.h"
#include "base/str.h"

static void put_text(struct jz__buf *out, const char *text)
{
    jz__buf_puts(out, text);
    jz__buf_putc(out, '\n');
}

/* What is searched, but the project. */
static int put_folded(struct jz__buf *out, const cJSON *item)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const cJSON *one;

    put_text(&text, jz__json_text(item, "title", ""));
    put_text(&text, jz__json_text(item, "summary", ""));
    cJSON_ArrayForEach(one, jz__json_get(item, "questions"))
    {
        put_text(&text, cJSON_IsString(one) ? one->valuestring : "");
    }
    cJSON_ArrayForEach(one, jz__json_get(item, "atoms"))
    {
        put_text(&text, jz__json_text(one, "text", ""));
    }
    if (text.error != 0) {
        return JZ_ENOMEM;
    }
    jz__fold_text(out, text.data, text.length);
    return out->error;
}

/* 1: it holds enough of the words. */
static int has_words(const struct words *words, const cJSON *item)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const size_t least = words->count > 1 ? 2 : 1;
    size_t held = 0;

    if (put_folded(&text, item) < 0) {
        return JZ_ENOMEM;
    }
    for (size_t i = 0; i < words->count && held < least; i++) {
        struct jz__str word = words_get(words, i);

        held += memmem(text.data, text.length, word.data, word.length) != NULL;
    }
    return held >= least;
}

/* Items of a session are named after it: "<session>#0" and
 * "claude-code-session:<session>". */
static bool is_own(const char *session, const cJSON *item)
{
    const char *external = jz__json_text(item, "external_id", "");
    const char *original = jz__json_text(item, "original_ref", "");
    size_t length = strlen(session);
    size_t end = strlen(original);

    if (length == 0) {
        return false;
    }
    if (strncmp(external, session, length) == 0 &&
        (external[length] == '#' || external[length] == '\0')) {
        return true;
    }
    return end > length && original[end - length - 1] == ':' &&
           strcmp(original + end - length, session) == 0;
}

bool related_holds_id(const cJSON *ids, int64_t id)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, ids)
    {
        int64_t value;

        if (jz__json_whole(&value, one) && value == id) {
            return true;
        }
    }
    return false;
}

struct context_item related_item(const cJSON *item)
{
    struct context_item out = {
        .occurred_at = jz__json_text(item, "occurred_at", ""),
        .title = jz__json_text(item, "title", ""),
        .is_external =
            strcmp(jz__json_text(item, "trust", ""), "external") == 0,
    };

    if (!jz__json_whole(&out.id, jz__json_get(item, "id"))) {
        out.id = 0;
    }
    return out;
}

static bool is_there(const struct related *related, int64_t id)
{
    for (size_t i = 0; i < related->count; i++) {
        if (related->items[i].id == id) {
            return true;
        }
    }
    return related_holds_id(related->shown, id);
}

int related_add(struct related *related, const cJSON *answer)
{
    double best = -1;
    const cJSON *item;

    assert(related != NULL && related->words != NULL);

    cJSON_ArrayForEach(item, jz__json_get(answer, "results"))
    {
        struct context_item found = related_item(item);
        double score = jz__json_number(item, "score", 0);
        int r;

        if (related->count == RELATED_MOST || found.id < 1 ||
            is_own(related->session, item)) {
            continue;
        }
        /* They come best first, and what was shown before was as good. */
        if (best < 0) {
            best = score;
        }
        if (score * 2 < best || is_there(related, found.id)) {
            continue;
        }
        r = has_words(related->words, item);
        if (r < 0) {
            return r;
        }
        if (r == 1) {
            related->items[related->count++] = found;
        }
    }
    return 0;
}
