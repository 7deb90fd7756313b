/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where bytes go in and out. A member gets a line of its own if the one in
 * front of it has one, else it goes behind it on the same line; comments stay
 * with what they were written behind. A trailing comma is kept as the file's
 * way.
 *
 * Removing is the reverse of adding, byte for byte. That leaves one question:
 * is an object that our entry was alone in the user's, or was it made for the
 * entry? What is made here has white space behind its opening bracket; what
 * goes into an empty object of the user's goes right behind the bracket.
 */
#include "jsonc_edit.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "jsonc_layout.h"

/* The new text, made from front to back. */
struct edit {
    struct jsonc *doc;
    struct jz__buf out;
    size_t copied; /* bytes of the old text that are dealt with */
};

static void edit_finish(struct edit *edit)
{
    jz__buf_finish(&edit->out);
}

/* Everything up to there as it was; nothing is copied twice. */
static void edit_copy(struct edit *edit, size_t at)
{
    assert(at >= edit->copied);
    jz__buf_append(&edit->out, edit->doc->text.data + edit->copied,
                   at - edit->copied);
    edit->copied = at;
}

/* Leave a stretch out. */
static void edit_cut(struct edit *edit, size_t from, size_t to)
{
    edit_copy(edit, from);
    edit->copied = to;
}

/* The rest of the old text, and the whole is read anew. */
static int edit_end(struct edit *edit, struct jz__error *error)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc next = JSONC_INIT;
    struct jz__error why = { 0 };
    struct jsonc old;
    int r;

    edit_copy(edit, edit->doc->text.length);
    if (edit->out.error != 0) {
        return jz__fail_memory(error);
    }
    /* A mistake above costs a message and not the user's file. */
    r = jsonc_read(&next, edit->out.data, edit->out.length, &why);
    if (r < 0) {
        return jz__fail(error, r == JZ_ENOMEM ? r : JZ_EINTERNAL,
                        "cannot be edited here: %s", why.message);
    }
    old = *edit->doc;
    *edit->doc = next;
    next = old;
    return 0;
}

/* --- looking around --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static size_t skip_blanks(const struct jz__buf *buf, size_t at)
{
    while (at < buf->length && is_blank(buf->data[at])) {
        at++;
    }
    return at;
}

/* In `text` this stops at a comment, in `bare` it passes over it. */
static size_t skip_white(const struct jz__buf *buf, size_t at)
{
    while (at < buf->length &&
           (is_blank(buf->data[at]) || is_line_end(buf->data[at]))) {
        at++;
    }
    return at;
}

static bool is_at_line_end(const struct jz__buf *buf, size_t at)
{
    return at < buf->length && is_line_end(buf->data[at]);
}

/* An object's tokens are keys and values by turns, an array's values alone. */
static bool is_object(const struct jsonc *doc, size_t token)
{
    return doc->scan.tokens[token].type == JZ__SCAN_OBJECT;
}

/* The value of the last member or element, 0 if there is none. */
static size_t last_value(const struct jsonc *doc, size_t container)
{
    size_t last = 0;
    size_t i;

    for (i = jz__scan_first(&doc->scan, container); i != 0;
         i = jz__scan_after(&doc->scan, container, i)) {
        last = is_object(doc, container) ? i + 1 : i;
    }
    return last;
}

/* Where a member begins, that is its key, or an element. */
static size_t unit_start(const struct jsonc *doc, size_t container,
                         size_t value)
{
    return jsonc_start(doc, is_object(doc, container) ? value - 1 : value);
}

/* The comma behind a value, a trailing one as well; SIZE_MAX if there is
 * none. */
static size_t comma_behind(const struct jsonc *doc, size_t value)
{
    size_t at = skip_white(&doc->bare, jsonc_end(doc, value));

    return at < doc->bare.length && doc->bare.data[at] == ',' ? at : SIZE_MAX;
}

/* --- adding --- */

/* What is put in, and how. */
struct addition {
    size_t container;
    const char *key; /* NULL: an element */
    const char *value;
};

/* The buffer carries the error on to edit_end(). */
static void put_unit(struct edit *edit, const struct addition *new,
                     const struct jsonc_layout *layout)
{
    if (new->key != NULL) {
        jz__json_put_str(&edit->out, new->key);
        jz__buf_puts(&edit->out, ": ");
    }
    if (jsonc_layout_put(&edit->out, new->value, layout) < 0) {
        edit->out.error = JZ_ENOMEM;
    }
}

/* Behind the last of others. */
static void add_behind(struct edit *edit, const struct addition *new,
                       size_t last)
{
    const struct jsonc *doc = edit->doc;
    struct jsonc_layout layout = jsonc_layout_of(doc);
    size_t start = unit_start(doc, new->container, last);
    size_t end = jsonc_end(doc, last);
    size_t comma = comma_behind(doc, last);
    size_t behind = comma != SIZE_MAX ? comma + 1 : end;
    size_t line_end = skip_blanks(&doc->bare, behind);
    /* With something behind it on its line, a line of its own would tear the
     * two apart. */
    bool is_own_line = is_at_line_end(&doc->bare, line_end) &&
                       jsonc_layout_begins_line(doc, start);

    /* The comma goes right behind the value, in front of a comment on its
     * line. */
    edit_copy(edit, end);
    if (comma == SIZE_MAX) {
        jz__buf_puts(&edit->out, ",");
    }
    edit_copy(edit, is_own_line ? line_end : behind);
    layout.base = jsonc_layout_indent(doc, start);
    layout.is_inline = !is_own_line;
    if (is_own_line) {
        jsonc_layout_put_line(&edit->out, &layout, 0);
    } else {
        jz__buf_puts(&edit->out, " ");
    }
    put_unit(edit, new, &layout);
    if (comma != SIZE_MAX) {
        jz__buf_puts(&edit->out, ",");
    }
}

/* Into {} or [] of which white space may be all. The root gets lines, as nobody
 * keeps settings on one line by choice. */
static void add_into_empty(struct edit *edit, const struct addition *new,
                           size_t open, size_t close)
{
    struct jsonc_layout layout = jsonc_layout_of(edit->doc);

    edit_copy(edit, open);
    if (new->container != 0) {
        layout.is_inline = true;
        put_unit(edit, new, &layout);
        return;
    }
    layout.is_inline = false;
    layout.depth = 1;
    jsonc_layout_put_line(&edit->out, &layout, 0);
    put_unit(edit, new, &layout);
    jz__buf_puts(&edit->out, layout.line_end);
    edit_cut(edit, open, close);
}

/* Behind the last comment of an otherwise empty object. Blanks behind a line
 * comment are part of it. */
static void add_behind_comment(struct edit *edit, const struct addition *new,
                               size_t close)
{
    const struct jsonc *doc = edit->doc;
    struct jsonc_layout layout = jsonc_layout_of(doc);
    size_t at = close;
    size_t line_end;

    while (at > 0 && (is_blank(doc->text.data[at - 1]) ||
                      is_line_end(doc->text.data[at - 1]))) {
        at--;
    }
    line_end = skip_blanks(&doc->text, at);
    layout.is_inline = !is_at_line_end(&doc->text, line_end);
    layout.base = jsonc_layout_indent(doc, jsonc_start(doc, new->container));
    layout.depth = 1;
    if (layout.is_inline) {
        edit_copy(edit, at);
        jz__buf_puts(&edit->out, " ");
    } else {
        edit_copy(edit, line_end);
        jsonc_layout_put_line(&edit->out, &layout, 0);
    }
    put_unit(edit, new, &layout);
}

/* The three cases: others are there, nothing is, or comments alone. */
static int add(struct jsonc *doc, const struct addition *new,
               struct jz__error *error)
{
    JZ_CLEANUP(edit_finish) struct edit edit = { doc, JZ__BUF_INIT, 0 };
    size_t last = last_value(doc, new->container);
    size_t open = jsonc_start(doc, new->container) + 1;
    size_t close = jsonc_end(doc, new->container) - 1;

    if (last != 0) {
        add_behind(&edit, new, last);
    } else if (skip_white(&doc->text, open) == close) {
        add_into_empty(&edit, new, open, close);
    } else {
        add_behind_comment(&edit, new, close);
    }
    return edit_end(&edit, error);
}

/* "mcpServers.jezero", as far as the path was followed. */
static int fail_type(const char *const *path, size_t count, const char *type,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    size_t i;

    for (i = 0; i < count; i++) {
        jz__buf_puts(&name, i > 0 ? "." : "");
        jz__buf_puts(&name, path[i]);
    }
    if (name.error != 0) {
        return jz__fail_memory(error);
    }
    return jz__fail(error, JZ_EINVAL, "%s is no %s",
                    count > 0 ? name.data : "the file", type);
}

/* `value` in objects for the keys of the path. */
static void wrap(struct jz__buf *out, const char *const *path,
                 const char *value)
{
    size_t i;

    for (i = 0; path[i] != NULL; i++) {
        jz__buf_putc(out, '{');
        jz__json_put_key(out, path[i]);
    }
    jz__buf_puts(out, value);
    for (; i > 0; i--) {
        jz__buf_putc(out, '}');
    }
}

/* An empty file gets a root, in front of which what it has stays. */
static int make_root(struct jsonc *doc, struct jz__error *error)
{
    JZ_CLEANUP(edit_finish) struct edit edit = { doc, JZ__BUF_INIT, 0 };
    const char *line_end = jsonc_layout_of(doc).line_end;
    size_t length = doc->text.length;

    edit_copy(&edit, length);
    if (skip_white(&doc->text, 0) < length &&
        !is_line_end(doc->text.data[length - 1]) &&
        !jz__str_is((struct jz__str){ doc->text.data, length },
                    "\xEF\xBB\xBF")) {
        jz__buf_puts(&edit.out, line_end);
    }
    jz__buf_puts(&edit.out, "{}");
    jz__buf_puts(&edit.out, line_end);
    return edit_end(&edit, error);
}

int jsonc_edit_put(struct jsonc *doc, const char *const *path,
                   const char *value, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf wrapped = JZ__BUF_INIT;
    struct addition new = { 0, NULL, NULL };
    size_t i = 0;
    int r;

    assert(path[0] != NULL);
    r = doc->scan.count == 0 ? make_root(doc, error) : 0;
    if (r < 0) {
        return r;
    }
    while (path[i] != NULL) {
        size_t found;

        if (!is_object(doc, new.container)) {
            return fail_type(path, i, "object", error);
        }
        /* 0 is the root, which is nobody's member. */
        found = jz__scan_get(&doc->scan, new.container, path[i]);
        if (found == 0) {
            break;
        }
        new.container = found;
        i++;
    }
    if (path[i] == NULL) {
        return jsonc_edit_replace(doc, new.container, value, error);
    }
    wrap(&wrapped, path + i + 1, value);
    if (wrapped.error != 0) {
        return jz__fail_memory(error);
    }
    new.key = path[i];
    new.value = wrapped.data;
    return add(doc, &new, error);
}

int jsonc_edit_append(struct jsonc *doc, const char *const *path,
                      const char *value, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf array = JZ__BUF_INIT;
    const struct addition new = { jsonc_get(doc, path), NULL, value };
    size_t count = 0;

    if (new.container == 0) {
        jz__buf_printf(&array, "[%s]", value);
        return array.error != 0 ? jz__fail_memory(error)
                                : jsonc_edit_put(doc, path, array.data, error);
    }
    if (doc->scan.tokens[new.container].type != JZ__SCAN_ARRAY) {
        while (path[count] != NULL) {
            count++;
        }
        return fail_type(path, count, "array", error);
    }
    return add(doc, &new, error);
}

int jsonc_edit_replace(struct jsonc *doc, size_t token, const char *value,
                       struct jz__error *error)
{
    JZ_CLEANUP(edit_finish) struct edit edit = { doc, JZ__BUF_INIT, 0 };
    struct jsonc_layout layout = jsonc_layout_of(doc);
    size_t start = jsonc_start(doc, token);
    size_t end = jsonc_end(doc, token);

    layout.base = jsonc_layout_indent(doc, start);
    layout.is_inline =
        memchr(doc->text.data + start, '\n', end - start) == NULL;
    edit_copy(&edit, start);
    if (jsonc_layout_put(&edit.out, value, &layout) < 0) {
        return jz__fail_memory(error);
    }
    edit_cut(&edit, start, end);
    return edit_end(&edit, error);
}

/* --- removing --- */

/* What goes: the value with its key, a comma behind or in front of it, and the
 * white space that came with it. */
struct removal {
    size_t start;  /* of the key or element */
    size_t end;    /* behind the value */
    size_t before; /* the comma in front, if that one goes; or SIZE_MAX */
    size_t comma;  /* the comma behind it, or SIZE_MAX */
};

/* The comma in front of a value that others are in front of. */
static size_t comma_before(const struct jsonc *doc, size_t container,
                           size_t value)
{
    size_t before = 0;
    size_t i;

    for (i = jz__scan_first(&doc->scan, container); i != 0;
         i = jz__scan_after(&doc->scan, container, i)) {
        size_t at = is_object(doc, container) ? i + 1 : i;

        if (at == value) {
            break;
        }
        before = at;
    }
    return before != 0 ? comma_behind(doc, before) : SIZE_MAX;
}

/* Was this value's array or object made for it? It is alone, without comments,
 * and there is white space behind the bracket. */
static bool is_made_for(const struct jsonc *doc, size_t container,
                        const struct removal *gone)
{
    size_t open = jsonc_start(doc, container) + 1;
    size_t close = jsonc_end(doc, container) - 1;
    size_t behind = gone->comma != SIZE_MAX ? gone->comma + 1 : gone->end;

    return gone->before == SIZE_MAX && gone->start > open &&
           skip_white(&doc->text, open) == gone->start &&
           (gone->comma == SIZE_MAX ||
            skip_white(&doc->text, gone->end) == gone->comma) &&
           skip_white(&doc->text, behind) == close;
}

/* Of two commas the one behind goes; the one in front, if it is the last and
 * the file has no trailing comma. */
static struct removal removal_of(const struct jsonc *doc, size_t value)
{
    size_t container = jsonc_parent(doc, value);
    struct removal gone = {
        .start = unit_start(doc, container, value),
        .end = jsonc_end(doc, value),
        .before = SIZE_MAX,
        .comma = comma_behind(doc, value),
    };

    if (gone.comma == SIZE_MAX) {
        gone.before = comma_before(doc, container, value);
    }
    return gone;
}

/* The stretch from `start` to `end`, and the white space that came with it: the
 * whole line if there is nothing else on it. */
static void cut_with_white(struct edit *edit, size_t start, size_t end)
{
    const char *text = edit->doc->text.data;
    size_t behind = skip_blanks(&edit->doc->text, end);
    size_t lead = start;

    while (lead > 0 && is_blank(text[lead - 1])) {
        lead--;
    }
    if (lead == 0 || !is_line_end(text[lead - 1])) {
        edit_cut(edit, lead, end);
    } else if (!is_line_end(text[behind])) {
        /* The first of several leaves them its indent. */
        edit_cut(edit, start, behind);
    } else {
        lead--;
        if (lead > 0 && text[lead] == '\n' && text[lead - 1] == '\r') {
            lead--;
        }
        edit_cut(edit, lead, end);
    }
}

static void remove_unit(struct edit *edit, const struct removal *gone)
{
    /* A comment between a value and its comma stays. */
    bool is_comma_near = gone->comma == gone->end;

    if (gone->before != SIZE_MAX) {
        edit_cut(edit, gone->before, gone->before + 1);
    }
    cut_with_white(edit, gone->start,
                   is_comma_near ? gone->end + 1 : gone->end);
    if (gone->comma != SIZE_MAX && !is_comma_near) {
        edit_cut(edit, gone->comma, gone->comma + 1);
    }
}

int jsonc_edit_remove(struct jsonc *doc, size_t token, struct jz__error *error)
{
    JZ_CLEANUP(edit_finish) struct edit edit = { doc, JZ__BUF_INIT, 0 };
    struct removal gone = removal_of(doc, token);
    size_t parent = jsonc_parent(doc, token);

    /* Upwards as long as nothing else would be left. The root stays. */
    while (is_made_for(doc, parent, &gone) && parent != 0) {
        token = parent;
        gone = removal_of(doc, token);
        parent = jsonc_parent(doc, token);
    }
    if (is_made_for(doc, parent, &gone)) {
        edit_cut(&edit, jsonc_start(doc, 0) + 1, jsonc_end(doc, 0) - 1);
    } else {
        remove_unit(&edit, &gone);
    }
    return edit_end(&edit, error);
}
