/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCode and Hermes load what lies in their folders, so to register is to put
 * a file there. The texts are part of this program, made from plugins/ by the
 * build: setup works from wherever the program is, and an update of the program
 * brings its plugins along at the next setup.
 */
#include "setup_plugin.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

const struct setup_plugin_file setup_plugin_opencode = {
    "plugin/jezero.js", setup_plugin_opencode_lines
};
const struct setup_plugin_file setup_plugin_hermes_manifest = {
    "plugins/jezero/plugin.yaml", setup_plugin_hermes_manifest_lines
};
const struct setup_plugin_file setup_plugin_hermes_code = {
    "plugins/jezero/__init__.py", setup_plugin_hermes_code_lines
};

/* A setup_edit_fn; what: the file. */
static int edit_file(struct setup_text *text, const struct setup *setup,
                     const void *what, struct jz__error *error)
{
    const struct setup_plugin_file *file = what;
    const char *const *line;
    bool is_same;

    for (line = file->lines; *line != NULL; line++) {
        jz__buf_puts(&text->out, *line);
    }
    if (text->out.error != 0) {
        return jz__fail_memory(error);
    }
    if (text->old.length > 0 && !jz__str_starts(text->old, file->lines[0])) {
        if (setup->is_removal) {
            return 0; /* nothing of ours */
        }
        return jz__fail(error, JZ_EINVAL, "is another plugin's file");
    }
    is_same = text->old.length == text->out.length &&
              memcmp(text->old.data, text->out.data, text->out.length) == 0;
    text->is_gone = setup->is_removal;
    text->has_no_old = is_same;
    if (setup->is_removal) {
        setup_note(text, SETUP_REMOVED);
    } else if (!is_same) {
        setup_note(text, text->old.length > 0 ? SETUP_UPDATED : SETUP_ADDED);
    }
    return 0;
}

enum setup_outcome setup_plugin_file(struct setup *setup,
                                     const struct setup_plugin_file *file)
{
    return setup_own_file(setup, file->name, edit_file, file, false);
}

bool setup_plugin_is_folder(const struct setup *setup, const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    struct stat st;

    jz__path_join(&path, setup->folder, name);
    return path.error == 0 && stat(path.data, &st) == 0 && S_ISDIR(st.st_mode);
}

/* An empty folder is known as ours by its mode alone: agents and people make
 * theirs readable to all, by the usual mask. One that is kept by mistake, or
 * goes, holds nothing. */
void setup_plugin_remove_folder(const struct setup *setup, const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    struct stat st;

    jz__path_join(&path, setup->folder, name);
    if (path.error == 0 && lstat(path.data, &st) == 0 && S_ISDIR(st.st_mode) &&
        (st.st_mode & 07777) == 0700) {
        (void)rmdir(path.data);
    }
}
