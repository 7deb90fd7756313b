/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower half of the TOML reader: it walks over the bytes, counts lines and
 * takes strings and keys apart. It knows nothing of tables.
 *
 * Line ends are LF or CRLF; a CR that no LF follows is a control character like
 * any other, in every place, so it is only looked for in line_end_length().
 * Strings grow in one scratch buffer and are copied into the arena when they are
 * whole. What looks ahead uses peek() and moves only when it is sure.
 */
#include "base/toml_lexer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define SHOWN_CHARS 60

/* --- messages --- */

int jz__toml_lexer_fail(struct jz__toml_lexer *in, int line, const char *format,
                        ...)
{
    char why[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return jz__fail(in->error, JZ_EINVAL, "line %d: %s", line, why);
}

/* A key or value for a message: one line, cut. */
const char *jz__toml_lexer_show(struct jz__toml_shown *out, struct jz__str text)
{
    struct jz__buf line = JZ__BUF_INIT;
    struct jz__buf cut = JZ__BUF_INIT;

    jz__utf8_one_line(&line, text.data, text.length);
    if (line.error == 0 && line.length > 0) {
        jz__utf8_cut(&cut, line.data, line.length, SHOWN_CHARS);
    }
    snprintf(out->text, sizeof(out->text), "%s",
             cut.error == 0 && cut.data != NULL ? cut.data : "");
    jz__buf_finish(&line);
    jz__buf_finish(&cut);
    return out->text;
}

/* --- characters --- */

/* The byte at an offset from here, or -1 behind the end. */
/* Everything below asks here and nowhere else, so nothing reads behind the
 * end: it looks like a character that no rule allows. */
static int peek(const struct jz__toml_lexer *in, size_t offset)
{
    if (in->at + offset >= in->text.length) {
        return -1;
    }
    return (unsigned char)in->text.data[in->at + offset];
}

/* TOML allows a tab and no other control character; line ends are taken by
 * read_newline() before anyone asks. */
bool jz__toml_lexer_is_control(int c)
{
    return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f;
}

void jz__toml_lexer_skip_blanks(struct jz__toml_lexer *in)
{
    while (peek(in, 0) == ' ' || peek(in, 0) == '\t') {
        in->at++;
    }
}

/* Bytes of the line end at an offset: 1 for LF, 2 for CRLF, 0 for none. */
static size_t line_end_length(const struct jz__toml_lexer *in, size_t offset)
{
    if (peek(in, offset) == '\r' && peek(in, offset + 1) == '\n') {
        return 2;
    }
    return peek(in, offset) == '\n' ? 1 : 0;
}

/* Take LF or CRLF. */
static bool read_newline(struct jz__toml_lexer *in)
{
    size_t length = line_end_length(in, 0);

    in->at += length;
    in->line += length > 0;
    return length > 0;
}

/* Up to the line end, which stays for the caller. */
static int skip_comment(struct jz__toml_lexer *in)
{
    if (peek(in, 0) != '#') {
        return 0;
    }
    while (peek(in, 0) >= 0 && line_end_length(in, 0) == 0) {
        if (jz__toml_lexer_is_control(peek(in, 0))) {
            return jz__toml_lexer_fail(in, in->line,
                                       "control character 0x%02x in a comment",
                                       (unsigned)peek(in, 0));
        }
        in->at++;
    }
    return 0;
}

/* What may stand between the elements of an array. */
/* Between the elements of an array and between the lines of a document. */
int jz__toml_lexer_skip_lines(struct jz__toml_lexer *in)
{
    int r;

    do {
        jz__toml_lexer_skip_blanks(in);
        r = skip_comment(in);
        if (r < 0) {
            return r;
        }
    } while (read_newline(in));
    return 0;
}

int jz__toml_lexer_read_line_end(struct jz__toml_lexer *in)
{
    struct jz__toml_shown shown;
    int r;

    jz__toml_lexer_skip_blanks(in);
    r = skip_comment(in);
    if (r < 0) {
        return r;
    }
    if (peek(in, 0) < 0 || read_newline(in)) {
        return 0;
    }
    if (jz__toml_lexer_is_control(peek(in, 0))) {
        return jz__toml_lexer_fail(in, in->line, "control character 0x%02x",
                                   (unsigned)peek(in, 0));
    }
    struct jz__str rest = { in->text.data + in->at, in->text.length - in->at };
    struct jz__str left;
    jz__str_line(&left, &rest);
    return jz__toml_lexer_fail(in, in->line,
                               "the line must end here, found '%s'",
                               jz__toml_lexer_show(&shown, left));
}

/* --- strings --- */

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \uXXXX and \UXXXXXXXX; in stands on the first digit. */
static int read_code_point(struct jz__toml_lexer *in, int digits)
{
    uint32_t point = 0;
    int i;

    for (i = 0; i < digits; i++) {
        int value = hex_digit(peek(in, 0));

        if (value < 0) {
            return jz__toml_lexer_fail(in, in->line,
                                       "\\%c needs %d hexadecimal digits",
                                       digits == 4 ? 'u' : 'U', digits);
        }
        point = point << 4 | (uint32_t)value;
        in->at++;
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        return jz__toml_lexer_fail(in, in->line, "U+%04X is no character",
                                   (unsigned)point);
    }
    jz__utf8_put(&in->scratch, point);
    return 0;
}

/* in stands behind the backslash. */
/* The escapes of TOML 1.0 and no others: \e and \x come with a later version,
 * and a file that uses them today would mean something else elsewhere. */
static int read_escape(struct jz__toml_lexer *in)
{
    static const char names[] = "btnfr\"\\";
    static const char values[] = "\b\t\n\f\r\"\\";
    int c = peek(in, 0);
    const char *name = c > 0 ? strchr(names, c) : NULL;

    if (name != NULL) {
        in->at++;
        jz__buf_putc(&in->scratch, values[name - names]);
        return 0;
    }
    if (c == 'u' || c == 'U') {
        in->at++;
        return read_code_point(in, c == 'u' ? 4 : 8);
    }
    if (c > 0x20 && c < 0x7f) {
        return jz__toml_lexer_fail(in, in->line, "\\%c is no escape sequence",
                                   c);
    }
    return jz__toml_lexer_fail(in, in->line,
                               "a backslash without an escape sequence");
}

/* A backslash at the end of a line takes the line end and all white space up
 * to the next character. False: this is no such backslash. */
static bool skip_line_end_escape(struct jz__toml_lexer *in)
{
    size_t blanks = 0;

    while (peek(in, blanks) == ' ' || peek(in, blanks) == '\t') {
        blanks++;
    }
    if (line_end_length(in, blanks) == 0) {
        return false;
    }
    do {
        jz__toml_lexer_skip_blanks(in);
    } while (read_newline(in));
    return true;
}

/* One character of a string, or one escape. */
/* UTF-8 goes through byte by byte: its bytes are all over 0x7f and the text
 * was checked as a whole. */
static int read_string_char(struct jz__toml_lexer *in, bool is_basic)
{
    int c = peek(in, 0);

    if (c < 0) {
        return jz__toml_lexer_fail(in, in->line,
                                   "the file ends inside a string");
    }
    if (jz__toml_lexer_is_control(c)) {
        return jz__toml_lexer_fail(
            in, in->line, "control character 0x%02x in a string", (unsigned)c);
    }
    in->at++;
    if (c == '\\' && is_basic) {
        return read_escape(in);
    }
    jz__buf_putc(&in->scratch, (char)c);
    return 0;
}

/* in stands behind the opening quote. */
static int read_short_string(struct jz__toml_lexer *in, int quote)
{
    while (peek(in, 0) != quote) {
        if (line_end_length(in, 0) > 0) {
            return jz__toml_lexer_fail(in, in->line,
                                       "the string is not closed");
        }
        int r = read_string_char(in, quote == '"');
        if (r < 0) {
            return r;
        }
    }
    in->at++;
    return 0;
}

/*
 * Quotes inside a long string: three close it, and up to two more in front of
 * those belong to the text. True: the string is closed.
 */
static bool read_long_quotes(struct jz__toml_lexer *in, int quote)
{
    size_t run = 0;
    size_t i;

    while (run < 5 && peek(in, run) == quote) {
        run++;
    }
    in->at += run;
    for (i = 0; i < (run >= 3 ? run - 3 : run); i++) {
        jz__buf_putc(&in->scratch, (char)quote);
    }
    return run >= 3;
}

/* in stands behind the three opening quotes; a line end right there is not part
 * of the text. CRLF becomes LF. */
static int read_long_string(struct jz__toml_lexer *in, int quote)
{
    int opened = in->line;

    read_newline(in);
    for (;;) {
        int r = 0;

        if (peek(in, 0) < 0) {
            return jz__toml_lexer_fail(
                in, in->line, "the string that begins in line %d is not closed",
                opened);
        }
        if (peek(in, 0) == quote) {
            if (read_long_quotes(in, quote)) {
                return 0;
            }
        } else if (read_newline(in)) {
            jz__buf_putc(&in->scratch, '\n');
        } else if (quote == '"' && peek(in, 0) == '\\') {
            in->at++;
            r = skip_line_end_escape(in) ? 0 : read_escape(in);
        } else {
            r = read_string_char(in, false);
        }
        if (r < 0) {
            return r;
        }
    }
}

/* The scratch buffer into the arena. */
/* A NUL is put behind it, and there may be others inside: the length
 * counts. */
static int keep_scratch(struct jz__str *out, struct jz__toml_lexer *in)
{
    out->length = in->scratch.length;
    out->data = NULL;
    if (in->scratch.error == 0) {
        out->data = jz__arena_copy(
            in->arena, in->scratch.data != NULL ? in->scratch.data : "",
            in->scratch.length);
    }
    return out->data != NULL ? 0 : jz__fail_memory(in->error);
}

/* in stands on the opening quote. */
static int read_string(struct jz__str *out, struct jz__toml_lexer *in,
                       bool may_be_long)
{
    int quote = peek(in, 0);
    int r;

    jz__buf_clear(&in->scratch);
    if (peek(in, 1) == quote && peek(in, 2) == quote) {
        if (!may_be_long) {
            return jz__toml_lexer_fail(in, in->line,
                                       "a key may not be a multi-line string");
        }
        in->at += 3;
        r = read_long_string(in, quote);
    } else {
        in->at++;
        r = read_short_string(in, quote);
    }
    return r < 0 ? r : keep_scratch(out, in);
}

/* --- keys --- */

bool jz__toml_lexer_is_bare(int c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Bare keys may be all digits: 3.14 is a key of two parts here. */
static int read_key_part(struct jz__str *out, struct jz__toml_lexer *in)
{
    size_t start = in->at;

    if (peek(in, 0) == '"' || peek(in, 0) == '\'') {
        return read_string(out, in, false);
    }
    while (jz__toml_lexer_is_bare(peek(in, 0))) {
        in->at++;
    }
    if (in->at == start) {
        return jz__toml_lexer_fail(
            in, in->line,
            "a key is missing: it must be A-Z a-z 0-9 _ - or "
            "stand in quotes");
    }
    out->length = in->at - start;
    out->data = jz__arena_copy(in->arena, in->text.data + start, out->length);
    return out->data != NULL ? 0 : jz__fail_memory(in->error);
}

/* A key with dots; blanks around the dots and behind it are taken. */
int jz__toml_lexer_read_key(struct jz__toml_key *out, struct jz__toml_lexer *in)
{
    jz__toml_lexer_skip_blanks(in);
    out->count = 0;
    out->line = in->line;
    out->at = in->at;
    for (;;) {
        if (out->count == JZ__TOML_DEPTH) {
            return jz__toml_lexer_fail(
                in, in->line, "a key of more than %d parts", JZ__TOML_DEPTH);
        }
        jz__toml_lexer_skip_blanks(in);
        int r = read_key_part(&out->parts[out->count], in);
        if (r < 0) {
            return r;
        }
        out->count++;
        jz__toml_lexer_skip_blanks(in);
        if (peek(in, 0) != '.') {
            return 0;
        }
        in->at++;
    }
}

/* UTF-8 is checked once, ahead of everything, so that no other function has to
 * think of it. */
int jz__toml_lexer_check_utf8(struct jz__toml_lexer *in)
{
    struct jz__str rest = in->text;
    struct jz__str line;
    int number = 1;

    while (jz__str_line(&line, &rest)) {
        if (!jz__utf8_is_valid(line.data, line.length)) {
            return jz__toml_lexer_fail(in, number, "the text is not UTF-8");
        }
        number++;
    }
    return 0;
}

int jz__toml_lexer_peek(const struct jz__toml_lexer *lexer, size_t offset)
{
    return peek(lexer, offset);
}

int jz__toml_lexer_read_string(struct jz__str *out,
                               struct jz__toml_lexer *lexer)
{
    return read_string(out, lexer, true);
}
