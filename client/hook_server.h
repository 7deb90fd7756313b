/* SPDX-License-Identifier: Apache-2.0 */
/* A hook's questions to the server: all within one deadline, and none after one
 * that failed. */
#ifndef JEZERO_CLIENT_HOOK_SERVER_H
#define JEZERO_CLIENT_HOOK_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "home.h"
#include "hook_state.h"
#include "remote.h"

struct hook_server {
    const struct hook_state *state; /* borrowed */
    const char *name;               /* of the hook, for the log */
    int64_t deadline_ms;            /* by jz__fetch_now_ms() */
    bool is_hurried; /* most of the time was gone before the first question */
    bool has_failed;
    struct remote *remote;
};

/* Nothing is connected. A paused server counts as failed, without a word. */
void hook_server_init(struct hook_server *out, const struct hook_state *state,
                      const char *name, int64_t deadline_ms);
void hook_server_finish(struct hook_server *server);

/* Is it there? false: it failed, now or before; the log says why. */
bool hook_server_connect(struct hook_server *server);

/* A tool's structured result, the caller's to delete; NULL: it failed. */
cJSON *hook_server_call(struct hook_server *server, const char *tool,
                        const char *arguments);

#endif
