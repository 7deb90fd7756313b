/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strict TOML 1.0 reader. A file that a person edits deserves the line and
 * the reason of a fault, so every function here stops at the first one and
 * says so; nothing is guessed or repaired.
 *
 * The tree lives in one arena. What may be added to a table later follows from
 * how it came to be (enum jz__toml_origin):
 *
 *     [a.b.c]      a and b are IMPLICIT, c is a HEADER; a later [a] makes a
 *                  HEADER, a second [a.b.c] is refused
 *     x.y.z = 1    x and y are DOTTED: further keys of the same section may go
 *                  through them, a header may add tables below them, but no
 *                  header may name them
 *     t = {…}      a VALUE: closed for ever, and so is an array in brackets
 *     [[e]]        ELEMENTS: a header or a key goes on in the last one
 *
 * A dotted key goes through IMPLICIT and DOTTED tables only: a table with a
 * header of its own has all its keys below that header.
 *
 * Members are found through one hash table for the whole document. A list for
 * each table would do for every honest file, but a file of a megabyte of short
 * keys would then take a minute.
 */
#include "base/toml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/toml_lexer.h"
#include "base/toml_scalar.h"

/* The lexer knows where we are in the text, the rest where we are in the
 * tree. */
struct parser {
    struct jz__toml_lexer lexer;
    struct jz__toml_value *root;
    struct jz__toml_value *section; /* where `key = value` goes */
    struct jz__toml_value **slots;  /* members of all tables, by hash */
    size_t slot_count;              /* a power of two, or 0 */
    size_t slots_used;
    size_t header_at; /* the bracket that opens the header being read */
};

static int read_value(struct parser *p, struct jz__toml_value *value,
                      int depth);

static int peek(const struct parser *p, size_t offset)
{
    return jz__toml_lexer_peek(&p->lexer, offset);
}

/* --- the tree --- */

/* The slot of a member: the one that holds it, or the free one for it. */
static struct jz__toml_value **slot_of(const struct parser *p,
                                       const struct jz__toml_value *table,
                                       struct jz__str key)
{
    size_t mask = p->slot_count - 1;
    size_t i = (size_t)jz__str_hash(key, (uint64_t)(uintptr_t)table) & mask;

    while (p->slots[i] != NULL && (p->slots[i]->parent != table ||
                                   !jz__str_equal(p->slots[i]->key, key))) {
        i = (i + 1) & mask;
    }
    return &p->slots[i];
}

/* Keep a quarter of the slots free at least. */
static int grow_slots(struct parser *p)
{
    struct jz__toml_value **old = p->slots;
    size_t old_count = p->slot_count;
    size_t i;

    if (p->slots_used + 1 <= p->slot_count / 4 * 3) {
        return 0;
    }
    p->slot_count = old_count > 0 ? old_count * 2 : 64;
    p->slots = calloc(p->slot_count, sizeof(struct jz__toml_value *));
    if (p->slots == NULL) {
        p->slots = old;
        p->slot_count = old_count;
        return jz__fail_memory(p->lexer.error);
    }
    for (i = 0; i < old_count; i++) {
        if (old[i] != NULL) {
            *slot_of(p, old[i]->parent, old[i]->key) = old[i];
        }
    }
    free(old);
    return 0;
}

/* A member of a table, by its key. */
static struct jz__toml_value *find(const struct parser *p,
                                   const struct jz__toml_value *table,
                                   struct jz__str key)
{
    return p->slot_count > 0 ? *slot_of(p, table, key) : NULL;
}

/* A new value at the end of a table or array. */
/* Also for elements, which have no key. The type is the caller's to set. */
static int append(struct jz__toml_value **out, struct parser *p,
                  struct jz__toml_value *parent)
{
    struct jz__toml_value *value =
        jz__arena_alloc(p->lexer.arena, sizeof(*value));

    *out = value;
    if (value == NULL) {
        (void)jz__fail_memory(p->lexer.error);
        return JZ_ENOMEM;
    }
    value->line = p->lexer.line;
    value->key_line = p->lexer.line;
    value->at = p->lexer.at;
    value->end = p->lexer.at;
    value->key_at = p->lexer.at;
    value->parent = parent;
    value->key = JZ__STR("");
    if (parent->last != NULL) {
        parent->last->next = value;
    } else {
        parent->first = value;
    }
    parent->last = value;
    parent->count++;
    return 0;
}

/* A new member; the caller knows that the key is free. */
static int add_member(struct jz__toml_value **out, struct parser *p,
                      struct jz__toml_value *table, struct jz__str key,
                      int line)
{
    int r = grow_slots(p);

    if (r == 0) {
        r = append(out, p, table);
    }
    if (r != 0) {
        return r;
    }
    (*out)->key = key;
    (*out)->key_line = line;
    *slot_of(p, table, key) = *out;
    p->slots_used++;
    return 0;
}

/* A table that a key or header runs through and that was not there yet. */
static int add_table(struct jz__toml_value **out, struct parser *p,
                     struct jz__toml_value *table, struct jz__str key,
                     enum jz__toml_origin origin)
{
    int r = add_member(out, p, table, key, p->lexer.line);

    if (r == 0) {
        (*out)->type = JZ__TOML_TABLE;
        (*out)->origin = origin;
    }
    return r;
}

/* Two lines are named, the second and the first: one of them is the slip, and
 * only a person knows which. */
static int fault_taken(struct parser *p, const struct jz__toml_value *taken)
{
    struct jz__toml_shown shown;

    return jz__toml_lexer_fail(
        &p->lexer, p->lexer.line, "'%s' is defined already, in line %d",
        jz__toml_lexer_show(&shown, taken->key), taken->key_line);
}

/* The same for what was defined otherwise and takes nothing more. */
static int fault_closed(struct parser *p, const struct jz__toml_value *closed)
{
    struct jz__toml_shown shown;

    return jz__toml_lexer_fail(
        &p->lexer, p->lexer.line,
        "nothing can be added to '%s', which is %s of line %d",
        jz__toml_lexer_show(&shown, closed->key),
        jz__toml_type_name(closed->type), closed->key_line);
}

/* One step down for a dotted key. */
static int step_dotted(struct jz__toml_value **out, struct parser *p,
                       struct jz__toml_value *table, struct jz__str part)
{
    struct jz__toml_value *next = find(p, table, part);

    if (next == NULL) {
        return add_table(out, p, table, part, JZ__TOML_DOTTED);
    }
    if (next->type != JZ__TOML_TABLE || (next->origin != JZ__TOML_DOTTED &&
                                         next->origin != JZ__TOML_IMPLICIT)) {
        return fault_closed(p, next);
    }
    next->origin = JZ__TOML_DOTTED;
    *out = next;
    return 0;
}

/* One step down for a header: also into the last element of [[name]]. */
static int step_header(struct jz__toml_value **out, struct parser *p,
                       struct jz__toml_value *table, struct jz__str part)
{
    struct jz__toml_value *next = find(p, table, part);

    if (next == NULL) {
        return add_table(out, p, table, part, JZ__TOML_IMPLICIT);
    }
    if (next->origin == JZ__TOML_VALUE) {
        return fault_closed(p, next);
    }
    *out = next->origin == JZ__TOML_ELEMENTS ? next->last : next;
    return 0;
}

/* What a header opened takes the keys that follow. */
static void enter_section(struct parser *p, struct jz__toml_value *table)
{
    table->at = p->header_at;
    table->key_at = p->header_at;
    table->end = p->lexer.at;
    p->section = table;
}

/* The table that [name] opens. */
static int open_table(struct parser *p, struct jz__toml_value *parent,
                      struct jz__str name)
{
    struct jz__toml_value *table = find(p, parent, name);

    if (table == NULL) {
        int r = add_table(&table, p, parent, name, JZ__TOML_HEADER);
        if (r < 0) {
            return r;
        }
    } else if (table->origin != JZ__TOML_IMPLICIT) {
        return fault_taken(p, table);
    }
    table->origin = JZ__TOML_HEADER;
    table->line = p->lexer.line;
    table->key_line = p->lexer.line;
    enter_section(p, table);
    return 0;
}

/* The element that [[name]] opens. */
static int open_element(struct parser *p, struct jz__toml_value *parent,
                        struct jz__str name)
{
    struct jz__toml_value *array = find(p, parent, name);
    struct jz__toml_value *element;
    int r;

    if (array == NULL) {
        r = add_member(&array, p, parent, name, p->lexer.line);
        if (r != 0) {
            return r;
        }
        array->type = JZ__TOML_ARRAY;
        array->origin = JZ__TOML_ELEMENTS;
    } else if (array->origin != JZ__TOML_ELEMENTS) {
        return fault_taken(p, array);
    }
    r = append(&element, p, array);
    if (r != 0) {
        return r;
    }
    element->type = JZ__TOML_TABLE;
    element->origin = JZ__TOML_HEADER;
    enter_section(p, element);
    return 0;
}

/* --- values --- */

static bool is_scalar_char(int c)
{
    return jz__toml_lexer_is_bare(c) || c == '+' || c == '.' || c == ':';
}

/* The token ends where no character of a number or date stands; whether it is
 * one is told by its text. */
static int read_scalar(struct parser *p, struct jz__toml_value *value)
{
    struct jz__str token = { p->lexer.text.data + p->lexer.at, 0 };
    struct jz__toml_shown shown;
    const char *why;

    while (is_scalar_char(peek(p, token.length))) {
        token.length++;
    }
    /* One blank may stand between a date and its time. */
    if (jz__toml_scalar_is_date(token) && peek(p, 10) == ' ' &&
        peek(p, 11) >= '0' && peek(p, 11) <= '9') {
        token.length++;
        while (is_scalar_char(peek(p, token.length))) {
            token.length++;
        }
    }
    if (token.length == 0) {
        return jz__toml_lexer_fail(&p->lexer, p->lexer.line,
                                   strchr("/~*", peek(p, 0)) != NULL &&
                                           peek(p, 0) > 0
                                       ? "a value is missing: text needs quotes"
                                       : "a value is missing");
    }
    why = jz__toml_scalar_read(value, token);
    if (why != NULL) {
        return jz__toml_lexer_fail(&p->lexer, p->lexer.line, "'%s' %s",
                                   jz__toml_lexer_show(&shown, token), why);
    }
    p->lexer.at += token.length;
    if (value->type == JZ__TOML_DATE) {
        value->text.length = token.length;
        value->text.data =
            jz__arena_copy(p->lexer.arena, token.data, token.length);
        return value->text.data != NULL ? 0 : jz__fail_memory(p->lexer.error);
    }
    return 0;
}

/* key = value, up to the end of the value. */
/* NOLINTNEXTLINE(misc-no-recursion): read_value() bounds the depth. */
static int read_pair(struct parser *p, struct jz__toml_value *table, int depth)
{
    struct jz__toml_key key;
    struct jz__toml_value *value;
    struct jz__toml_shown shown;
    size_t i;
    int r = jz__toml_lexer_read_key(&key, &p->lexer);

    for (i = 0; r == 0 && i + 1 < key.count; i++) {
        r = step_dotted(&table, p, table, key.parts[i]);
    }
    if (r < 0) {
        return r;
    }
    struct jz__str name = key.parts[key.count - 1];
    value = find(p, table, name);
    if (value != NULL) {
        return fault_taken(p, value);
    }
    if (peek(p, 0) != '=') {
        return jz__toml_lexer_fail(&p->lexer, p->lexer.line,
                                   "'=' is missing behind the key '%s'",
                                   jz__toml_lexer_show(&shown, name));
    }
    p->lexer.at++;
    jz__toml_lexer_skip_blanks(&p->lexer);
    r = add_member(&value, p, table, name, key.line);
    if (r != 0) {
        return r;
    }
    value->key_at = key.at;
    return read_value(p, value, depth);
}

/* p stands behind the opening bracket. */
/* NOLINTNEXTLINE(misc-no-recursion): read_value() bounds the depth. */
static int read_array(struct parser *p, struct jz__toml_value *array, int depth)
{
    for (;;) {
        struct jz__toml_value *element;
        int r = jz__toml_lexer_skip_lines(&p->lexer);

        if (r < 0) {
            return r;
        }
        if (peek(p, 0) == ']') {
            p->lexer.at++;
            return 0;
        }
        r = append(&element, p, array);
        if (r == 0) {
            r = read_value(p, element, depth);
        }
        if (r == 0) {
            r = jz__toml_lexer_skip_lines(&p->lexer);
        }
        if (r < 0) {
            return r;
        }
        if (peek(p, 0) == ',') {
            p->lexer.at++;
        } else if (peek(p, 0) != ']') {
            return jz__toml_lexer_fail(
                &p->lexer, p->lexer.line,
                "',' or ']' is missing in the array that begins "
                "in line %d",
                array->line);
        }
    }
}

/* p stands behind the opening brace. All on one line, no comma at the end. */
/* NOLINTNEXTLINE(misc-no-recursion): read_value() bounds the depth. */
static int read_inline(struct parser *p, struct jz__toml_value *table,
                       int depth)
{
    jz__toml_lexer_skip_blanks(&p->lexer);
    if (peek(p, 0) == '}') {
        p->lexer.at++;
        return 0;
    }
    for (;;) {
        int r = read_pair(p, table, depth);

        if (r < 0) {
            return r;
        }
        jz__toml_lexer_skip_blanks(&p->lexer);
        if (peek(p, 0) == '}') {
            p->lexer.at++;
            return 0;
        }
        if (peek(p, 0) != ',') {
            return jz__toml_lexer_fail(
                &p->lexer, p->lexer.line,
                "',' or '}' is missing in an inline table, which "
                "must stand on one line");
        }
        p->lexer.at++;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by JZ__TOML_DEPTH. */
static int read_by_kind(struct parser *p, struct jz__toml_value *value,
                        int depth)
{
    int c = peek(p, 0);

    if ((c == '[' || c == '{') && depth >= JZ__TOML_DEPTH) {
        return jz__toml_lexer_fail(
            &p->lexer, p->lexer.line,
            "arrays and tables are nested more than %d deep", JZ__TOML_DEPTH);
    }
    if (c == '"' || c == '\'') {
        value->type = JZ__TOML_STRING;
        return jz__toml_lexer_read_string(&value->text, &p->lexer);
    }
    if (c == '[') {
        p->lexer.at++;
        value->type = JZ__TOML_ARRAY;
        return read_array(p, value, depth + 1);
    }
    if (c == '{') {
        p->lexer.at++;
        value->type = JZ__TOML_TABLE;
        return read_inline(p, value, depth + 1);
    }
    return read_scalar(p, value);
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by JZ__TOML_DEPTH. */
static int read_value(struct parser *p, struct jz__toml_value *value, int depth)
{
    int r;

    value->line = p->lexer.line;
    value->at = p->lexer.at;
    r = read_by_kind(p, value, depth);
    value->end = p->lexer.at;
    return r;
}

/* --- lines --- */

/* p stands on the opening bracket. */
/* All parts of the name but the last are steps on the way; the last is what
 * the header opens. */
static int read_header(struct parser *p)
{
    bool is_element = peek(p, 1) == '[';
    struct jz__toml_value *table = p->root;
    struct jz__toml_key key;
    size_t i;
    int r;

    p->header_at = p->lexer.at;
    p->lexer.at += is_element ? 2 : 1;
    r = jz__toml_lexer_read_key(&key, &p->lexer);
    if (r < 0) {
        return r;
    }
    if (peek(p, 0) != ']' || (is_element && peek(p, 1) != ']')) {
        return jz__toml_lexer_fail(&p->lexer, p->lexer.line,
                                   "'%s' is missing behind the table's name",
                                   is_element ? "]]" : "]");
    }
    p->lexer.at += is_element ? 2 : 1;
    for (i = 0; i + 1 < key.count; i++) {
        r = step_header(&table, p, table, key.parts[i]);
        if (r < 0) {
            return r;
        }
    }
    return is_element ? open_element(p, table, key.parts[i])
                      : open_table(p, table, key.parts[i]);
}

/* One header or one pair a line, and nothing behind it. */
static int read_document(struct parser *p)
{
    int r;

    for (;;) {
        r = jz__toml_lexer_skip_lines(&p->lexer);
        if (r < 0 || peek(p, 0) < 0) {
            return r;
        }
        if (jz__toml_lexer_is_control(peek(p, 0))) {
            return jz__toml_lexer_fail(&p->lexer, p->lexer.line,
                                       "control character 0x%02x",
                                       (unsigned)peek(p, 0));
        }
        r = peek(p, 0) == '[' ? read_header(p) : read_pair(p, p->section, 0);
        if (r == 0) {
            r = jz__toml_lexer_read_line_end(&p->lexer);
        }
        if (r < 0) {
            return r;
        }
    }
}

/* --- exported --- */

int jz__toml_parse(struct jz__toml *out, const char *text, size_t length,
                   struct jz__error *error)
{
    struct parser p = { 0 };
    int r;

    assert(out != NULL && out->root == NULL && (text != NULL || length == 0));
    p.lexer.text = (struct jz__str){ text, length };
    p.lexer.line = 1;
    p.lexer.arena = &out->arena;
    p.lexer.error = error;
    /* The specification is silent about it. */
    if (jz__str_starts(p.lexer.text, "\xEF\xBB\xBF")) {
        p.lexer.at = 3; /* editors on Windows put it there */
    }
    out->root = jz__arena_alloc(&out->arena, sizeof(*out->root));
    if (out->root == NULL) {
        return jz__fail_memory(error);
    }
    out->root->type = JZ__TOML_TABLE;
    out->root->origin = JZ__TOML_HEADER;
    out->root->line = 1;
    out->root->key = JZ__STR("");
    p.root = out->root;
    p.section = out->root;
    r = jz__toml_lexer_check_utf8(&p.lexer);
    if (r == 0) {
        r = read_document(&p);
    }
    free(p.slots);
    jz__buf_finish(&p.lexer.scratch);
    return r;
}

void jz__toml_finish(struct jz__toml *toml)
{
    jz__arena_finish(&toml->arena);
    toml->root = NULL;
}

const struct jz__toml_value *jz__toml_get(const struct jz__toml_value *table,
                                          const char *key)
{
    const struct jz__toml_value *member;

    if (table == NULL || table->type != JZ__TOML_TABLE) {
        return NULL;
    }
    for (member = table->first; member != NULL; member = member->next) {
        if (jz__str_is(member->key, key)) {
            return member;
        }
    }
    return NULL;
}

const char *jz__toml_type_name(enum jz__toml_type type)
{
    static const char *const names[] = {
        [JZ__TOML_STRING] = "a string",     [JZ__TOML_INTEGER] = "an integer",
        [JZ__TOML_FLOAT] = "a float",       [JZ__TOML_BOOLEAN] = "a boolean",
        [JZ__TOML_DATE] = "a date or time", [JZ__TOML_ARRAY] = "an array",
        [JZ__TOML_TABLE] = "a table",
    };

    assert((size_t)type < JZ__LENGTH(names));
    return names[type];
}
