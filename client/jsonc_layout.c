/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new value is to look as if the file's owner had written it. What is looked
 * at is little: the first line end, and how far in the first member stands.
 * Values are laid out as JSON.stringify() does with an indent, which is how the
 * agents write their files; a file that is one line stays one.
 */
#include "jsonc_layout.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A byte order mark is no part of its line. */
static size_t line_start(const struct jz__buf *buf, size_t at)
{
    size_t first = strncmp(buf->data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    while (at > first && buf->data[at - 1] != '\n' &&
           buf->data[at - 1] != '\r') {
        at--;
    }
    return at;
}

struct jz__str jsonc_layout_indent(const struct jsonc *doc, size_t at)
{
    size_t start = line_start(&doc->text, at);
    size_t end = start;

    while (is_blank(doc->text.data[end])) {
        end++;
    }
    return (struct jz__str){ doc->text.data + start, end - start };
}

bool jsonc_layout_begins_line(const struct jsonc *doc, size_t at)
{
    const char *bare = doc->bare.data;

    while (at > 0 && is_blank(bare[at - 1])) {
        at--;
    }
    return at > 0 && (bare[at - 1] == '\n' || bare[at - 1] == '\r');
}

/* Two blanks if the root's first member does not stand further in than the
 * root. */
static struct jz__str find_unit(const struct jsonc *doc)
{
    /* A file without a value has no root yet. */
    size_t first = doc->scan.count > 0 ? jz__scan_first(&doc->scan, 0) : 0;
    struct jz__str unit = { NULL, 0 };

    if (first != 0 && jsonc_layout_begins_line(doc, jsonc_start(doc, first))) {
        unit = jsonc_layout_indent(doc, jsonc_start(doc, first));
    }
    return unit.length > 0 ? unit : JZ__STR("  ");
}

/* A file of mixed line ends is taken for what it begins with. */
struct jsonc_layout jsonc_layout_of(const struct jsonc *doc)
{
    const struct jz__buf *text = &doc->text;
    const char *found = memchr(text->data, '\n', text->length);
    bool is_crlf = found != NULL && found > text->data && found[-1] == '\r';

    return (struct jsonc_layout){
        .line_end = is_crlf ? "\r\n" : "\n",
        .unit = find_unit(doc),
        .base = JZ__STR(""),
    };
}

/* The indent is given as the file's own bytes, tabs or blanks. */
void jsonc_layout_put_line(struct jz__buf *out,
                           const struct jsonc_layout *layout, size_t deeper)
{
    size_t i;

    jz__buf_puts(out, layout->line_end);
    jz__buf_append(out, layout->base.data, layout->base.length);
    for (i = 0; i < layout->depth + deeper; i++) {
        jz__buf_append(out, layout->unit.data, layout->unit.length);
    }
}

/* Between two values, and inside of brackets. */
static void put_gap(struct jz__buf *out, const struct jsonc_layout *layout,
                    size_t deeper)
{
    if (layout->is_inline) {
        jz__buf_putc(out, ' ');
    } else {
        jsonc_layout_put_line(out, layout, deeper);
    }
}

/* The bytes of a scalar, or of an empty array or object. */
static void put_raw(struct jz__buf *out, const struct jz__scan *scan,
                    size_t token)
{
    const struct jz__scan_token *t = &scan->tokens[token];
    size_t quote = t->type == JZ__SCAN_STRING ? 1 : 0;

    jz__buf_append(out, scan->text + t->start - quote, t->length + 2 * quote);
}

/* As deep as the scanner goes. */
static void put_value(struct jz__buf *out, const struct jz__scan *scan,
                      size_t token, const struct jsonc_layout *layout,
                      size_t deeper)
{
    bool is_object = scan->tokens[token].type == JZ__SCAN_OBJECT;
    size_t first = jz__scan_first(scan, token);
    size_t i;

    if (first == 0) {
        put_raw(out, scan, token);
        return;
    }
    jz__buf_putc(out, is_object ? '{' : '[');
    for (i = first; i != 0; i = jz__scan_after(scan, token, i)) {
        jz__buf_puts(out, i != first ? "," : "");
        put_gap(out, layout, deeper + 1);
        if (is_object) {
            put_raw(out, scan, i);
            jz__buf_puts(out, ": ");
        }
        put_value(out, scan, is_object ? i + 1 : i, layout, deeper + 1);
    }
    put_gap(out, layout, deeper);
    jz__buf_putc(out, is_object ? '}' : ']');
}

int jsonc_layout_put(struct jz__buf *out, const char *value,
                     const struct jsonc_layout *layout)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    int r = jz__scan_parse(&scan, value, strlen(value));

    /* The values come from this program's own writer. */
    assert(r != JZ_EINVAL);
    if (r == 0) {
        put_value(out, &scan, 0, layout, 0);
    }
    return r < 0 ? JZ_ENOMEM : out->error;
}
