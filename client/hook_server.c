/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that does not answer costs the user the whole of one prompt's time,
 * so after that no hook asks for a while. One that answers with something else
 * costs nothing and may be mended at any moment (a key that is approved): it is
 * asked again at the next prompt.
 */
#include "hook_server.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "net/fetch.h"

/* With less time than this a server's silence says nothing about it: the agent
 * was slow in telling us what we are to ask. */
#define FAIR_MS 500

void hook_server_init(struct hook_server *out, const struct hook_state *state,
                      const char *name, int64_t deadline_ms)
{
    assert(out != NULL && state != NULL && state->home->is_set_up);

    memset(out, 0, sizeof(*out));
    out->state = state;
    out->name = name;
    out->deadline_ms = deadline_ms;
    out->is_hurried = deadline_ms - jz__fetch_now_ms() < FAIR_MS;
    out->has_failed = state->is_paused;
}

void hook_server_finish(struct hook_server *server)
{
    remote_close(server->remote);
    server->remote = NULL;
}

static void fail(struct hook_server *server, int code,
                 const struct jz__error *error)
{
    const struct home *home = server->state->home;

    server->has_failed = true;
    if (code == JZ_EIO && !server->is_hurried) {
        hook_state_pause(server->state);
        home_log(home, "%s: %s: %s; hooks do not ask again for %d s",
                 server->name, home->url, error->message, HOOK_STATE_PAUSE);
    } else {
        hook_state_log(server->state, home->url, error->message);
    }
}

bool hook_server_connect(struct hook_server *server)
{
    struct jz__error error = { 0 };
    int r = 0;

    if (server->has_failed) {
        return false;
    }
    if (server->remote == NULL) {
        r = remote_open(&server->remote, server->state->home, &error);
    }
    if (r == 0) {
        r = remote_connect(server->remote, server->deadline_ms, &error);
    }
    if (r < 0) {
        fail(server, r, &error);
    }
    return r == 0;
}

cJSON *hook_server_call(struct hook_server *server, const char *tool,
                        const char *arguments)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf result = JZ__BUF_INIT;
    struct jz__error error = { 0 };
    cJSON *tree = NULL;
    int r;

    if (!hook_server_connect(server)) {
        return NULL;
    }
    r = remote_call(&result, server->remote, tool, arguments,
                    server->deadline_ms, &error);
    if (r == 0) {
        r = jz__json_parse(&tree, result.data, result.length, &error);
    }
    if (r < 0) {
        fail(server, r, &error);
    }
    return tree;
}
