/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A prompt can be 4 MiB of pasted log, and only its first words count: so it is
 * cut into runs as it is, each run is folded for itself, and nothing behind the
 * last word that counts is looked at. Folding makes letters of letters, so that
 * the runs are those that the folded text would have; only what it adds to or
 * takes off a run's ends is trimmed afterwards.
 */
#include "words.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fold.h"
#include "base/mem.h"
#include "base/utf8.h"

/* Bytes of a run that are folded: more than a word of WORDS_LENGTH_MOST
 * characters has. Of a longer word the rest is passed over, of a longer run of
 * pairs it is a run of its own. */
#define RUN_MOST 2048
#define LEAST 3

enum kind {
    KIND_OTHER,
    KIND_WORD,
    KIND_CJK
};

static enum kind kind_of(uint32_t point)
{
    if (point == '.' || point == '-' || point == '_') {
        return KIND_WORD;
    }
    if (!jz__fold_is_word(point)) {
        return KIND_OTHER;
    }
    return jz__utf8_is_cjk(point) ? KIND_CJK : KIND_WORD;
}

static int compare(const void *key, const void *member)
{
    const struct jz__str *word = key;
    const char *stop = *(const char *const *)member;
    int r = strncmp(word->data, stop, word->length);

    return r != 0 ? r : -(stop[word->length] != '\0');
}

static bool is_stop_word(struct jz__str word)
{
    return bsearch(&word, words_stop, words_stop_count, sizeof(words_stop[0]),
                   compare) != NULL;
}

static void add(struct words *words, struct jz__str word)
{
    if (words->count == WORDS_MOST) {
        return;
    }
    for (size_t i = 0; i < words->count; i++) {
        if (jz__str_equal(words_get(words, i), word)) {
            return;
        }
    }
    if (words->count > 0) {
        jz__buf_putc(&words->query, ' ');
    }
    words->at[words->count] = words->query.length;
    words->length[words->count] = word.length;
    words->count++;
    jz__buf_append(&words->query, word.data, word.length);
}

static bool is_edge(char c)
{
    return c == '.' || c == '-' || c == '_';
}

static void add_word(struct words *words, struct jz__str run)
{
    run.length = jz__utf8_prefix(run.data, run.length, WORDS_LENGTH_MOST);
    while (run.length > 0 && is_edge(run.data[0])) {
        run.data++;
        run.length--;
    }
    while (run.length > 0 && is_edge(run.data[run.length - 1])) {
        run.length--;
    }
    if (jz__utf8_count(run.data, run.length) >= LEAST && !is_stop_word(run)) {
        add(words, run);
    }
}

static void add_pairs(struct words *words, struct jz__str run)
{
    size_t begin = 0;
    size_t middle = jz__utf8_prefix(run.data, run.length, 1);

    while (middle < run.length) {
        size_t end =
            middle + jz__utf8_prefix(run.data + middle, run.length - middle, 1);

        add(words, (struct jz__str){ run.data + begin, end - begin });
        begin = middle;
        middle = end;
    }
}

/* folded: what a run is folded into, used again for the next one. */
static int add_run(struct words *words, struct jz__buf *folded, enum kind kind,
                   struct jz__str run)
{
    /* No character folds into more letters than it has bytes. */
    if (run.length < LEAST) {
        return 0;
    }
    jz__buf_clear(folded);
    jz__fold_text(folded, run.data, run.length);
    if (folded->error != 0) {
        return JZ_ENOMEM;
    }
    run = (struct jz__str){ folded->data, folded->length };
    if (run.length == 0) {
        return 0; /* marks alone */
    }
    if (kind == KIND_CJK) {
        add_pairs(words, run);
    } else {
        add_word(words, run);
    }
    return words->query.error;
}

/* The run that begins the text, of one kind: its length is returned, and what
 * of it counts is put into *run. */
static size_t next_run(struct jz__str *run, enum kind *kind, const char *text,
                       size_t length)
{
    size_t at = 0;

    *run = (struct jz__str){ text, 0 };
    while (at < length) {
        uint32_t point;
        size_t n = jz__utf8_next(&point, text + at, length - at);
        enum kind next = kind_of(point);

        if (at == 0) {
            *kind = next;
        }
        if (next != *kind || (next == KIND_CJK && at + n > RUN_MOST)) {
            break;
        }
        at += n;
        if (at <= RUN_MOST) {
            run->length = at;
        }
    }
    return at;
}

int words_find(struct words *words, const char *text, size_t length)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folded = JZ__BUF_INIT;
    size_t at = 0;
    int r = 0;

    assert(words != NULL && (text != NULL || length == 0));

    while (at < length && words->count < WORDS_MOST && r == 0) {
        struct jz__str run;
        enum kind kind = KIND_OTHER;

        at += next_run(&run, &kind, text + at, length - at);
        if (kind != KIND_OTHER) {
            r = add_run(words, &folded, kind, run);
        }
    }
    return r;
}

struct jz__str words_get(const struct words *words, size_t n)
{
    assert(n < words->count);

    return (struct jz__str){ words->query.data + words->at[n],
                             words->length[n] };
}

void words_finish(struct words *words)
{
    jz__buf_finish(&words->query);
    memset(words, 0, sizeof(*words));
}
