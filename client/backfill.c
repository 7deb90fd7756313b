/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjezero lists an agent's sessions, as the server's own connectors would
 * find them, and each goes through the same door as one of a hook. Thousands of
 * them share their few folders, so a folder's project is looked up once.
 */
#include "backfill.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "library.h"
#include "locate.h"
#include "spool.h"

/* The list as libjezero gave it; NULL with 0: there is nothing to list. */
static int list_sessions(cJSON **out, enum agent_id agent, int64_t since,
                         struct jz__error *error)
{
    const struct library *library = library_load(error);
    JZ_CLEANUP(jz__buf_finish) struct jz__buf place = JZ__BUF_INIT;
    char *json = NULL;
    int r;

    *out = NULL;
    if (library == NULL) {
        return JZ_EINTERNAL;
    }
    locate_put_place(&place, agent);
    if (place.error != 0) {
        return jz__fail_memory(error);
    }
    if (place.length == 0) {
        return 0;
    }
    r = library->list_sessions(&json, agent_name(agent), place.data, since);
    if (r == JZ_ENOTFOUND) {
        return 0;
    }
    if (r < 0) {
        return jz__fail(error, r, "cannot list the sessions in %s", place.data);
    }
    r = jz__json_parse(out, json, strlen(json), error);
    library->free(json);
    return r;
}

static int put_one(struct backfill_counts *out, const struct home *home,
                   const struct spool_session *session,
                   struct spool_memory *memory)
{
    struct jz__error error = { 0 };
    int r = spool_put_next(home, session, memory, &error);

    if (r == 0) {
        out->queued++;
    } else if (r < 0) {
        if (out->failed++ == 0) {
            out->first = error;
        }
        home_log(home, "backfill: %s", error.message);
    }
    return r == JZ_ENOMEM ? r : 0;
}

int backfill_run(struct backfill_counts *out, const struct home *home,
                 enum agent_id agent, const struct backfill_options *options,
                 struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *list = NULL;
    JZ_CLEANUP(spool_memory_finish) struct spool_memory memory = { 0 };
    const cJSON *one;
    int64_t done = 0;
    int64_t total;
    int r = list_sessions(&list, agent, options->since, error);

    assert(home->is_set_up && home->may_upload);

    memset(out, 0, sizeof(*out));
    if (r < 0) {
        return r;
    }
    total = cJSON_GetArraySize(list);
    cJSON_ArrayForEach(one, list)
    {
        const struct spool_session session = {
            .agent = agent,
            .id = jz__json_text(one, "session", NULL),
            .transcript = jz__json_text(one, "path", NULL),
        };

        options->progress(options->userdata, done++, total);
        if (put_one(out, home, &session, &memory) < 0) {
            return jz__fail_memory(error);
        }
    }
    return 0;
}
