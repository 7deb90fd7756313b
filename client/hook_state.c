/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hook reads the state without the lock, does its work, and takes the lock
 * for the moment in which it writes down what it is about to print: a plugin
 * and a settings file may both have registered it, and then two run at once.
 * What is written down and then not printed, because the hook was killed in
 * between, is lost; the other way round the agent would read it twice.
 */
#include "hook_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "state.h"

/* Ids that a session remembers; the oldest go. */
#define SHOWN_MOST 300
#define LOG_SECONDS 3600
/* Bytes by which two messages are the same: "HTTP 500 <html…" and what every
 * page begins with, in front of what changes from answer to answer. */
#define LOG_SAME 32
/* Characters of a session's name that its key holds. No agent's is longer. */
#define NAME_MOST 150

static void close_state(struct state *state)
{
    state_close(state);
}

/* --- reading --- */

/* "codex:<session>". A name of any length would fill the file: a long one is
 * told from others by a hash. */
static int make_key(char **out, enum agent_id agent, const char *session)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf key = JZ__BUF_INIT;
    size_t length = strlen(session);
    size_t kept = jz__utf8_prefix(session, length, NAME_MOST);

    if (length == 0) {
        return 0;
    }
    jz__buf_puts(&key, agent_name(agent));
    jz__buf_putc(&key, ':');
    jz__buf_append(&key, session, kept);
    if (kept < length) {
        jz__buf_printf(&key, "~%016" PRIx64,
                       jz__str_hash(jz__str_of(session), 0));
    }
    return jz__buf_take(out, &key);
}

/* A time further ahead than a pause is long was written by another clock. */
static bool is_paused(const struct state *state, int64_t now)
{
    JZ_CLEANUP(jz__json_freep)
    cJSON *until = state_get(state, "unreachable_until");
    int64_t value;

    return until != NULL && jz__json_whole(&value, until) && now < value &&
           value <= now + HOOK_STATE_PAUSE;
}

static void read_session(struct hook_state *out, const struct state *state)
{
    JZ_CLEANUP(jz__json_freep) cJSON *sessions = state_get(state, "sessions");
    const cJSON *session = jz__json_get(sessions, out->session);

    out->has_protocol = jz__json_flag(session, "protocol", false);
    out->shown = cJSON_Duplicate(jz__json_get(session, "shown"), true);
}

int hook_state_open(struct hook_state *out, const struct home *home,
                    enum agent_id agent, const char *session,
                    struct jz__error *error)
{
    JZ_CLEANUP(close_state) struct state state = { .lock = -1 };

    assert(out != NULL && home != NULL && session != NULL);

    memset(out, 0, sizeof(*out));
    out->home = home;
    out->now = (int64_t)time(NULL);
    if (make_key(&out->session, agent, session) < 0) {
        return jz__fail_memory(error);
    }
    if (state_open(&state, home, false, error) < 0) {
        return error->code == JZ_ENOMEM ? JZ_ENOMEM : 0;
    }
    out->is_paused = is_paused(&state, out->now);
    if (out->session != NULL) {
        read_session(out, &state);
    }
    return 0;
}

void hook_state_close(struct hook_state *state)
{
    free(state->session);
    cJSON_Delete(state->shown);
    memset(state, 0, sizeof(*state));
}

/* --- writing --- */

/* Changes the tree of a member: 1: it is to be saved; 0: it is not. */
typedef int (*change_fn)(cJSON *member, void *userdata);

struct change {
    const struct hook_state *state;
    bool is_again;
    bool is_due;
    struct related *related;
    const char *message;
};

/* Under the lock. 0, also if there was nothing to save. */
static int change_member(const struct hook_state *hook, const char *key,
                         change_fn change, void *userdata)
{
    JZ_CLEANUP(close_state) struct state state = { .lock = -1 };
    JZ_CLEANUP(jz__json_freep) cJSON *member = NULL;
    struct jz__error error = { 0 };
    int r = state_open(&state, hook->home, true, &error);

    if (r == 0) {
        member = state_get(&state, key);
        if (!cJSON_IsObject(member)) {
            cJSON_Delete(member);
            member = cJSON_CreateObject();
        }
        r = member != NULL ? change(member, userdata) : JZ_ENOMEM;
    }
    if (r == 1) {
        r = state_set(&state, key, member);
        r = r < 0 ? jz__fail_memory(&error) : state_save(&state, &error);
    }
    if (r < 0) {
        home_log(hook->home, "a hook cannot change state.json: %s",
                 error.message);
    }
    return r;
}

static void put_number(cJSON *object, const char *key, int64_t value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddNumberToObject(object, key, (double)value);
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* When the last session was used of those that have to go. */
static double find_limit(const cJSON *sessions, int count)
{
    JZ_CLEANUP(jz__mem_freep)
    double *times = calloc((size_t)count, sizeof(double));
    const cJSON *one;
    int n = 0;

    if (times == NULL) {
        return -1; /* the next hook does it */
    }
    cJSON_ArrayForEach(one, sessions)
    {
        times[n++] = jz__json_number(one, "at", 0);
    }
    qsort(times, (size_t)count, sizeof(double), by_time);
    return times[count - HOOK_STATE_SESSIONS - 1];
}

/* Room for one more: who was used longest ago goes, in one look at the list, as
 * it may be long. */
static void forget_oldest(cJSON *sessions)
{
    int count = cJSON_GetArraySize(sessions);
    double limit;
    cJSON *next;

    if (count <= HOOK_STATE_SESSIONS) {
        return;
    }
    limit = find_limit(sessions, count);
    for (cJSON *one = sessions->child; one != NULL; one = next) {
        next = one->next;
        if (count > HOOK_STATE_SESSIONS &&
            jz__json_number(one, "at", 0) <= limit) {
            cJSON_Delete(cJSON_DetachItemViaPointer(sessions, one));
            count--;
        }
    }
}

/* The session's object, used now; made if it is not there. NULL: no memory. */
static cJSON *touch_session(cJSON *sessions, const struct hook_state *state)
{
    cJSON *session = cJSON_GetObjectItemCaseSensitive(sessions, state->session);

    if (session == NULL) {
        session = cJSON_AddObjectToObject(sessions, state->session);
    }
    if (session != NULL) {
        put_number(session, "at", state->now);
        forget_oldest(sessions);
    }
    return session;
}

static int change_protocol(cJSON *sessions, void *userdata)
{
    struct change *change = userdata;
    cJSON *session = touch_session(sessions, change->state);

    if (session == NULL) {
        return JZ_ENOMEM;
    }
    change->is_due =
        change->is_again || !jz__json_flag(session, "protocol", false);
    if (!change->is_due) {
        return 0;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(session, "protocol");
    cJSON_AddTrueToObject(session, "protocol");
    return 1;
}

bool hook_state_claim_protocol(const struct hook_state *state, bool is_again,
                               bool fallback)
{
    struct change change = { .state = state, .is_again = is_again };

    assert(state->home != NULL);

    if (state->session == NULL) {
        return is_again || fallback;
    }
    if (state->has_protocol && !is_again) {
        return false;
    }
    return change_member(state, "sessions", change_protocol, &change) < 0
               ? is_again || fallback
               : change.is_due;
}

/* Those that are left move up. */
static int add_shown(cJSON *shown, struct related *related)
{
    size_t kept = 0;

    for (size_t i = 0; i < related->count; i++) {
        int64_t id = related->items[i].id;

        if (related_holds_id(shown, id)) {
            continue;
        }
        if (!cJSON_AddItemToArray(shown, cJSON_CreateNumber((double)id))) {
            return JZ_ENOMEM;
        }
        related->items[kept++] = related->items[i];
    }
    related->count = kept;
    while (cJSON_GetArraySize(shown) > SHOWN_MOST) {
        cJSON_DeleteItemFromArray(shown, 0);
    }
    return kept > 0;
}

static int change_shown(cJSON *sessions, void *userdata)
{
    struct change *change = userdata;
    cJSON *session = touch_session(sessions, change->state);
    cJSON *shown = cJSON_GetObjectItemCaseSensitive(session, "shown");

    if (session != NULL && !cJSON_IsArray(shown)) {
        cJSON_DeleteItemFromObjectCaseSensitive(session, "shown");
        shown = cJSON_AddArrayToObject(session, "shown");
    }
    return shown != NULL ? add_shown(shown, change->related) : JZ_ENOMEM;
}

void hook_state_claim_items(const struct hook_state *state,
                            struct related *related)
{
    struct change change = { .state = state, .related = related };

    if (state->session == NULL || related->count == 0) {
        return;
    }
    if (change_member(state, "sessions", change_shown, &change) < 0) {
        related->count = 0;
    }
}

void hook_state_pause(const struct hook_state *state)
{
    JZ_CLEANUP(close_state) struct state file = { .lock = -1 };
    JZ_CLEANUP(jz__json_freep)
    cJSON *until = cJSON_CreateNumber((double)(state->now + HOOK_STATE_PAUSE));
    struct jz__error error = { 0 };

    if (until == NULL || state_open(&file, state->home, true, &error) < 0 ||
        state_set(&file, "unreachable_until", until) < 0) {
        return; /* the next prompt will try and wait again */
    }
    (void)state_save(&file, &error);
}

static int change_logged(cJSON *logged, void *userdata)
{
    struct change *change = userdata;
    double age =
        (double)change->state->now - jz__json_number(logged, "when", 0);

    if (strncmp(jz__json_text(logged, "message", ""), change->message,
                LOG_SAME) == 0 &&
        age >= 0 && age < LOG_SECONDS) {
        return 0;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(logged, "message");
    cJSON_AddStringToObject(logged, "message", change->message);
    put_number(logged, "when", change->state->now);
    change->is_due = true;
    return 1;
}

void hook_state_log(const struct hook_state *state, const char *place,
                    const char *message)
{
    struct change change = { .state = state, .message = message };

    if (change_member(state, "hook_logged", change_logged, &change) < 0 ||
        change.is_due) {
        home_log(state->home, "%s: %s", place, message);
    }
}
