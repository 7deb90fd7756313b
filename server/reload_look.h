/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at jezero.toml: has it changed since the last one, and into what? No
 * loop and no clock, so that every case can be tested without waiting.
 */
#ifndef JEZERO_SERVER_RELOAD_LOOK_H
#define JEZERO_SERVER_RELOAD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auth.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "config.h"

/* Tables of a file. */
#define RELOAD_TABLES 10

/* What tells one content of the file from another without reading it. */
struct reload_stamp {
    int number; /* errno of a file that is not there; 0 */
    uint64_t device;
    uint64_t inode;
    int64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
};

enum reload_found {
    RELOAD_NOTHING, /* it is as it was */
    RELOAD_MOVING,  /* somebody is at it: look again in a moment */
    RELOAD_CLIENTS, /* the list is another one: .clients */
    RELOAD_OTHERS,  /* it can be loaded, and the list is what it was */
    RELOAD_BAD      /* it cannot be loaded: .error */
};

struct reload_look {
    const char *path; /* borrowed, as home and log */
    const char *home; /* what ~ means */
    const struct jz__log *log;

    /* What was found last. */
    struct reload_stamp seen;
    bool is_settled; /* a file with this stamp has this content */
    bool is_bad;
    uint64_t reason;                 /* hash of the message, when it is bad */
    uint64_t running[RELOAD_TABLES]; /* hashes of the tables at the start */
    uint64_t loaded[RELOAD_TABLES];  /* and of the last file that was loaded */
    bool has_entries;                /* does the list in force have any? */
    int postponed;

    /* Of the last look. */
    struct auth_table *clients; /* the caller takes it */
    struct jz__buf others;      /* tables that changed, "[server], [ingest]" */
    bool was_bad;
    struct jz__error error;
};

/* What the server was started with is the first file. */
void reload_look_init(struct reload_look *look, const struct config *running);
void reload_look_finish(struct reload_look *look);

/*
 * is_asked: somebody says that it changed, so it is read whatever its stamp
 * and told whatever is found. now_ns: since 1970. Warnings about single clients
 * go to the log.
 */
enum reload_found reload_look(struct reload_look *look, bool is_asked,
                              int64_t now_ns);

#endif
