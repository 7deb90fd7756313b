/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shell command over many lines -> one line that says the same or begins to.
 * Agents write whole files and commit messages into their commands; an atom is
 * one line, and the first line of a message is its subject.
 *
 * This is no parser of the shell: it knows quotes, backslashes, comments and
 * here-documents, because each of them may hold what looks like a separator.
 * Everything else is copied.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* The body of a here-document that begins on this line ends at its mark: the
 * offset behind it. *first is the first line of the body that is not empty. */
size_t jz__extract_flatten_document(struct jz__str *first, struct jz__str text,
                                    size_t at)
{
    struct jz__str rest = { text.data + at, text.length - at };
    struct jz__str line;
    struct jz__str mark;

    *first = (struct jz__str){ "", 0 };
    jz__str_line(&line, &rest);
    line.data += 2;
    line.length -= 2;
    while (line.length > 0 && strchr("-\"' \\", line.data[0]) != NULL) {
        line.data++;
        line.length--;
    }
    mark = line;
    for (mark.length = 0;
         mark.length < line.length &&
         strchr("\"' )|;&>", line.data[mark.length]) == NULL;) {
        mark.length++;
    }
    while (mark.length > 0 && jz__str_line(&line, &rest)) {
        if (jz__str_equal(jz__str_trim(line), mark)) {
            break;
        }
        if (first->length == 0) {
            *first = jz__str_trim(line);
        }
    }
    return (size_t)(rest.data - text.data);
}

struct flattener {
    struct jz__buf *out;
    struct jz__str text;
    size_t at;
    char quote;  /* the open quote, or 0 */
    bool is_cut; /* behind the first line of a text in quotes */
};

/* `$(cat <<EOF …)` and other here-documents. */
static bool take_document(struct flattener *f)
{
    struct jz__str rest = { f->text.data + f->at, f->text.length - f->at };
    struct jz__str line;
    size_t end;

    if (rest.data[0] == '$' && f->quote != '\'' &&
        jz__str_starts(rest, "$(cat <<")) {
        f->at = jz__extract_flatten_document(&line, f->text, f->at + 6);
        jz__buf_append(f->out, line.data, line.length);
        while (f->at < f->text.length &&
               strchr(" \n)", f->text.data[f->at]) != NULL) {
            f->at++;
        }
        return true;
    }
    if (rest.data[0] != '<' || f->quote != 0 || rest.length < 4 ||
        rest.data[1] != '<' || rest.data[2] == '<') {
        return false;
    }
    end = jz__extract_flatten_document(&line, f->text, f->at);
    jz__str_line(&line, &rest);
    jz__buf_append(f->out, line.data, line.length);
    jz__buf_putc(f->out, ';');
    f->at = end;
    return true;
}

/* A backslash with what it protects, or a comment up to its line's end. */
static bool take_escape(struct flattener *f)
{
    const char *data = f->text.data + f->at;
    size_t left = f->text.length - f->at;
    const char *end;

    if (data[0] == '\\' && left > 1 && f->quote != '\'') {
        if (data[1] == '\n') {
            jz__buf_putc(f->out, ' ');
        } else if (!f->is_cut) {
            jz__buf_append(f->out, data, 2);
        }
        f->at += 2;
        return true;
    }
    if (data[0] == '#' && f->quote == 0 &&
        (f->at == 0 || data[-1] == '\n' || data[-1] == ' ')) {
        end = memchr(data, '\n', left);
        f->at += end != NULL ? (size_t)(end - data) : left;
        return true;
    }
    return false;
}

/* Letters, digits and blanks mean themselves, in quotes or not. */
static void take_run(struct flattener *f)
{
    size_t end = f->at;

    while (end < f->text.length) {
        char c = f->text.data[end];

        if (((c | 32) < 'a' || (c | 32) > 'z') && (c < '-' || c > '9') &&
            c != ' ' && c != '_') {
            break;
        }
        end++;
    }
    jz__buf_append(f->out, f->text.data + f->at, end - f->at);
    f->at = end;
}

/*
 * Append the command on one line: continued lines joined, comments dropped, of
 * a text in quotes its first line, of `$(cat <<EOF …)` the first line of the
 * document, of another document its beginning "<<EOF". A line's end outside of
 * quotes becomes ';'.
 */
void jz__extract_flatten_line(struct jz__buf *out, struct jz__str text)
{
    struct flattener f = { .out = out, .text = text };

    while (f.at < text.length) {
        char c = text.data[f.at];

        if (strchr("$<\\#", c) != NULL &&
            (take_document(&f) || take_escape(&f))) {
            continue;
        }
        if (f.quote != 0 ? c == f.quote : c == '"' || c == '\'') {
            f.quote = f.quote != 0 ? 0 : c;
            f.is_cut = false;
        }
        if (c == '\n') {
            f.is_cut = f.quote != 0;
            c = f.quote != 0 ? ' ' : ';';
        }
        if (!f.is_cut) {
            jz__buf_putc(out, c);
        }
        f.at++;
        if (!f.is_cut) {
            take_run(&f);
        }
    }
}
