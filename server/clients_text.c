/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients come in two forms: a block below [[clients]], and an element of
 * `clients = [{…}]`. Nothing else can define them: a table below a client and a
 * dotted key in it are no configuration. A new client takes the form of those
 * that are there, and a block where there is none.
 *
 * Every edit here goes through the text once, from front to back, so what is
 * changed in one entry is changed in the order in which its keys stand there.
 */
#include "clients_text.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/toml.h"

#define SOURCES "[\"" CLIENTS_TEXT_SOURCE "\"]"

/* --- clients --- */

static const struct jz__toml_value *clients_of(const struct clients_text *text)
{
    return jz__toml_get(text->config.document.root, "clients");
}

/* The client of the configuration and its table stand at one place. */
static const struct jz__toml_value *table_of(const struct clients_text *text,
                                             const struct config_client *client)
{
    const struct jz__toml_value *table = clients_of(text)->first;
    size_t i;

    for (i = 0; i < (size_t)(client - text->config.clients); i++) {
        table = table->next;
    }
    return table;
}

/* --- a new client --- */

/* In lower case and in quotes, whatever was typed. */
static void put_digest(struct clients_text *text, const char *digest)
{
    jz__buf_putc(text->edit.out, '"');
    for (; *digest != '\0'; digest++) {
        bool is_upper = *digest >= 'A' && *digest <= 'F';

        jz__buf_putc(text->edit.out,
                     (char)(is_upper ? *digest - 'A' + 'a' : *digest));
    }
    jz__buf_putc(text->edit.out, '"');
}

/* `name = "laptop"` and the other pairs, with something between them. */
static void put_pairs(struct clients_text *text,
                      const struct clients_approval *approval,
                      const char *between)
{
    jz__buf_printf(text->edit.out,
                   "name = \"%s\"%stoken_sha256 = ", approval->name, between);
    put_digest(text, approval->digest);
    jz__buf_printf(text->edit.out, "%ssources = " SOURCES, between);
    if (!approval->is_read_only) {
        jz__buf_printf(text->edit.out, "%supload = true", between);
    }
}

/*
 * Where a new block goes: behind the last one and the comments that stand
 * right below it. Such comments may as well be the heading of the next table,
 * and are when that follows without a blank line. The end of the text if there
 * is no block.
 */
static size_t place_of_block(const struct clients_text *text)
{
    const struct jz__toml_value *clients = clients_of(text);
    size_t at = text->edit.text.length;
    size_t below;

    if (clients == NULL) {
        return at;
    }
    at = jz__toml_edit_next_line(&text->edit, clients->last->last->end);
    below = at;
    while (jz__toml_edit_is_at(
        &text->edit, jz__toml_edit_skip_blanks(&text->edit, below), '#')) {
        below = jz__toml_edit_next_line(&text->edit, below);
    }
    return jz__toml_edit_is_blank(&text->edit, below) ? below : at;
}

/*
 * Blank lines set it off, where there are none yet. Where the file ends without
 * a line end the block begins with one and ends without: the last line stays as
 * its author likes it.
 */
static void put_block(struct clients_text *text,
                      const struct clients_approval *approval)
{
    struct jz__toml_edit *edit = &text->edit;
    size_t at = place_of_block(text);
    bool is_last = at == edit->text.length;
    bool is_joined = is_last && jz__toml_edit_line_start(edit, at) < at;
    size_t before =
        jz__toml_edit_line_start(edit, at > 0 && !is_joined ? at - 1 : at);

    jz__toml_edit_copy(edit, at);
    jz__toml_edit_put(edit, is_joined ? edit->line_end : "");
    if (before < at && !jz__toml_edit_is_blank(edit, before)) {
        jz__toml_edit_put(edit, edit->line_end);
    }
    jz__toml_edit_put(edit, "[[clients]]");
    jz__toml_edit_put(edit, edit->line_end);
    put_pairs(text, approval, edit->line_end);
    jz__toml_edit_put(edit, is_joined ? "" : edit->line_end);
    if (!is_last && !jz__toml_edit_is_blank(edit, at)) {
        jz__toml_edit_put(edit, edit->line_end);
    }
}

/* The comma behind an element, past blanks, line ends and comments, or
 * SIZE_MAX if the bracket comes first. */
static size_t find_comma(const struct clients_text *text, size_t at)
{
    while (!jz__toml_edit_is_at(&text->edit, at, ',') &&
           !jz__toml_edit_is_at(&text->edit, at, ']')) {
        assert(at < text->edit.text.length);
        at = jz__toml_edit_is_at(&text->edit, at, '#')
                 ? jz__toml_edit_next_line(&text->edit, at)
                 : at + 1;
    }
    return jz__toml_edit_is_at(&text->edit, at, ',') ? at : SIZE_MAX;
}

/* Does the rest of the line hold a comment at most? */
static bool is_line_over(const struct clients_text *text, size_t at)
{
    return jz__toml_edit_is_blank(&text->edit, at) ||
           jz__toml_edit_is_at(&text->edit,
                               jz__toml_edit_skip_blanks(&text->edit, at), '#');
}

static void put_inline(struct clients_text *text,
                       const struct clients_approval *approval)
{
    jz__toml_edit_put(&text->edit, "{ ");
    put_pairs(text, approval, ", ");
    jz__toml_edit_put(&text->edit, " }");
}

/* A line below that of the last element, as far in, behind a comment that stands
 * there: it is about the element it stands behind. */
static void put_element_line(struct clients_text *text,
                             const struct clients_approval *approval, size_t at)
{
    struct jz__toml_edit *edit = &text->edit;
    size_t last = clients_of(text)->last->at;
    size_t start = jz__toml_edit_line_start(edit, last);

    while (at < edit->text.length && edit->text.data[at] != '\n' &&
           edit->text.data[at] != '\r') {
        at++;
    }
    jz__toml_edit_copy(edit, at);
    jz__toml_edit_put(edit, edit->line_end);
    jz__buf_append(edit->out, edit->text.data + start, last - start);
    put_inline(text, approval);
}

/* Behind the last element of clients = […]. The author's way goes on: a comma
 * behind the last element or none, a line each or all on one. */
static void put_element(struct clients_text *text,
                        const struct clients_approval *approval)
{
    struct jz__toml_edit *edit = &text->edit;
    const struct jz__toml_value *array = clients_of(text);
    const struct jz__toml_value *last = array->last;
    bool has_line;
    size_t comma;
    size_t at;

    if (last == NULL) {
        jz__toml_edit_copy(edit, array->at + 1);
        put_inline(text, approval);
        return;
    }
    has_line = jz__toml_edit_skip_blanks(
                   edit, jz__toml_edit_line_start(edit, last->at)) == last->at;
    comma = find_comma(text, last->end);
    at = comma != SIZE_MAX ? comma + 1 : last->end;
    jz__toml_edit_copy(edit, at);
    jz__toml_edit_put(edit, comma != SIZE_MAX ? "" : ",");
    if (has_line && is_line_over(text, at)) {
        put_element_line(text, approval, at);
    } else {
        jz__toml_edit_put(edit, " ");
        put_inline(text, approval);
    }
    jz__toml_edit_put(edit, comma != SIZE_MAX ? "," : "");
}

/* --- a name that is taken again --- */

/* Then the list stays as it is written, with what stands in its lines. */
static bool has_default_sources(const struct config_client *client)
{
    return client->sources.count == 1 &&
           strcmp(client->sources.items[0], CLIENTS_TEXT_SOURCE) == 0;
}

/* The pairs that the block lacks, behind the digest, which is always there. */
static void put_missing(struct clients_text *text,
                        const struct jz__toml_value *table,
                        const struct jz__toml_value *digest,
                        const struct clients_approval *approval)
{
    if (jz__toml_get(table, "sources") == NULL) {
        jz__toml_edit_put_pair(&text->edit, digest, "sources = " SOURCES);
    }
    if (jz__toml_get(table, "upload") == NULL && !approval->is_read_only) {
        jz__toml_edit_put_pair(&text->edit, digest, "upload = true");
    }
}

/* It may have been token_env = "NAME": then the key is another one as well. */
static void replace_digest(struct clients_text *text,
                           const struct jz__toml_value *member,
                           const struct clients_approval *approval)
{
    bool is_digest = jz__str_is(member->key, "token_sha256");

    jz__toml_edit_copy(&text->edit, is_digest ? member->at : member->key_at);
    jz__toml_edit_skip(&text->edit, member->end);
    jz__toml_edit_put(&text->edit, is_digest ? "" : "token_sha256 = ");
    put_digest(text, approval->digest);
}

/* --- exported --- */

int clients_text_line(const struct clients_text *text,
                      const struct config_client *client)
{
    return table_of(text, client)->line;
}

void clients_text_add(struct clients_text *text,
                      const struct clients_approval *approval)
{
    const struct jz__toml_value *clients = clients_of(text);

    if (clients != NULL && clients->origin == JZ__TOML_VALUE) {
        put_element(text, approval);
    } else {
        put_block(text, approval);
    }
}

/* The rights are those of any new device: what the name was once trusted with
 * is not handed on to another key unsaid. */
void clients_text_reuse(struct clients_text *text,
                        const struct config_client *client,
                        const struct clients_approval *approval)
{
    const struct jz__toml_value *table = table_of(text, client);
    const struct jz__toml_value *member;

    for (member = table->first; member != NULL; member = member->next) {
        if (jz__str_starts(member->key, "token_")) {
            replace_digest(text, member, approval);
            put_missing(text, table, member, approval);
        } else if (jz__str_is(member->key, "revoked")) {
            jz__toml_edit_remove_pair(&text->edit, member);
        } else if (jz__str_is(member->key, "sources") &&
                   !has_default_sources(client)) {
            jz__toml_edit_replace(&text->edit, member, SOURCES);
        } else if (jz__str_is(member->key, "upload") &&
                   client->upload == approval->is_read_only) {
            jz__toml_edit_replace(&text->edit, member,
                                  approval->is_read_only ? "false" : "true");
        } else if (jz__str_is(member->key, "metrics") && client->metrics) {
            jz__toml_edit_replace(&text->edit, member, "false");
        }
    }
}

void clients_text_revoke(struct clients_text *text,
                         const struct config_client *client)
{
    const struct jz__toml_value *table = table_of(text, client);
    const struct jz__toml_value *revoked = jz__toml_get(table, "revoked");

    if (revoked != NULL) {
        jz__toml_edit_replace(&text->edit, revoked, "true");
    } else {
        jz__toml_edit_put_pair(&text->edit, table->last, "revoked = true");
    }
}
