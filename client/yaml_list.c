/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML has too many ways to say a thing to be edited by lines, so only the way
 * in which people and programs write settings is: keys at the start of a line,
 * two levels of them, a list of plain words below or in [brackets]. A line that
 * begins in any other way (a tab, a brace, a document's end, half of a long
 * string) refuses the whole file. What stands deeper than those two levels is
 * never looked into.
 */
#include "yaml_list.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define WORD                                                                   \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./"

struct line {
    size_t start;
    size_t next; /* the first byte behind its line end */
    size_t indent;
    struct jz__str content; /* without indent, line end, blanks at the end */
};

/* Where things stand. Offsets of lines; SIZE_MAX where there is none. */
struct places {
    struct jz__str text;
    const char *line_end;
    struct line outer;
    size_t outer_end; /* behind the block below it */
    size_t children;  /* of the outer key, and how far in they stand */
    size_t child_indent;
    struct line inner;
    bool has_outer;
    bool has_inner;
    size_t items;
    struct line last;  /* item, or the inner key */
    struct line found; /* the word's line */
    bool is_found;
    struct jz__error *error;
};

/* --- lines --- */

/* The line that begins at `at`; false at the end of the text. */
static bool next_line(struct line *out, struct jz__str text, size_t at)
{
    const char *found;
    struct jz__str rest;

    if (at >= text.length) {
        return false;
    }
    rest = (struct jz__str){ text.data + at, text.length - at };
    found = memchr(rest.data, '\n', rest.length);
    out->start = at;
    out->next = found != NULL ? (size_t)(found - text.data) + 1 : text.length;
    out->indent = 0;
    while (out->start + out->indent < out->next &&
           text.data[at + out->indent] == ' ') {
        out->indent++;
    }
    out->content = jz__str_trim((struct jz__str){
        text.data + at + out->indent, out->next - at - out->indent });
    return true;
}

/* Nothing, or a comment. */
static bool is_idle(struct jz__str content)
{
    return content.length == 0 || content.data[0] == '#';
}

/* "- x", or "-" with something below it. */
static bool is_item(struct jz__str content)
{
    return content.length > 0 && content.data[0] == '-' &&
           (content.length == 1 || content.data[1] == ' ');
}

/* Without quotes around it and blanks behind it. One with escapes stays as it is:
 * it is not ours in any case that matters. */
static struct jz__str plain_key(struct jz__str key)
{
    key = jz__str_trim(key);
    if (key.length >= 2 && (key.data[0] == '"' || key.data[0] == '\'') &&
        key.data[key.length - 1] == key.data[0]) {
        key.data++;
        key.length -= 2;
    }
    return key;
}

/* "key:" with what is behind it. */
static bool split_key(struct jz__str *key, struct jz__str *value,
                      struct jz__str content)
{
    size_t at = 0;

    while (at < content.length && content.data[at] != ':' &&
           content.data[at] != '#') {
        at++;
    }
    /* A mark, an anchor, a tag or a bracket in front makes it something
     * else. */
    if (at == 0 || at == content.length || content.data[at] != ':' ||
        strchr("{[&*!|>%@`?-,", content.data[0]) != NULL) {
        return false;
    }
    *key = plain_key((struct jz__str){ content.data, at });
    *value = (struct jz__str){ content.data + at + 1, content.length - at - 1 };
    if (value->length > 0 && value->data[0] != ' ') {
        return false;
    }
    *value = jz__str_trim(*value);
    return true;
}

/* Without quotes, and without a comment behind it. False: not one plain
 * word. */
static bool plain_word(struct jz__str *out, struct jz__str text)
{
    char quote = text.length > 0 ? text.data[0] : '\0';
    bool is_quoted = quote == '"' || quote == '\'';
    size_t start = is_quoted ? 1 : 0;
    size_t end = start;
    size_t behind;

    while (end < text.length && strchr(WORD, text.data[end]) != NULL) {
        end++;
    }
    behind = end;
    if (is_quoted) {
        if (end == text.length || text.data[end] != quote) {
            return false;
        }
        behind++;
    }
    *out = (struct jz__str){ text.data + start, end - start };
    return end > start && is_idle(jz__str_trim((struct jz__str){
                              text.data + behind, text.length - behind }));
}

/* Said as a limit of this program and not as a fault of the file, which may be
 * perfectly good YAML. */
static int refuse(const struct places *p, const struct line *line)
{
    int number = 1;
    size_t i;

    for (i = 0; i < line->start; i++) {
        number += p->text.data[i] == '\n';
    }
    return jz__fail(p->error, JZ_EINVAL,
                    "line %d is not of a form that is edited here", number);
}

/* --- looking --- */

/* A string that goes on in the next line, which may then look like anything. */
static bool is_open_string(struct jz__str content)
{
    struct jz__str key;
    struct jz__str value = content;

    if (is_item(content)) {
        value = jz__str_trim(
            (struct jz__str){ content.data + 1, content.length - 1 });
    } else if (!split_key(&key, &value, content)) {
        return false;
    }
    return value.length > 0 &&
           (value.data[0] == '"' || value.data[0] == '\'') &&
           memchr(value.data + 1, value.data[0], value.length - 1) == NULL;
}

/* Only keys, comments and items of a list may begin a line; the mark of a
 * document's start in front of all. */
static int check_margin(const struct places *p)
{
    struct jz__str key;
    struct jz__str value;
    struct line line;
    bool has_start = false;
    bool is_first = true;
    size_t at;

    /* A byte order mark would become a part of the first key. */
    if (!jz__utf8_is_clean(p->text.data, p->text.length) ||
        jz__str_starts(p->text, "\xEF\xBB\xBF")) {
        line.start = 0;
        return refuse(p, &line);
    }
    for (at = 0; next_line(&line, p->text, at); at = line.next) {
        if (p->text.data[line.start] == '\t' || is_open_string(line.content)) {
            return refuse(p, &line);
        }
        if (is_idle(line.content) || (line.indent > 0 && !is_first)) {
            continue;
        }
        if (is_first && !has_start && jz__str_is(line.content, "---")) {
            has_start = true;
            continue;
        }
        /* The first line also tells that the whole is a list of keys. */
        if (line.indent > 0 || (is_first && is_item(line.content)) ||
            (!is_item(line.content) &&
             !split_key(&key, &value, line.content))) {
            return refuse(p, &line);
        }
        is_first = false;
    }
    return 0;
}

/* Its block ends where the next key begins at the margin. An outer key with a
 * value of its own, or that comes twice, is not for us. */
static int find_outer(struct places *p, const struct yaml_list *list)
{
    struct jz__str key;
    struct jz__str value;
    struct line line;
    size_t at;

    for (at = 0; next_line(&line, p->text, at); at = line.next) {
        if (line.indent > 0 || is_idle(line.content) ||
            !split_key(&key, &value, line.content)) {
            continue;
        }
        if (p->has_outer && p->outer_end == p->text.length) {
            p->outer_end = line.start;
        }
        if (!jz__str_is(key, list->outer)) {
            continue;
        }
        if (p->has_outer || !is_idle(value)) {
            return refuse(p, &line);
        }
        p->has_outer = true;
        p->outer = line;
        p->outer_end = p->text.length;
    }
    return 0;
}

/* Its keys have one indent, that of the first. */
static int find_inner(struct places *p, const struct yaml_list *list)
{
    struct jz__str key;
    struct jz__str value;
    struct line line;
    size_t at;

    for (at = p->outer.next; at < p->outer_end && next_line(&line, p->text, at);
         at = line.next) {
        if (is_idle(line.content)) {
            continue;
        }
        /* The first line below the key says how far in its keys stand. */
        if (p->children++ == 0) {
            p->child_indent = line.indent;
        }
        /* A list of the outer key itself may stand at the margin. */
        if (line.indent < p->child_indent || line.indent == 0) {
            return refuse(p, &line);
        }
        if (line.indent > p->child_indent ||
            (p->has_inner && is_item(line.content))) {
            p->children--;
            continue;
        }
        if (!split_key(&key, &value, line.content)) {
            return refuse(p, &line);
        }
        if (jz__str_is(key, list->inner)) {
            if (p->has_inner) {
                return refuse(p, &line);
            }
            p->has_inner = true;
            p->inner = line;
        }
    }
    return 0;
}

/* The items of a list below the inner key, one a line. */
static int find_items(struct places *p, const struct yaml_list *list)
{
    struct jz__str word;
    struct line line;
    size_t at;

    p->last = p->inner;
    for (at = p->inner.next; at < p->outer_end && next_line(&line, p->text, at);
         at = line.next) {
        /* A list may stand as far in as the key that it belongs to. */
        bool is_in = line.indent > p->child_indent ||
                     (line.indent == p->child_indent && is_item(line.content));

        if (is_idle(line.content)) {
            continue;
        }
        if (!is_in) {
            break;
        }
        if (!is_item(line.content) ||
            (p->items > 0 && line.indent != p->last.indent) ||
            !plain_word(
                &word, jz__str_trim((struct jz__str){
                           line.content.data + 1, line.content.length - 1 }))) {
            return refuse(p, &line);
        }
        p->items++;
        p->last = line;
        if (jz__str_is(word, list->word)) {
            p->found = line;
            p->is_found = true;
        }
    }
    return 0;
}

/* In a list of another name the word may mean the opposite. */
static int check_elsewhere(const struct places *p, const struct yaml_list *list)
{
    struct line line;
    size_t at;

    for (at = p->outer.next; at < p->outer_end && next_line(&line, p->text, at);
         at = line.next) {
        bool is_ours = p->has_inner && line.start >= p->inner.start &&
                       line.start <= p->last.start;

        if (!is_ours && !is_idle(line.content) &&
            jz__str_find(line.content, list->word) != SIZE_MAX) {
            return refuse(p, &line);
        }
    }
    return 0;
}

/* Is the list in brackets, on the line of its key? */
static bool is_flow(const struct places *p, struct jz__str *value)
{
    struct jz__str key;

    return p->has_inner && split_key(&key, value, p->inner.content) &&
           value->length > 0 && value->data[0] == '[';
}

/* All of it, before a byte is written; nothing is known of a file that is
 * refused. */
static int look(struct places *p, const struct yaml_list *list)
{
    size_t at = jz__str_find(p->text, "\n");
    struct jz__str key;
    struct jz__str value = { NULL, 0 };
    int r = check_margin(p);

    p->line_end = at != SIZE_MAX && at > 0 && p->text.data[at - 1] == '\r'
                      ? "\r\n"
                      : "\n";
    if (r == 0) {
        r = find_outer(p, list);
    }
    if (r < 0 || !p->has_outer) {
        return r;
    }
    r = find_inner(p, list);
    p->last = p->inner;
    if (r == 0 && p->has_inner && !is_flow(p, &value)) {
        (void)split_key(&key, &value, p->inner.content);
        r = is_idle(value) ? find_items(p, list) : refuse(p, &p->inner);
    }
    return r == 0 ? check_elsewhere(p, list) : r;
}

/* --- writing --- */

static void put(struct jz__buf *out, const struct places *p, size_t from,
                size_t to)
{
    jz__buf_append(out, p->text.data + from, to - from);
}

static void put_blanks(struct jz__buf *out, size_t count)
{
    while (count-- > 0) {
        jz__buf_putc(out, ' ');
    }
}

/* Lines behind `at`, which is the end of a line; a file without a line end at
 * its end stays so. */
static void put_lines(struct jz__buf *out, const struct places *p, size_t at,
                      const char *lines)
{
    bool has_end = at == 0 || p->text.data[at - 1] == '\n';
    struct jz__str rest = jz__str_of(lines);
    struct jz__str line;
    bool is_first = true;

    put(out, p, 0, at);
    while (jz__str_line(&line, &rest)) {
        jz__buf_puts(out, has_end && is_first ? "" : p->line_end);
        jz__buf_append(out, line.data, line.length);
        is_first = false;
    }
    jz__buf_puts(out, has_end ? p->line_end : "");
    put(out, p, at, p->text.length);
}

/* Behind the last item; where there is no list, first below the key that is
 * there, so that a comment at the end of the block keeps its place. */
static void add_lines(struct jz__buf *out, const struct places *p,
                      const struct yaml_list *list)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf lines = JZ__BUF_INIT;
    size_t indent = p->children > 0 ? p->child_indent : 2;
    size_t item = p->items > 0 ? p->last.indent : indent + 2;
    size_t at = p->has_inner   ? p->last.next
                : p->has_outer ? p->outer.next
                               : p->text.length;

    if (!p->has_outer) {
        jz__buf_printf(&lines, "%s:\n", list->outer);
    }
    if (!p->has_inner) {
        put_blanks(&lines, indent);
        jz__buf_printf(&lines, "%s:\n", list->inner);
    }
    put_blanks(&lines, item);
    jz__buf_printf(&lines, "- %s\n", list->word);
    if (lines.error != 0) {
        out->error = lines.error;
        return;
    }
    put_lines(out, p, at, lines.data);
}

/* The words of [a, b]: where the word is, if it is, and the bracket's end. */
struct flow {
    size_t open;  /* behind the bracket */
    size_t close; /* the other bracket */
    size_t count;
    size_t start; /* of the word, and the comma in front of or behind it */
    size_t end;
    bool is_found;
};

/* Every word has to be plain: a comma in quotes would not separate. */
static int look_flow(struct flow *out, const struct places *p,
                     struct jz__str value, const struct yaml_list *list)
{
    const char *text = p->text.data;
    const char *close = memchr(value.data, ']', value.length);
    size_t at = (size_t)(value.data - text) + 1;

    *out = (struct flow){ .open = at };
    if (close == NULL ||
        !is_idle(jz__str_trim((struct jz__str){
            close + 1, value.length - (size_t)(close + 1 - value.data) }))) {
        return refuse(p, &p->inner);
    }
    out->close = (size_t)(close - text);
    while (jz__str_trim((struct jz__str){ text + at, out->close - at }).length >
           0) {
        const char *comma = memchr(text + at, ',', out->close - at);
        size_t end = comma != NULL ? (size_t)(comma - text) : out->close;
        struct jz__str word;

        if (!plain_word(
                &word, jz__str_trim((struct jz__str){ text + at, end - at }))) {
            return refuse(p, &p->inner);
        }
        if (jz__str_is(word, list->word)) {
            out->is_found = true;
            out->start = out->count > 0 ? at - 1 : at;
            out->end = out->count > 0 || comma == NULL ? end : end + 1;
        }
        out->count++;
        at = comma != NULL ? end + 1 : end;
    }
    return 0;
}

/* Blanks in front of the bracket stay there. */
static int add_flow(struct jz__buf *out, const struct places *p,
                    struct jz__str value, const struct yaml_list *list)
{
    struct flow flow;
    size_t end;
    int r = look_flow(&flow, p, value, list);

    if (r < 0) {
        return r;
    }
    if (flow.is_found) {
        return YAML_LIST_SAME;
    }
    end = flow.close;
    while (end > flow.open && p->text.data[end - 1] == ' ') {
        end--;
    }
    if (p->text.data[end - 1] == ',') {
        return refuse(p, &p->inner);
    }
    put(out, p, 0, end);
    jz__buf_printf(out, "%s%s", flow.count > 0 ? ", " : "", list->word);
    put(out, p, end, p->text.length);
    return 0;
}

static int remove_flow(struct jz__buf *out, const struct places *p,
                       struct jz__str value, const struct yaml_list *list)
{
    struct flow flow;
    int r = look_flow(&flow, p, value, list);

    if (r < 0 || !flow.is_found) {
        return r < 0 ? r : YAML_LIST_SAME;
    }
    /* The blank in front of what becomes the first word. */
    while (flow.start == flow.open && flow.end < flow.close &&
           p->text.data[flow.end] == ' ') {
        flow.end++;
    }
    while (flow.end == flow.close && p->text.data[flow.end - 1] == ' ') {
        flow.end--;
    }
    put(out, p, 0, flow.start);
    put(out, p, flow.end, p->text.length);
    return 0;
}

/* Keys that would be left without anything go as well, unless there are
 * comments between them. */
static void remove_lines(struct jz__buf *out, const struct places *p)
{
    size_t start = p->found.start;
    size_t before = 0;

    if (p->items == 1 && p->inner.next == start) {
        start = p->inner.start;
        if (p->children == 1 && p->outer.next == start) {
            start = p->outer.start;
        }
    }
    /* The last line had no line end, so the one in front has none now. */
    if (p->found.next == p->text.length && start > 0 &&
        p->text.data[p->found.next - 1] != '\n') {
        before = strcmp(p->line_end, "\r\n") == 0 && start > 1 ? 2 : 1;
    }
    put(out, p, 0, start - before);
    put(out, p, p->found.next, p->text.length);
}

/* --- exported --- */

int yaml_list_add(struct jz__buf *out, struct jz__str text,
                  const struct yaml_list *list, struct jz__error *error)
{
    struct places p = { .text = text, .error = error };
    struct jz__str value;
    int r = look(&p, list);

    if (r < 0) {
        return r;
    }
    if (is_flow(&p, &value)) {
        r = add_flow(out, &p, value, list);
    } else if (p.is_found) {
        r = YAML_LIST_SAME;
    } else {
        add_lines(out, &p, list);
    }
    return out->error != 0 ? jz__fail_memory(error) : r;
}

int yaml_list_remove(struct jz__buf *out, struct jz__str text,
                     const struct yaml_list *list, struct jz__error *error)
{
    struct places p = { .text = text, .error = error };
    struct jz__str value;
    int r = look(&p, list);

    if (r < 0) {
        return r;
    }
    if (is_flow(&p, &value)) {
        r = remove_flow(out, &p, value, list);
    } else if (!p.is_found) {
        r = YAML_LIST_SAME;
    } else {
        remove_lines(out, &p);
    }
    return out->error != 0 ? jz__fail_memory(error) : r;
}
