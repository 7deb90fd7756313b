/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types and ranges of configuration keys are data, and this file is the
 * only code that looks at them, so that every key is checked in the same way
 * and every message has the same form: file, line, key, what it must be.
 *
 * Everything that is filled in lives in the reader's arena or in the parsed
 * document, and is a C string: a string with a NUL inside is refused.
 */
#include "config_table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/utf8.h"
#include "prog/opts.h"

/* A key or value in a message, with what could act on a terminal taken out. */
struct shown {
    char text[200];
};

/* Messages go to terminals and logs, and a file may hold anything. */
static const char *show(struct shown *out, struct jz__str text)
{
    struct jz__buf line = JZ__BUF_INIT;

    jz__utf8_one_line(&line, text.data, text.length);
    snprintf(out->text, sizeof(out->text), "%s",
             line.error == 0 && line.data != NULL ? line.data : "");
    jz__buf_finish(&line);
    return out->text;
}

int config_table_fail(const struct config_reader *reader, int line,
                      const char *format, ...)
{
    char why[640];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return jz__fail(reader->error, JZ_EINVAL, "%s line %d: %s", reader->file,
                    line, why);
}

const char *config_table_nearest(const char *name, const char *const *names,
                                 size_t name_count)
{
    const char *nearest = names[0];
    size_t least = SIZE_MAX;
    size_t i;

    assert(name_count > 0);
    for (i = 0; i < name_count; i++) {
        size_t distance = jz__opts_distance(name, names[i]);

        if (distance < least) {
            least = distance;
            nearest = names[i];
        }
    }
    return jz__opts_is_near(name, nearest) ? nearest : NULL;
}

static int fail_unknown(const struct config_reader *reader,
                        const struct jz__toml_value *member, const char *title,
                        const struct config_key *keys)
{
    const char *names[32] = { NULL };
    const char *nearest;
    struct shown shown;
    size_t count = 0;

    while (keys[count].name != NULL && count < JZ__LENGTH(names)) {
        names[count] = keys[count].name;
        count++;
    }
    nearest = config_table_nearest(member->key.data, names, count);
    return config_table_fail(
        reader, member->key_line, "unknown key '%s' in %s%s%s%s",
        show(&shown, member->key), title, nearest != NULL ? " (nearest: " : "",
        nearest != NULL ? nearest : "", nearest != NULL ? ")" : "");
}

int config_table_fail_key(const struct config_reader *reader,
                          const struct jz__toml_value *member,
                          const char *before, const char *behind)
{
    struct shown shown;

    return config_table_fail(reader, member->key_line, "%s%s%s", before,
                             show(&shown, member->key), behind);
}

/* --- values --- */

/* "port must be an integer, and is a string" */
static int fail_type(const struct config_reader *reader,
                     const struct jz__toml_value *value, const char *what,
                     const char *must_be)
{
    return config_table_fail(reader, value->line, "%s must be %s, and is %s",
                             what, must_be, jz__toml_type_name(value->type));
}

/* A string of the document as a C string. */
static int read_text(const char **out, const struct config_reader *reader,
                     const struct jz__toml_value *value, const char *what)
{
    if (value->type != JZ__TOML_STRING) {
        return fail_type(reader, value, what, "a string");
    }
    if (value->text.length == 0) {
        return config_table_fail(reader, value->line, "%s must not be empty",
                                 what);
    }
    if (strlen(value->text.data) != value->text.length) {
        return config_table_fail(reader, value->line,
                                 "%s must not hold a NUL character", what);
    }
    *out = value->text.data;
    return 0;
}

/* All choices are shown: there are few, and one of them is what was meant. */
static int check_choice(const struct config_reader *reader,
                        const struct jz__toml_value *value,
                        const struct config_key *key)
{
    struct jz__buf list = JZ__BUF_INIT;
    struct shown shown;
    size_t i;
    int r;

    for (i = 0; key->choices[i] != NULL; i++) {
        if (strcmp(key->choices[i], value->text.data) == 0) {
            return 0;
        }
    }
    for (i = 0; key->choices[i] != NULL; i++) {
        jz__buf_printf(&list, "%s%s", i > 0 ? ", " : "", key->choices[i]);
    }
    r = config_table_fail(reader, value->line, "%s '%s' is none of: %s",
                          key->name, show(&shown, value->text),
                          list.error == 0 ? list.data : "");
    jz__buf_finish(&list);
    return r;
}

/* ~ first, then the folder of the file: "~/x" is absolute once the home folder
 * is known. */
static int read_path(const char **out, const struct config_reader *reader,
                     const struct jz__toml_value *value, const char *what)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf expanded = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf joined = JZ__BUF_INIT;
    const char *text = "";
    int r = read_text(&text, reader, value, what);

    if (r < 0) {
        return r;
    }
    jz__path_expand(&expanded, text, reader->home);
    if (expanded.error == 0) {
        jz__path_join(&joined, reader->folder, expanded.data);
    }
    *out = expanded.error == 0 && joined.error == 0
               ? jz__arena_copy(reader->arena, joined.data, joined.length)
               : NULL;
    return *out != NULL ? 0 : jz__fail_memory(reader->error);
}

/* NaN compares false with both ends, so it is asked for by name. Numbers of 64
 * bits are compared as double: the ends are small enough to be exact. */
static int check_range(const struct config_reader *reader,
                       const struct jz__toml_value *value,
                       const struct config_key *key)
{
    if (isnan(value->real) || value->real < key->least) {
        return config_table_fail(reader, value->line, "%s must be at least %g",
                                 key->name, key->least);
    }
    if (value->real > key->most) {
        return config_table_fail(reader, value->line, "%s must be at most %g",
                                 key->name, key->most);
    }
    return 0;
}

/* One element of room more, so that an empty list has an address too. */
static int read_list(struct config_list *out,
                     const struct config_reader *reader,
                     const struct jz__toml_value *value, const char *what)
{
    const struct jz__toml_value *element;

    if (value->type != JZ__TOML_ARRAY) {
        return fail_type(reader, value, what, "an array of strings");
    }
    out->count = 0;
    out->items = jz__arena_alloc(reader->arena,
                                 (value->count + 1) * sizeof(*out->items));
    if (out->items == NULL) {
        return jz__fail_memory(reader->error);
    }
    for (element = value->first; element != NULL; element = element->next) {
        int r = read_text(&out->items[out->count], reader, element, what);
        if (r < 0) {
            return r;
        }
        out->count++;
    }
    return 0;
}

/* Two arrays side by side: the order is that of the file, and rules that are
 * tried in order keep it. */
static int read_pairs(struct config_pairs *out,
                      const struct config_reader *reader,
                      const struct jz__toml_value *value, const char *what)
{
    const struct jz__toml_value *member;
    size_t bytes = (value->count + 1) * sizeof(*out->keys);

    if (value->type != JZ__TOML_TABLE) {
        return fail_type(reader, value, what, "a table of strings");
    }
    out->count = 0;
    out->keys = jz__arena_alloc(reader->arena, bytes);
    out->values = jz__arena_alloc(reader->arena, bytes);
    if (out->keys == NULL || out->values == NULL) {
        return jz__fail_memory(reader->error);
    }
    for (member = value->first; member != NULL; member = member->next) {
        int r = read_text(&out->values[out->count], reader, member, what);
        if (r < 0) {
            return r;
        }
        if (member->key.length == 0 ||
            strlen(member->key.data) != member->key.length) {
            return config_table_fail(reader, member->key_line,
                                     "%s has a key that is empty or holds a "
                                     "NUL character",
                                     what);
        }
        out->keys[out->count] = member->key.data;
        out->count++;
    }
    return 0;
}

/* The field of a key. */
static int read_value(void *field, const struct config_reader *reader,
                      const struct jz__toml_value *value,
                      const struct config_key *key)
{
    int r = 0;

    /* The kind tells what the field is; config_keys.c answers for both being
     * right, because a mistake there shows in the first test of the key. */
    switch (key->kind) {
    case CONFIG_TEXT:
        r = read_text(field, reader, value, key->name);
        return r == 0 && key->choices != NULL ? check_choice(reader, value, key)
                                              : r;
    case CONFIG_PATH:
        return read_path(field, reader, value, key->name);
    case CONFIG_WHOLE:
        if (value->type != JZ__TOML_INTEGER) {
            return fail_type(reader, value, key->name, "an integer");
        }
        *(int64_t *)field = value->integer;
        return check_range(reader, value, key);
    case CONFIG_REAL:
        if (value->type != JZ__TOML_FLOAT && value->type != JZ__TOML_INTEGER) {
            return fail_type(reader, value, key->name, "a number");
        }
        *(double *)field = value->real;
        return check_range(reader, value, key);
    case CONFIG_FLAG:
        if (value->type != JZ__TOML_BOOLEAN) {
            return fail_type(reader, value, key->name, "true or false");
        }
        *(bool *)field = value->boolean;
        return 0;
    case CONFIG_LIST:
        return read_list(field, reader, value, key->name);
    case CONFIG_PAIRS:
        return read_pairs(field, reader, value, key->name);
    }
    return 0;
}

/* --- tables --- */

int config_table_read(void *target, const struct config_reader *reader,
                      const struct jz__toml_value *table, const char *title,
                      const struct config_key *keys)
{
    const struct jz__toml_value *member;

    if (table == NULL) {
        return 0;
    }
    if (table->type != JZ__TOML_TABLE) {
        return fail_type(reader, table, title, "a table");
    }
    /* Tables have a dozen keys: a search from the front of the list is as
     * quick as anything. */
    for (member = table->first; member != NULL; member = member->next) {
        const struct config_key *key = keys;

        while (key->name != NULL && !jz__str_is(member->key, key->name)) {
            key++;
        }
        if (key->name == NULL) {
            return fail_unknown(reader, member, title, keys);
        }
        int r = read_value((char *)target + key->offset, reader, member, key);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}
