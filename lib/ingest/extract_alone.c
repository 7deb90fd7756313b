/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can a sentence be read alone? An atom stands in a list of results without
 * its neighbours, so "It also breaks the export" tells its reader nothing:
 * nobody knows what "it" was. Sentences that point at another one are told by
 * how they begin, which is cheap and right often enough.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* How far into a sentence its object is looked for: "Added it to the list". */
#define OBJECT_WORDS 4

/* Words that only tie a sentence to the one before. */
static const char *const ties[] = { "also",  "and",     "but",  "so",
                                    "now",   "then",    "yes",  "no",
                                    "well",  "indeed",  "pero", "y",
                                    "sí",    "así que", "ok",   "okay",
                                    "again", "still",   "thus", "además" };

/* What points at something that was said before, and verbs whose subject was:
 * "Returns the merged settings". */
static const char *const pointers[] = {
    "it",         "it's",        "its",       "this",      "that",
    "that's",     "these",       "those",     "they",      "they're",
    "them",       "both",        "such",      "which",     "otherwise",
    "here",       "the other",   "the rest",  "the same",  "the former",
    "the above",  "the latter",  "either",    "neither",   "esto",
    "eso",        "ambos",       "ambas",     "los demás", "lo mismo",
    "same here",  "none of the", "as before", "same as",   "returns",
    "requires",   "supports",    "expects",   "takes",     "depends on",
    "defaults to"
};

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '\'' ||
           (unsigned char)c >= 0x80;
}

/* Bytes of the phrase at the start of text if whole words match, else 0. */
static size_t starts_with(struct jz__str text, const char *phrase)
{
    size_t length = strlen(phrase);

    if (!jz__str_starts_nocase(text, phrase) ||
        (length < text.length && is_word_byte(text.data[length]))) {
        return 0;
    }
    return length;
}

static struct jz__str without(struct jz__str text, size_t length)
{
    text.data += length;
    text.length -= length;
    while (text.length > 0 && strchr(" ,:;-(", text.data[0]) != NULL) {
        text.data++;
        text.length--;
    }
    return text;
}

/* The first ties, as many as there are, off the front. */
static struct jz__str without_ties(struct jz__str text)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(ties); i++) {
        size_t length = starts_with(text, ties[i]);

        if (length > 0) {
            text = without(text, length);
            i = SIZE_MAX; /* from the first again: the text got shorter */
        }
    }
    return text;
}

/* "Added it to …", "I'll leave them as they are": of what is not said. */
static bool has_bare_object(struct jz__str text)
{
    struct jz__str word;
    size_t count;

    for (count = 0; count < OBJECT_WORDS && text.length > 0; count++) {
        word = text;
        word.length = 0;
        while (word.length < text.length && word.data[word.length] != ' ') {
            word.length++;
        }
        if (jz__str_is(word, "it") || jz__str_is(word, "them")) {
            return true;
        }
        /* Behind a colon or comma it may be said what it is. */
        if (word.length > 0 &&
            strchr(",:", word.data[word.length - 1]) != NULL) {
            return false;
        }
        text = without(text, word.length);
    }
    return false;
}

bool jz__extract_alone_is_clear(const struct jz__extract_sentence *sentence)
{
    struct jz__str text = without_ties(sentence->text);
    size_t i;

    /* A sentence that begins with dots is the end of another one. */
    if (jz__str_starts(text, "\xE2\x80\xA6") || jz__str_starts(text, "..")) {
        return false;
    }
    /* "This is a race because of …" says itself what it is. */
    for (i = 0; i < JZ__LENGTH(pointers) && starts_with(text, "this is a") == 0;
         i++) {
        if (starts_with(text, pointers[i]) > 0) {
            return false;
        }
    }
    /* A row of a table that holds a piece of code. */
    if ((sentence->flags & JZ__SENTENCE_ROW) != 0 &&
        memchr(text.data, '{', text.length) != NULL) {
        return false;
    }
    return !has_bare_object(text);
}
