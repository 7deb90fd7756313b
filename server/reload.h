/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches jezero.toml by its path, at most once a second, and hands over the
 * clients of a changed file. A file that cannot be loaded changes nothing.
 */
#ifndef JEZERO_SERVER_RELOAD_H
#define JEZERO_SERVER_RELOAD_H

#include <uv.h>

#include "auth.h"
#include "base/log.h"
#include "config.h"

struct reload;

struct reload_options {
    const char *path;             /* of jezero.toml; borrowed like all here */
    const char *home;             /* what ~ means */
    const struct config *running; /* what the server was started with */
    const struct jz__log *log;

    /* On the loop's thread. The table is the callee's; the file that it came
     * from is loaded and its clients are the truth from now on. */
    void (*on_clients)(void *userdata, struct auth_table *clients);
    void *userdata;
};

/* Start to watch: 0, JZ_ENOMEM, JZ_EINTERNAL. count is the number of clients
 * that can be used now, for the log. */
int reload_start(struct reload **out, uv_loop_t *loop,
                 const struct reload_options *options, size_t count,
                 struct jz__error *error);

/* Look now, whether or not the file changed (SIGHUP). NULL is allowed. */
void reload_now(struct reload *reload);

/* Its handles are closed when the loop runs on. NULL is allowed. */
void reload_stop(struct reload *reload);

#endif
