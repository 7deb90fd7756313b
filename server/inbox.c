/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uploads use the disk in steps: a stretch of the body, the end. A step runs on
 * a thread of libuv's, and no more than a few at a time, so that uploads slow
 * each other down and not the library calls, which have threads of their own
 * number. Who is ready waits in a queue; each step takes all that has arrived,
 * so everybody gets on.
 */
#include "inbox.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "inbox_private.h"

/* --- steps --- */

static void run_step(uv_work_t *work)
{
    struct upload *upload = work->data;
    struct jz__str data = { upload->data.data, upload->data.length };

    switch (upload->step) {
    case UPLOAD_WRITE:
        upload_file_write(&upload->file, data, upload->is_whole);
        break;
    case UPLOAD_FINISH:
        upload_file_finish(&upload->file);
        break;
    default:
        upload_file_drop(&upload->file);
        break;
    }
}

static void start_queued(struct inbox *inbox);

static void on_step(uv_work_t *work, int status)
{
    struct upload *upload = work->data;
    struct inbox *inbox = upload->inbox;

    (void)status; /* never cancelled */
    inbox->running--;
    upload->is_busy = false;
    jz__buf_finish(&upload->data);
    upload_stepped(upload);
    start_queued(inbox);
}

/* What has arrived goes to the thread, and more may arrive meanwhile. */
static void start(struct upload *upload)
{
    if (upload->step == UPLOAD_WRITE) {
        upload->data = upload->pending;
        upload->pending = (struct jz__buf)JZ__BUF_INIT;
        upload->is_whole = upload->has_ended;
    }
    upload->inbox->running++;
    upload->work.data = upload;
    /* It fails for a missing function alone. */
    (void)uv_queue_work(upload->inbox->loop, &upload->work, run_step, on_step);
    upload_say_room(upload);
}

static void start_queued(struct inbox *inbox)
{
    while (inbox->queued != NULL && inbox->running < inbox->options.jobs) {
        struct upload *upload = inbox->queued;

        inbox->queued = upload->next_queued;
        if (inbox->queued == NULL) {
            inbox->last = &inbox->queued;
        }
        start(upload);
    }
}

void inbox_queue(struct upload *upload, enum upload_step step)
{
    struct inbox *inbox = upload->inbox;

    assert(!upload->is_busy);

    upload->is_busy = true;
    upload->step = step;
    upload->next_queued = NULL;
    *inbox->last = upload;
    inbox->last = &upload->next_queued;
    start_queued(inbox);
}

/* --- the start and the end --- */

/* Agents write secrets into their sessions: a folder that others may look into
 * is closed to them, whoever made it. */
static int prepare_folder(struct inbox *inbox, const char *path,
                          struct jz__error *error)
{
    int fd = -1;
    int r = inbox_disk_open(&fd, path);

    if (r != 0) {
        return jz__fail_errno(error, r, "cannot open the inbox", path);
    }
    inbox->path = realpath(path, NULL);
    if (inbox->path == NULL || fchmod(fd, 0700) < 0) {
        r = jz__fail_errno(error, errno, "cannot use the inbox", path);
    } else if (faccessat(fd, ".", W_OK, 0) < 0) {
        r = jz__fail_errno(error, errno, "cannot write to the inbox", path);
    } else {
        inbox_disk_sweep(fd);
    }
    (void)close(fd);
    return r;
}

int inbox_open(struct inbox **out, uv_loop_t *loop,
               const struct inbox_options *options, struct jz__error *error)
{
    struct inbox *inbox = calloc(1, sizeof(*inbox));
    int r;

    assert(options->jobs > 0 && options->path != NULL);

    *out = NULL;
    if (inbox == NULL) {
        return jz__fail_memory(error);
    }
    inbox->loop = loop;
    inbox->options = *options;
    inbox->last = &inbox->queued;
    r = prepare_folder(inbox, options->path, error);
    inbox->place = (struct upload_place){ .inbox = inbox->path,
                                          .file_most = options->file_most };
    if (r == 0 && options->total_most > 0) {
        inbox->place.usage = inbox_usage_new(inbox->path, options->total_most);
        r = inbox->place.usage != NULL ? 0 : jz__fail_memory(error);
    }
    if (r < 0) {
        inbox_close(inbox);
        return r;
    }
    *out = inbox;
    return 0;
}

void inbox_close(struct inbox *inbox)
{
    if (inbox == NULL) {
        return;
    }
    assert(inbox->oldest == NULL && inbox->running == 0);
    inbox_usage_free(inbox->place.usage);
    free(inbox->path);
    free(inbox);
}
