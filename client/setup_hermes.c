/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hermes: a folder with a plugin, and its name in plugins.enabled, since Hermes
 * loads no plugin that it was not told to. The plugin brings the tools and the
 * hooks.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "setup_plugin.h"
#include "yaml_list.h"

static const struct yaml_list enabled = { "plugins", "enabled", "jezero" };

/* A setup_edit_fn. */
static int edit_config(struct setup_text *text, const struct setup *setup,
                       const void *what, struct jz__error *error)
{
    int r = setup->is_removal
                ? yaml_list_remove(&text->out, text->old, &enabled, error)
                : yaml_list_add(&text->out, text->old, &enabled, error);

    (void)what;
    if (r == 0) {
        setup_note(text, setup->is_removal ? SETUP_REMOVED : SETUP_ADDED);
        jz__buf_printf(&text->shown, "%c plugins.enabled: jezero\n",
                       setup->is_removal ? '-' : '+');
    }
    return r < 0 ? r : 0;
}

/* One file of Python's cache. */
static int remove_cached(void *userdata, const char *path)
{
    (void)userdata;
    (void)unlink(path);
    return 0;
}

/* What Python left there, and the folders if they are empty then. */
static void remove_folder(const struct setup *setup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cache = JZ__BUF_INIT;

    jz__path_join(&folder, setup->folder, "plugins/jezero");
    jz__path_join(&cache, setup->folder, "plugins/jezero/__pycache__");
    if (folder.error != 0 || cache.error != 0) {
        return;
    }
    (void)jz__file_walk(cache.data, remove_cached, NULL, NULL, NULL);
    (void)rmdir(cache.data);
    (void)rmdir(folder.data);
    setup_plugin_remove_folder(setup, "plugins");
}

/* The plugin first: a name without one makes Hermes complain. */
void setup_hermes(struct setup *setup)
{
    if (setup->is_removal) {
        setup_own_file(setup, "config.yaml", edit_config, NULL, true);
    }
    setup_plugin_file(setup, &setup_plugin_hermes_manifest);
    setup_plugin_file(setup, &setup_plugin_hermes_code);
    if (!setup->is_removal) {
        setup_own_file(setup, "config.yaml", edit_config, NULL, true);
    } else if (!setup->is_dry) {
        remove_folder(setup);
    }
}
