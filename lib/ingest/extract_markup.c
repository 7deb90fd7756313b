/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One paragraph of Markdown -> plain sentences. Agents write Markdown, people
 * write as they like; both come out as text without backticks, stars, links'
 * addresses and tags, with a '\n' where a sentence ends. What stands between
 * backticks is copied as it is and never ends a sentence.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* Where a closing mark was found ahead, so that it is dropped when it comes. */
struct reader {
    struct jz__buf *out;
    const char *text;
    size_t length;
    size_t at;
    size_t code_end; /* offset of the closing backtick, 0: not in code */
    size_t code_ticks;
    size_t star_end;  /* offset of a closing * or _ */
    size_t link_end;  /* offset of the ] of a link */
    size_t open_end;  /* offset of the ) behind an open ( */
    size_t link_skip; /* and of the first byte behind its ( ) */
};

/* Words whose point ends no sentence, in lower case. */
static const char abbreviations[] =
    " e.g i.e etc vs approx cf mr mrs dr sr sra no nr fig p.ej ej incl resp "
    "aprox dept est max min ref sec ";

static const char *const tags[] = { "a",   "b",       "br",     "code",
                                    "div", "details", "em",     "i",
                                    "img", "kbd",     "li",     "p",
                                    "pre", "span",    "strong", "sub",
                                    "sup", "summary", "ul",     "ol" };

/* ASCII blanks; those beyond ASCII stay characters of the text. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* All characters beyond ASCII count as letters: "ñ*" is no emphasis. */
static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* The byte `ahead` of the reader, NUL behind the end. */
static char peek(const struct reader *r, size_t ahead)
{
    return r->at + ahead < r->length ? r->text[r->at + ahead] : '\0';
}

/* A blank stands before the text, so that marks at its start open. */
static char before(const struct reader *r)
{
    return r->at > 0 ? r->text[r->at - 1] : ' ';
}

/* One blank, and none at the start of a sentence. */
static void put_blank(struct reader *r)
{
    char last = r->out->length > 0 ? r->out->data[r->out->length - 1] : '\n';

    if (last != ' ' && last != '\n') {
        jz__buf_putc(r->out, ' ');
    }
}

/* The offset of `mark` within the next 400 bytes, or 0. */
static size_t find_ahead(const struct reader *r, size_t from, const char *mark)
{
    size_t most = r->length - from < 400 ? r->length - from : 400;
    const char *found = memmem(r->text + from, most, mark, strlen(mark));

    return found != NULL ? (size_t)(found - r->text) : 0;
}

/* A run of three or more is no code span inside a paragraph, and one that
 * never closes is an ordinary character that is left out. */
static bool open_code(struct reader *r)
{
    size_t ticks = 0;
    size_t end;

    while (peek(r, ticks) == '`') {
        ticks++;
    }
    if (ticks > 2) {
        r->at += ticks;
        return true;
    }
    end = find_ahead(r, r->at + ticks, ticks == 2 ? "``" : "`");
    if (end != 0) {
        r->code_end = end;
        r->code_ticks = ticks;
    }
    r->at += ticks;
    return true;
}

/* Blanks are squeezed here too: the result is one line. */
static void copy_code(struct reader *r)
{
    for (; r->at < r->code_end; r->at++) {
        if (is_space(r->text[r->at])) {
            put_blank(r);
        } else {
            jz__buf_putc(r->out, r->text[r->at]);
        }
    }
    r->at += r->code_ticks;
    r->code_end = 0;
}

/* "**" and "__" go, but not those of a pattern (double star, slash) or of a
 * name that begins with them. */
static bool skip_bold(struct reader *r)
{
    char c = peek(r, 0);

    if (peek(r, 1) != c || peek(r, 2) == '/' ||
        (c == '_' && is_alnum(before(r)) == is_alnum(peek(r, 2)))) {
        return false;
    }
    r->at += 2;
    while (peek(r, 0) == c) {
        r->at++;
    }
    return true;
}

/* A single * or _ goes together with its partner, if both stand at the edge of
 * words: "2 * 3", "*.go" and "a_b" stay. */
static bool skip_emphasis(struct reader *r)
{
    char mark[2] = { peek(r, 0), '\0' };
    size_t end;

    if (r->star_end == r->at && r->at != 0) {
        r->star_end = 0;
        r->at++;
        return true;
    }
    if (is_alnum(before(r)) || !is_alnum(peek(r, 1))) {
        return false;
    }
    end = find_ahead(r, r->at + 1, mark);
    if (end == 0 || is_space(r->text[end - 1]) ||
        (end + 1 < r->length && is_alnum(r->text[end + 1]))) {
        return false;
    }
    r->star_end = end;
    r->at++;
    return true;
}

/* [text](address) gives its text, ![alt](address) nothing. */
static bool skip_link(struct reader *r)
{
    bool is_image = peek(r, 0) == '!';
    size_t close = find_ahead(r, r->at + 1, "](");
    size_t end;

    if (is_image && peek(r, 1) != '[') {
        return false;
    }
    end = close != 0 ? find_ahead(r, close + 2, ")") : 0;
    if (end == 0 || memchr(r->text + r->at, '\n', end - r->at) != NULL) {
        return false;
    }
    if (is_image) {
        r->at = end + 1;
        return true;
    }
    r->link_end = close;
    r->link_skip = end + 1;
    r->at++;
    return true;
}

/* Only the tags that Markdown is written with: "<name>" is a placeholder. */
static bool skip_tag(struct reader *r)
{
    size_t from = r->at + 1 + (peek(r, 1) == '/');
    size_t end = find_ahead(r, from, ">");
    size_t length = 0;
    size_t i;

    while (from + length < r->length && is_alnum(r->text[from + length])) {
        length++;
    }
    for (i = 0; end != 0 && i < JZ__LENGTH(tags); i++) {
        struct jz__str name = { r->text + from, length };

        if (jz__str_is_nocase(name, tags[i])) {
            r->at = end + 1;
            put_blank(r);
            return true;
        }
    }
    return false;
}

/* Each of these either takes what it knows or leaves the reader where it is. */
static bool skip_markup(struct reader *r)
{
    switch (r->text[r->at]) {
    case '`':
        return open_code(r);
    case '*':
    case '_':
        return skip_bold(r) || skip_emphasis(r);
    case '[':
    case '!':
        return skip_link(r);
    case '<':
        return skip_tag(r);
    case ']':
        if (r->link_end == r->at && r->link_skip > r->at) {
            r->at = r->link_skip;
            r->link_end = 0;
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* Is the word that ends at the end of `out` one whose point ends nothing? */
static bool is_abbreviation(const struct jz__buf *out)
{
    char padded[12] = " ";
    size_t start = out->length;
    size_t length;
    size_t i;

    while (start > 0 && !is_space(out->data[start - 1]) &&
           out->data[start - 1] != '(') {
        start--;
    }
    length = out->length - start;
    if (length == 0 || length > sizeof(padded) - 3) {
        return length == 0;
    }
    if (length == 1) {
        return is_alnum(out->data[start]) &&
               (out->data[start] < '0' || out->data[start] > '9');
    }
    for (i = 0; i < length; i++) {
        char c = out->data[start + i];

        padded[i + 1] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    padded[length + 1] = ' ';
    padded[length + 2] = '\0';
    return strstr(abbreviations, padded) != NULL;
}

/* Closing marks that are looked at behind a sentence's end: a line of a thousand
 * dots must not be read a thousand times. */
#define CLOSING_MOST 8

/* Is this point, question or exclamation mark the end of a sentence? Behind it
 * stand closing marks at most, then a blank or the end. */
static bool ends_sentence(const struct reader *r)
{
    size_t at = r->at + 1;
    char mark = r->text[r->at];
    bool is_quoted; /* `the note "Saved." here` goes on */

    while (at < r->length && at - r->at <= CLOSING_MOST &&
           strchr("\"')]*_`.!?", r->text[at]) != NULL) {
        at++;
    }
    if (at < r->length && !is_space(r->text[at])) {
        return false;
    }
    if (mark != '.') {
        return true;
    }
    if (is_abbreviation(r->out)) {
        return false;
    }
    /* "v0.5. then" is rare, "see 3. and" is not. */
    is_quoted = at > r->at + 1 && r->text[at - 1] != '*';
    while (at < r->length && is_space(r->text[at])) {
        at++;
    }
    if (is_quoted && at < r->length && r->text[at] >= 'a' &&
        r->text[at] <= 'z') {
        return false;
    }
    return at == r->length || before(r) < '0' || before(r) > '9' ||
           r->text[at] < 'a' || r->text[at] > 'z';
}

/* Closing marks belong to the sentence that they close. */
static void put_end(struct reader *r)
{
    jz__buf_putc(r->out, r->text[r->at++]);
    while (r->at < r->length && strchr("\"')]*_`.!?", r->text[r->at]) != NULL) {
        if (strchr("*_`", r->text[r->at]) == NULL) {
            jz__buf_putc(r->out, r->text[r->at]);
        }
        r->at++;
    }
    jz__buf_putc(r->out, '\n');
}

/* Typographic apostrophes become plain ones: people search for "don't". */
static void put_character(struct reader *r)
{
    static const char apostrophe[] = "\xE2\x80\x99";

    if (r->text[r->at] == apostrophe[0] && r->length - r->at >= 3 &&
        memcmp(r->text + r->at, apostrophe, 3) == 0) {
        jz__buf_putc(r->out, '\'');
        r->at += 3;
        return;
    }
    if (is_space(r->text[r->at])) {
        put_blank(r);
    } else {
        jz__buf_putc(r->out, r->text[r->at]);
    }
    r->at++;
}

/* A run of letters and digits means itself. */
static bool put_run(struct reader *r)
{
    size_t end = r->at;

    while (end < r->length && is_alnum(r->text[end]) &&
           (unsigned char)r->text[end] < 0x80) {
        end++;
    }
    if (end == r->at) {
        return false;
    }
    jz__buf_append(r->out, r->text + r->at, end - r->at);
    r->at = end;
    return true;
}

/* A sentence never ends inside of parentheses: "(is it new? if so, keep it)"
 * is an aside of the sentence around it. */
void jz__extract_markup_plain(struct jz__buf *out, struct jz__str text)
{
    struct reader r = { .out = out, .text = text.data, .length = text.length };

    while (r.at < r.length) {
        if (r.code_end != 0) {
            copy_code(&r);
            continue;
        }
        if (put_run(&r) || skip_markup(&r)) {
            continue;
        }
        if (r.text[r.at] == '(') {
            r.open_end = find_ahead(&r, r.at + 1, ")");
        }
        if ((r.text[r.at] == '.' || r.text[r.at] == '!' ||
             r.text[r.at] == '?') &&
            r.at > r.open_end && ends_sentence(&r)) {
            put_end(&r);
            continue;
        }
        put_character(&r);
    }
    jz__buf_putc(out, '\n');
}
