/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is ours in a file is found by its command: a jezero-client, at whatever
 * path. So a program that moved is updated, not registered a second time, and
 * an entry of the same name that somebody else made is never touched. Of an
 * entry only what has to be different is changed: a timeout or a variable that
 * the user set stays.
 */
#include "setup_json.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "jsonc_edit.h"
#include "program.h"

static const char *const server_path[] = { "mcpServers", "jezero", NULL };
static const char *const named_path[] = { "jezero", NULL };
static const char *const enabled_path[] = { "jezero", "enabled", NULL };

/* --- common --- */

/* Each edit reads the text it was given and leaves the new one, if there is
 * one, in text->out. */
static int begin(struct jsonc *doc, const struct setup_text *text,
                 struct jz__error *error)
{
    return jsonc_read(doc, text->old.data, text->old.length, error);
}

/* An unchanged file is not handed on: that is what makes a second run do
 * nothing. */
static void end(struct setup_text *text, const struct jsonc *doc)
{
    if (text->outcome != SETUP_SAME) {
        jz__buf_append(&text->out, doc->text.data, doc->text.length);
    }
}

/* "+ mcpServers.jezero: {…}" for --dry-run, on one line without the file's
 * white space. */
static void show(struct setup_text *text, char sign, const char *const *path,
                 struct jz__str value)
{
    bool is_text = false;
    size_t i;

    jz__buf_printf(&text->shown, "%c ", sign);
    for (i = 0; path[i] != NULL; i++) {
        jz__buf_printf(&text->shown, "%s%s", i > 0 ? "." : "", path[i]);
    }
    jz__buf_puts(&text->shown, ": ");
    for (i = 0; i < value.length; i++) {
        char c = value.data[i];

        if (is_text && c == '\\') {
            jz__buf_putc(&text->shown, c);
            c = value.data[++i]; /* valid JSON: there is one */
        } else if (c == '"') {
            is_text = !is_text;
        }
        if (is_text || strchr(" \t\r\n", c) == NULL) {
            jz__buf_putc(&text->shown, c);
        }
    }
    jz__buf_putc(&text->shown, '\n');
}

/* A value as the file has it, blanks in place of comments. */
static struct jz__str raw(const struct jsonc *doc, size_t token)
{
    size_t start = jsonc_start(doc, token);

    return (struct jz__str){ doc->plain.data + start,
                             jsonc_end(doc, token) - start };
}

/* --- the server --- */

/* The agent is named, since it may have a home with a key of its own. */
static void put_args(struct jz__buf *out, const struct setup *setup)
{
    jz__buf_puts(out, "[\"mcp\",\"--agent\",");
    jz__json_put_str(out, agent_name(setup->agent));
    jz__buf_putc(out, ']');
}

/* As each agent writes it itself. */
static void put_server(struct jz__buf *out, const struct setup *setup)
{
    bool is_long = setup->agent == AGENT_CLAUDE_CODE;

    jz__buf_puts(out, is_long ? "{\"type\":\"stdio\",\"command\":"
                              : "{\"command\":");
    jz__json_put_str(out, setup->program);
    jz__buf_puts(out, ",\"args\":");
    put_args(out, setup);
    jz__buf_puts(out, is_long ? ",\"env\":{}}" : "}");
}

/* By its command alone. A server that is reached by a URL has none. */
static bool is_our_server(const struct jsonc *doc, size_t entry)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf command = JZ__BUF_INIT;

    jz__scan_text(&command, &doc->scan,
                  jz__scan_get(&doc->scan, entry, "command"));
    return command.error == 0 && command.length > 0 &&
           program_is_named(command.data);
}

/* Both are valid JSON; the one from the file may have white space. */
static bool is_same_value(const struct jsonc *doc, size_t token,
                          const char *value)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf compact = JZ__BUF_INIT;
    size_t start = jsonc_start(doc, token);

    if (jz__json_parse(&tree, doc->plain.data + start,
                       jsonc_end(doc, token) - start, NULL) < 0) {
        return false;
    }
    jz__json_put_tree(&compact, tree);
    return compact.error == 0 && strcmp(compact.data, value) == 0;
}

/* One member of our entry. */
static int update_member(struct jsonc *doc, struct setup_text *text,
                         const char *key, const char *value,
                         struct jz__error *error)
{
    const char *const path[] = { server_path[0], server_path[1], key, NULL };
    size_t found = jsonc_get(doc, path);
    int r;

    if (found != 0 && is_same_value(doc, found, value)) {
        return 0;
    }
    if (found != 0) {
        show(text, '-', path, raw(doc, found));
    }
    show(text, '+', path, jz__str_of(value));
    r = jsonc_edit_put(doc, path, value, error);
    setup_note(text, SETUP_UPDATED);
    return r;
}

/* env, type and whatever else is there are left alone. */
static int update_server(struct jsonc *doc, struct setup_text *text,
                         const struct setup *setup, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf command = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf args = JZ__BUF_INIT;
    int r;

    jz__json_put_str(&command, setup->program);
    put_args(&args, setup);
    if (command.error != 0 || args.error != 0) {
        return jz__fail_memory(error);
    }
    r = update_member(doc, text, "command", command.data, error);
    return r < 0 ? r : update_member(doc, text, "args", args.data, error);
}

static int add_server(struct jsonc *doc, struct setup_text *text,
                      const struct setup *setup, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf server = JZ__BUF_INIT;

    put_server(&server, setup);
    if (server.error != 0) {
        return jz__fail_memory(error);
    }
    show(text, '+', server_path, jz__str_of(server.data));
    setup_note(text, SETUP_ADDED);
    return jsonc_edit_put(doc, server_path, server.data, error);
}

/* Of equal keys the last one is what agents read, and with it gone the one in
 * front would be: so all that are ours go. */
static int remove_server(struct jsonc *doc, struct setup_text *text,
                         size_t entry, struct jz__error *error)
{
    int r = 0;

    while (r == 0 && entry != 0 && is_our_server(doc, entry)) {
        show(text, '-', server_path, raw(doc, entry));
        setup_note(text, SETUP_REMOVED);
        r = jsonc_edit_remove(doc, entry, error);
        entry = r == 0 ? jsonc_get(doc, server_path) : 0;
    }
    return r;
}

int setup_json_server(struct setup_text *text, const struct setup *setup,
                      const void *what, struct jz__error *error)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    size_t entry;
    int r = begin(&doc, text, error);

    (void)what;
    if (r < 0) {
        return r;
    }
    entry = jsonc_get(&doc, server_path);
    if (setup->is_removal) {
        r = remove_server(&doc, text, entry, error);
    } else if (entry == 0) {
        r = add_server(&doc, text, setup, error);
    } else if (is_our_server(&doc, entry)) {
        r = update_server(&doc, text, setup, error);
    } else {
        /* Another way to the same server, perhaps: whoever made it decides. */
        r = jz__fail(error, JZ_EINVAL,
                     "mcpServers.jezero is there and starts another program");
    }
    end(text, &doc);
    return r;
}

/* --- hooks --- */

/* Where the handlers of an event are. */
struct place {
    const char *path[3]; /* of the event's array */
    bool has_groups;     /* of groups, whose "hooks" are the handlers */
};

/* A handler may be of another kind and have no command. */
static bool is_our_handler(const struct jsonc *doc, size_t handler)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf command = JZ__BUF_INIT;

    jz__scan_text(&command, &doc->scan,
                  jz__scan_get(&doc->scan, handler, "command"));
    return command.error == 0 && command.length > 0 &&
           setup_is_hook_command(command.data);
}

/* Number `skip` of our handlers in an array, 0 if there are not so many; skip
 * becomes what is left of it. */
static size_t find_handler(const struct jsonc *doc, size_t array, int *skip)
{
    size_t i;

    if (array == 0 || doc->scan.tokens[array].type != JZ__SCAN_ARRAY) {
        return 0;
    }
    for (i = jz__scan_first(&doc->scan, array); i != 0;
         i = jz__scan_after(&doc->scan, array, i)) {
        if (is_our_handler(doc, i) && (*skip)-- == 0) {
            return i;
        }
    }
    return 0;
}

/* The same over all groups of an event. What is of another form than the agent
 * documents holds nothing of ours. */
static size_t find_ours(const struct jsonc *doc, const struct place *place,
                        int skip)
{
    size_t array = jsonc_get(doc, place->path);
    size_t i;

    if (!place->has_groups) {
        return find_handler(doc, array, &skip);
    }
    if (array == 0 || doc->scan.tokens[array].type != JZ__SCAN_ARRAY) {
        return 0;
    }
    for (i = jz__scan_first(&doc->scan, array); i != 0;
         i = jz__scan_after(&doc->scan, array, i)) {
        size_t found =
            find_handler(doc, jz__scan_get(&doc->scan, i, "hooks"), &skip);

        if (found != 0) {
            return found;
        }
    }
    return 0;
}

/* The default time limit is ten minutes, so there is always one. */
static void put_handler(struct jz__buf *out, const char *command,
                        const struct setup_json_event *event)
{
    jz__buf_puts(out, "{\"type\":\"command\",\"command\":");
    jz__json_put_str(out, command);
    jz__buf_printf(out, ",\"timeout\":%d}", event->timeout_s);
}

/* A group without handlers is nothing, so it goes along with the last one. */
static int remove_handler(struct jsonc *doc, struct setup_text *text,
                          const struct place *place, size_t handler,
                          struct jz__error *error)
{
    size_t array = jsonc_parent(doc, handler);
    bool is_alone =
        doc->scan.tokens[array].next == doc->scan.tokens[handler].next &&
        jz__scan_first(&doc->scan, array) == handler;

    show(text, '-', place->path, raw(doc, handler));
    if (place->has_groups && is_alone) {
        handler = jsonc_parent(doc, array);
    }
    return jsonc_edit_remove(doc, handler, error);
}

/* Behind those of others, in a group without a matcher: for every source of the
 * event. */
static int add_handler(struct jsonc *doc, struct setup_text *text,
                       const struct place *place, const char *handler,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf group = JZ__BUF_INIT;

    jz__buf_printf(&group, place->has_groups ? "{\"hooks\":[%s]}" : "%s",
                   handler);
    if (group.error != 0) {
        return jz__fail_memory(error);
    }
    show(text, '+', place->path, jz__str_of(group.data));
    setup_note(text, SETUP_ADDED);
    return jsonc_edit_append(doc, place->path, group.data, error);
}

/* The command line and a timeout have to be there; what else the user wrote in
 * it stays. */
static int update_handler(struct jsonc *doc, struct setup_text *text,
                          const struct place *place, size_t handler,
                          const char *command, const char *wanted,
                          struct jz__error *error)
{
    size_t timeout =
        jz__scan_get_type(&doc->scan, handler, "timeout", JZ__SCAN_NUMBER);
    size_t old = jz__scan_get(&doc->scan, handler, "command");
    JZ_CLEANUP(jz__buf_finish) struct jz__buf value = JZ__BUF_INIT;

    jz__json_put_str(&value, command);
    if (value.error != 0) {
        return jz__fail_memory(error);
    }
    if (timeout != 0 && is_same_value(doc, old, value.data)) {
        return 0;
    }
    setup_note(text, SETUP_UPDATED);
    show(text, '-', place->path, raw(doc, handler));
    if (timeout == 0) {
        show(text, '+', place->path, jz__str_of(wanted));
        return jsonc_edit_replace(doc, handler, wanted, error);
    }
    show(text, '+', place->path, jz__str_of(value.data));
    return jsonc_edit_replace(doc, old, value.data, error);
}

/* All of ours but the first `keep`. */
static int remove_from(struct jsonc *doc, struct setup_text *text,
                       const struct place *place, int keep,
                       struct jz__error *error)
{
    size_t found;
    int r = 0;

    while (r == 0 && (found = find_ours(doc, place, keep)) != 0) {
        setup_note(text, keep > 0 ? SETUP_UPDATED : SETUP_REMOVED);
        r = remove_handler(doc, text, place, found, error);
    }
    return r;
}

/* One event: ours once, whatever was there before. */
static int edit_event(struct jsonc *doc, struct setup_text *text,
                      const struct setup *setup, const struct place *place,
                      const struct setup_json_event *event,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf command = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf handler = JZ__BUF_INIT;
    size_t found;
    int r;

    if (setup->is_removal) {
        return remove_from(doc, text, place, 0, error);
    }
    setup_put_hook_command(&command, setup, event->hook);
    if (command.error == 0) {
        put_handler(&handler, command.data, event);
    }
    if (command.error != 0 || handler.error != 0) {
        return jz__fail_memory(error);
    }
    /* Two of them, from two versions, would both run. */
    r = remove_from(doc, text, place, 1, error);
    if (r < 0) {
        return r;
    }
    found = find_ours(doc, place, 0);
    return found == 0 ? add_handler(doc, text, place, handler.data, error)
                      : update_handler(doc, text, place, found, command.data,
                                       handler.data, error);
}

/* Events that this table does not have are never looked at. */
static int edit_events(struct jsonc *doc, struct setup_text *text,
                       const struct setup *setup, const char *object,
                       bool has_groups, const struct setup_json_event *events,
                       struct jz__error *error)
{
    int r = 0;

    for (; r == 0 && events->event != NULL; events++) {
        const struct place place = { { object, events->event, NULL },
                                     has_groups };

        r = edit_event(doc, text, setup, &place, events, error);
    }
    return r;
}

int setup_json_groups(struct setup_text *text, const struct setup *setup,
                      const void *what, struct jz__error *error)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    int r = begin(&doc, text, error);

    if (r == 0) {
        r = edit_events(&doc, text, setup, "hooks", true, what, error);
    }
    end(text, &doc);
    return r;
}

/* What our events leave of the hook: nothing, or that it is enabled. */
static int remove_rest(struct jsonc *doc, struct setup_text *text,
                       struct jz__error *error)
{
    size_t hook = jsonc_get(doc, named_path);
    size_t only = hook != 0 ? jz__scan_first(&doc->scan, hook) : 0;

    if (only == 0 || !jz__scan_is(&doc->scan, only, "enabled") ||
        jz__scan_after(&doc->scan, hook, only) != 0) {
        return 0;
    }
    show(text, '-', enabled_path, raw(doc, jsonc_get(doc, enabled_path)));
    return jsonc_edit_remove(doc, hook, error);
}

int setup_json_named(struct setup_text *text, const struct setup *setup,
                     const void *what, struct jz__error *error)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    int r = begin(&doc, text, error);

    if (r < 0) {
        return r;
    }
    if (!doc.is_strict) {
        text->warning = "is no strict JSON (comments, trailing commas), for "
                        "which Antigravity drops all of its hooks";
    }
    /* A hook that the user disabled stays so. */
    if (!setup->is_removal && jsonc_get(&doc, named_path) == 0) {
        show(text, '+', enabled_path, JZ__STR("true"));
        r = jsonc_edit_put(&doc, enabled_path, "true", error);
    }
    if (r == 0) {
        r = edit_events(&doc, text, setup, named_path[0], false, what, error);
    }
    if (r == 0 && setup->is_removal && text->outcome != SETUP_SAME) {
        r = remove_rest(&doc, text, error);
    }
    end(text, &doc);
    return r;
}
