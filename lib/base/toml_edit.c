/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration belongs to the person who wrote it: comments, order and
 * layout are theirs. So nothing is printed anew here. The parser says at which
 * bytes each key and value stands, and the new text is the old one with a few
 * stretches left out or put in.
 *
 * Tables come in two forms. Below a header each pair has a line of its own, and
 * whole lines go in and out; in {…} it is pairs between commas, on one line but
 * for arrays in them. The table's origin tells which it is.
 *
 * Line ends are those of the file's first line. A last line without a line end
 * stays one: what goes behind it has its line end in front.
 */
#include "base/toml_edit.h"

#include <assert.h>
#include <string.h>

void jz__toml_edit_begin(struct jz__toml_edit *edit, struct jz__buf *out,
                         struct jz__str text)
{
    size_t at = jz__str_find(text, "\n");
    bool is_crlf = at != SIZE_MAX && at > 0 && text.data[at - 1] == '\r';

    edit->out = out;
    edit->text = text;
    edit->copied = 0;
    edit->line_end = is_crlf ? "\r\n" : "\n";
}

void jz__toml_edit_copy(struct jz__toml_edit *edit, size_t at)
{
    assert(at >= edit->copied && at <= edit->text.length);
    jz__buf_append(edit->out, edit->text.data + edit->copied,
                   at - edit->copied);
    edit->copied = at;
}

void jz__toml_edit_skip(struct jz__toml_edit *edit, size_t at)
{
    assert(at >= edit->copied && at <= edit->text.length);
    edit->copied = at;
}

void jz__toml_edit_put(struct jz__toml_edit *edit, const char *text)
{
    jz__buf_puts(edit->out, text);
}

size_t jz__toml_edit_next_line(const struct jz__toml_edit *edit, size_t at)
{
    const char *start = edit->text.data + at;
    const char *found = memchr(start, '\n', edit->text.length - at);

    return found != NULL ? at + (size_t)(found - start) + 1 : edit->text.length;
}

size_t jz__toml_edit_line_start(const struct jz__toml_edit *edit, size_t at)
{
    size_t first = jz__str_starts(edit->text, "\xEF\xBB\xBF") ? 3 : 0;

    while (at > first && edit->text.data[at - 1] != '\n') {
        at--;
    }
    return at > first ? at : first;
}

size_t jz__toml_edit_skip_blanks(const struct jz__toml_edit *edit, size_t at)
{
    while (jz__toml_edit_is_at(edit, at, ' ') ||
           jz__toml_edit_is_at(edit, at, '\t')) {
        at++;
    }
    return at;
}

bool jz__toml_edit_is_at(const struct jz__toml_edit *edit, size_t at, char c)
{
    return at < edit->text.length && edit->text.data[at] == c;
}

/* A CR stands in front of a LF and nowhere else. */
bool jz__toml_edit_is_blank(const struct jz__toml_edit *edit, size_t at)
{
    at = jz__toml_edit_skip_blanks(edit, at);
    return at == edit->text.length || jz__toml_edit_is_at(edit, at, '\n') ||
           jz__toml_edit_is_at(edit, at, '\r');
}

void jz__toml_edit_replace(struct jz__toml_edit *edit,
                           const struct jz__toml_value *member,
                           const char *value)
{
    jz__toml_edit_copy(edit, member->at);
    jz__toml_edit_skip(edit, member->end);
    jz__toml_edit_put(edit, value);
}

/* Below the line that the member ends on, as far in as the member is. */
static void put_line(struct jz__toml_edit *edit,
                     const struct jz__toml_value *member, const char *line)
{
    size_t start = jz__toml_edit_line_start(edit, member->key_at);
    size_t at = jz__toml_edit_next_line(edit, member->end);
    bool has_line_end = jz__toml_edit_is_at(edit, at - 1, '\n');

    jz__toml_edit_copy(edit, at);
    jz__toml_edit_put(edit, has_line_end ? "" : edit->line_end);
    jz__buf_append(edit->out, edit->text.data + start, member->key_at - start);
    jz__toml_edit_put(edit, line);
    jz__toml_edit_put(edit, has_line_end ? edit->line_end : "");
}

void jz__toml_edit_put_pair(struct jz__toml_edit *edit,
                            const struct jz__toml_value *member,
                            const char *pair)
{
    if (member->parent->origin == JZ__TOML_HEADER) {
        put_line(edit, member, pair);
        return;
    }
    jz__toml_edit_copy(edit, member->end);
    jz__toml_edit_put(edit, ", ");
    jz__toml_edit_put(edit, pair);
}

static void remove_line(struct jz__toml_edit *edit,
                        const struct jz__toml_value *member)
{
    size_t behind = jz__toml_edit_skip_blanks(edit, member->end);

    if (jz__toml_edit_is_at(edit, behind, '#')) {
        jz__toml_edit_copy(edit, member->key_at);
        jz__toml_edit_skip(edit, behind);
    } else {
        jz__toml_edit_copy(edit,
                           jz__toml_edit_line_start(edit, member->key_at));
        jz__toml_edit_skip(edit, jz__toml_edit_next_line(edit, member->end));
    }
}

/* In {…} a comma goes along: the one in front, or that behind the first. */
void jz__toml_edit_remove_pair(struct jz__toml_edit *edit,
                               const struct jz__toml_value *member)
{
    const struct jz__toml_value *before = NULL;
    const struct jz__toml_value *at;

    assert(member->parent->count > 1);
    if (member->parent->origin == JZ__TOML_HEADER) {
        remove_line(edit, member);
        return;
    }
    for (at = member->parent->first; at != member; at = at->next) {
        before = at;
    }
    jz__toml_edit_copy(edit, before != NULL ? before->end : member->key_at);
    jz__toml_edit_skip(edit,
                       before != NULL ? member->end : member->next->key_at);
}
