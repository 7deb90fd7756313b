/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever is lost here is sent once more, and the server takes identical
 * content for done: so nothing waits for the disk, and a state that another
 * process holds is written later. The opposite would lose a session, which is
 * why a pointer leaves the queue only after the answer.
 *
 * A server that fails is left alone for a while by the flushes that hooks
 * start, longer each time; one that says for how long is taken at its word,
 * within a day. A refused key is tried each time: it may have been approved.
 */
#include "ledger.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "net/fetch.h"
#include "state.h"

#define SAVE_MS 1000

#define PAUSE_LEAST_S 5
#define PAUSE_MOST_S 600
#define PAUSE_ASKED_MOST_S 86400

/* --- what the server has --- */

static uint64_t hash_of(const char *path)
{
    uint64_t hash = jz__str_hash(jz__str_of(path), 0);

    return hash != 0 ? hash : 1;
}

/* The slot of a hash, or the free one where it belongs. */
static struct ledger_known *slot_of(const struct ledger *ledger, uint64_t hash)
{
    size_t at = (size_t)hash & (ledger->known_slots - 1);

    while (ledger->known[at].hash != 0 && ledger->known[at].hash != hash) {
        at = (at + 1) & (ledger->known_slots - 1);
    }
    return &ledger->known[at];
}

static int grow(struct ledger *ledger)
{
    struct ledger_known *old = ledger->known;
    size_t count = ledger->known_slots;

    if (ledger->known_count * 2 < count) {
        return 0;
    }
    ledger->known_slots = count == 0 ? 64 : count * 2;
    ledger->known = calloc(ledger->known_slots, sizeof(*ledger->known));
    if (ledger->known == NULL) {
        ledger->known = old;
        ledger->known_slots = count;
        return JZ_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (old[i].hash != 0) {
            *slot_of(ledger, old[i].hash) = old[i];
        }
    }
    free(old);
    return 0;
}

/* From now on. A newer state of the same path takes the place of the older. */
static int know(struct ledger *ledger, const char *path,
                const struct transcript_state *state)
{
    uint64_t hash = hash_of(path);
    struct ledger_known *slot;

    if (grow(ledger) < 0) {
        return JZ_ENOMEM;
    }
    slot = slot_of(ledger, hash);
    ledger->known_count += slot->hash == 0;
    slot->hash = hash;
    slot->state = *state;
    return 0;
}

bool ledger_is_known(const struct ledger *ledger, const char *path,
                     const struct transcript_state *state)
{
    const struct ledger_known *slot;

    if (ledger->known_slots == 0) {
        return false;
    }
    slot = slot_of(ledger, hash_of(path));
    return slot->hash != 0 && slot->state.size == state->size &&
           slot->state.mtime_us == state->mtime_us;
}

/* --- reading --- */

static int load(struct ledger *ledger, const struct state *state,
                const char *member)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = state_get(state, member);
    const cJSON *one;

    cJSON_ArrayForEach(one, tree)
    {
        struct transcript_state seen;

        if (one->string != NULL &&
            jz__json_whole(&seen.size, jz__json_get(one, "size")) &&
            jz__json_whole(&seen.mtime_us, jz__json_get(one, "mtime")) &&
            know(ledger, one->string, &seen) < 0) {
            return JZ_ENOMEM;
        }
    }
    return 0;
}

/* How the last flush ended. */
static int load_pause(struct ledger *ledger, const struct state *state)
{
    JZ_CLEANUP(jz__json_freep) cJSON *pause = state_get(state, "flush_pause");
    JZ_CLEANUP(jz__json_freep)
    cJSON *refused = state_get(state, "refused_since");
    const char *late = jz__json_text(pause, "late", NULL);
    int64_t failures = 0;

    (void)jz__json_whole(&failures, jz__json_get(pause, "failures"));
    ledger->failures = failures > 0 && failures < 100 ? (int)failures : 0;
    ledger->was_paused = pause != NULL;
    ledger->was_refused = cJSON_IsObject(refused);
    if (late != NULL) {
        ledger->late = jz__mem_copy(late, strlen(late));
    }
    return late == NULL || ledger->late != NULL ? 0 : JZ_ENOMEM;
}

int ledger_open(struct ledger *out, const struct home *home,
                struct jz__error *error)
{
    JZ_CLEANUP(state_close) struct state state = { 0 };
    struct jz__error why = { 0 };
    int r;

    assert(out != NULL && home != NULL);

    memset(out, 0, sizeof(*out));
    out->home = home;
    out->saved_ms = jz__fetch_now_ms();
    r = state_open(&state, home, false, &why);
    if (r < 0) {
        home_log(home, "%s", why.message);
        return r == JZ_ENOMEM ? jz__fail_memory(error) : 0;
    }
    if (load(out, &state, "sent") < 0 || load(out, &state, "rejected") < 0 ||
        load_pause(out, &state) < 0) {
        return jz__fail_memory(error);
    }
    return 0;
}

void ledger_close(struct ledger *ledger)
{
    free(ledger->known);
    free(ledger->late);
    cJSON_Delete(ledger->sent);
    cJSON_Delete(ledger->rejected);
    memset(ledger, 0, sizeof(*ledger));
}

/* --- collecting --- */

/* As state.h describes it. */
static cJSON *make_record(const struct transcript_state *state, int status)
{
    cJSON *record = cJSON_CreateObject();

    if (record != NULL &&
        cJSON_AddNumberToObject(record, "size", (double)state->size) != NULL &&
        cJSON_AddNumberToObject(record, "mtime", (double)state->mtime_us) !=
            NULL &&
        cJSON_AddNumberToObject(record, "when", (double)time(NULL)) != NULL &&
        cJSON_AddNumberToObject(record, "status", status) != NULL) {
        return record;
    }
    cJSON_Delete(record);
    return NULL;
}

static int collect_take(cJSON **list, const char *path, cJSON *record)
{
    if (*list == NULL) {
        *list = cJSON_CreateObject();
    }
    if (*list == NULL || record == NULL ||
        !cJSON_AddItemToObject(*list, path, record)) {
        cJSON_Delete(record);
        return JZ_ENOMEM;
    }
    return 0;
}

int ledger_add_sent(struct ledger *ledger, const char *path,
                    const struct transcript_state *state)
{
    int r = collect_take(&ledger->sent, path, make_record(state, 200));

    return r < 0 ? r : know(ledger, path, state);
}

int ledger_add_rejected(struct ledger *ledger, const char *path,
                        const struct transcript_state *state,
                        const struct ledger_rejection *rejection)
{
    cJSON *record = make_record(state, rejection->status);
    int r;

    if (record == NULL ||
        cJSON_AddStringToObject(record, "agent", rejection->agent) == NULL ||
        cJSON_AddStringToObject(record, "reason", rejection->reason) == NULL) {
        cJSON_Delete(record);
        return JZ_ENOMEM;
    }
    r = collect_take(&ledger->rejected, path, record);
    return r < 0 ? r : know(ledger, path, state);
}

/* --- writing --- */

/* A copy of a member that is an object, or a new one. */
static cJSON *get_object(const struct state *state, const char *key)
{
    cJSON *tree = state_get(state, key);

    if (!cJSON_IsObject(tree)) {
        cJSON_Delete(tree);
        tree = cJSON_CreateObject();
    }
    return tree;
}

/* Records of transcripts that are gone: they grow without end otherwise. */
static bool prune(cJSON *list)
{
    cJSON *one = list->child;
    bool has_changed = false;

    while (one != NULL) {
        cJSON *next = one->next;

        if (one->string != NULL && access(one->string, F_OK) != 0) {
            cJSON_Delete(cJSON_DetachItemViaPointer(list, one));
            has_changed = true;
        }
        one = next;
    }
    return has_changed;
}

/* Move what was collected into the list; what it replaces is taken out of it
 * and out of the other one. */
static int merge(cJSON *list, cJSON *other, cJSON *collected)
{
    while (collected != NULL && collected->child != NULL) {
        cJSON *record = cJSON_DetachItemViaPointer(collected, collected->child);
        JZ_CLEANUP(jz__mem_freep)
        char *path = jz__mem_copy(record->string, strlen(record->string));

        if (path == NULL) {
            cJSON_Delete(record);
            return JZ_ENOMEM;
        }
        cJSON_DeleteItemFromObjectCaseSensitive(list, path);
        cJSON_DeleteItemFromObjectCaseSensitive(other, path);
        if (!cJSON_AddItemToObject(list, path, record)) {
            cJSON_Delete(record);
            return JZ_ENOMEM;
        }
    }
    return 0;
}

static int put_records(struct state *state, struct ledger *ledger, bool is_last)
{
    JZ_CLEANUP(jz__json_freep) cJSON *sent = get_object(state, "sent");
    JZ_CLEANUP(jz__json_freep) cJSON *rejected = get_object(state, "rejected");
    bool has_changed = ledger->sent != NULL || ledger->rejected != NULL;
    int r;

    if (sent == NULL || rejected == NULL) {
        return JZ_ENOMEM;
    }
    r = merge(sent, rejected, ledger->sent);
    if (r == 0) {
        r = merge(rejected, sent, ledger->rejected);
    }
    if (r == 0 && is_last) {
        has_changed = prune(sent) || has_changed;
        has_changed = prune(rejected) || has_changed;
    }
    if (r < 0 || !has_changed) {
        return r;
    }
    r = state_set(state, "sent", sent);
    return r < 0 ? r : state_set(state, "rejected", rejected);
}

/* The first refusal's time and reason stay until the key is taken. */
static int put_refused(struct state *state, const char *reason)
{
    JZ_CLEANUP(jz__json_freep)
    cJSON *refused = state_get(state, "refused_since");

    if (cJSON_IsObject(refused)) {
        return 0;
    }
    cJSON_Delete(refused);
    refused = cJSON_CreateObject();
    if (refused == NULL ||
        cJSON_AddNumberToObject(refused, "when", (double)time(NULL)) == NULL ||
        cJSON_AddStringToObject(refused, "reason", reason) == NULL) {
        return JZ_ENOMEM;
    }
    return state_set(state, "refused_since", refused);
}

/* Seconds: what the server asked for, or twice as long each time. */
static int64_t pause_of(const struct ledger *ledger,
                        const struct ledger_end *end)
{
    int64_t pause = PAUSE_LEAST_S;

    if (end->pause_s > 0) {
        return end->pause_s < PAUSE_ASKED_MOST_S ? end->pause_s
                                                 : PAUSE_ASKED_MOST_S;
    }
    for (int i = 0; i < ledger->failures && pause < PAUSE_MOST_S; i++) {
        pause *= 2;
    }
    return pause < PAUSE_MOST_S ? pause : PAUSE_MOST_S;
}

static int put_pause(struct state *state, const struct ledger *ledger,
                     const struct ledger_end *end)
{
    JZ_CLEANUP(jz__json_freep) cJSON *pause = cJSON_CreateObject();
    int64_t until = (int64_t)time(NULL) + pause_of(ledger, end);

    if (pause == NULL ||
        cJSON_AddNumberToObject(pause, "until", (double)until) == NULL ||
        cJSON_AddNumberToObject(pause, "failures", ledger->failures + 1) ==
            NULL ||
        (end->late != NULL &&
         cJSON_AddStringToObject(pause, "late", end->late) == NULL)) {
        return JZ_ENOMEM;
    }
    return state_set(state, "flush_pause", pause);
}

/* A flush that had nothing to ask the server leaves both as they are. */
static int put_end(struct state *state, const struct ledger *ledger,
                   const struct ledger_end *end)
{
    int r = 0;

    if (end->is_refused) {
        r = put_refused(state, end->reason);
    } else if (end->is_accepted && ledger->was_refused) {
        r = state_set(state, "refused_since", NULL);
    }
    if (r == 0 && end->is_failed) {
        r = put_pause(state, ledger, end);
    } else if (r == 0 && ledger->was_paused &&
               (end->is_accepted || end->is_refused)) {
        r = state_set(state, "flush_pause", NULL);
    }
    return r;
}

/* What could not be written because another process held the file is kept for
 * the next time; what failed for another reason would fail again and is
 * dropped. */
static int save(struct ledger *ledger, const struct ledger_end *end,
                struct jz__error *error)
{
    JZ_CLEANUP(state_close) struct state state = { 0 };
    int r = state_open(&state, ledger->home, true, error);

    if (r == 0) {
        r = put_records(&state, ledger, end != NULL);
        if (r == 0 && end != NULL) {
            r = put_end(&state, ledger, end);
        }
        r = r < 0 ? jz__fail_memory(error) : state_save(&state, error);
    }
    if (r != JZ_EBUSY) {
        cJSON_Delete(ledger->sent);
        cJSON_Delete(ledger->rejected);
        ledger->sent = NULL;
        ledger->rejected = NULL;
    }
    ledger->saved_ms = jz__fetch_now_ms();
    return r;
}

int ledger_save(struct ledger *ledger, struct jz__error *error)
{
    int r = 0;

    if ((ledger->sent != NULL || ledger->rejected != NULL) &&
        jz__fetch_now_ms() >= ledger->saved_ms + SAVE_MS) {
        r = save(ledger, NULL, error);
    }
    return r == JZ_EBUSY ? 0 : r;
}

int ledger_finish(struct ledger *ledger, const struct ledger_end *end,
                  struct jz__error *error)
{
    return save(ledger, end, error);
}

bool ledger_is_paused(const struct home *home)
{
    JZ_CLEANUP(state_close) struct state state = { 0 };
    JZ_CLEANUP(jz__json_freep) cJSON *pause = NULL;
    int64_t until = 0;
    int64_t now = (int64_t)time(NULL);

    if (state_open(&state, home, false, NULL) < 0) {
        return false;
    }
    pause = state_get(&state, "flush_pause");
    /* A clock that was set back must not mean a pause of years. */
    return jz__json_whole(&until, jz__json_get(pause, "until")) &&
           now < until && until <= now + PAUSE_ASKED_MOST_S;
}
