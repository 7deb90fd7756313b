/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry goes to the end of the file as a table of its own, with a blank
 * line in front that goes again with it. Whoever wrote the table in another way
 * (in braces, or as dotted keys) gets the values changed where they are. The
 * new text is read again before it is used: a mistake costs a message and not a
 * file that Codex cannot read any more.
 *
 * Codex starts MCP servers with few variables of its own environment; env_vars
 * names those that this program reads.
 */
#include "setup_toml.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/toml_edit.h"
#include "program.h"

/* Those below the entry's own: env, and whatever Codex will think of. */
#define TABLES_MOST 32

#define HEADER "[mcp_servers.jezero]"
#define VARIABLES                                                              \
    "[\"JEZERO_CLIENT_HOME\", \"JEZERO_CA_FILE\", \"CODEX_HOME\", "            \
    "\"CLAUDE_CONFIG_DIR\", \"SSL_CERT_FILE\", \"HTTPS_PROXY\", "              \
    "\"HTTP_PROXY\", \"NO_PROXY\", \"https_proxy\", \"http_proxy\", "          \
    "\"no_proxy\"]"

/* One edit, and the values as TOML has them. */
struct codex {
    struct setup_text *text;
    const struct setup *setup;
    struct jz__toml toml;
    struct jz__toml_edit edit;
    struct jz__buf command;
    struct jz__buf args;
    struct jz__error *error;
};

static void codex_finish(struct codex *c)
{
    jz__toml_finish(&c->toml);
    jz__buf_finish(&c->command);
    jz__buf_finish(&c->args);
}

/* A basic string; the text is UTF-8. */
static void put_string(struct jz__buf *out, const char *text)
{
    jz__buf_putc(out, '"');
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7F) {
            jz__buf_printf(out, "\\u%04X", c);
        } else {
            jz__buf_puts(out, c == '"' || c == '\\' ? "\\" : "");
            jz__buf_putc(out, *text);
        }
    }
    jz__buf_putc(out, '"');
}

/* JZ_EINVAL with the line: the file is no TOML. */
static int codex_begin(struct codex *c)
{
    struct jz__str old = c->text->old;

    put_string(&c->command, c->setup->program);
    jz__buf_puts(&c->args, "[\"mcp\", \"--agent\", ");
    put_string(&c->args, agent_name(c->setup->agent));
    jz__buf_putc(&c->args, ']');
    if (c->command.error != 0 || c->args.error != 0) {
        return jz__fail_memory(c->error);
    }
    jz__toml_edit_begin(&c->edit, &c->text->out, old);
    return jz__toml_parse(&c->toml, old.data, old.length, c->error);
}

static const struct jz__toml_value *find_entry(const struct jz__toml *toml)
{
    return jz__toml_get(jz__toml_get(toml->root, "mcp_servers"), "jezero");
}

/* A server with a URL has no command. */
static bool is_our_entry(const struct jz__toml_value *entry)
{
    const struct jz__toml_value *command = jz__toml_get(entry, "command");

    return command != NULL && command->type == JZ__TOML_STRING &&
           program_is_named(command->text.data);
}

static int fail_form(const struct codex *c)
{
    return jz__fail(c->error, JZ_EINVAL,
                    "mcp_servers is written in a way that is not edited here");
}

/* The new text has to be TOML, with or without the entry. */
static int check_result(struct codex *c)
{
    JZ_CLEANUP(jz__toml_finish) struct jz__toml toml = JZ__TOML_INIT;
    struct jz__error why = { 0 };
    const struct jz__toml_value *command;

    jz__toml_edit_copy(&c->edit, c->edit.text.length);
    if (c->text->out.error != 0) {
        return jz__fail_memory(c->error);
    }
    if (jz__toml_parse(&toml, c->text->out.data, c->text->out.length, &why) <
        0) {
        return fail_form(c);
    }
    command = jz__toml_get(find_entry(&toml), "command");
    if (c->setup->is_removal) {
        return find_entry(&toml) == NULL ? 0 : fail_form(c);
    }
    return command != NULL && jz__str_is(command->text, c->setup->program)
               ? 0
               : fail_form(c);
}

/* --- adding --- */

/* A byte order mark alone is an empty file. A last line without a line end
 * stays one. */
static void put_end(struct codex *c)
{
    struct jz__str old = c->edit.text;
    const char *line_end = c->edit.line_end;
    bool is_empty = jz__toml_edit_line_start(&c->edit, 0) >= old.length;
    bool has_end = is_empty || old.data[old.length - 1] == '\n';

    jz__toml_edit_copy(&c->edit, old.length);
    if (!is_empty) {
        jz__toml_edit_put(&c->edit, has_end ? "" : line_end);
        jz__toml_edit_put(&c->edit, line_end);
    }
    jz__buf_printf(c->edit.out,
                   HEADER "%scommand = %s%sargs = %s%senv_vars = " VARIABLES,
                   line_end, c->command.data, line_end, c->args.data, line_end);
    jz__toml_edit_put(&c->edit, has_end ? line_end : "");
}

/* A table in braces is closed: nothing can be added below a header any more, so
 * the entry goes into the braces. Dotted keys may be extended, by TOML's
 * rules. */
static int add_entry(struct codex *c)
{
    const struct jz__toml_value *servers =
        jz__toml_get(c->toml.root, "mcp_servers");
    JZ_CLEANUP(jz__buf_finish) struct jz__buf pair = JZ__BUF_INIT;

    if (servers == NULL || (servers->type == JZ__TOML_TABLE &&
                            servers->origin != JZ__TOML_VALUE)) {
        put_end(c);
    } else if (servers->type == JZ__TOML_TABLE && servers->count > 0) {
        jz__buf_printf(&pair,
                       "jezero = { command = %s, args = %s, "
                       "env_vars = " VARIABLES " }",
                       c->command.data, c->args.data);
        if (pair.error != 0) {
            return jz__fail_memory(c->error);
        }
        jz__toml_edit_put_pair(&c->edit, servers->last, pair.data);
    } else {
        return fail_form(c);
    }
    jz__buf_printf(&c->text->shown,
                   "+ " HEADER "\n+ command = %s\n+ args = %s\n"
                   "+ env_vars = " VARIABLES "\n",
                   c->command.data, c->args.data);
    setup_note(c->text, SETUP_ADDED);
    return 0;
}

/* --- updating --- */

/* Exactly these; what the user added to them would go to a bridge that does not
 * know it. */
static bool is_args(const struct jz__toml_value *value, const char *agent)
{
    const char *const wanted[] = { "mcp", "--agent", agent };
    const struct jz__toml_value *at;
    size_t i = 0;

    if (value->type != JZ__TOML_ARRAY || value->count != JZ__LENGTH(wanted)) {
        return false;
    }
    for (at = value->first; at != NULL; at = at->next) {
        if (at->type != JZ__TOML_STRING || !jz__str_is(at->text, wanted[i++])) {
            return false;
        }
    }
    return true;
}

/* A comment behind the value stays, as do quotes of the key. */
static void replace(struct codex *c, const struct jz__toml_value *member,
                    const char *value)
{
    struct jz__str old = c->edit.text;

    jz__buf_printf(&c->text->shown, "- %s = %.*s\n+ %s = %s\n",
                   member->key.data, (int)(member->end - member->at),
                   old.data + member->at, member->key.data, value);
    jz__toml_edit_replace(&c->edit, member, value);
    setup_note(c->text, SETUP_UPDATED);
}

/* In the order of the file, as the editor goes from front to back. */
static int update_entry(struct codex *c, const struct jz__toml_value *entry)
{
    const struct jz__toml_value *at;
    bool has_args = false;

    for (at = entry->first; at != NULL; at = at->next) {
        if (jz__str_is(at->key, "command") &&
            !jz__str_is(at->text, c->setup->program)) {
            replace(c, at, c->command.data);
        } else if (jz__str_is(at->key, "args")) {
            has_args = true;
            if (!is_args(at, agent_name(c->setup->agent))) {
                replace(c, at, c->args.data);
            }
        }
    }
    /* Where to put a missing line depends on how the others are written. */
    return has_args ? 0 : fail_form(c);
}

/* --- removing --- */

/* "- command = …" for --dry-run. */
static void show_lines(struct codex *c, size_t from, size_t to)
{
    struct jz__str rest = { c->edit.text.data + from, to - from };
    struct jz__str line;

    while (jz__str_line(&line, &rest)) {
        jz__buf_puts(&c->text->shown, "- ");
        jz__buf_append(&c->text->shown, line.data, line.length);
        jz__buf_putc(&c->text->shown, '\n');
    }
}

/* Whole lines, and the blank line in front of a table, which came with it; at
 * the end of a file without a line end, the line end in front. */
static void cut_lines(struct codex *c, size_t from, size_t to, bool is_table)
{
    struct jz__toml_edit *edit = &c->edit;
    size_t start = jz__toml_edit_line_start(edit, from);
    size_t end = jz__toml_edit_next_line(edit, to);
    bool has_end = edit->text.data[end - 1] == '\n';
    size_t before =
        start > 0 ? jz__toml_edit_line_start(edit, start - 1) : start;

    show_lines(c, start, end);
    if (is_table && before < start && before >= edit->copied &&
        jz__toml_edit_is_blank(edit, before)) {
        start = before;
        if (!has_end && start > edit->copied &&
            jz__toml_edit_is_at(edit, start - 1, '\n')) {
            start--;
            start -= start > edit->copied &&
                     jz__toml_edit_is_at(edit, start - 1, '\r');
        }
    }
    jz__toml_edit_copy(edit, start);
    jz__toml_edit_skip(edit, end);
}

/* The tables that make up the entry, each with the bytes from its header to its
 * last value. */
struct tables {
    struct stretch {
        size_t from;
        size_t to;
    } list[TABLES_MOST];
    size_t count;
};

/* A table below a header, and those that have headers of their own below it. */
/* NOLINTNEXTLINE(misc-no-recursion): the reader bounds the depth. */
static bool gather(struct tables *out, const struct jz__toml_value *table)
{
    const struct jz__toml_value *at;
    size_t end = table->at;

    for (at = table->first; at != NULL; at = at->next) {
        bool is_table =
            at->origin == JZ__TOML_HEADER || at->origin == JZ__TOML_IMPLICIT;

        if ((!is_table && at->origin != JZ__TOML_VALUE) ||
            (is_table && !gather(out, at))) {
            return false;
        }
        end = is_table ? end : at->end;
    }
    if (table->origin == JZ__TOML_HEADER) {
        if (out->count == TABLES_MOST) {
            return false;
        }
        out->list[out->count++] = (struct stretch){ table->at, end };
    }
    return true;
}

/* A table below may stand in front of the one that it belongs to. */
static int compare_stretches(const void *a, const void *b)
{
    size_t left = ((const struct stretch *)a)->from;
    size_t right = ((const struct stretch *)b)->from;

    return left < right ? -1 : left > right;
}

static int remove_tables(struct codex *c, const struct jz__toml_value *entry)
{
    struct tables tables = { .count = 0 };
    size_t i;

    if (!gather(&tables, entry)) {
        return fail_form(c);
    }
    qsort(tables.list, tables.count, sizeof(tables.list[0]), compare_stretches);
    for (i = 0; i < tables.count; i++) {
        cut_lines(c, tables.list[i].from, tables.list[i].to, true);
    }
    return 0;
}

/* command and args below [mcp_servers], each a line. */
static int remove_dotted(struct codex *c, const struct jz__toml_value *entry)
{
    const struct jz__toml_value *at;

    for (at = entry->first; at != NULL; at = at->next) {
        if (at->origin != JZ__TOML_VALUE || at->key_at < c->edit.copied) {
            return fail_form(c);
        }
        cut_lines(c, at->key_at, at->end, false);
    }
    return 0;
}

/* By how it is written: as a table, as dotted keys, in braces. */
static int remove_entry(struct codex *c, const struct jz__toml_value *entry)
{
    int r = 0;

    setup_note(c->text, SETUP_REMOVED);
    if (entry->origin == JZ__TOML_HEADER) {
        return remove_tables(c, entry);
    }
    if (entry->origin == JZ__TOML_DOTTED &&
        entry->parent->origin != JZ__TOML_VALUE) {
        return remove_dotted(c, entry);
    }
    if (entry->parent->count > 1) {
        jz__buf_puts(&c->text->shown, "- " HEADER "\n");
        jz__toml_edit_remove_pair(&c->edit, entry);
    } else if (entry->parent->origin == JZ__TOML_HEADER) {
        cut_lines(c, entry->key_at, entry->end, false);
    } else {
        r = fail_form(c);
    }
    return r;
}

int setup_toml_server(struct setup_text *text, const struct setup *setup,
                      const void *what, struct jz__error *error)
{
    JZ_CLEANUP(codex_finish)
    struct codex c = { text,         setup,        JZ__TOML_INIT, { 0 },
                       JZ__BUF_INIT, JZ__BUF_INIT, error };
    const struct jz__toml_value *entry;
    int r = codex_begin(&c);

    (void)what;
    if (r < 0) {
        return r;
    }
    entry = find_entry(&c.toml);
    if (setup->is_removal) {
        r = is_our_entry(entry) ? remove_entry(&c, entry) : 0;
    } else if (entry == NULL) {
        r = add_entry(&c);
    } else if (is_our_entry(entry)) {
        r = update_entry(&c, entry);
    } else {
        r = jz__fail(error, JZ_EINVAL,
                     "mcp_servers.jezero is there and starts another program");
    }
    return r < 0 || text->outcome == SETUP_SAME ? r : check_result(&c);
}
