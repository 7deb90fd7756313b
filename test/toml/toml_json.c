/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads TOML from stdin and writes it as JSON in which every value carries its
 * type, the form in which conformance sets of the language give what they
 * expect. Exit status 1 and the reason on stderr: the text is not valid.
 *
 * The library has one type for dates and times and keeps their text; which of
 * the four it is shows in the text.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/toml.h"

/* Keys and strings may hold any character, a NUL as well. */
static void put_text(struct jz__buf *out, struct jz__str text)
{
    size_t i;

    jz__buf_putc(out, '"');
    for (i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c < 0x20 || c == '"' || c == '\\') {
            jz__buf_printf(out, "\\u%04x", c);
        } else {
            jz__buf_putc(out, (char)c);
        }
    }
    jz__buf_putc(out, '"');
}

static const char *date_type(struct jz__str text)
{
    bool has_date = text.length >= 10 && text.data[4] == '-';

    if (!has_date) {
        return "time-local";
    }
    if (text.length == 10) {
        return "date-local";
    }
    /* Behind a time stands Z or a distance of six characters, or nothing. */
    if (strchr("Zz", text.data[text.length - 1]) != NULL ||
        strchr("+-", text.data[text.length - 6]) != NULL) {
        return "datetime";
    }
    return "datetime-local";
}

static void put_scalar(struct jz__buf *out, const struct jz__toml_value *value)
{
    char number[64];
    struct jz__str text = { number, 0 };
    const char *type = "integer";

    switch (value->type) {
    case JZ__TOML_INTEGER:
        (void)snprintf(number, sizeof(number), "%lld",
                       (long long)value->integer);
        break;
    case JZ__TOML_FLOAT:
        type = "float";
        (void)snprintf(number, sizeof(number), "%.17g", value->real);
        break;
    case JZ__TOML_BOOLEAN:
        type = "bool";
        (void)snprintf(number, sizeof(number), "%s",
                       value->boolean ? "true" : "false");
        break;
    case JZ__TOML_STRING:
    case JZ__TOML_DATE:
    case JZ__TOML_ARRAY:
    case JZ__TOML_TABLE:
        type = value->type == JZ__TOML_DATE ? date_type(value->text) : "string";
        text = value->text;
        break;
    }
    if (text.data == number) {
        text.length = strlen(number);
    }
    jz__buf_printf(out, "{\"type\":\"%s\",\"value\":", type);
    put_text(out, text);
    jz__buf_putc(out, '}');
}

/* NOLINTNEXTLINE(misc-no-recursion): the reader bounds the depth. */
static void put_value(struct jz__buf *out, const struct jz__toml_value *value)
{
    bool is_table = value->type == JZ__TOML_TABLE;
    const struct jz__toml_value *child;

    if (!is_table && value->type != JZ__TOML_ARRAY) {
        put_scalar(out, value);
        return;
    }
    jz__buf_putc(out, is_table ? '{' : '[');
    for (child = value->first; child != NULL; child = child->next) {
        if (is_table) {
            put_text(out, child->key);
            jz__buf_putc(out, ':');
        }
        put_value(out, child);
        if (child->next != NULL) {
            jz__buf_putc(out, ',');
        }
    }
    jz__buf_putc(out, is_table ? '}' : ']');
}

static int read_stdin(struct jz__buf *out)
{
    char piece[4096];
    size_t length;

    while ((length = fread(piece, 1, sizeof(piece), stdin)) > 0) {
        jz__buf_append(out, piece, length);
    }
    return out->error;
}

int main(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf json = JZ__BUF_INIT;
    JZ_CLEANUP(jz__toml_finish) struct jz__toml toml = JZ__TOML_INIT;
    struct jz__error error = { 0 };

    if (read_stdin(&text) < 0) {
        return 2;
    }
    if (jz__toml_parse(&toml, text.data, text.length, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    put_value(&json, toml.root);
    if (json.error != 0) {
        return 2;
    }
    puts(json.data);
    return 0;
}
