/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words: which of them carry meaning, which are names of things, and how often
 * a segment comes back to them.
 *
 * A word is a run of letters, digits and bytes of other scripts, held together
 * by the characters that stand inside names (`lib/base/str.h`, `a_b`, `1.2.3`,
 * `don't`). A *mark* is a word that only a computer's name can look like: these
 * are what people search for months later. Empty words and the words of every
 * session ("fix", "test") weigh nothing in what a title must say.
 */
#include "ingest/extract_internal.h"

#include <assert.h>
#include <string.h>

static bool is_letter(unsigned char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Bytes of a word at text: 1, or the length of a character beyond ASCII that
 * can stand in a word; 0 for anything else. Latin-1's signs (« · ¿), general
 * punctuation, arrows and boxes (U+2000 to U+2FFF) and emoji separate words.
 */
static size_t word_bytes(struct jz__str text)
{
    unsigned char c = text.length > 0 ? (unsigned char)text.data[0] : 0;

    if (is_letter(c) || is_digit(c) || c == '_') {
        return 1;
    }
    if (c < 0xC3 || c == 0xE2 || c >= 0xF0) {
        return 0;
    }
    return c >= 0xE0 ? (text.length >= 3 ? 3 : 0) : (text.length >= 2 ? 2 : 0);
}

/* Bytes of the character that is no part of a word. */
static size_t skip_bytes(struct jz__str text)
{
    unsigned char c = (unsigned char)text.data[0];
    size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

    return length < text.length ? length : text.length;
}

/* What nearly all bytes of words are. */
static bool is_plain(unsigned char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

/* A character that holds a name together when a word follows it at once. */
static bool is_joiner(struct jz__str rest)
{
    struct jz__str after = { rest.data + 1, rest.length - 1 };

    switch (rest.data[0]) {
    case ':':
        return after.length > 0 && is_digit((unsigned char)after.data[0]);
    case '.':
    case '/':
    case '-':
    case '\'':
    case '+':
    case '@':
    case '#':
    case '\\':
        return word_bytes(after) > 0;
    default:
        return false;
    }
}

/* A joiner at the end of a word is left out: "done." is a word and a point. */
static struct jz__str take_word(struct jz__str *rest)
{
    struct jz__str word = { rest->data, 0 };
    size_t i = 0;

    while (i < rest->length) {
        struct jz__str left = { rest->data + i, rest->length - i };
        size_t bytes;

        if (is_plain((unsigned char)left.data[0])) {
            i++;
            continue;
        }
        bytes = word_bytes(left);
        if (bytes == 0 && i > 0 && is_joiner(left)) {
            bytes = 1;
        }
        if (bytes == 0) {
            break;
        }
        i += bytes;
    }
    word.length = i;
    rest->data += i;
    rest->length -= i;
    return word;
}

/* Without case, and "tests" like "test": enough for both languages to count
 * the same thing under one number. */
static uint32_t hash_word(struct jz__str word)
{
    size_t length = word.length;
    uint32_t hash = 0x811c9dc5u;
    size_t i;

    if (length > 3 && (word.data[length - 1] | 32) == 's' &&
        (word.data[length - 2] | 32) != 's') {
        length--;
    }
    for (i = 0; i < length; i++) {
        unsigned char c = (unsigned char)word.data[i];

        hash ^= c >= 'A' && c <= 'Z' ? c + 32u : c;
        hash *= 0x01000193u;
    }
    return hash != 0 ? hash : 1;
}

/* A joiner other than the hyphen and the apostrophe, a digit beside a letter,
 * an underscore, or a capital behind a small letter. */
static bool looks_like_name(struct jz__str word)
{
    bool has_letter = false;
    bool has_digit = false;
    unsigned char last = 0;
    size_t i;

    for (i = 0; i < word.length; i++) {
        unsigned char c = (unsigned char)word.data[i];

        if (c >= 'a' && c <= 'z') {
            has_letter = true;
        } else if (c >= 'A' && c <= 'Z') {
            has_letter = true;
            if (last >= 'a' && last <= 'z') {
                return true;
            }
        } else if (is_digit(c)) {
            has_digit = true;
        } else if (c < 0x80 && c != '-' && c != '\'') {
            return true;
        }
        last = c;
    }
    return has_letter && has_digit;
}

/* A mark is looked up nowhere: no name of a thing is an empty word. */
bool jz__extract_words_next(struct jz__extract_word *out, struct jz__str *rest)
{
    assert(out != NULL && rest != NULL);

    while (rest->length > 0 && word_bytes(*rest) == 0) {
        size_t bytes = skip_bytes(*rest);

        rest->data += bytes;
        rest->length -= bytes;
    }
    if (rest->length == 0) {
        return false;
    }
    out->text = take_word(rest);
    out->hash = hash_word(out->text);
    out->is_mark = looks_like_name(out->text);
    out->is_stop = false;
    out->is_generic = false;
    if (!out->is_mark) {
        jz__extract_common_find(&out->is_stop, &out->is_generic, out->text);
    }
    out->is_stop = out->is_stop || out->text.length < 2;
    return true;
}

/* The order of the words counts, what stands between them does not. */
uint64_t jz__extract_words_key(struct jz__str text)
{
    struct jz__extract_word word;
    uint64_t key = 0;

    while (jz__extract_words_next(&word, &text)) {
        key = (key ^ word.hash) * 0x100000001b3u;
        key ^= key >> 29;
    }
    return key;
}
