/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marks of a line or paragraph by which extract_sentences.c tells items of
 * a list, rules and structure from words, and a person's words from others'.
 */
#include "ingest/extract_internal.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "- ", "1. ", "2) ", "B) " and the box of a task list: how many bytes. */
size_t jz__extract_marks_item(struct jz__str line)
{
    size_t i = 0;

    while (i < line.length && i < 3 && is_digit(line.data[i])) {
        i++;
    }
    if (i == 0 && line.length > 1 && line.data[1] == ')' &&
        (line.data[0] | 32) >= 'a' && (line.data[0] | 32) <= 'z') {
        i = 1;
    }
    if (i > 0 && i + 1 < line.length && line.data[i + 1] == ' ' &&
        (line.data[i] == ')' ||
         (line.data[i] == '.' && is_digit(line.data[0])))) {
        i += 2;
    } else if (line.length > 2 && line.data[1] == ' ' &&
               strchr("-*+", line.data[0]) != NULL) {
        i = 2;
    } else if (jz__str_starts(line, "\xE2\x80\xA2 ")) {
        i = 4;
    } else {
        return 0;
    }
    line.data += i;
    line.length -= i;
    if (line.length > 4 && line.data[0] == '[' && line.data[2] == ']' &&
        strchr(" xX", line.data[1]) != NULL) {
        i += 4;
    }
    return i;
}

/* Nothing but -, *, _, = or the pieces of a drawn box. */
bool jz__extract_marks_is_rule(struct jz__str line)
{
    size_t i;

    for (i = 0; i < line.length; i++) {
        unsigned char c = (unsigned char)line.data[i];

        if (strchr("-*_=~ ", (char)c) == NULL && c < 0x80) {
            return false;
        }
    }
    return line.length >= 3 && strchr("-*_=~\xE2", line.data[0]) != NULL;
}

/* A line that is nothing but an address. */
bool jz__extract_marks_is_address(struct jz__str line)
{
    return jz__str_starts(line, "http") &&
           memchr(line.data, ' ', line.length) == NULL;
}

/* JSON, a tag, and the directives that an agent writes for its own program. */
bool jz__extract_marks_is_structure(struct jz__str line)
{
    return line.data[0] == '{' || line.data[0] == '<' ||
           jz__str_starts(line, "::") ||
           (line.data[0] == '"' && jz__str_find(line, "\": ") != SIZE_MAX);
}

/* People leave the question mark out. */
bool jz__extract_marks_is_question(struct jz__str text)
{
    static const char *const words[] = {
        "what ",       "how ",         "why ",           "where ",
        "which ",      "who ",         "does ",          "is it ",
        "qu\xC3\xA9 ", "c\xC3\xB3mo ", "por qu\xC3\xA9 "
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(words); i++) {
        if (jz__str_starts_nocase(text, words[i])) {
            return true;
        }
    }
    return false;
}

/* Does it speak of the people of the conversation? */
bool jz__extract_marks_is_personal(struct jz__str text)
{
    static const char *const words[] = { "i",     "we",   "you",  "let's",
                                         "my",    "our",  "your", "please",
                                         "can",   "i'm",  "i'd",  "don't",
                                         "want",  "need", "yo",   "nosotros",
                                         "quiero" };
    struct jz__extract_word word;
    size_t i;

    while (jz__extract_words_next(&word, &text)) {
        for (i = 0; i < JZ__LENGTH(words); i++) {
            if (jz__str_is_nocase(word.text, words[i])) {
                return true;
            }
        }
    }
    return false;
}
