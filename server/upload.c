/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One upload as the loop sees it. Bytes gather while it waits for a thread;
 * when they are more than a stretch, the connection is told to wait. When the
 * body is whole, the upload is put in its place, but never two of one path at
 * the same time: each finds the whole work of the other.
 *
 * It is freed at one place, when nobody works for it and it has been answered
 * or given up.
 */
#include "inbox.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inbox_private.h"

/* Bytes that wait for a thread before the connection is stopped. A thousand
 * uploads that all have to wait hold a few times this much in all. */
#define PENDING_MOST 65536

static void add(struct upload *upload)
{
    struct inbox *inbox = upload->inbox;

    upload->previous = inbox->newest;
    if (inbox->newest != NULL) {
        inbox->newest->next = upload;
    } else {
        inbox->oldest = upload;
    }
    inbox->newest = upload;
}

static void upload_free(struct upload *upload)
{
    struct inbox *inbox = upload->inbox;

    if (upload->previous != NULL) {
        upload->previous->next = upload->next;
    } else {
        inbox->oldest = upload->next;
    }
    if (upload->next != NULL) {
        upload->next->previous = upload->previous;
    } else {
        inbox->newest = upload->previous;
    }
    upload_file_close(&upload->file);
    jz__buf_finish(&upload->pending);
    free(upload);
}

/* The path tells what it was; its content is nobody's to read in a log. */
static void log_failure(const struct upload *upload)
{
    const struct inbox *inbox = upload->inbox;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    inbox_name_put(&path, inbox->path, &upload->file.name);
    if (path.error == 0) {
        jz__log_write(inbox->options.log, JZ_LOG_WARNING,
                      "upload %s was answered with %d: %s (%s)", path.data,
                      upload->file.status, upload->file.reason,
                      strerror(upload->file.number));
    }
}

static void say_arrival(const struct upload *upload)
{
    const struct inbox *inbox = upload->inbox;
    const struct upload_file *file = &upload->file;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf source = JZ__BUF_INIT;
    struct inbox_arrival arrival = {
        .agent = file->name.folders[1],
        .project = file->project.length > 0 ? file->project.data : NULL,
    };

    inbox_name_put(&path, inbox->path, &file->name);
    jz__buf_printf(&source, "agent-%s-%s", file->name.folders[1],
                   file->name.folders[0]);
    /* Without memory for it the next pass finds the file. */
    if (path.error == 0 && source.error == 0 &&
        inbox->options.on_arrival != NULL) {
        arrival.path = path.data;
        arrival.source = source.data;
        inbox->options.on_arrival(inbox->options.userdata, &arrival);
    }
}

/* Is another upload of the same path being put in its place? */
static bool is_place_taken(const struct upload *upload)
{
    const struct upload *other = upload->inbox->oldest;

    while (other != NULL &&
           (other == upload || !other->is_busy ||
            other->step != UPLOAD_FINISH ||
            !inbox_name_equal(&other->file.name, &upload->file.name))) {
        other = other->next;
    }
    return other != NULL;
}

static void answer(struct upload *upload)
{
    const struct upload_answer given = { upload->file.status,
                                         upload->file.reason,
                                         upload->file.bytes };
    const struct upload_calls calls = upload->calls;

    upload_free(upload);
    calls.on_answer(calls.userdata, &given);
}

void upload_go_on(struct upload *upload)
{
    struct upload_file *file = &upload->file;

    assert(!upload->is_busy);

    if (upload->pending.error != 0 && file->status == 0) {
        file->status = 500;
        file->reason = "out of memory";
    }
    if ((upload->is_cancelled || file->status != 0) &&
        (file->is_there || file->taken > 0)) {
        inbox_queue(upload, UPLOAD_DROP);
    } else if (upload->is_cancelled) {
        upload_free(upload);
    } else if (file->status != 0) {
        answer(upload);
    } else if (upload->pending.length > 0 ||
               (upload->has_ended && !upload->is_whole)) {
        inbox_queue(upload, UPLOAD_WRITE);
    } else if (upload->is_whole && !is_place_taken(upload)) {
        inbox_queue(upload, UPLOAD_FINISH);
    }
}

/* Whoever waited for the place of this upload: the oldest one goes first. */
static void wake_waiting(struct inbox *inbox, const struct inbox_name *name)
{
    struct upload *upload = inbox->oldest;

    while (upload != NULL &&
           (upload->is_busy || !upload->is_whole || upload->file.status != 0 ||
            !inbox_name_equal(&upload->file.name, name))) {
        upload = upload->next;
    }
    if (upload != NULL) {
        upload_go_on(upload);
    }
}

/* A file that is in its place has arrived, also when the client is gone. */
void upload_stepped(struct upload *upload)
{
    if (upload->step == UPLOAD_FINISH) {
        if (upload->file.has_changed) {
            say_arrival(upload);
        }
        wake_waiting(upload->inbox, &upload->file.name);
    }
    if (upload->file.number != 0 && !upload->is_cancelled) {
        log_failure(upload);
    }
    upload_go_on(upload);
}

void upload_say_room(struct upload *upload)
{
    if (upload->is_full && !upload->has_ended && !upload->is_cancelled) {
        upload->is_full = false;
        upload->calls.on_room(upload->calls.userdata);
    }
}

/* --- for the connections --- */

/* A name that is no folder's would lead out of the inbox, or be taken for one
 * of its own. The configuration allows dots. */
static bool is_folder_name(const char *device)
{
    return device[0] != '\0' && device[0] != '.' && strchr(device, '/') == NULL;
}

struct upload *upload_start(struct inbox *inbox,
                            const struct upload_request *request,
                            const struct upload_calls *calls)
{
    struct upload *upload = calloc(1, sizeof(*upload));

    assert(request->path.agent != NULL && calls->on_answer != NULL &&
           calls->on_room != NULL);

    if (upload == NULL) {
        return NULL;
    }
    upload->inbox = inbox;
    upload->calls = *calls;
    upload->file.place = &inbox->place;
    upload->file.is_gzip = request->is_gzip;
    (void)snprintf(upload->file.arriving, sizeof(upload->file.arriving),
                   INBOX_ARRIVING "%" PRIu64, ++inbox->last_number);
    jz__buf_append(&upload->file.project, request->project.data,
                   request->project.length);
    if (!inbox_name_init(&upload->file.name, request->device, &request->path) ||
        upload->file.project.error != 0) {
        upload_file_close(&upload->file);
        free(upload);
        return NULL;
    }
    if (!is_folder_name(request->device)) {
        upload->file.status = 403;
        upload->file.reason = "this device's name cannot be a folder's";
    }
    add(upload);
    return upload;
}

bool upload_feed(struct upload *upload, struct jz__str data)
{
    assert(!upload->has_ended && !upload->is_cancelled);

    jz__buf_append(&upload->pending, data.data, data.length);
    if (!upload->is_busy) {
        inbox_queue(upload, UPLOAD_WRITE);
    }
    upload->is_full = upload->pending.length >= PENDING_MOST;
    return !upload->is_full;
}

void upload_end(struct upload *upload)
{
    assert(!upload->has_ended && !upload->is_cancelled);

    upload->has_ended = true;
    if (!upload->is_busy) {
        inbox_queue(upload, UPLOAD_WRITE);
    }
}

void upload_cancel(struct upload *upload)
{
    assert(!upload->is_cancelled);

    upload->is_cancelled = true;
    if (!upload->is_busy) {
        upload_go_on(upload);
    }
}
