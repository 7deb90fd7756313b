/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user waits for each of these, at every prompt. So the order is that of what
 * it costs: what is known without the network, then whether the server is there
 * at all, and only then libjezero, which has to say what project a folder is.
 *
 * Agents without an event for the start of a session (Hermes, older versions of
 * Antigravity) get at their first prompt what others get at the start.
 */
#include "hook.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/mem.h"
#include "context.h"
#include "hook_answer.h"
#include "hook_server.h"
#include "hook_state.h"
#include "hook_transcript.h"
#include "library.h"
#include "related.h"
#include "spool.h"
#include "watchdog.h"
#include "words.h"

#define RECENT_MOST 5
/* Of a search more are asked for than are shown: some are of this session. */
#define SEARCH_LIMIT 10
#define SEARCH_LIMIT_MOST 50
#define HOOK_NAME_SIZE 64

static const struct {
    const char *name;
    int64_t limit_ms;
} events[HOOK_EVENT_COUNT] = {
    { "session-start", 3000 },
    { "user-prompt", 2000 },
    { "stop", 1000 },
    { "session-end", 1000 },
};

/* What one run needs. The answers live as long as the items that were taken out
 * of them. */
struct run {
    struct hook *hook;
    struct hook_state state;
    struct hook_server server;
    struct context context;
    struct words words;
    struct jz__buf project; /* "": the folder has none */
    cJSON *in_project;
    cJSON *everywhere;
    char name[HOOK_NAME_SIZE];
};

const char *hook_name(enum hook_event event)
{
    assert(event < HOOK_EVENT_COUNT);

    return events[event].name;
}

bool hook_find(enum hook_event *out, const char *name)
{
    for (int i = 0; i < HOOK_EVENT_COUNT; i++) {
        if (strcmp(events[i].name, name) == 0) {
            *out = (enum hook_event)i;
            return true;
        }
    }
    return false;
}

int64_t hook_limit_ms(enum hook_event event)
{
    assert(event < HOOK_EVENT_COUNT);

    return events[event].limit_ms;
}

/* --- what the server says --- */

/* The folder's project. Asked for when the server is known to be there. */
static void find_project(struct run *run)
{
    const char *cwd = hook_call_text(&run->hook->call->cwd);
    struct jz__error error = { 0 };

    if (cwd[0] == '/' &&
        library_project(&run->project, run->hook->home->projects, cwd, &error) <
            0) {
        hook_state_log(&run->state, run->name, error.message);
    }
}

static void put_recent(struct run *run)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct context_item items[RECENT_MOST];
    size_t count = 0;
    const cJSON *item;

    if (run->project.length == 0) {
        return;
    }
    jz__buf_puts(&arguments, "{\"project\":");
    jz__json_put_str(&arguments, run->project.data);
    jz__buf_printf(&arguments, ",\"limit\":%d}", RECENT_MOST);
    if (arguments.error != 0) {
        return;
    }
    answer = hook_server_call(&run->server, "timeline", arguments.data);
    cJSON_ArrayForEach(item, jz__json_get(answer, "items"))
    {
        struct context_item found = related_item(item);

        if (count < RECENT_MOST && found.id > 0) {
            items[count++] = found;
        }
    }
    context_put_recent(&run->context, run->project.data, items, count);
}

/* NULL: it failed. */
static cJSON *search(struct run *run, const char *project)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf arguments = JZ__BUF_INIT;
    int limit = SEARCH_LIMIT + cJSON_GetArraySize(run->state.shown);

    jz__buf_puts(&arguments, "{\"query\":");
    jz__json_put_str(&arguments, run->words.query.data);
    if (project != NULL) {
        jz__json_put_key(&arguments, "project");
        jz__json_put_str(&arguments, project);
    }
    jz__buf_printf(&arguments, ",\"limit\":%d}",
                   limit < SEARCH_LIMIT_MOST ? limit : SEARCH_LIMIT_MOST);
    return arguments.error == 0
               ? hook_server_call(&run->server, "search", arguments.data)
               : NULL;
}

/* The project's items first, and others if there are not enough of these. */
static int put_related(struct run *run)
{
    struct related related = {
        .words = &run->words,
        .session = hook_call_text(&run->hook->call->session),
        .shown = run->state.shown,
    };
    int r = 0;

    if (run->words.count == 0) {
        return 0;
    }
    if (run->project.length > 0) {
        run->in_project = search(run, run->project.data);
        r = related_add(&related, run->in_project);
    }
    if (r == 0 && related.count < RELATED_MOST) {
        run->everywhere = search(run, NULL);
        r = related_add(&related, run->everywhere);
    }
    hook_state_claim_items(&run->state, &related);
    context_put_related(&run->context, related.items, related.count);
    return r;
}

/* --- events --- */

/* What there is already is what the watchdog prints. */
static void prepare(struct run *run)
{
    struct hook *hook = run->hook;

    hook_answer_put(&hook->prepared, hook->call->agent,
                    hook_call_text(&run->context.text));
    if (hook->prepared.error == 0 && hook->prepared.length > 0) {
        watchdog_set_text(hook->prepared.data);
    }
}

static int start_session(struct run *run)
{
    const struct hook_call *call = run->hook->call;
    const char *source = hook_call_text(&call->source);
    /* The agent forgot what it was told. Hermes' sessions go on under their
     * name when their context is compressed, and keep it. */
    bool is_again =
        call->agent != AGENT_HERMES &&
        (strcmp(source, "clear") == 0 || strcmp(source, "compact") == 0);

    run->hook->has_queue = run->hook->home->may_upload;
    if (!hook_state_claim_protocol(&run->state, is_again, true)) {
        return 0;
    }
    context_put_protocol(&run->context);
    prepare(run);
    if (call->cwd.length > 0 && hook_server_connect(&run->server)) {
        find_project(run);
        put_recent(run);
    }
    return 0;
}

/* Antigravity's hook runs before each call of the model: what the user asked is
 * looked for at the first of a turn. */
static int find_words(struct run *run)
{
    const struct hook_call *call = run->hook->call;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf request = JZ__BUF_INIT;
    int r;

    if (call->agent != AGENT_ANTIGRAVITY) {
        return words_find(&run->words, hook_call_text(&call->prompt),
                          call->prompt.length);
    }
    if (!call->begins_turn) {
        return 0;
    }
    r = hook_transcript_request(&request, hook_call_text(&call->transcript));
    return r < 0 ? r
                 : words_find(&run->words, hook_call_text(&request),
                              request.length);
}

static int answer_prompt(struct run *run)
{
    enum agent_id agent = run->hook->call->agent;
    bool is_start = (agent == AGENT_ANTIGRAVITY || agent == AGENT_HERMES) &&
                    hook_state_claim_protocol(&run->state, false, false);
    int r;

    if (is_start) {
        context_put_protocol(&run->context);
        prepare(run);
    }
    r = find_words(run);
    if (r < 0 || (run->words.count == 0 && !is_start) ||
        !hook_server_connect(&run->server)) {
        return r;
    }
    find_project(run);
    if (is_start) {
        put_recent(run);
    }
    return put_related(run);
}

/* What the queue cannot take is logged and not tried again: the next turn's
 * hook does that. */
static int queue_session(struct run *run)
{
    const struct hook_call *call = run->hook->call;
    struct spool_session session = {
        .agent = call->agent,
        .id = hook_call_text(&call->session),
        .transcript = hook_call_text(&call->transcript),
        .cwd = hook_call_text(&call->cwd),
        .database_folder = hook_call_text(&call->database),
    };
    struct jz__error error = { 0 };

    if (!run->hook->home->may_upload) {
        return 0;
    }
    if (spool_put(run->hook->home, &session, &error) < 0) {
        home_log(run->hook->home, "%s: %s", run->name, error.message);
    }
    run->hook->has_queue = true;
    return 0;
}

/* --- a run --- */

static void finish_run(struct run *run)
{
    hook_server_finish(&run->server);
    hook_state_close(&run->state);
    context_finish(&run->context);
    words_finish(&run->words);
    jz__buf_finish(&run->project);
    cJSON_Delete(run->in_project);
    cJSON_Delete(run->everywhere);
}

static int run_with_state(struct run *run)
{
    struct hook *hook = run->hook;
    struct jz__error error = { 0 };
    int r = hook_state_open(&run->state, hook->home, hook->call->agent,
                            hook_call_text(&hook->call->session), &error);

    if (r < 0) {
        return r;
    }
    hook_server_init(&run->server, &run->state, run->name, hook->deadline_ms);
    r = hook->event == HOOK_SESSION_START ? start_session(run)
                                          : answer_prompt(run);
    return run->context.text.error != 0 ? JZ_ENOMEM : r;
}

int hook_run(struct hook *hook)
{
    JZ_CLEANUP(finish_run) struct run run = { .hook = hook };
    int r;

    assert(hook->home->is_set_up && hook->event < HOOK_EVENT_COUNT);

    (void)snprintf(run.name, sizeof(run.name), "hook %s --agent %s",
                   hook_name(hook->event), agent_name(hook->call->agent));
    run.context.agent = hook->call->agent;
    if (hook->event == HOOK_STOP || hook->event == HOOK_SESSION_END) {
        r = queue_session(&run);
    } else {
        r = run_with_state(&run);
    }
    hook_answer_put(&hook->answer, hook->call->agent,
                    r == 0 ? hook_call_text(&run.context.text) : "");
    return hook->answer.error != 0 ? JZ_ENOMEM : r;
}

void hook_finish(struct hook *hook)
{
    jz__buf_finish(&hook->answer);
    jz__buf_finish(&hook->prepared);
}
