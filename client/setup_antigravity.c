/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Antigravity: mcp_config.json and hooks.json in ~/.gemini/config, which all of
 * its programs read. It has no event for a prompt and none for the end of a
 * session: what goes with a prompt goes out at PreInvocation, and Stop queues.
 * Events that ask for a permission are never taken, as any other answer than a
 * full one would deny the tool.
 */
#include "base/mem.h"
#include "base/path.h"
#include "setup_json.h"
#include "setup_plugin.h"

static const struct setup_json_event events[] = {
    { "SessionStart", "session-start", 5 },
    { "PreInvocation", "user-prompt", 5 },
    { "Stop", "stop", 5 },
    { 0 },
};

bool setup_has_antigravity(void)
{
    return setup_is_in_home(".gemini/antigravity") ||
           setup_is_in_home(".gemini/antigravity-cli");
}

static void edit_files(struct setup *setup)
{
    setup_own_file(setup, "mcp_config.json", setup_json_server, NULL, true);
    if (setup->with_hooks || setup->is_removal) {
        setup_own_file(setup, "hooks.json", setup_json_named, events, true);
    }
}

void setup_antigravity(struct setup *setup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;

    jz__path_join(&folder, setup->folder, "plugins/jezero");
    if (folder.error == 0 && setup_plugin_is_folder(setup, "plugins/jezero")) {
        setup_beside_plugin(setup, edit_files, folder.data);
    } else {
        edit_files(setup);
    }
}
