/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the cues of a sentence. The table is searched at the start of every
 * word, through an index by the first two characters, because this runs over
 * every word that people and agents ever wrote; a cue matches whole words
 * without regard to the case of A to Z.
 */
#include "ingest/extract_cue_table.h"

#include <string.h>

/* More than this of one kind says no more. */
#define SUM_MOST 40

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Letters beyond ASCII belong to words; their signs are skipped by the scan. */
static bool is_word_byte(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '\'' || (unsigned char)c >= 0x80;
}

/* Cues are sorted by bytes, so those that begin with the same two characters
 * stand together: what is no small letter sorts before them or behind them. */
static size_t slot_of(const char *text, size_t length)
{
    char second = lower(length > 1 ? text[1] : ' ');
    size_t slot = (unsigned char)second >= 0x80    ? 27
                  : second >= 'a' && second <= 'z' ? (size_t)(second - 'a') + 1
                                                   : 0;

    return (size_t)(lower(text[0]) - 'a') * JZ__EXTRACT_SECONDS + slot;
}

void jz__extract_cues_index(uint16_t index[26 * JZ__EXTRACT_SECONDS + 1])
{
    size_t slot = 0;
    size_t i;

    for (i = 0; i < jz__extract_cue_count; i++) {
        while (slot <= slot_of(jz__extract_cue_table[i].text, 2)) {
            index[slot++] = (uint16_t)i;
        }
    }
    while (slot <= 26 * JZ__EXTRACT_SECONDS) {
        index[slot++] = (uint16_t)jz__extract_cue_count;
    }
}

static bool matches(struct jz__str rest, const char *text)
{
    size_t i;

    for (i = 0; text[i] != '\0'; i++) {
        if (i == rest.length || lower(rest.data[i]) != text[i]) {
            return false;
        }
    }
    /* "fix/login", "Fix(api)" and "risk-free" are names of something else. */
    return i == rest.length ||
           (!is_word_byte(rest.data[i]) && strchr("/(-", rest.data[i]) == NULL);
}

/* Where in the sentence a word stands. */
enum position {
    INSIDE,
    BEHIND_COMMA,
    AT_START /* or behind a colon or a dash: the sentence starts again */
};

static bool is_in_place(const struct jz__extract_cue *cue,
                        enum position position, bool is_user)
{
    switch ((enum jz__extract_place)cue->place) {
    case ANY:
        return true;
    case START:
        return position == AT_START;
    case CLAUSE:
        return position != INSIDE;
    case USER:
        return is_user;
    case OPEN:
        return is_user && position == AT_START;
    }
    return false;
}

static enum position position_of(struct jz__str text, size_t at, size_t start)
{
    if (at <= start) {
        return AT_START;
    }
    while (at > 0 && (text.data[at - 1] == ' ' || text.data[at - 1] == '"')) {
        at--;
    }
    if (at > 0 && text.data[at - 1] == ',') {
        return BEHIND_COMMA;
    }
    return at > 0 && (text.data[at - 1] == ':' ||
                      jz__str_ends((struct jz__str){ text.data, at },
                                   "\xE2\x80\x94"))
               ? AT_START
               : INSIDE;
}

/* Several cues may match at one place: "let's use" and "let's". Most words are
 * the start of none, so the place is looked at last. */
static void match_at(struct jz__extract_sentence *sentence, size_t at,
                     size_t start, bool is_bracketed, const uint16_t *index)
{
    bool is_user = (sentence->flags & JZ__SENTENCE_USER) != 0;
    struct jz__str rest = { sentence->text.data + at,
                            sentence->text.length - at };
    size_t slot;
    size_t i;

    if (lower(rest.data[0]) < 'a' || lower(rest.data[0]) > 'z') {
        return;
    }
    slot = slot_of(rest.data, rest.length);
    for (i = index[slot]; i < index[slot + 1]; i++) {
        const struct jz__extract_cue *cue = &jz__extract_cue_table[i];

        /* "(just added)" beside a name is no sentence about adding it. */
        if ((cue->kind != JZ__CUE_OUTCOME || !is_bracketed) &&
            matches(rest, cue->text) &&
            is_in_place(cue, position_of(sentence->text, at, start), is_user)) {
            int sum = sentence->cues[cue->kind] + cue->weight;

            sentence->cues[cue->kind] =
                (uint8_t)(sum < SUM_MOST ? sum : SUM_MOST);
        }
    }
}

/* Words that may stand before the start of what a sentence says. */
static size_t skip_lead_in(struct jz__str text)
{
    static const char *const lead_ins[] = {
        "ok",     "okay", "yes",   "yeah", "no",    "so",
        "and",    "but",  "also",  "good", "great", "perfect",
        "got it", "vale", "bueno", "sí",   "y",     "pero"
    };
    size_t skipped = 0;
    size_t i;

    for (i = 0; i < JZ__LENGTH(lead_ins); i++) {
        struct jz__str rest = { text.data + skipped, text.length - skipped };

        if (!matches(rest, lead_ins[i])) {
            continue;
        }
        skipped += strlen(lead_ins[i]);
        while (skipped < text.length && !is_word_byte(text.data[skipped])) {
            skipped++;
        }
        i = SIZE_MAX; /* from the first one again; the text only gets shorter */
    }
    return skipped;
}

/* Cues are looked for at the start of words alone. */
void jz__extract_cues_scan(struct jz__extract_sentence *sentence,
                           const uint16_t *index)
{
    struct jz__str text = sentence->text;
    size_t start = skip_lead_in(text);
    bool is_inside = false;
    size_t depth = 0; /* of brackets */
    size_t i;

    for (i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool is_word = is_word_byte(text.data[i]);

        /* Signs of Latin-1 and general punctuation: two and three bytes. */
        if (c == 0xC2 || c == 0xE2) {
            i += c == 0xC2 ? 1 : 2;
            is_word = false;
        }
        if (is_word && !is_inside) {
            match_at(sentence, i, start, depth > 0, index);
        }
        /* One that holds the whole sentence does not count. */
        if (c == '(' && i > 0) {
            depth++;
        } else if (c == ')' && depth > 0) {
            depth--;
        }
        /* "low-risk" and "--since" are words of their own. */
        is_inside = is_word || c == '-';
    }
}

bool jz__extract_cues_are_sorted(void)
{
    size_t i;

    for (i = 1; i < jz__extract_cue_count; i++) {
        if (strcmp(jz__extract_cue_table[i].text,
                   jz__extract_cue_table[i - 1].text) <= 0) {
            return false;
        }
    }
    return true;
}
