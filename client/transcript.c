/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents append to a transcript while it is read. The state is taken from the
 * descriptor before the first byte is, and no more than that size is read: what
 * was added meanwhile has another state and is sent the next time. A file that
 * shrank ends early, and it too has another state then.
 */
#include "transcript.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/str.h"
#include "base/zip.h"

#define PIECE ((size_t)65536)

#define LOOK_LINES 50
#define LOOK_BYTES ((size_t)1024 * 1024)
#define LOOK_STEP ((size_t)16384)

struct transcript {
    int fd;
    int64_t left;              /* bytes of the file, packed or not */
    struct jz__zip_zstd *zstd; /* NULL: it is not packed */
    struct jz__buf packed;     /* what was read and not yet unpacked */
    size_t taken;              /* of it */
    bool is_full;     /* unpacking may give more without further input */
    const char *path; /* borrowed */
};

static void take_state(struct transcript_state *out, const struct stat *st)
{
    out->size = st->st_size;
    out->mtime_us =
        (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000;
}

static int check(const struct stat *st, const char *path,
                 struct jz__error *error)
{
    return S_ISREG(st->st_mode)
               ? 0
               : jz__fail(error, JZ_EINVAL, "%s is no regular file", path);
}

int transcript_stat(struct transcript_state *out, const char *path,
                    struct jz__error *error)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        return errno == ENOTDIR
                   ? jz__fail(error, JZ_ENOTFOUND, "there is no %s", path)
                   : jz__fail_errno(error, errno, "cannot stat", path);
    }
    take_state(out, &st);
    return check(&st, path, error);
}

static int open_packed(struct transcript *transcript, struct jz__error *error)
{
    int r;

    if (!jz__str_ends(jz__str_of(transcript->path), ".zst")) {
        return 0;
    }
    r = jz__zip_zstd_open(&transcript->zstd);
    if (r == JZ_EINVAL) {
        return jz__fail(error, r,
                        "%s is skipped: this program was built without zstd",
                        transcript->path);
    }
    return r < 0 ? jz__fail_memory(error) : 0;
}

/* O_NONBLOCK: a FIFO's open returns at once, and is refused. */
static int open_file(struct transcript *transcript,
                     struct transcript_state *state, struct jz__error *error)
{
    const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const char *path = transcript->path;
    struct stat st;
    int r;

    transcript->fd = open(path, flags);
    if (transcript->fd < 0) {
        return errno == ENOTDIR
                   ? jz__fail(error, JZ_ENOTFOUND, "there is no %s", path)
                   : jz__fail_errno(error, errno, "cannot open", path);
    }
    if (fstat(transcript->fd, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot stat", path);
    }
    r = check(&st, path, error);
    take_state(state, &st);
    transcript->left = state->size;
    return r < 0 ? r : open_packed(transcript, error);
}

int transcript_open(struct transcript **out, struct transcript_state *state,
                    const char *path, struct jz__error *error)
{
    struct transcript *transcript = calloc(1, sizeof(*transcript));
    int r;

    *out = NULL;
    if (transcript == NULL) {
        return jz__fail_memory(error);
    }
    transcript->path = path;
    r = open_file(transcript, state, error);
    if (r < 0) {
        transcript_close(transcript);
        return r;
    }
    *out = transcript;
    return 0;
}

void transcript_close(struct transcript *transcript)
{
    if (transcript != NULL) {
        if (transcript->fd >= 0) {
            (void)close(transcript->fd);
        }
        jz__zip_zstd_close(transcript->zstd);
        jz__buf_finish(&transcript->packed);
        free(transcript);
    }
}

void transcript_closep(struct transcript **transcript)
{
    transcript_close(*transcript);
}

/* The next bytes of the file; none when it has been read up to its size. */
static int read_piece(struct jz__buf *out, struct transcript *transcript,
                      size_t most, struct jz__error *error)
{
    size_t length =
        transcript->left < (int64_t)most ? (size_t)transcript->left : most;
    char *room = jz__buf_reserve(out, length);
    ssize_t n;

    if (room == NULL) {
        return jz__fail_memory(error);
    }
    do {
        n = read(transcript->fd, room, length);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return jz__fail_errno(error, errno, "cannot read", transcript->path);
    }
    transcript->left = n == 0 ? 0 : transcript->left - n;
    out->length += (size_t)n;
    room[n] = '\0';
    return 0;
}

/* Packed bytes for the next step, unless some are left, or the last step filled
 * its room and may have more to give. */
static int refill(struct transcript *transcript, struct jz__error *error)
{
    if (transcript->taken < transcript->packed.length || transcript->is_full) {
        return 0;
    }
    jz__buf_clear(&transcript->packed);
    transcript->taken = 0;
    return read_piece(&transcript->packed, transcript, PIECE, error);
}

/* Until something came out, or the file is at its end. */
static int unpack_piece(struct jz__buf *out, struct transcript *transcript,
                        struct jz__error *error)
{
    size_t length = 0;

    while (length == 0) {
        char *room = jz__buf_reserve(out, PIECE);
        struct jz__str in;
        int r = refill(transcript, error);

        if (r < 0 || room == NULL) {
            return r < 0 ? r : jz__fail_memory(error);
        }
        in.data = transcript->packed.data + transcript->taken;
        in.length = transcript->packed.length - transcript->taken;
        if (in.length == 0 && !transcript->is_full) {
            break;
        }
        r = jz__zip_zstd_next(&length, transcript->zstd, &in, room, PIECE);
        if (r < 0) {
            return jz__fail(error, r, "%s is damaged", transcript->path);
        }
        transcript->taken = transcript->packed.length - in.length;
        transcript->is_full = length == PIECE;
        out->length += length;
        room[length] = '\0';
    }
    return length > 0 || jz__zip_zstd_is_complete(transcript->zstd)
               ? 0
               : jz__fail(error, JZ_ECORRUPT, "%s is cut", transcript->path);
}

int transcript_read(struct jz__buf *out, struct transcript *transcript,
                    struct jz__error *error)
{
    assert(out != NULL && transcript != NULL);

    return transcript->zstd != NULL ? unpack_piece(out, transcript, error)
                                    : read_piece(out, transcript, PIECE, error);
}

/* --- the first lines --- */

/* Claude Code has the folder in the line itself, Codex in its payload. */
static void take_cwd(struct jz__buf *out, const struct jz__scan *scan)
{
    size_t payload = jz__scan_get_type(scan, 0, "payload", JZ__SCAN_OBJECT);
    size_t cwd = jz__scan_get_type(scan, 0, "cwd", JZ__SCAN_STRING);

    if (cwd == 0 && payload != 0) {
        cwd = jz__scan_get_type(scan, payload, "cwd", JZ__SCAN_STRING);
    }
    if (cwd != 0) {
        jz__scan_text(out, scan, cwd);
    }
}

/* Older builds name the kind in `source`, newer ones in `thread_source` too. */
static bool is_subagent(const struct jz__scan *scan)
{
    size_t payload = jz__scan_get_type(scan, 0, "payload", JZ__SCAN_OBJECT);
    size_t source;

    if (payload == 0) {
        return false;
    }
    source = jz__scan_get_type(scan, payload, "source", JZ__SCAN_OBJECT);
    return (source != 0 && jz__scan_get(scan, source, "subagent") != 0) ||
           jz__scan_is(scan, jz__scan_get(scan, payload, "thread_source"),
                       "subagent");
}

/* false: nothing more has to be looked at. */
static bool take_line(struct transcript_head *out, struct jz__scan *scan,
                      struct jz__str line, size_t number)
{
    if (jz__scan_parse(scan, line.data, line.length) == 0 &&
        scan->tokens[0].type == JZ__SCAN_OBJECT) {
        if (number == 0) {
            out->is_subagent = is_subagent(scan);
        }
        take_cwd(&out->cwd, scan);
    }
    return out->cwd.length == 0 && number + 1 < LOOK_LINES;
}

/* Take whole lines off the text; at the end of the file the last one need not
 * have its end. false: no more are wanted. */
static bool take_lines(struct transcript_head *out, struct jz__scan *scan,
                       struct jz__str *text, size_t *number, bool is_at_end)
{
    while (text->length > 0) {
        const char *end = memchr(text->data, '\n', text->length);
        struct jz__str line = *text;

        if (end == NULL && !is_at_end) {
            return true;
        }
        if (end != NULL) {
            line.length = (size_t)(end - text->data);
        }
        text->data += line.length + (end != NULL);
        text->length -= line.length + (end != NULL);
        if (!take_line(out, scan, line, (*number)++)) {
            return false;
        }
    }
    return true;
}

/* Small steps: the folder stands in the first kilobytes nearly always, and the
 * file may have hundreds of megabytes. */
static int look_piece(struct jz__buf *out, struct transcript *transcript,
                      struct jz__error *error)
{
    return transcript->zstd != NULL
               ? unpack_piece(out, transcript, error)
               : read_piece(out, transcript, LOOK_STEP, error);
}

int transcript_look(struct transcript_head *out, const char *path,
                    struct jz__error *error)
{
    JZ_CLEANUP(transcript_closep) struct transcript *transcript = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct transcript_state state;
    size_t taken = 0;
    size_t number = 0;
    bool goes_on = true;
    int r = transcript_open(&transcript, &state, path, error);

    memset(out, 0, sizeof(*out));
    while (r == 0 && goes_on && text.length < LOOK_BYTES) {
        size_t before = text.length;
        struct jz__str rest;

        r = look_piece(&text, transcript, error);
        if (r < 0) {
            return r;
        }
        rest = (struct jz__str){ text.data + taken, text.length - taken };
        goes_on =
            take_lines(out, &scan, &rest, &number, text.length == before) &&
            text.length > before;
        taken = text.length - rest.length;
    }
    return r < 0 ? r : out->cwd.error;
}

void transcript_head_finish(struct transcript_head *head)
{
    jz__buf_finish(&head->cwd);
}
