/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents read their settings with comments and trailing commas, and people use
 * both. What strict JSON does not know is overwritten by blanks here, byte for
 * byte, and the strict scanner reads the rest: one grammar, and each offset is
 * an offset of the file.
 *
 * A line end inside a block comment is blanked too, so whoever looks for the
 * end of a line in `bare` never finds one that lies in a comment. That of a
 * line comment stays.
 */
#include "jsonc.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"

#define MARK "\xEF\xBB\xBF"

/* --- comments --- */

/* The byte behind a string that begins at `at`. */
/* An end that is missing is for the scanner to report. */
static size_t skip_string(const struct jz__buf *buf, size_t at)
{
    for (at++; at < buf->length && buf->data[at] != '"'; at++) {
        at += buf->data[at] == '\\' && at + 1 < buf->length;
    }
    return at < buf->length ? at + 1 : at;
}

/* The byte behind the comment that begins at `at`, SIZE_MAX if it has no
 * end. */
static size_t skip_comment(const struct jz__buf *buf, size_t at)
{
    const char *found;

    if (buf->data[at + 1] == '/') {
        return at + strcspn(buf->data + at, "\r\n");
    }
    found = strstr(buf->data + at + 2, "*/");
    return found != NULL ? (size_t)(found - buf->data) + 2 : SIZE_MAX;
}

/* The length stays, and with it every offset. */
static void blank(struct jz__buf *buf, size_t from, size_t to)
{
    memset(buf->data + from, ' ', to - from);
}

/* False, with *at where it begins: a block comment without an end. */
static bool blank_comments(struct jz__buf *buf, size_t *at)
{
    size_t i = *at;

    while (i < buf->length) {
        char next = buf->data[i + 1]; /* the NUL behind the last one */

        if (buf->data[i] == '"') {
            i = skip_string(buf, i);
        } else if (buf->data[i] == '/' && (next == '/' || next == '*')) {
            size_t end = skip_comment(buf, i);

            if (end == SIZE_MAX) {
                *at = i;
                return false;
            }
            blank(buf, i, end);
            i = end;
        } else {
            i++;
        }
    }
    return true;
}

/* --- trailing commas --- */

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One comma in front of a closing bracket, if it follows a value: `[,]` and
 * `[1,,]` stay as wrong as they are. */
static void blank_trailing_commas(struct jz__buf *buf)
{
    size_t comma = 0;
    char before_comma = '\0';
    char last = '\0';
    size_t i = 0;

    while (i < buf->length) {
        char c = buf->data[i];
        size_t start = i;

        i = c == '"' ? skip_string(buf, i) : i + 1;
        if (is_white(c)) {
            continue;
        }
        if ((c == ']' || c == '}') && last == ',' &&
            strchr("[{,:", before_comma) == NULL) {
            buf->data[comma] = ' ';
        }
        if (c == ',') {
            comma = start;
            before_comma = last;
        }
        last = c;
    }
}

/* --- exported --- */

/* Lines are what an editor shows; offsets are of no use to people. */
static int fail_at(const struct jsonc *doc, size_t at, const char *reason,
                   struct jz__error *error)
{
    int line = 1;
    size_t i;

    for (i = 0; i < at && i < doc->text.length; i++) {
        line += doc->text.data[i] == '\n';
    }
    return jz__fail(error, JZ_EINVAL, "line %d: %s", line, reason);
}

/* The scanner takes one value and does not look behind it. */
static int scan(struct jsonc *doc, struct jz__error *error)
{
    size_t length = doc->plain.length;
    int r;

    if (jsonc_is_empty(doc)) {
        doc->scan.count = 0;
        return 0;
    }
    r = jz__scan_parse(&doc->scan, doc->plain.data, length);
    if (r == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    if (r < 0) {
        return fail_at(doc, doc->scan.error_at, doc->scan.reason, error);
    }
    if (!jz__scan_is_whole(&doc->scan, length)) {
        size_t at = doc->scan.end;

        while (is_white(doc->plain.data[at])) {
            at++;
        }
        return fail_at(doc, at, "there is text behind the value", error);
    }
    return 0;
}

int jsonc_read(struct jsonc *doc, const char *text, size_t length,
               struct jz__error *error)
{
    size_t at = 0;

    jz__buf_clear(&doc->text);
    jz__buf_clear(&doc->bare);
    jz__buf_clear(&doc->plain);
    jz__buf_append(&doc->text, text, length);
    jz__buf_append(&doc->bare, text, length);
    if (doc->text.error != 0 || doc->bare.error != 0) {
        return jz__fail_memory(error);
    }
    if (jz__str_starts((struct jz__str){ text, length }, MARK)) {
        at = strlen(MARK);
        blank(&doc->bare, 0, at);
    }
    if (!blank_comments(&doc->bare, &at)) {
        return fail_at(doc, at, "this comment has no end", error);
    }
    jz__buf_append(&doc->plain, doc->bare.data, length);
    if (doc->plain.error != 0) {
        return jz__fail_memory(error);
    }
    blank_trailing_commas(&doc->plain);
    doc->is_strict = memcmp(doc->plain.data, doc->text.data, length) == 0;
    return scan(doc, error);
}

void jsonc_finish(struct jsonc *doc)
{
    jz__buf_finish(&doc->text);
    jz__buf_finish(&doc->bare);
    jz__buf_finish(&doc->plain);
    jz__scan_finish(&doc->scan);
}

/* White space is all that is left of comments. */
bool jsonc_is_empty(const struct jsonc *doc)
{
    size_t i = 0;

    while (i < doc->plain.length && is_white(doc->plain.data[i])) {
        i++;
    }
    return i == doc->plain.length;
}

/* The scanner's offsets leave a string's quotes out. */
size_t jsonc_start(const struct jsonc *doc, size_t token)
{
    const struct jz__scan_token *t = &doc->scan.tokens[token];

    return t->type == JZ__SCAN_STRING ? t->start - 1 : t->start;
}

size_t jsonc_end(const struct jsonc *doc, size_t token)
{
    const struct jz__scan_token *t = &doc->scan.tokens[token];
    size_t end = (size_t)t->start + t->length;

    return t->type == JZ__SCAN_STRING ? end + 1 : end;
}

size_t jsonc_get(const struct jsonc *doc, const char *const *path)
{
    size_t token = 0;

    if (doc->scan.count == 0) {
        return 0;
    }
    for (; *path != NULL; path++) {
        token = jz__scan_get(&doc->scan, token, *path);
        if (token == 0) {
            return 0;
        }
    }
    return token;
}

/* The nearest token in front whose stretch reaches over this one. */
size_t jsonc_parent(const struct jsonc *doc, size_t token)
{
    size_t i = token;

    assert(token > 0 && token < doc->scan.count);
    do {
        i--;
    } while (doc->scan.tokens[i].next <= token);
    return i;
}
