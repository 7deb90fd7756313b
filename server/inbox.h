/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inbox: what computers uploaded, as files below one folder.
 *
 *     <inbox>/<device>/<agent>/<path>             0600
 *     <inbox>/<device>/<agent>/…/.<name>.project  the project it was sent with
 *     <inbox>/.upload-<number>                    one that is arriving
 *
 * A name that begins with a dot cannot be uploaded. Uploads run off the loop;
 * all functions are for the loop's thread.
 */
#ifndef JEZERO_SERVER_INBOX_H
#define JEZERO_SERVER_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "inbox_path.h"

struct inbox;
struct upload;

/* An upload is on disk and is new: agent and source are borrowed. */
struct inbox_arrival {
    const char *path;
    const char *agent;
    const char *source;  /* agent-codex-laptop */
    const char *project; /* NULL: by the rules */
};

struct inbox_options {
    const char *path;    /* of the folder; borrowed like all here */
    uint64_t file_most;  /* bytes of one file, decompressed */
    uint64_t total_most; /* of one device's files, in blocks; 0: no limit */
    int jobs;            /* uploads that use the disk at the same time */
    const struct jz__log *log;

    /* On the loop's thread, for a file whose content or project changed. */
    void (*on_arrival)(void *userdata, const struct inbox_arrival *arrival);
    void *userdata;
};

/* Makes the folder; removes what uploads left that a crash cut off. */
int inbox_open(struct inbox **out, uv_loop_t *loop,
               const struct inbox_options *options, struct jz__error *error);

/* When no upload is left. NULL is allowed. */
void inbox_close(struct inbox *inbox);

/* --- one upload --- */

struct upload_request {
    const char *device;
    struct inbox_path path;
    struct jz__str project; /* decoded; empty: the known one stays */
    bool is_gzip;
};

/* What an upload came to: 200 with reason NULL, else a phrase. Static. */
struct upload_answer {
    int status;
    const char *reason;
    uint64_t bytes; /* decompressed */
};

/*
 * on_answer is called once, unless the upload was cancelled, also long before
 * the body's end (413, 507): the upload is then over. on_room: bytes can be
 * taken again. Neither is called from within a function of this header.
 */
struct upload_calls {
    void (*on_answer)(void *userdata, const struct upload_answer *answer);
    void (*on_room)(void *userdata);
    void *userdata;
};

/* Begin: the request is copied. NULL: out of memory. No disk is touched yet. */
struct upload *upload_start(struct inbox *inbox,
                            const struct upload_request *request,
                            const struct upload_calls *calls);

/* Hand on bytes of the body, which are copied. False: there is room for no
 * more before on_room. */
bool upload_feed(struct upload *upload, struct jz__str data);

/* The body is complete: on_answer follows. */
void upload_end(struct upload *upload);

/* The client is gone: no file is left. Neither callback comes any more. */
void upload_cancel(struct upload *upload);

#endif
