/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files themselves are the real queue: they are in the inbox before
 * anything is put here. This list only saves the walk that would find them, so
 * it may forget, and it is short enough not to matter when the job is busy for
 * an hour.
 */
#include "arrivals.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/mem.h"

struct arrivals {
    uv_mutex_t lock; /* guards the rest */
    struct serve_stop *stop;
    char *paths[ARRIVALS_MOST]; /* a ring */
    size_t first;
    size_t count;
    bool has_overflowed;
};

struct arrivals *arrivals_new(void)
{
    struct arrivals *arrivals = calloc(1, sizeof(*arrivals));

    if (arrivals != NULL && uv_mutex_init(&arrivals->lock) < 0) {
        free(arrivals);
        return NULL;
    }
    return arrivals;
}

void arrivals_free(struct arrivals *arrivals)
{
    char *path;

    if (arrivals == NULL) {
        return;
    }
    while ((path = arrivals_take(arrivals)) != NULL) {
        free(path);
    }
    uv_mutex_destroy(&arrivals->lock);
    free(arrivals);
}

void arrivals_put(struct arrivals *arrivals, const char *path)
{
    char *copy = jz__mem_copy(path, strlen(path));

    uv_mutex_lock(&arrivals->lock);
    if (copy != NULL && arrivals->count < ARRIVALS_MOST) {
        size_t at = (arrivals->first + arrivals->count) % ARRIVALS_MOST;

        arrivals->paths[at] = jz__mem_steal(&copy);
        arrivals->count++;
    } else {
        arrivals->has_overflowed = true;
    }
    if (arrivals->stop != NULL) {
        serve_stop_wake(arrivals->stop);
    }
    uv_mutex_unlock(&arrivals->lock);
    free(copy);
}

void arrivals_set_stop(struct arrivals *arrivals, struct serve_stop *stop)
{
    uv_mutex_lock(&arrivals->lock);
    arrivals->stop = stop;
    uv_mutex_unlock(&arrivals->lock);
}

char *arrivals_take(struct arrivals *arrivals)
{
    char *path = NULL;

    uv_mutex_lock(&arrivals->lock);
    if (arrivals->count > 0) {
        path = jz__mem_steal(&arrivals->paths[arrivals->first]);
        arrivals->first = (arrivals->first + 1) % ARRIVALS_MOST;
        arrivals->count--;
    }
    uv_mutex_unlock(&arrivals->lock);
    return path;
}

bool arrivals_take_overflow(struct arrivals *arrivals)
{
    bool has_overflowed;

    uv_mutex_lock(&arrivals->lock);
    has_overflowed = arrivals->has_overflowed;
    arrivals->has_overflowed = false;
    uv_mutex_unlock(&arrivals->lock);
    return has_overflowed;
}

size_t arrivals_count(struct arrivals *arrivals)
{
    size_t count;

    uv_mutex_lock(&arrivals->lock);
    count = arrivals->count;
    uv_mutex_unlock(&arrivals->lock);
    return count;
}
