/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file can hold thousands of uploads, and a hook that wants to know one
 * number of it has two milliseconds. So it is scanned, not parsed: a tree is made
 * of the members that somebody asks for, and saving copies the others.
 *
 * The lock is a file of its own: state.json itself is replaced at every change,
 * and a lock on it would be a lock on a file that is gone. Nobody waits for the
 * disk, since all of this can be lost without losing a session: what was sent is
 * then sent once more, and the server takes identical content for done.
 */
#include "state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define STATE_MOST ((size_t)64 * 1024 * 1024)
#define LOCK_WAIT_MS 500
#define LOCK_STEP_MS 2

/* --- the lock --- */

static int take_lock(struct state *state, struct jz__error *error)
{
    const struct timespec step = { 0, LOCK_STEP_MS * 1000000L };
    JZ_CLEANUP(jz__mem_freep) char *path = home_file(state->home, "state.lock");

    if (path == NULL) {
        return jz__fail_memory(error);
    }
    state->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (state->lock < 0) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    for (int waited = 0; flock(state->lock, LOCK_EX | LOCK_NB) < 0;
         waited += LOCK_STEP_MS) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return jz__fail_errno(error, errno, "cannot lock", path);
        }
        if (waited >= LOCK_WAIT_MS) {
            return jz__fail(error, JZ_EBUSY,
                            "another process holds %s for too long", path);
        }
        (void)nanosleep(&step, NULL);
    }
    return 0;
}

/* --- reading --- */

static int start_empty(struct state *state, struct jz__error *error)
{
    jz__buf_clear(&state->text);
    jz__buf_puts(&state->text, "{}");
    if (state->text.error != 0 || jz__scan_parse(&state->scan, state->text.data,
                                                 state->text.length) < 0) {
        return jz__fail_memory(error);
    }
    return 0;
}

/* Only who holds the lock moves it away: a reader may have met it while an older
 * program wrote it in place. */
static void set_aside(const struct state *state, const char *path)
{
    JZ_CLEANUP(jz__mem_freep)
    char *aside = home_file(state->home, "state.json.damaged");

    if (state->lock >= 0 && aside != NULL && rename(path, aside) == 0) {
        home_log(state->home,
                 "state.json was damaged and is now state.json.damaged; what "
                 "was sent will be offered to the server once more");
    }
}

static int read_state(struct state *state, struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char *path = home_file(state->home, "state.json");
    int r;

    if (path == NULL) {
        return jz__fail_memory(error);
    }
    r = jz__file_read(&state->text, path, STATE_MOST, error);
    if (r == JZ_ENOTFOUND) {
        return start_empty(state, error);
    }
    if (r < 0 && r != JZ_EINVAL) {
        return r;
    }
    if (r == 0) {
        r = jz__scan_parse(&state->scan, state->text.data, state->text.length);
    }
    if (r == JZ_ENOMEM) {
        return jz__fail_memory(error);
    }
    if (r < 0 || state->scan.tokens[0].type != JZ__SCAN_OBJECT ||
        !jz__scan_is_whole(&state->scan, state->text.length)) {
        set_aside(state, path);
        return start_empty(state, error);
    }
    return 0;
}

int state_open(struct state *out, const struct home *home, bool to_change,
               struct jz__error *error)
{
    int r = 0;

    assert(out != NULL && home != NULL && home->path != NULL);

    memset(out, 0, sizeof(*out));
    out->home = home;
    out->lock = -1;
    if (to_change) {
        r = take_lock(out, error);
    }
    return r < 0 ? r : read_state(out, error);
}

/* As it stands in the file. */
static struct jz__str value_text(const struct jz__scan *scan, size_t token)
{
    struct jz__str raw = jz__scan_raw(scan, token);

    if (scan->tokens[token].type == JZ__SCAN_STRING) {
        raw.data--; /* with its quotes */
        raw.length += 2;
    }
    return raw;
}

static struct state_member *find_changed(const struct state *state,
                                         const char *key)
{
    for (size_t i = 0; i < state->changed_count; i++) {
        if (strcmp(state->changed[i].key, key) == 0) {
            return &state->changed[i];
        }
    }
    return NULL;
}

cJSON *state_get(const struct state *state, const char *key)
{
    const struct state_member *changed = find_changed(state, key);
    struct jz__str text;
    cJSON *tree = NULL;

    if (changed != NULL) {
        if (changed->value == NULL) {
            return NULL;
        }
        text = jz__str_of(changed->value);
    } else {
        size_t at = jz__scan_get(&state->scan, 0, key);

        if (at == 0) {
            return NULL;
        }
        text = value_text(&state->scan, at);
    }
    return jz__json_parse(&tree, text.data, text.length, NULL) < 0 ? NULL
                                                                   : tree;
}

/* --- changing --- */

static int add_changed(struct state_member **out, struct state *state,
                       const char *key)
{
    struct state_member *member = find_changed(state, key);

    if (member == NULL) {
        if (jz__mem_grow(&state->changed, &state->changed_capacity,
                         state->changed_count + 1, sizeof(*member)) < 0) {
            return JZ_ENOMEM;
        }
        member = &state->changed[state->changed_count];
        member->value = NULL;
        member->key = jz__mem_copy(key, strlen(key));
        if (member->key == NULL) {
            return JZ_ENOMEM;
        }
        state->changed_count++;
    }
    *out = member;
    return 0;
}

int state_set(struct state *state, const char *key, const cJSON *value)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) char *copy = NULL;
    struct state_member *member;

    assert(state->lock >= 0);

    if (value != NULL) {
        jz__json_put_tree(&text, value);
        if (jz__buf_take(&copy, &text) < 0) {
            return JZ_ENOMEM;
        }
    }
    if (add_changed(&member, state, key) < 0) {
        return JZ_ENOMEM;
    }
    free(member->value);
    member->value = jz__mem_steal(&copy);
    return 0;
}

/* What somebody changed is put first: small members that hooks look for. */
static void put_state(struct jz__buf *out, const struct state *state)
{
    const struct jz__scan *scan = &state->scan;

    jz__buf_putc(out, '{');
    for (size_t i = 0; i < state->changed_count; i++) {
        if (state->changed[i].value != NULL) {
            jz__json_put_key(out, state->changed[i].key);
            jz__buf_puts(out, state->changed[i].value);
        }
    }
    for (size_t at = jz__scan_first(scan, 0); at != 0;
         at = jz__scan_after(scan, 0, at)) {
        struct jz__str key = value_text(scan, at);
        struct jz__str value = value_text(scan, at + 1);
        bool is_changed = false;

        for (size_t i = 0; i < state->changed_count && !is_changed; i++) {
            is_changed = jz__scan_is(scan, at, state->changed[i].key);
        }
        if (!is_changed) {
            jz__json_put_comma(out);
            jz__buf_append(out, key.data, key.length);
            jz__buf_putc(out, ':');
            jz__buf_append(out, value.data, value.length);
        }
    }
    jz__buf_puts(out, "}\n");
}

int state_save(struct state *state, struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char *path = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    assert(state->lock >= 0);

    if (state->changed_count == 0) {
        return 0;
    }
    path = home_file(state->home, "state.json");
    put_state(&text, state);
    if (path == NULL || text.error != 0) {
        return jz__fail_memory(error);
    }
    return jz__file_write_soon(path, text.data, text.length, error);
}

void state_close(struct state *state)
{
    for (size_t i = 0; i < state->changed_count; i++) {
        free(state->changed[i].key);
        free(state->changed[i].value);
    }
    free(state->changed);
    jz__scan_finish(&state->scan);
    jz__buf_finish(&state->text);
    if (state->home != NULL && state->lock >= 0) {
        (void)close(state->lock);
    }
    memset(state, 0, sizeof(*state));
    state->lock = -1;
}
