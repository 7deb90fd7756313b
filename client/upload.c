/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transcript of any size is packed in bounded memory. What packs to little,
 * which is nearly everything, goes out whole with its length and may be
 * repeated when a kept connection turns out to be closed; the rest goes out in
 * chunks while it is packed.
 *
 * Only what this server's inbox says counts as sent: a portal's login page is a
 * 200 too.
 */
#include "upload.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/zip.h"
#include "net/percent.h"
#include "remote.h"

/* Packed bytes that are sent whole. */
#define WHOLE_MOST ((size_t)256 * 1024)

/* Packed bytes of one chunk, about. */
#define CHUNK ((size_t)32 * 1024)

#define ANSWER_MOST ((size_t)1024 * 1024)

/* What the server takes of X-Jezero-Project, before encoding. */
#define PROJECT_MOST 200

struct uploader {
    struct remote *remote;
    struct jz__zip_writer *zip;
};

/* A transcript that is being packed. */
struct packer {
    const struct upload *upload;
    struct jz__zip_writer *zip;
    struct jz__buf raw;
    struct jz__buf first; /* packed before the request began */
    bool has_ended;
    int failure; /* of upload->read */
};

static void packer_finish(struct packer *packer)
{
    jz__buf_finish(&packer->raw);
    jz__buf_finish(&packer->first);
}

int upload_open(struct uploader **out, const struct home *home,
                struct jz__error *error)
{
    struct uploader *uploader = calloc(1, sizeof(*uploader));
    int r;

    *out = NULL;
    if (uploader == NULL) {
        return jz__fail_memory(error);
    }
    r = remote_open(&uploader->remote, home, error);
    if (r == 0 && jz__zip_writer_open(&uploader->zip) < 0) {
        r = jz__fail_memory(error);
    }
    if (r < 0) {
        upload_close(uploader);
        return r;
    }
    *out = uploader;
    return 0;
}

void upload_close(struct uploader *uploader)
{
    if (uploader != NULL) {
        remote_close(uploader->remote);
        jz__zip_writer_close(uploader->zip);
        free(uploader);
    }
}

void upload_closep(struct uploader **uploader)
{
    upload_close(*uploader);
}

/* --- packing --- */

/* Append until `least` bytes came, or the end. */
static int pack(struct jz__buf *out, struct packer *packer, size_t least,
                struct jz__error *error)
{
    size_t start = out->length;

    while (!packer->has_ended && out->length - start < least) {
        const struct upload *upload = packer->upload;
        int r;

        jz__buf_clear(&packer->raw);
        r = upload->read(&packer->raw, upload->read_data, error);
        if (r < 0) {
            packer->failure = r;
            return r;
        }
        packer->has_ended = packer->raw.length == 0;
        r = packer->has_ended
                ? jz__zip_writer_end(out, packer->zip)
                : jz__zip_writer_put(
                      out, packer->zip,
                      (struct jz__str){ packer->raw.data, packer->raw.length });
        if (r < 0) {
            return jz__fail_memory(error);
        }
    }
    return 0;
}

/* jz__fetch_read_fn: what was packed to see whether it is little goes first. */
static int read_packed(struct jz__buf *out, void *userdata,
                       struct jz__error *error)
{
    struct packer *packer = userdata;

    if (packer->first.length > 0) {
        jz__buf_append(out, packer->first.data, packer->first.length);
        jz__buf_finish(&packer->first);
        return out->error != 0 ? jz__fail_memory(error) : 0;
    }
    return pack(out, packer, CHUNK, error);
}

/* --- the request --- */

/* Without what no header can carry, and not longer than the server takes. */
static void put_project(struct jz__buf *out, const char *project)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    size_t length;

    jz__utf8_one_line(&line, project, strlen(project));
    length = line.length;
    if (length > PROJECT_MOST) {
        length = PROJECT_MOST;
        while (((unsigned char)line.data[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    if (line.error != 0) {
        out->error = line.error;
    } else if (length > 0) {
        jz__buf_puts(out, "X-Jezero-Project: ");
        jz__percent_encode(out, (struct jz__str){ line.data, length });
        jz__buf_puts(out, "\r\n");
    }
}

static int put_head(struct jz__buf *path, struct jz__buf *headers,
                    const struct upload *upload)
{
    jz__buf_printf(path, "/inbox/v1/%s/%s", agent_name(upload->agent),
                   upload->path);
    jz__buf_puts(headers, "Content-Encoding: gzip\r\n");
    if (upload->project != NULL) {
        put_project(headers, upload->project);
    }
    return path->error != 0 || headers->error != 0 ? JZ_ENOMEM : 0;
}

/* --- the answer --- */

/* The date is the C locale's, which this program never leaves. */
int64_t upload_pause_of(const char *text, int64_t now)
{
    struct tm date = { 0 };
    const char *rest;
    char *end;
    long long seconds;

    while (*text == ' ') {
        text++;
    }
    if (*text >= '0' && *text <= '9') {
        seconds = strtoll(text, &end, 10);
        return *end == '\0' ? seconds : 0;
    }
    rest = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &date);
    if (rest == NULL || *rest != '\0') {
        return 0;
    }
    seconds = (long long)timegm(&date);
    return seconds > now ? seconds - now : 0;
}

static void take_pause(struct upload_result *out,
                       const struct jz__fetch_answer *answer)
{
    struct jz__str value;
    char text[64];

    if (jz__fetch_header(&value, answer, "Retry-After") &&
        value.length < sizeof(text)) {
        memcpy(text, value.data, value.length);
        text[value.length] = '\0';
        out->pause_s = upload_pause_of(text, (int64_t)time(NULL));
    }
}

/* The inbox's own word, not the status alone. */
static bool is_taken(const struct jz__fetch_answer *answer)
{
    JZ_CLEANUP(jz__json_freep) cJSON *body = NULL;

    return answer->status == 200 && answer->body.length > 0 &&
           jz__json_parse(&body, answer->body.data, answer->body.length,
                          NULL) == 0 &&
           jz__json_flag(body, "ok", false);
}

/* By the status, also where the body is a proxy's: one that takes no more than
 * a megabyte says 413 as the server would. */
static enum upload_outcome judge(const struct jz__fetch_answer *answer)
{
    switch (answer->status) {
    case 200:
        return is_taken(answer) ? UPLOAD_SENT : UPLOAD_FAILED;
    case 400:
    case 413:
    case 415:
        return UPLOAD_REJECTED;
    case 401:
    case 403:
        return UPLOAD_REFUSED;
    default:
        return UPLOAD_FAILED;
    }
}

static void take_answer(struct upload_result *out,
                        const struct jz__fetch_answer *answer)
{
    out->status = answer->status;
    out->outcome = judge(answer);
    if (out->outcome != UPLOAD_SENT) {
        remote_show_answer(&out->why, answer);
        take_pause(out, answer);
    }
}

static int exchange(struct upload_result *out, struct uploader *uploader,
                    struct packer *packer, struct jz__error *error)
{
    JZ_CLEANUP(jz__fetch_answer_finish) struct jz__fetch_answer answer = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf headers = JZ__BUF_INIT;
    struct jz__fetch_request request = {
        .method = "PUT",
        .most = ANSWER_MOST,
        .deadline_ms = jz__fetch_now_ms() + UPLOAD_MS,
    };
    int r;

    if (put_head(&path, &headers, packer->upload) < 0) {
        return jz__fail_memory(error);
    }
    request.path = path.data;
    request.headers = headers.data;
    if (packer->has_ended) {
        request.body =
            (struct jz__str){ packer->first.data, packer->first.length };
        request.may_repeat = true;
    } else {
        request.read = read_packed;
        request.read_data = packer;
    }
    r = remote_send(&answer, uploader->remote, &request, error);
    if (r == 0) {
        take_answer(out, &answer);
    } else {
        out->is_late = jz__fetch_now_ms() >= request.deadline_ms;
    }
    return r;
}

int upload_send(struct upload_result *out, struct uploader *uploader,
                const struct upload *upload, struct jz__error *error)
{
    JZ_CLEANUP(packer_finish)
    struct packer packer = { .upload = upload, .zip = uploader->zip };
    int r;

    assert(out != NULL && upload->read != NULL);

    memset(out, 0, sizeof(*out));
    r = pack(&packer.first, &packer, WHOLE_MOST, error);
    if (r == 0) {
        r = exchange(out, uploader, &packer, error);
    }
    if (!packer.has_ended) {
        /* The writer begins anew with the next transcript. */
        jz__buf_clear(&packer.raw);
        (void)jz__zip_writer_end(&packer.raw, packer.zip);
    }
    if (r < 0) {
        out->outcome = packer.failure < 0 ? UPLOAD_UNREADABLE : UPLOAD_FAILED;
        out->unreadable = packer.failure;
        jz__buf_puts(&out->why, error->message);
    }
    return r == JZ_ENOMEM || out->why.error != 0 ? jz__fail_memory(error) : 0;
}

void upload_result_finish(struct upload_result *result)
{
    jz__buf_finish(&result->why);
}
