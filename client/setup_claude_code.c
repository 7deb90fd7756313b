/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claude Code: mcpServers in .claude.json, which lies beside ~/.claude but
 * inside of the folder that CLAUDE_CONFIG_DIR names, and hooks in
 * settings.json. Each hook has a timeout: without one it may take ten minutes,
 * and SessionEnd has a second and a half.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "jsonc.h"
#include "setup_json.h"

#define FILE_MOST ((size_t)64 * 1024 * 1024)

static const struct setup_json_event events[] = {
    { "SessionStart", "session-start", 10 },
    { "UserPromptSubmit", "user-prompt", 10 },
    { "Stop", "stop", 10 },
    { "SessionEnd", "session-end", 10 },
    { 0 },
};

/* The first start makes this file, before it makes the folder. */
bool setup_has_claude_code(void)
{
    return setup_is_in_home(".claude.json");
}

/* A relative value counts as not set, as everywhere in this program. */
static void put_main_path(struct jz__buf *out, const struct setup *setup)
{
    const char *folder = getenv("CLAUDE_CONFIG_DIR");

    if (folder != NULL && folder[0] == '/') {
        jz__path_join(out, setup->folder, ".claude.json");
    } else {
        setup_put_home_path(out, ".claude.json");
    }
}

/* A file of the agent's that is only looked at. */
static bool read_own(struct jsonc *doc, const struct setup *setup,
                     const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__path_join(&path, setup->folder, name);
    return path.error == 0 &&
           jz__file_read(&text, path.data, FILE_MOST, NULL) == 0 &&
           jsonc_read(doc, text.data, text.length, NULL) == 0 &&
           doc->scan.count > 0;
}

/* A plugin that the user switched off does nothing, and so counts as none. */
static bool is_switched_off(const struct setup *setup, const char *plugin)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    const char *const path[] = { "enabledPlugins", plugin, NULL };
    size_t found;

    if (!read_own(&doc, setup, "settings.json")) {
        return false;
    }
    found = jsonc_get(&doc, path);
    return found != 0 && doc.scan.tokens[found].type == JZ__SCAN_FALSE;
}

/* plugins."jezero@<marketplace>" in the list of what is installed. */
static bool has_plugin(const struct setup *setup)
{
    static const char *const path[] = { "plugins", NULL };
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    size_t plugins;
    size_t i;

    if (!read_own(&doc, setup, "plugins/installed_plugins.json")) {
        return false;
    }
    plugins = jsonc_get(&doc, path);
    for (i = plugins != 0 ? jz__scan_first(&doc.scan, plugins) : 0; i != 0;
         i = jz__scan_after(&doc.scan, plugins, i)) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;

        jz__scan_text(&name, &doc.scan, i);
        if (name.error == 0 && name.length > 0 &&
            strncmp(name.data, "jezero@", strlen("jezero@")) == 0 &&
            !is_switched_off(setup, name.data)) {
            return true;
        }
    }
    return false;
}

static void edit_files(struct setup *setup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    put_main_path(&path, setup);
    if (path.error != 0 || path.length == 0) {
        setup_fail(setup, "there is no home folder");
        return;
    }
    setup_file(setup, path.data, setup_json_server, NULL, true);
    if (setup->with_hooks || setup->is_removal) {
        setup_own_file(setup, "settings.json", setup_json_groups, events, true);
    }
}

void setup_claude_code(struct setup *setup)
{
    if (has_plugin(setup)) {
        setup_beside_plugin(setup, edit_files,
                            "claude plugin uninstall jezero@jezero");
    } else {
        edit_files(setup);
    }
}
