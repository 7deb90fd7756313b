/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small reader of git's configuration syntax; see git_lines.h for why. What
 * it hands out is one of two forms, whatever stood in the file:
 *
 *     [remote "origin"]     section in lower case, subsection unescaped
 *     url = 1               the value is elsewhere
 *
 * A line that git would refuse becomes an empty one: the file is somebody
 * else's, and the rest of it may still tell the origin.
 */
#include "project/git_lines.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What inih keeps of a section and of a name is less than 50 bytes, and the
 * names that are looked for are shorter. */
#define NAME_MOST 48
/* A section that cannot be the one that is looked for. */
#define OTHER_SECTION "[-]\n"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Git allows letters, digits and hyphens; c is in lower case already. */
static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c | 0x20);
    }
    return c;
}

/* The next byte of the line, '\n' at its end and at the end of the text. */
static char peek(const struct jz__git_lines *lines)
{
    if (lines->rest.length > 0) {
        return lines->rest.data[0];
    }
    return '\n';
}

static void advance(struct jz__git_lines *lines)
{
    if (lines->rest.length > 0) {
        lines->rest.data++;
        lines->rest.length--;
    }
}

static void skip_blanks(struct jz__git_lines *lines)
{
    while (is_blank(peek(lines))) {
        advance(lines);
    }
}

/* Past the end of the line, whatever is left of it. */
static void skip_line(struct jz__git_lines *lines)
{
    while (peek(lines) != '\n') {
        advance(lines);
    }
    advance(lines);
}

/* A name in lower case into name[0 .. NAME_MOST]: its length; 0: there is
 * none, or one that is too long. */
static size_t read_name(char *name, struct jz__git_lines *lines, bool has_dots)
{
    size_t length = 0;

    for (;;) {
        char c = lower(peek(lines));

        if (!is_name_byte(c) && !(has_dots && c == '.')) {
            break;
        }
        if (length <= NAME_MOST) {
            name[length] = c;
        }
        length++;
        advance(lines);
    }
    if (length > NAME_MOST) {
        length = 0;
    }
    name[length] = '\0';
    return length;
}

/*
 * The subsection behind its opening quote, unescaped, into name. False: it is
 * not closed, too long, or holds what would end a section for inih.
 */
static bool read_subsection(char *name, struct jz__git_lines *lines)
{
    size_t length = 0;
    bool is_plain = true;

    for (;;) {
        char c = peek(lines);

        if (c == '\n') {
            return false;
        }
        advance(lines);
        if (c == '"') {
            break;
        }
        if (c == '\\' && peek(lines) != '\n') {
            c = peek(lines);
            advance(lines);
        }
        /* inih would end the section there, or see a comment: `origin"]` would
         * become "origin". */
        is_plain = is_plain && c != '\0' && strchr("\"];#[", c) == NULL;
        if (length < NAME_MOST) {
            name[length] = c;
        }
        length++;
    }
    name[length < NAME_MOST ? length : NAME_MOST] = '\0';
    return is_plain && length < NAME_MOST;
}

/* A section, behind its bracket. What follows it on its line is the next
 * line. */
static void read_section(char *line, size_t size, struct jz__git_lines *lines)
{
    char name[NAME_MOST + 1];
    char sub[NAME_MOST + 1] = "";
    bool is_known = true;
    char *dot;

    is_known = read_name(name, lines, true) > 0;
    skip_blanks(lines);
    if (peek(lines) == '"') {
        advance(lines);
        is_known = read_subsection(sub, lines) && is_known;
    } else if ((dot = strchr(name, '.')) != NULL) {
        /* [remote.origin], the old way to write it. */
        *dot = '\0';
        memcpy(sub, dot + 1, strlen(dot + 1) + 1);
    }
    if (peek(lines) != ']') {
        is_known = false;
        skip_line(lines);
    }
    if (peek(lines) == ']') {
        advance(lines);
    }
    if (!is_known ||
        snprintf(line, size, sub[0] != '\0' ? "[%s \"%s\"]\n" : "[%s]\n", name,
                 sub) >= (int)size) {
        memcpy(line, OTHER_SECTION, sizeof(OTHER_SECTION));
    }
}

/* Behind a backslash: the escaped character, or nothing at a line's end. */
static void read_escape(struct jz__git_lines *lines)
{
    char c = peek(lines);

    if (c == '\r' && lines->rest.length > 1 && lines->rest.data[1] == '\n') {
        advance(lines);
        c = '\n';
    }
    advance(lines);
    switch (c) {
    case '\n':
        return;
    case 'n':
        c = '\n';
        break;
    case 't':
        c = '\t';
        break;
    case 'b':
        c = '\b';
        break;
    default:
        break;
    }
    jz__buf_putc(&lines->value, c);
}

/* The value, up to the end of its last line: quotes and escapes resolved,
 * comments and the blanks at its end dropped. */
static void read_value(struct jz__git_lines *lines)
{
    size_t kept = 0; /* bytes that are no blanks at the end */
    bool is_quoted = false;

    for (;;) {
        char c = peek(lines);

        if (c == '\n' || (!is_quoted && (c == '#' || c == ';'))) {
            break;
        }
        advance(lines);
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == '\\') {
            read_escape(lines);
        } else {
            jz__buf_putc(&lines->value, c);
            if (!is_quoted && is_blank(c)) {
                continue;
            }
        }
        kept = lines->value.length;
    }
    if (lines->value.length > 0) {
        jz__buf_truncate(&lines->value, kept);
    }
}

/* An entry: `name = value`, or a name alone, which is true. The value is read
 * also where the name is refused: it may go on over the next lines. */
static void read_entry(char *line, size_t size, struct jz__git_lines *lines)
{
    char name[NAME_MOST + 1];
    size_t length = read_name(name, lines, false);

    jz__buf_clear(&lines->value);
    skip_blanks(lines);
    if (peek(lines) == '=') {
        advance(lines);
        skip_blanks(lines);
        read_value(lines);
    } else {
        jz__buf_puts(&lines->value, "true");
    }
    skip_line(lines);
    if (length == 0 || snprintf(line, size, "%s = 1\n", name) >= (int)size) {
        memcpy(line, "\n", 2);
    }
}

char *jz__git_lines_next(char *line, int size, void *stream)
{
    struct jz__git_lines *lines = stream;

    /* A section with its quotes, and OTHER_SECTION, fit into any of inih's. */
    assert(line != NULL && size > 2 * NAME_MOST + 8);

    if (lines->rest.length == 0 || lines->value.error != 0) {
        return NULL;
    }
    if (jz__str_starts(lines->rest, "\xef\xbb\xbf")) { /* a BOM */
        lines->rest.data += 3;
        lines->rest.length -= 3;
    }
    skip_blanks(lines);
    if (peek(lines) == '[') {
        advance(lines);
        skip_blanks(lines);
        read_section(line, (size_t)size, lines);
    } else if (peek(lines) == '\n' || peek(lines) == '#' ||
               peek(lines) == ';') {
        skip_line(lines);
        memcpy(line, "\n", 2);
    } else {
        read_entry(line, (size_t)size, lines);
    }
    return line;
}
