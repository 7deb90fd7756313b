/* SPDX-License-Identifier: Apache-2.0 */
/* Sends one transcript, packed on the way, and judges the answer. */
#ifndef JEZERO_CLIENT_UPLOAD_H
#define JEZERO_CLIENT_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "base/buf.h"
#include "base/error.h"
#include "home.h"
#include "net/fetch.h"

/* Milliseconds for one upload, its answer included. */
#define UPLOAD_MS 60000

/* Uploads one after the other, over one connection. */
struct uploader;

/* The home is set up, and outlives it. JZ_EINVAL: its url, the proxy or the
 * certificates are none; JZ_ENOTFOUND: there are no certificates; JZ_EIO;
 * JZ_ENOMEM. */
int upload_open(struct uploader **out, const struct home *home,
                struct jz__error *error);
void upload_close(struct uploader *uploader);
void upload_closep(struct uploader **uploader);

struct upload {
    enum agent_id agent;
    const char *path;       /* behind /inbox/v1/<agent>/ */
    const char *project;    /* or NULL */
    jz__fetch_read_fn read; /* the transcript in pieces of any size */
    void *read_data;
};

enum upload_outcome {
    UPLOAD_SENT,
    UPLOAD_REFUSED,   /* the key: 401, 403 */
    UPLOAD_REJECTED,  /* this file, for good: 400, 413, 415 */
    UPLOAD_FAILED,    /* another answer, or none */
    UPLOAD_UNREADABLE /* reading the transcript failed, by .unreadable */
};

struct upload_result {
    enum upload_outcome outcome;
    int status;         /* of the answer; 0: none came */
    int unreadable;     /* the error that read returned */
    int64_t pause_s;    /* that the server asked for; 0: it did not */
    bool is_late;       /* the time was over */
    struct jz__buf why; /* one line about what was not sent */
};

/* 0 or JZ_ENOMEM; finish the result in every case. */
int upload_send(struct upload_result *out, struct uploader *uploader,
                const struct upload *upload, struct jz__error *error);
void upload_result_finish(struct upload_result *result);

/* The seconds that Retry-After asks for: a number, or a date as HTTP writes it;
 * 0: neither. Pure. */
int64_t upload_pause_of(const char *text, int64_t now);

#endif
