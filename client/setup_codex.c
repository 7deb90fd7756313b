/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codex: a table in config.toml, and hooks.json. Codex runs a hook only after
 * the user approved its definition, of which it keeps a hash; setup says so and
 * leaves the approval to the user. SessionEnd gets three seconds at most.
 */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/toml.h"
#include "setup_json.h"
#include "setup_toml.h"

#define CONFIG_MOST ((size_t)64 * 1024 * 1024)

static const struct setup_json_event events[] = {
    { "SessionStart", "session-start", 10 },
    { "UserPromptSubmit", "user-prompt", 10 },
    { "Stop", "stop", 10 },
    { "SessionEnd", "session-end", 3 },
    { 0 },
};

/* [plugins."jezero@<marketplace>"], unless it is switched off. */
static bool has_plugin(const struct setup *setup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__toml_finish) struct jz__toml toml = JZ__TOML_INIT;
    const struct jz__toml_value *plugins;
    const struct jz__toml_value *at;

    jz__path_join(&path, setup->folder, "config.toml");
    /* A file that cannot be read is reported when it is to be changed. */
    if (path.error != 0 ||
        jz__file_read(&text, path.data, CONFIG_MOST, NULL) < 0 ||
        jz__toml_parse(&toml, text.data, text.length, NULL) < 0) {
        return false;
    }
    plugins = jz__toml_get(toml.root, "plugins");
    for (at = plugins != NULL ? plugins->first : NULL; at != NULL;
         at = at->next) {
        const struct jz__toml_value *enabled = jz__toml_get(at, "enabled");

        if (jz__str_starts(at->key, "jezero@") &&
            (enabled == NULL || enabled->type != JZ__TOML_BOOLEAN ||
             enabled->boolean)) {
            return true;
        }
    }
    return false;
}

static void edit_files(struct setup *setup)
{
    enum setup_outcome outcome;

    setup_own_file(setup, "config.toml", setup_toml_server, NULL, true);
    if (!setup->with_hooks && !setup->is_removal) {
        return;
    }
    /* Hooks that wait for the approval fail without a word. */
    outcome =
        setup_own_file(setup, "hooks.json", setup_json_groups, events, true);
    if (!setup->is_dry &&
        (outcome == SETUP_ADDED || outcome == SETUP_UPDATED)) {
        setup_say(setup, "start codex and approve the hooks with /hooks: until "
                         "then they do not run");
    }
}

void setup_codex(struct setup *setup)
{
    if (has_plugin(setup)) {
        setup_beside_plugin(setup, edit_files,
                            "codex plugin remove jezero@jezero");
    } else {
        edit_files(setup);
    }
}
