/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process at a time works on the queue, under a lock that ends with it
 * however it ends. The others go away at once, so whoever has the lock must not
 * leave anything that was queued while it was busy: it goes on until a pass
 * finds nothing, and looks once more after it has let the lock go. A pointer
 * that was written before another process met the lock is seen by that look.
 *
 * A pointer leaves the queue after the answer and not before. What stops a
 * flush is the server; a file that cannot be read stays behind and the others
 * go on.
 */
#include "flush.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "flush_item.h"
#include "ledger.h"
#include "queue.h"

struct flush {
    struct flush_item_tools tools;
    const struct flush_options *options;
    struct flush_counts *counts;
    struct queue_names left; /* failed here, not to be tried again now */
    struct flush_item_end end;
    int64_t done;
};

/* --- the lock --- */

/* 0; FLUSH_BUSY; 0 with *out -1: there is no spool yet. */
static int take_lock(int *out, const struct home *home, struct jz__error *error)
{
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    int r;

    *out = -1;
    queue_put_path(&path, home, "flush.lock");
    if (path.error != 0) {
        return jz__fail_memory(error);
    }
    *out = open(path.data, flags, 0600);
    if (*out < 0) {
        return errno == ENOENT
                   ? 0
                   : jz__fail_errno(error, errno, "cannot open", path.data);
    }
    do {
        r = flock(*out, LOCK_EX | LOCK_NB);
    } while (r < 0 && errno == EINTR);
    if (r == 0) {
        return 0;
    }
    r = errno == EWOULDBLOCK
            ? FLUSH_BUSY
            : jz__fail_errno(error, errno, "cannot lock", path.data);
    (void)close(*out);
    *out = -1;
    return r;
}

/* --- a pass --- */

static bool is_left(const struct flush *flush, const char *name)
{
    for (size_t i = 0; i < flush->left.count; i++) {
        if (strcmp(flush->left.names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int leave(struct flush *flush, const char *name, struct jz__error *error)
{
    struct queue_names *left = &flush->left;
    char *copy = jz__mem_copy(name, strlen(name));

    if (copy == NULL || jz__mem_grow(&left->names, &left->capacity,
                                     left->count + 1, sizeof(char *)) < 0) {
        free(copy);
        return jz__fail_memory(error);
    }
    left->names[left->count++] = copy;
    return 0;
}

/* In the order of the names, beginning behind the one that ended the last flush:
 * what the server never takes must not hold up all that comes after it. */
static int begin_behind(struct queue_names *names, const char *late,
                        struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char **turned = NULL;
    size_t first = 0;

    while (late != NULL && first < names->count &&
           strcmp(names->names[first], late) <= 0) {
        first++;
    }
    if (first == 0 || first == names->count) {
        return 0;
    }
    turned = calloc(names->count, sizeof(char *));
    if (turned == NULL) {
        return jz__fail_memory(error);
    }
    for (size_t i = 0; i < names->count; i++) {
        turned[i] = names->names[(first + i) % names->count];
    }
    memcpy(names->names, turned, names->count * sizeof(char *));
    return 0;
}

static int count_outcome(struct flush *flush, const char *name,
                         enum flush_item_outcome outcome,
                         struct jz__error *error)
{
    struct flush_counts *counts = flush->counts;

    flush->done++;
    switch (outcome) {
    case FLUSH_ITEM_SENT:
        counts->sent++;
        return 0;
    case FLUSH_ITEM_UNCHANGED:
        counts->unchanged++;
        return 0;
    case FLUSH_ITEM_GONE:
        counts->gone++;
        return 0;
    case FLUSH_ITEM_REJECTED:
        counts->rejected++;
        return 0;
    case FLUSH_ITEM_LEFT:
        counts->failed++;
        return leave(flush, name, error);
    case FLUSH_ITEM_STOPPED:
        counts->failed++;
        return 0;
    default:
        return 0;
    }
}

/* One look at the folder, and all that was there. *more: there was something,
 * so that by now there may be something new. The progress counts what is left
 * of this look alone, since nobody knows what else comes. */
static int run_pass(struct flush *flush, bool *more, struct jz__error *error)
{
    JZ_CLEANUP(queue_names_finish) struct queue_names names = { 0 };
    int r = queue_list(&names, flush->tools.home, error);

    *more = false;
    if (r == 0) {
        r = begin_behind(&names, flush->tools.ledger->late, error);
    }
    for (size_t i = 0; i < names.count && r == 0 && !flush->end.is_over; i++) {
        enum flush_item_outcome outcome;

        if (is_left(flush, names.names[i])) {
            continue;
        }
        *more = true;
        if (flush->options->progress != NULL) {
            flush->options->progress(flush->options->userdata, flush->done,
                                     flush->done + (int64_t)(names.count - i));
        }
        r = flush_item_run(&outcome, &flush->end, &flush->tools, names.names[i],
                           error);
        if (r == 0) {
            r = count_outcome(flush, names.names[i], outcome, error);
        }
        if (r == 0 && flush->end.is_stuck) {
            flush->end.is_stuck = false;
            r = leave(flush, names.names[i], error);
        }
        if (r == 0) {
            r = ledger_save(flush->tools.ledger, error);
        }
    }
    return r;
}

/* --- all of it --- */

static void log_end(const struct flush *flush)
{
    const struct flush_item_end *end = &flush->end;
    const struct home *home = flush->tools.home;
    const char *why = end->why.length > 0 ? end->why.data : "";

    if (end->is_refused && !flush->tools.ledger->was_refused) {
        home_log(home,
                 "uploads refused by the server (%s): the queue stays until "
                 "the server's admin allows this key to upload (upload = true "
                 "in its [[clients]] block, picked up within a second)",
                 why);
    } else if (end->is_over && !end->is_refused) {
        home_log(home, "an upload failed, the queue stays: %s", why);
    }
}

static int finish(struct flush *flush, struct jz__error *error)
{
    const struct flush_item_end *from = &flush->end;
    const struct ledger_end end = {
        .is_accepted = from->is_accepted,
        .is_refused = from->is_refused,
        .is_failed = from->is_over && !from->is_refused,
        .reason = from->why.length > 0 ? from->why.data : "",
        .pause_s = from->pause_s,
        .late = from->late,
    };

    log_end(flush);
    return ledger_finish(flush->tools.ledger, &end, error);
}

/* Under the lock, until a pass finds nothing. The ledger is read after the lock
 * was taken, so that it knows all that another flush has sent. */
static int run_locked(struct flush *flush, struct jz__error *error)
{
    JZ_CLEANUP(ledger_close) struct ledger ledger = { 0 };
    struct jz__error why = { 0 };
    bool more = true;
    int r = ledger_open(&ledger, flush->tools.home, error);

    home_sweep(flush->tools.home);
    flush->tools.ledger = &ledger;
    while (r == 0 && more && !flush->end.is_over) {
        r = run_pass(flush, &more, error);
    }
    if (flush->done > 0 && finish(flush, &why) < 0) {
        /* It is sent once more the next time. */
        home_log(flush->tools.home, "what was sent could not be noted: %s",
                 why.message);
    }
    flush->tools.ledger = NULL;
    return r;
}

/* What was queued between the last look and the end of the lock. */
static bool has_more(const struct flush *flush)
{
    return !flush->end.is_over && queue_count(flush->tools.home, INT64_MAX) >
                                      (int64_t)flush->left.count;
}

static void flush_finish(struct flush *flush)
{
    upload_close(flush->tools.uploader);
    queue_names_finish(&flush->left);
    flush_item_end_finish(&flush->end);
}

int flush_run(struct flush_counts *out, struct jz__buf *why,
              const struct home *home, const struct flush_options *options,
              struct jz__error *error)
{
    JZ_CLEANUP(flush_finish)
    struct flush flush = { .tools = { .home = home },
                           .options = options,
                           .counts = out };
    int r;

    assert(out != NULL && home->is_set_up && options != NULL);

    memset(out, 0, sizeof(*out));
    do {
        int lock;

        r = take_lock(&lock, home, error);
        if (r != 0 || lock < 0) {
            break;
        }
        r = run_locked(&flush, error);
        (void)close(lock);
    } while (r == 0 && has_more(&flush));
    if (flush.end.why.length > 0) {
        jz__buf_puts(why, flush.end.why.data);
    }
    /* Whoever has the lock now goes on. */
    return r == FLUSH_BUSY && flush.done > 0 ? 0 : r;
}
