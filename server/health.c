/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handles that answer calls hold the file open, so they would go on for a
 * while after it was moved, cut or overwritten. The look is therefore one from
 * outside: is the file there, and does a handle opened now read an item? The
 * second is asked only when the file changed since the last good look, or the
 * last look was bad.
 *
 * The file is never opened here but by the library: to close a descriptor of
 * one's own would drop the locks that SQLite holds on it in this process.
 */
#include "health.h"

#include <assert.h>
#include <unistd.h>

#include "jezero.h"

#define LOOK_MS 2000

static int read_something(const char *path, struct jz__error *error)
{
    jz_library *lib = NULL;
    char *text = NULL;
    int r =
        jz_library_open(&lib, path, "{\"create\":false,\"read_only\":true}");

    if (r == 0) {
        r = jz_timeline(&text, lib, NULL, "{\"limit\":1}");
    }
    if (r < 0) {
        (void)jz__fail(error, r, "%s", jz_library_errmsg(lib));
    }
    jz_free(text);
    jz_library_close(lib);
    /* A writer that holds the file for a moment does no harm to readers. */
    return r == JZ_EBUSY ? 0 : r;
}

/* SQLite writes to its log first, so a busy library often looks unchanged. */
static bool is_same(const struct jz__file_state *a,
                    const struct jz__file_state *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns &&
           a->inode == b->inode;
}

static void look(uv_work_t *work)
{
    struct health *health = work->data;
    struct jz__file_state now;
    int r = jz__file_stat(&now, health->library_path, &health->error);

    if (r == 0 && health->saw_healthy && is_same(&now, &health->seen) &&
        access(health->library_path, R_OK) == 0) {
        return;
    }
    if (r == 0) {
        r = read_something(health->library_path, &health->error);
    }
    health->saw_healthy = r == 0;
    health->seen = now;
}

/* Only a change is told: a library that stays away is one line. */
static void after_look(uv_work_t *work, int status)
{
    struct health *health = work->data;

    (void)status;
    health->is_working = false;
    if (health->is_healthy == health->saw_healthy) {
        return;
    }
    health->is_healthy = health->saw_healthy;
    if (health->is_healthy) {
        jz__log_write(health->log, JZ_LOG_INFO,
                      "the library can be read again");
    } else {
        jz__log_write(health->log, JZ_LOG_ERROR,
                      "the library %s cannot be read: %s", health->library_path,
                      health->error.message);
    }
}

static void on_time(uv_timer_t *timer)
{
    struct health *health = timer->data;

    /* A look that takes long is not joined by a second one. */
    if (!health->is_working) {
        health->is_working = true;
        health->work.data = health;
        if (uv_queue_work(timer->loop, &health->work, look, after_look) != 0) {
            health->is_working = false;
        }
    }
}

int health_start(struct health *health, uv_loop_t *loop,
                 const char *library_path, const struct jz__log *log)
{
    int r;

    assert(library_path != NULL);

    health->is_healthy = true;
    health->saw_healthy = true;
    health->library_path = library_path;
    health->log = log;
    (void)jz__file_stat(&health->seen, library_path, NULL);
    r = uv_timer_init(loop, &health->timer);
    if (r < 0) {
        return r;
    }
    health->timer.data = health;
    return uv_timer_start(&health->timer, on_time, LOOK_MS, LOOK_MS);
}

void health_stop(struct health *health)
{
    uv_handle_t *handle = (uv_handle_t *)&health->timer;

    if (health->timer.data != NULL && !uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}
