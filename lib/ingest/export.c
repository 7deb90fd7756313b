/* SPDX-License-Identifier: Apache-2.0 */
/* Which agents have exports, and what makes them. */
#include "ingest/export.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

static const struct {
    const char *agent;
    int (*session)(struct jz__buf *out, const char *place, const char *session,
                   struct jz__error *error);
    int (*list)(const char *folder, int64_t since, jz__export_list_fn fn,
                void *userdata, struct jz__error *error);
} exports[] = {
    { "hermes", jz__export_hermes, jz__export_hermes_list },
    { "opencode", jz__export_opencode, jz__export_opencode_list },
    { "antigravity", jz__export_antigravity, jz__export_antigravity_list },
};

static size_t find(const char *agent)
{
    size_t i = 0;

    while (i < JZ__LENGTH(exports) && strcmp(exports[i].agent, agent) != 0) {
        i++;
    }
    return i;
}

bool jz__export_is_agent(const char *agent)
{
    return find(agent) < JZ__LENGTH(exports);
}

int jz__export_session(struct jz__buf *out, const char *agent,
                       const char *place, const char *session,
                       struct jz__error *error)
{
    size_t i = find(agent);
    int r;

    if (i == JZ__LENGTH(exports)) {
        return jz__fail(error, JZ_EINVAL,
                        "sessions of '%.60s' are files already", agent);
    }
    r = exports[i].session(out, place, session, error);
    if (r >= 0 && out->error != 0) {
        return jz__fail_memory(error);
    }
    return r;
}

int jz__export_list(const char *agent, const char *folder, int64_t since,
                    jz__export_list_fn fn, void *userdata,
                    struct jz__error *error)
{
    size_t i = find(agent);

    assert(i < JZ__LENGTH(exports));

    return exports[i].list(folder, since, fn, userdata, error);
}
