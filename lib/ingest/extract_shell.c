/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a shell command that is worth remembering. Agents write
 *
 *     cd /somewhere && go test ./... 2>&1 | tail -30; git status
 *
 * of which "go test ./..." is what a colleague would want to run again. The
 * command is cut at its separators (outside of quotes), each part is weighed by
 * its program, and what only looks around or shortens output is dropped from
 * both ends. Parts that stay are exact, but for here-documents and texts over
 * several lines, of which the first line stays.
 */
#include "ingest/extract_internal.h"

#include <string.h>

#define PARTS_MOST 48
/* Bytes of a command that are looked at: a longer script is no command that
 * somebody runs again. */
#define COMMAND_MOST 8192

struct part {
    struct jz__str text;
    bool is_piped; /* its input is the part before */
};

/* What neither separates, quotes nor groups: most bytes of a command. */
static bool is_ordinary(char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '-' && c <= '9') ||
           c == ' ';
}

/* A single "&" is none: it sends the part to the background, or belongs to
 * "2>&1". */
static size_t separator_at(struct jz__str rest)
{
    char c = rest.data[0];

    if ((c == '&' || c == '|') && rest.length > 1 && rest.data[1] == c) {
        return 2;
    }
    return c == ';' || c == '|' ? 1 : 0;
}

/* Cut at the separators outside of quotes and of $( … ). */
static size_t split(struct part *parts, size_t most, struct jz__str text)
{
    size_t count = 0;
    size_t start = 0;
    size_t depth = 0;
    bool is_piped = false;
    char quote = 0;
    size_t i;

    for (i = 0; i <= text.length && count < most; i++) {
        struct jz__str rest = { text.data + i, text.length - i };
        size_t cut = 0;

        if (i == text.length) {
            cut = 1;
        } else if (is_ordinary(rest.data[0])) {
            continue;
        } else if (quote == 0 && depth == 0) {
            cut = separator_at(rest);
        }
        if (cut > 0) {
            struct jz__str part = { text.data + start, i - start };

            parts[count].text = jz__str_trim(part);
            parts[count].is_piped = is_piped;
            count += parts[count].text.length > 0;
            is_piped = cut == 1 && i < text.length && rest.data[0] == '|';
            i += cut - 1;
            start = i + 1;
            continue;
        }
        if (rest.data[0] == '\\') {
            i++;
        } else if (quote != 0 ? rest.data[0] == quote
                              : rest.data[0] == '"' || rest.data[0] == '\'') {
            quote = quote != 0 ? 0 : rest.data[0];
        } else if (quote == 0 && rest.data[0] == '(') {
            depth++;
        } else if (quote == 0 && rest.data[0] == ')' && depth > 0) {
            depth--;
        }
    }
    return count;
}

/* The part without what sends its output elsewhere: "2>&1", "> /dev/null". */
static struct jz__str without_redirect(struct jz__str text)
{
    static const char *const ends[] = { "2>&1", "2>/dev/null", "> /dev/null",
                                        ">/dev/null", "&" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(ends); i++) {
        if (jz__str_ends(text, ends[i])) {
            text.length -= strlen(ends[i]);
            text = jz__str_trim(text);
            i = SIZE_MAX;
        }
    }
    return text;
}

/* Parts of a pipe behind the first only shape what it prints, so they go;
 * what stays is joined by "&&", since all of it ran. */
void jz__extract_shell_read(struct jz__buf *out, struct jz__extract_shell *info,
                            struct jz__str command)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf flat = JZ__BUF_INIT;
    struct part parts[PARTS_MOST];
    size_t start = out->length;
    size_t count;
    size_t i;

    info->score = 0;
    info->is_reader = false;
    command.length =
        command.length < COMMAND_MOST ? command.length : COMMAND_MOST;
    jz__extract_flatten_line(&flat, command);
    count = split(
        parts, PARTS_MOST,
        (struct jz__str){ flat.data != NULL ? flat.data : "", flat.length });
    for (i = 0; i < count; i++) {
        int score = parts[i].is_piped && i > 0
                        ? 0
                        : jz__extract_programs_score(parts[i].text);

        info->is_reader =
            info->is_reader || (score == 0 && !parts[i].is_piped &&
                                jz__extract_programs_is_reader(parts[i].text));
        if (score == 0) {
            continue;
        }
        info->score = score > info->score ? score : info->score;
        parts[i].text = without_redirect(parts[i].text);
        if (out->length > start) {
            jz__buf_puts(out, " && ");
        }
        jz__buf_append(out, parts[i].text.data, parts[i].text.length);
    }
    if (flat.error < 0) {
        out->error = flat.error;
    }
}

/* The subject is the best sentence about what was done that a session has: it
 * was written for others to read. */
struct jz__str jz__extract_shell_subject(struct jz__str command)
{
    struct jz__str text = command;
    struct jz__str none = { "", 0 };
    struct jz__str line;
    size_t at = jz__str_find(text, "git commit");
    const char *end;

    if (at == SIZE_MAX) {
        return none;
    }
    text.data += at;
    text.length -= at;
    at = jz__str_find(text, "m \"");
    if (at == SIZE_MAX || at > 40) {
        return none;
    }
    text.data += at + 3;
    text.length -= at + 3;
    if (jz__str_starts(text, "$(cat <<")) {
        jz__extract_flatten_document(&line, text, 6);
        return line;
    }
    end = memchr(text.data, '"', text.length);
    text.length = end != NULL ? (size_t)(end - text.data) : 0;
    return jz__str_line(&line, &text) ? jz__str_trim(line) : none;
}
