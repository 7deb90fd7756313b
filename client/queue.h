/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of pointers. Any process may write one at any time; one at a time,
 * who holds the lock of the flush, lists, reads and takes them out.
 */
#ifndef JEZERO_CLIENT_QUEUE_H
#define JEZERO_CLIENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "home.h"
#include "pointer.h"

/* Write a pointer over an older one of its session. */
int queue_write(const struct home *home, const struct pointer *pointer,
                struct jz__error *error);

/* Pointers that wait; stops at `most`. */
int64_t queue_count(const struct home *home, int64_t most);

struct queue_names {
    char **names;
    size_t count;
    size_t capacity;
};

/*
 * The names of all pointers, sorted. What a process that was killed left behind
 * is put in order first. 0, also if there is no folder; JZ_EIO; JZ_ENOMEM.
 */
int queue_list(struct queue_names *out, const struct home *home,
               struct jz__error *error);
void queue_names_finish(struct queue_names *names);

struct queue_entry {
    char *file; /* its path */
    int fd;     /* the file as it was read, whatever bears its name by now */
    struct pointer pointer;
};

/* 0; QUEUE_BROKEN: it is no pointer, and may be removed all the same;
 * JZ_ENOTFOUND: it is gone; JZ_EIO; JZ_ENOMEM. Close it in every case. */
#define QUEUE_BROKEN 1
int queue_read(struct queue_entry *out, const struct home *home,
               const char *name, struct jz__error *error);
void queue_close(struct queue_entry *entry);

/* Take the pointer out of the queue, unless a newer one has its name by now. */
int queue_remove(const struct queue_entry *entry, struct jz__error *error);

/* Append the path of spool/<name>. */
void queue_put_path(struct jz__buf *out, const struct home *home,
                    const char *name);

#endif
