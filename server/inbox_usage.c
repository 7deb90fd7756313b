/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's folder is walked when its first upload comes, and from then on the
 * number is kept by what comes and goes. Files that others remove (old ones,
 * the administrator) are not seen: so before a device is refused it is looked
 * whether the number still is true, but not more often than now and then,
 * because a device that is refused comes again at once.
 *
 * What is arriving counts too, else a hundred uploads at a time could each see
 * the same free room.
 */
#include "inbox_usage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

/* A number that is younger than this, in nanoseconds, is not looked at again. */
#define FRESH_NS ((uint64_t)10 * 1000000000)

/* Of a file system, in bytes: most have this size or smaller ones. */
#define BLOCK 4096

struct device {
    struct device *next;
    char *name;
    uint64_t used;        /* by files in their places */
    uint64_t arriving;    /* taken by uploads */
    uint64_t measured_ns; /* 0: never */
};

struct inbox_usage {
    const char *inbox;
    uint64_t most;
    uv_mutex_t lock;
    struct device *devices; /* few: one a computer */
};

uint64_t inbox_usage_of(uint64_t bytes)
{
    return (bytes / BLOCK + (bytes % BLOCK > 0) + 1) * BLOCK;
}

struct inbox_usage *inbox_usage_new(const char *inbox, uint64_t most)
{
    struct inbox_usage *usage = calloc(1, sizeof(*usage));

    if (usage == NULL) {
        return NULL;
    }
    usage->inbox = inbox;
    usage->most = most;
    if (uv_mutex_init(&usage->lock) < 0) {
        free(usage);
        return NULL;
    }
    return usage;
}

void inbox_usage_free(struct inbox_usage *usage)
{
    if (usage == NULL) {
        return;
    }
    while (usage->devices != NULL) {
        struct device *device = usage->devices;

        usage->devices = device->next;
        free(device->name);
        free(device);
    }
    uv_mutex_destroy(&usage->lock);
    free(usage);
}

static struct device *find(struct inbox_usage *usage, const char *name)
{
    struct device *device = usage->devices;

    while (device != NULL && strcmp(device->name, name) != 0) {
        device = device->next;
    }
    if (device != NULL) {
        return device;
    }
    device = calloc(1, sizeof(*device));
    if (device == NULL) {
        return NULL;
    }
    device->name = jz__mem_copy(name, strlen(name));
    if (device->name == NULL) {
        free(device);
        return NULL;
    }
    device->next = usage->devices;
    usage->devices = device;
    return device;
}

static int on_file(void *userdata, const char *path)
{
    struct device *device = userdata;
    struct jz__file_state state;

    if (jz__file_stat(&state, path, NULL) == 0) {
        device->used += inbox_usage_of((uint64_t)state.size);
    }
    return 0;
}

/* A device without a folder has no files yet. */
static bool measure(const struct inbox_usage *usage, struct device *device)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;

    jz__path_join(&folder, usage->inbox, device->name);
    if (folder.error != 0) {
        return false;
    }
    device->used = 0;
    (void)jz__file_walk(folder.data, on_file, device, NULL, NULL);
    device->measured_ns = uv_hrtime();
    return true;
}

static bool has_room(const struct inbox_usage *usage,
                     const struct device *device, uint64_t bytes)
{
    uint64_t taken = device->used + device->arriving;

    return taken <= usage->most && bytes <= usage->most - taken;
}

bool inbox_usage_take(struct inbox_usage *usage, const char *device,
                      uint64_t bytes)
{
    struct device *found;
    bool is_known;
    bool has;

    uv_mutex_lock(&usage->lock);
    found = find(usage, device);
    is_known =
        found != NULL && (found->measured_ns != 0 || measure(usage, found));
    has = is_known && has_room(usage, found, bytes);
    if (is_known && !has && uv_hrtime() - found->measured_ns > FRESH_NS) {
        has = measure(usage, found) && has_room(usage, found, bytes);
    }
    if (has) {
        found->arriving += bytes;
    }
    uv_mutex_unlock(&usage->lock);
    return has;
}

void inbox_usage_settle(struct inbox_usage *usage, const char *device,
                        uint64_t taken, int64_t growth)
{
    struct device *found;

    uv_mutex_lock(&usage->lock);
    found = find(usage, device);
    if (found != NULL) {
        assert(found->arriving >= taken);
        found->arriving -= taken;
        /* A walk in the meantime may have seen another state. */
        if (growth < 0 && found->used < (uint64_t)-growth) {
            found->used = 0;
        } else {
            found->used += (uint64_t)growth;
        }
    }
    uv_mutex_unlock(&usage->lock);
}
