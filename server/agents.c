/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row an agent: where its folders are, what its program is called, and what
 * connects it. The commands are those of the agents' own programs, tried with
 * Claude Code 2.1, Codex 0.171 and OpenCode 1.18; the two that have no such
 * command get the lines for their configuration file.
 *
 * A key stands in none of these lines: a command line is seen by every user of
 * the computer, and what is on the screen ends up in a transcript. Claude Code,
 * Codex and Hermes take it from a variable, OpenCode from its file; Antigravity
 * knows neither, and its owner has to copy it.
 */
#include "agents.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "command.h"

/* A folder as agents write it down: a variable moves the top of it. */
struct agent_folder {
    const char *variable; /* NULL: none moves it */
    const char *fallback; /* below the home folder */
    const char *below;    /* below that, or "" */
};

/* The text around the URL is all that differs between agents; two of them take
 * a command, two a piece of a file. */
struct agent {
    const char *type;
    const char *label;
    const char *programs[2];
    struct agent_folder folders[2]; /* the first one is its own */
    const char *file;               /* to edit, below the first folder; NULL */
    const char *before;             /* what is to be typed, around the URL */
    const char *behind;
    const char *keyed; /* behind it if a key is asked for; @: its file */
    bool is_unread;    /* this version has no connector for its sessions */
};

static const struct agent agents[] = {
    { "claude-code",
      "Claude Code",
      { "claude", NULL },
      { { "CLAUDE_CONFIG_DIR", ".claude", "" }, { NULL, NULL, NULL } },
      NULL,
      "claude mcp add --transport http --scope user jezero ",
      "",
      " --header 'Authorization: Bearer ${" AGENTS_KEY_VARIABLE "}'",
      false },
    { "codex",
      "Codex",
      { "codex", NULL },
      { { "CODEX_HOME", ".codex", "" }, { NULL, NULL, NULL } },
      NULL,
      "codex mcp add jezero --url ",
      "",
      " --bearer-token-env-var " AGENTS_KEY_VARIABLE,
      false },
    { "opencode",
      "OpenCode",
      { "opencode", NULL },
      { { "XDG_CONFIG_HOME", ".config", "opencode" },
        { "XDG_DATA_HOME", ".local/share", "opencode" } },
      NULL,
      "opencode mcp add jezero --url ",
      "",
      " --header 'Authorization=Bearer {file:@}'",
      true },
    { "hermes",
      "Hermes Agent",
      { "hermes", NULL },
      { { "HERMES_HOME", ".hermes", "" }, { NULL, NULL, NULL } },
      "config.yaml",
      "mcp_servers:\n"
      "      jezero:\n"
      "        url: \"",
      "\"",
      "\"\n"
      "        headers:\n"
      "          Authorization: \"Bearer ${" AGENTS_KEY_VARIABLE "}\"",
      true },
    { "antigravity",
      "Antigravity",
      { "agy", "antigravity" },
      { { NULL, ".gemini/config", "" }, { NULL, ".gemini/antigravity", "" } },
      "mcp_config.json",
      "{\"mcpServers\": {\"jezero\": {\"serverUrl\": \"",
      "\"}}}",
      "\", \"headers\":\n"
      "     {\"Authorization\": \"Bearer KEY\"}}}}\n"
      "    with the text of @ for KEY",
      true },
};

static void put_folder(struct jz__buf *out, const struct agent_folder *folder)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf top = JZ__BUF_INIT;

    if (folder->variable != NULL) {
        command_put_folder(&top, folder->variable, folder->fallback);
    } else {
        jz__path_join(&top, command_home(), folder->fallback);
    }
    if (top.error != 0) {
        out->error = top.error;
    } else if (folder->below[0] != '\0') {
        jz__path_join(out, top.data, folder->below);
    } else {
        jz__buf_append(out, top.data, top.length);
    }
}

/* Its first run makes an agent's folder, and it outlives an agent whose
 * program is not on this PATH (one with a window has a short one). */
static bool has_folder(const struct agent_folder *folder)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    if (folder->fallback == NULL) {
        return false;
    }
    put_folder(&path, folder);
    return path.error == 0 && access(path.data, F_OK) == 0;
}

static bool has_program(const char *name)
{
    const char *path = getenv("PATH");

    while (name != NULL && path != NULL && *path != '\0') {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf file = JZ__BUF_INIT;
        size_t length = strcspn(path, ":");

        /* An empty part of PATH is the current folder: not looked at. */
        if (length > 0) {
            jz__buf_append(&file, path, length);
            jz__buf_printf(&file, "/%s", name);
            if (file.error == 0 && access(file.data, X_OK) == 0) {
                return true;
            }
        }
        path += length;
        path += *path == ':';
    }
    return false;
}

/* One sign is enough. A wrong guess prints a line too many; a missed agent
 * would look as if it were not supported. */
static bool is_here(const struct agent *agent)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(agent->folders); i++) {
        if (has_folder(&agent->folders[i])) {
            return true;
        }
    }
    for (i = 0; i < JZ__LENGTH(agent->programs); i++) {
        if (has_program(agent->programs[i])) {
            return true;
        }
    }
    return false;
}

/* A path within single quotes, which they themselves leave for a moment. */
static void put_inside_quotes(struct jz__buf *out, const char *path)
{
    for (; *path != '\0'; path++) {
        if (*path == '\'') {
            jz__buf_puts(out, "'\\''");
        } else {
            jz__buf_putc(out, *path);
        }
    }
}

void agents_put_quoted(struct jz__buf *out, const char *path)
{
    jz__buf_putc(out, '\'');
    put_inside_quotes(out, path);
    jz__buf_putc(out, '\'');
}

/* The place of the key stands within quotes in a command and bare in what is
 * said about a file. */
static void put_keyed(struct jz__buf *out, const struct agent *agent,
                      const char *key_file)
{
    const char *place = strchr(agent->keyed, '@');

    if (place == NULL) {
        jz__buf_puts(out, agent->keyed);
        return;
    }
    jz__buf_append(out, agent->keyed, (size_t)(place - agent->keyed));
    if (agent->file == NULL) {
        put_inside_quotes(out, key_file);
    } else {
        jz__buf_puts(out, key_file);
    }
    jz__buf_puts(out, place + 1);
}

size_t agents_put_connections(struct jz__buf *out, const char *url,
                              const char *key_file)
{
    size_t found = 0;
    size_t i;

    for (i = 0; i < JZ__LENGTH(agents); i++) {
        const struct agent *agent = &agents[i];

        if (!is_here(agent)) {
            continue;
        }
        jz__buf_printf(out, "  %s", agent->label);
        if (agent->file != NULL) {
            jz__buf_puts(out, ", in ");
            put_folder(out, &agent->folders[0]);
            jz__buf_printf(out, "/%s", agent->file);
        }
        jz__buf_printf(out, ":\n    %s%s", agent->before, url);
        if (key_file != NULL) {
            put_keyed(out, agent, key_file);
        } else {
            jz__buf_puts(out, agent->behind);
        }
        jz__buf_putc(out, '\n');
        found++;
    }
    return found;
}

size_t agents_put_unread(struct jz__buf *out)
{
    size_t found = 0;
    size_t i;

    for (i = 0; i < JZ__LENGTH(agents); i++) {
        if (agents[i].is_unread && is_here(&agents[i])) {
            jz__buf_printf(out, "%s%s", found > 0 ? ", " : "", agents[i].label);
            found++;
        }
    }
    return found;
}

void agents_put_folder(struct jz__buf *out, const char *agent)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(agents); i++) {
        if (strcmp(agents[i].type, agent) == 0) {
            put_folder(out, &agents[i].folders[0]);
            return;
        }
    }
    assert(!"no such agent");
}
