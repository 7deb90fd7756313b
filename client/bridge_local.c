/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents ask for the tools once, when they start, and leave a server out for the
 * whole session if it does not answer then. A laptop without network would so
 * have no Jezero until the agent is started again. What the tools are does not
 * depend on the items, so libjezero answers from a library that has none, and
 * the first call finds the server or says why not.
 *
 * It is loaded when that happens for the first time: a bridge whose server is
 * there never needs SQLite.
 */
#include "bridge_local.h"

#include <string.h>

#include "base/mem.h"

void bridge_local_init(struct bridge_local *local)
{
    memset(local, 0, sizeof(*local));
    (void)pthread_mutex_init(&local->lock, NULL);
}

void bridge_local_finish(struct bridge_local *local)
{
    if (local->library != NULL) {
        local->library->library_close(local->empty);
    }
    (void)pthread_mutex_destroy(&local->lock);
}

bool bridge_local_knows(const struct bridge_message *message)
{
    return message->method == BRIDGE_MESSAGE_INITIALIZE ||
           message->method == BRIDGE_MESSAGE_DISCOVER ||
           message->method == BRIDGE_MESSAGE_TOOLS_LIST;
}

static int open_empty(struct bridge_local *local, struct jz__error *error)
{
    const struct library *library = library_load(error);
    int r;

    if (library == NULL) {
        return JZ_EINTERNAL;
    }
    r = library->library_open(&local->empty, ":memory:", NULL);
    if (r < 0) {
        library->library_close(jz__mem_steal(&local->empty));
        return jz__fail(error, r, "libjezero cannot be used (%d)", r);
    }
    local->library = library;
    return 0;
}

static int answer(struct jz__buf *out, struct bridge_local *local,
                  const struct bridge_message *message, struct jz__error *error)
{
    char *text = NULL;
    int r = local->library != NULL ? 0 : open_empty(local, error);

    if (r < 0) {
        return r;
    }
    /* No headers, as on stdio: the message came that way. */
    r = local->library->mcp_dispatch(&text, NULL, local->empty, NULL, NULL,
                                     message->text.data, message->text.length);
    if (r < 0 || text == NULL) {
        return jz__fail(error, r < 0 ? r : JZ_EINTERNAL,
                        "libjezero cannot answer (%d)", r);
    }
    jz__buf_puts(out, text);
    jz__buf_putc(out, '\n');
    local->library->free(text);
    return out->error;
}

int bridge_local_put(struct jz__buf *out, struct bridge_local *local,
                     const struct bridge_message *message,
                     struct jz__error *error)
{
    int r;

    (void)pthread_mutex_lock(&local->lock);
    r = answer(out, local, message, error);
    (void)pthread_mutex_unlock(&local->lock);
    return r;
}
