/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCode: one file of JavaScript that it loads from its folder. The MCP
 * server is registered by that file, in memory, with the key as a header; no
 * configuration is touched. OpenCode reads plugins/ as well as plugin/: who put
 * the file there has it already.
 */
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "setup_plugin.h"

bool setup_has_opencode(void)
{
    return setup_is_in_home(".local/share/opencode");
}

static void edit_files(struct setup *setup)
{
    setup_plugin_file(setup, &setup_plugin_opencode);
    if (setup->is_removal && !setup->is_dry) {
        setup_plugin_remove_folder(setup, "plugin");
    }
}

void setup_opencode(struct setup *setup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__path_join(&path, setup->folder, "plugins/jezero.js");
    if (path.error == 0 && access(path.data, F_OK) == 0) {
        setup_beside_plugin(setup, edit_files, path.data);
    } else {
        edit_files(setup);
    }
}
