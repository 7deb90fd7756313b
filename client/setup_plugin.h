/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that setup itself puts into an agent's folder. */
#ifndef JEZERO_CLIENT_SETUP_PLUGIN_H
#define JEZERO_CLIENT_SETUP_PLUGIN_H

#include "setup.h"

/* A file of a plugin. Its first line tells it from files of others, so that
 * line is the same in every version. */
struct setup_plugin_file {
    const char *name;         /* in the agent's folder */
    const char *const *lines; /* with their line ends; NULL ends them */
};

/* Made by the build. */
extern const char *const setup_plugin_opencode_lines[];
extern const char *const setup_plugin_hermes_manifest_lines[];
extern const char *const setup_plugin_hermes_code_lines[];

extern const struct setup_plugin_file setup_plugin_opencode;
extern const struct setup_plugin_file setup_plugin_hermes_manifest;
extern const struct setup_plugin_file setup_plugin_hermes_code;

/* Put the file in place, or take it out. */
enum setup_outcome setup_plugin_file(struct setup *setup,
                                     const struct setup_plugin_file *file);

/* Is there a plugin of this name in a folder of the agent's? */
bool setup_plugin_is_folder(const struct setup *setup, const char *name);

/* Remove a folder of the agent's that setup made, if it is empty. */
void setup_plugin_remove_folder(const struct setup *setup, const char *name);

#endif
