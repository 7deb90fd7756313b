/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text is jezero.toml.in, which the build turns into a list of string
 * literals, one a line: a file is easier to read and to correct than C, and a
 * program that carries it can be copied to a computer alone. A test compares
 * its keys and defaults with those of config_keys.c.
 */
#include "init_text.h"

#include <string.h>

/* A basic string: a path may hold any character but a NUL. */
static void put_string(struct jz__buf *out, const char *text)
{
    jz__buf_putc(out, '"');
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7f) {
            jz__buf_printf(out, "\\u%04x", c);
        } else {
            jz__buf_puts(out, c == '"' || c == '\\' ? "\\" : "");
            jz__buf_putc(out, (char)c);
        }
    }
    jz__buf_putc(out, '"');
}

/* A line holds one mark at most. */
static void put_line(struct jz__buf *out, const char *line, const char *mark,
                     const char *value)
{
    const char *at = strstr(line, mark);

    jz__buf_append(out, line, (size_t)(at - line));
    put_string(out, value);
    jz__buf_puts(out, at + strlen(mark));
}

void init_text_put(struct jz__buf *out, const char *library_path,
                   const char *inbox_path)
{
    const char *const *line;

    for (line = init_text_lines; *line != NULL; line++) {
        if (strstr(*line, "@LIBRARY@") != NULL) {
            put_line(out, *line, "@LIBRARY@", library_path);
        } else if (strstr(*line, "@INBOX@") != NULL) {
            put_line(out, *line, "@INBOX@", inbox_path);
        } else {
            jz__buf_puts(out, *line);
        }
        jz__buf_putc(out, '\n');
    }
}
