/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts are those that the agents' users know; a change of them is a change
 * of behaviour.
 *
 * Titles were written by models and by strangers, and agents take what a hook
 * prints for the word of their user's own program. So a title is one line of
 * plain characters, and one of a third party says so in front, where cutting
 * the end off cannot take it away. The limit on the whole drops whole lines: no
 * line of ours is ever cut.
 */
#include "context.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "protocol.h"

#define HERMES_HEADING                                                         \
    "Jezero (shared memory of past work; check with jezero_get_item and "      \
    "jezero_later before relying on it):\n"

/* Hermes has no names of servers in front of those of tools, so its plugin
 * registers them with one. */
static const struct {
    const char *name;
    const char *hermes;
} tools[] = {
    { "`search`", "`jezero_search`" },
    { "`later`", "`jezero_later`" },
    { "`get_item`", "`jezero_get_item`" },
};

static void append(struct context *context, const char *text, size_t length)
{
    jz__buf_append(&context->text, text, length);
    context->points += jz__utf8_count(text, length);
}

/* Which tool's name begins here? -1: none. */
static int find_tool(const char *text)
{
    for (size_t i = 0; i < JZ__LENGTH(tools); i++) {
        if (strncmp(text, tools[i].name, strlen(tools[i].name)) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void put_with_names(struct jz__buf *out, enum agent_id agent,
                           const char *text)
{
    while (*text != '\0') {
        int tool = agent == AGENT_HERMES ? find_tool(text) : -1;

        if (tool >= 0) {
            jz__buf_puts(out, tools[tool].hermes);
            text += strlen(tools[tool].name);
        } else {
            jz__buf_putc(out, *text);
            text++;
        }
    }
}

void context_put_protocol(struct context *context)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    put_with_names(&text, context->agent, protocol_text());
    if (text.error != 0) {
        context->text.error = text.error;
        return;
    }
    append(context, text.data, text.length);
}

/* Of a server's text: one line, no backticks, at most so many characters. */
static void put_plain(struct jz__buf *out, const char *text, size_t most)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf bare = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    for (; *text != '\0'; text++) {
        if (*text != '`') {
            jz__buf_putc(&bare, *text);
        }
    }
    if (bare.length > 0) {
        jz__utf8_one_line(&line, bare.data, bare.length);
    }
    if (line.length > 0) {
        jz__utf8_cut(out, line.data, line.length, most);
    }
    if (bare.error != 0 || line.error != 0) {
        out->error = JZ_ENOMEM;
    }
}

/* "2026-10-20"? What a server says is not believed to be a date. */
static bool has_day(const char *text)
{
    for (int i = 0; i < 10; i++) {
        bool is_dash = i == 4 || i == 7;

        if (is_dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return true;
}

static void put_item(struct jz__buf *out, const struct context_item *item)
{
    jz__buf_printf(out, "- [%lld]", (long long)item->id);
    if (has_day(item->occurred_at)) {
        jz__buf_putc(out, ' ');
        jz__buf_append(out, item->occurred_at, 10);
    }
    jz__buf_puts(out, item->is_external ? " (external) " : " ");
    put_plain(out, item->title, CONTEXT_TITLE_MOST);
    jz__buf_putc(out, '\n');
}

/* What stands in front of the first item of a section. */
static void put_head(struct jz__buf *out, const struct context *context,
                     const char *head)
{
    if (context->text.length > 0) {
        jz__buf_putc(out, '\n');
    }
    if (context->agent == AGENT_HERMES && !context->has_heading) {
        jz__buf_puts(out, HERMES_HEADING);
    }
    put_with_names(out, context->agent, head);
}

static void put_section(struct context *context, const char *head,
                        const struct context_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

        if (i == 0) {
            put_head(&line, context, head);
        }
        put_item(&line, &items[i]);
        if (line.error != 0) {
            context->text.error = line.error;
            return;
        }
        if (context->points + jz__utf8_count(line.data, line.length) >
            CONTEXT_MOST) {
            return;
        }
        append(context, line.data, line.length);
        context->has_heading = true;
    }
}

void context_put_recent(struct context *context, const char *project,
                        const struct context_item *items, size_t count)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf head = JZ__BUF_INIT;

    assert(project != NULL);

    jz__buf_puts(&head, "Recent work on project `");
    put_plain(&head, project, CONTEXT_PROJECT_MOST);
    jz__buf_puts(&head, "` in Jezero (newest first):\n");
    if (head.error != 0) {
        context->text.error = head.error;
        return;
    }
    put_section(context, head.data, items, count);
}

void context_put_related(struct context *context,
                         const struct context_item *items, size_t count)
{
    assert(context != NULL && (items != NULL || count == 0));

    put_section(context,
                "Jezero has past work that may be related (check with "
                "`get_item` before using):\n",
                items, count);
}

void context_finish(struct context *context)
{
    jz__buf_finish(&context->text);
    memset(context, 0, sizeof(*context));
}
