/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people asked for. A message is often "yes, go on" or "commit and push";
 * a request is the first sentence of a message that is more than that, and its
 * weight counts the words that tell what it is about.
 *
 * The lists are of whole phrases, in both languages. They are compared word by
 * word, so that "note the limits" does not lose its "no".
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* Taken off the front, as often as they come. The longer first where one
 * begins with the other. */
static const char *const lead_ins[] = {
    "okay",
    "ok",
    "yes please",
    "yes",
    "yeah",
    "yep",
    "sure",
    "no",
    "hello",
    "hey",
    "hi",
    "great",
    "perfect",
    "cool",
    "thanks",
    "thank you",
    "nice",
    "awesome",
    "hmm",
    "hm",
    "so",
    "also",
    "and",
    "now",
    "then",
    "well",
    "oh",
    "alright",
    "claude,",
    "codex,",
    "please",
    "can you please",
    "could you please",
    "can you",
    "could you",
    "would you",
    "can we",
    "could we",
    "i want you to",
    "i'd like you to",
    "i would like you to",
    "i need you to",
    "i'd like to",
    "i would like to",
    "i want to",
    "i think we should",
    "i wonder if there's a way to",
    "i wonder if we can",
    "we should",
    "we need to",
    "i need to",
    "need to",
    "help me",
    "let's",
    "lets",
    "let us",
    "vale",
    "buenos días",
    "buenas tardes",
    "buenas",
    "good morning",
    "hola",
    "bueno",
    "gracias",
    "perfecto",
    "sí",
    "por favor",
    "puedes",
    "podrías",
    "podrias",
    "ahora",
    "oye",
    "just keep going",
    "keep going",
    "go ahead",
    "go on",
    "continue",
    "just",
};

/* Sentences that only say that the work may go on, as a whole. */
static const char *const go_ons[] = {
    "go ahead",     "go on",       "do it",       "do that",    "do this",
    "continue",     "keep going",  "proceed",     "looks good", "sounds good",
    "lgtm",         "what's next", "whats next",  "next",       "exit",
    "try again",    "again",       "retry",       "yes to all", "both",
    "all of them",  "do all",      "that works",  "fine",       "right",
    "correct",      "exactly",     "agreed",      "adelante",   "sigue",
    "continúa",     "continua",    "hazlo",       "de acuerdo", "correcto",
    "good morning", "buenos días", "buenas",      "there",      "all good",
    "go",           "done",        "stop",        "wait",       "never mind",
    "i see",        "got it",      "makes sense",
};

/* Courtesies are ASCII but for a few Spanish ones, which stand as they are
 * written in small letters. */
static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Bytes that a word may go on with: "no" is none of "not" or "no-op". */
static bool is_word_byte(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '\'' || c == '-' || (unsigned char)c >= 0x80;
}

/* Bytes of `phrase` at the start of text together with the blanks and commas
 * behind it; 0 if it does not stand there as whole words. */
static size_t starts_with(struct jz__str text, const char *phrase)
{
    size_t length = strlen(phrase);

    if (!jz__str_starts_nocase(text, phrase) ||
        (length < text.length && is_word_byte(text.data[length]))) {
        return 0;
    }
    while (length < text.length &&
           strchr(" ,.!:;)", text.data[length]) != NULL &&
           text.data[length] != '\0') {
        length++;
    }
    return length;
}

/* "/review" or "$skill" at the start: a command to the agent's program. A path
 * has a second slash. */
static size_t slash_command(struct jz__str text)
{
    size_t i = 1;

    if (text.length < 2 || (text.data[0] != '/' && text.data[0] != '$') ||
        lower(text.data[1]) < 'a' || lower(text.data[1]) > 'z') {
        return 0;
    }
    while (i < text.length &&
           (is_word_byte(text.data[i]) || text.data[i] == ':')) {
        i++;
    }
    if (i < text.length && text.data[i] != ' ') {
        return 0;
    }
    return i;
}

struct jz__str jz__extract_request_core(struct jz__str text)
{
    size_t skip = slash_command(text);
    size_t i;

    text.data += skip;
    text.length -= skip;
    text = jz__str_trim(text);
    for (i = 0; i < JZ__LENGTH(lead_ins); i++) {
        skip = starts_with(text, lead_ins[i]);
        if (skip > 0) {
            text.data += skip;
            text.length -= skip;
            i = SIZE_MAX; /* from the first again: the text got shorter */
        }
    }
    return text;
}

/* One word without blanks that is a path or an address. */
static bool is_bare_place(struct jz__str text)
{
    return memchr(text.data, ' ', text.length) == NULL &&
           (memchr(text.data, '/', text.length) != NULL ||
            jz__str_starts(text, "~") || jz__str_starts(text, "@"));
}

/* What is left without courtesies and signs is nothing, a place, a skill's
 * name, or one of the ways to say "go on". */
bool jz__extract_request_is_filler(const struct jz__extract_sentence *sentence)
{
    struct jz__str core = jz__extract_request_core(sentence->text);
    size_t i;

    while (core.length > 0 &&
           strchr(" .!?,:)", core.data[core.length - 1]) != NULL) {
        core.length--;
    }
    if (core.length < 3 || sentence->content == 0 || is_bare_place(core)) {
        return true;
    }
    /* A skill's name and at most one word behind it. */
    if (slash_command(sentence->text) > 0 &&
        memchr(core.data, ' ', core.length) == NULL) {
        return true;
    }
    for (i = 0; i < JZ__LENGTH(go_ons); i++) {
        if (jz__str_is_nocase(core, go_ons[i])) {
            return true;
        }
    }
    return jz__str_equal(core, JZ__STR("[image]"));
}

/* Does it begin like a question about how things are? */
static bool is_aside(struct jz__str text)
{
    static const char *const words[] = { "what", "how", "why",   "who",
                                         "does", "is",  "are",   "do",
                                         "did",  "has", "which", "where" };
    struct jz__str core = jz__extract_request_core(text);
    size_t i;

    for (i = 0; i < JZ__LENGTH(words); i++) {
        if (starts_with(core, words[i]) > 0) {
            return true;
        }
    }
    return false;
}

int jz__extract_request_weight(const struct jz__extract_sentence *sentence)
{
    int marks = sentence->marks < 3 ? sentence->marks : 3;

    int weight = sentence->telling * 2 + marks + (sentence->content > 1);

    /* A short question is asked in passing more often than not; "can you …?"
     * is none. */
    if ((sentence->flags & JZ__SENTENCE_QUESTION) != 0 && weight < 7 &&
        is_aside(sentence->text)) {
        weight -= 3;
    }
    return weight > 0 ? weight : 0;
}

/* The request of the message whose first sentence is `at`: the first sentence
 * that says something. Behind "Implement the following plan:" it is the
 * heading of the plan. */
static bool request_of(struct jz__extract_request *out,
                       const struct jz__extract_work *work, size_t at,
                       size_t end)
{
    bool has_one = false;
    size_t i;

    for (i = at; i < end; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];
        bool is_head = (sentence->flags & JZ__SENTENCE_HEAD) != 0;

        if (jz__extract_request_is_filler(sentence) ||
            (sentence->flags & JZ__SENTENCE_ANSWER) != 0 ||
            ((sentence->flags & JZ__SENTENCE_PASTED) != 0 && !is_head)) {
            continue;
        }
        if (!has_one || is_head) {
            out->sentence = i;
            out->weight = jz__extract_request_weight(sentence);
        }
        has_one = true;
        if ((sentence->flags & JZ__SENTENCE_LEAD) == 0 || is_head ||
            sentence->telling >= 2 || i >= at + 4) {
            break;
        }
    }
    return has_one;
}

bool jz__extract_request_next(struct jz__extract_request *out,
                              const struct jz__extract_work *work, size_t *at)
{
    while (*at < work->sentence_count) {
        size_t first = *at;
        size_t end = first + 1;

        while (end < work->sentence_count &&
               work->sentences[end].event == work->sentences[first].event) {
            end++;
        }
        *at = end;
        if ((work->sentences[first].flags & JZ__SENTENCE_USER) != 0 &&
            request_of(out, work, first, end)) {
            return true;
        }
    }
    return false;
}
