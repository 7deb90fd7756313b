/* SPDX-License-Identifier: Apache-2.0 */
/* The inbox from the inside: for inbox.c, which shares the threads among the
 * uploads, and upload.c, which is what the loop sees of one. */
#ifndef JEZERO_SERVER_INBOX_PRIVATE_H
#define JEZERO_SERVER_INBOX_PRIVATE_H

#include "inbox.h"
#include "upload_file.h"

struct inbox {
    uv_loop_t *loop;
    struct inbox_options options;
    char *path; /* real: documents are known by it */
    struct upload_place place;
    uint64_t last_number;
    struct upload *oldest; /* all of them */
    struct upload *newest;
    struct upload *queued; /* those that wait for a thread */
    struct upload **last;  /* where the next one is hung in */
    int running;
};

/* What a thread is to do next. */
enum upload_step {
    UPLOAD_WRITE,
    UPLOAD_FINISH,
    UPLOAD_DROP
};

struct upload {
    struct inbox *inbox;
    struct upload *previous;
    struct upload *next;
    struct upload *next_queued;
    uv_work_t work;
    struct upload_calls calls;
    struct upload_file file;
    struct jz__buf pending; /* has arrived */
    struct jz__buf data;    /* is with the thread */
    enum upload_step step;
    bool is_busy;      /* queued, or a thread has it */
    bool has_ended;    /* no more will arrive */
    bool is_whole;     /* a thread has taken the end of the body */
    bool is_full;      /* on_room is due */
    bool is_cancelled; /* nobody waits for the answer */
};

/* Have a thread take the upload's next step. */
void inbox_queue(struct upload *upload, enum upload_step step);

/* An upload that is not busy may have something to do. It may be gone
 * afterwards. */
void upload_go_on(struct upload *upload);

/* A thread has the upload's bytes: there is room for others. */
void upload_say_room(struct upload *upload);

/* A thread is done with its step. */
void upload_stepped(struct upload *upload);

#endif
