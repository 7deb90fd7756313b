/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hook runs at the start of a turn, when the user's input is one of the
 * last lines of a file that can be large: so its end is read, and searched line
 * by line from behind. Only lines that hold the step's name are scanned.
 */
#include "hook_transcript.h"

#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/scan.h"

#define STEP "USER_INPUT"
#define OPENING "<USER_REQUEST>"
#define CLOSING "</USER_REQUEST>"

/* It stands between marks, with notes on time and settings behind it. */
static struct jz__str request_of(struct jz__str content)
{
    size_t begin = jz__str_find(content, OPENING);
    size_t end;

    if (begin != SIZE_MAX) {
        begin += strlen(OPENING);
        content.data += begin;
        content.length -= begin;
    }
    end = jz__str_find(content, CLOSING);
    if (end != SIZE_MAX) {
        content.length = end;
    }
    return jz__str_trim(content);
}

/* 1: the line is a request, and appended. */
static int take_line(struct jz__buf *out, struct jz__str line)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf content = JZ__BUF_INIT;
    struct jz__str request;
    size_t at;
    int r;

    if (memmem(line.data, line.length, STEP, strlen(STEP)) == NULL) {
        return 0;
    }
    r = jz__scan_parse(&scan, line.data, line.length);
    if (r < 0) {
        return r == JZ_ENOMEM ? r : 0;
    }
    at = jz__scan_get_type(&scan, 0, "type", JZ__SCAN_STRING);
    if (at == 0 || !jz__scan_is(&scan, at, STEP)) {
        return 0;
    }
    at = jz__scan_get_type(&scan, 0, "content", JZ__SCAN_STRING);
    if (at == 0) {
        return 0;
    }
    jz__scan_text(&content, &scan, at);
    request = request_of((struct jz__str){ content.data, content.length });
    jz__buf_append(out, request.data, request.length);
    return content.error != 0 || out->error != 0 ? JZ_ENOMEM : 1;
}

int hook_transcript_find(struct jz__buf *out, struct jz__str lines, bool is_cut)
{
    assert(out != NULL && (lines.data != NULL || lines.length == 0));

    while (lines.length > 0) {
        const char *before;
        struct jz__str line = lines;
        int r;

        before = memrchr(lines.data, '\n', lines.length);
        if (before != NULL) {
            line.data = before + 1;
            line.length = (size_t)(lines.data + lines.length - line.data);
        } else if (is_cut) {
            return 0;
        }
        r = take_line(out, line);
        if (r != 0) {
            return r < 0 ? r : 0;
        }
        lines.length = before != NULL ? (size_t)(before - lines.data) : 0;
    }
    return 0;
}

static void close_fd(const int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
}

int hook_transcript_request(struct jz__buf *out, const char *path)
{
    const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    JZ_CLEANUP(close_fd) int fd = -1;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf tail = JZ__BUF_INIT;
    struct stat st;
    off_t begin;
    ssize_t n;
    char *room;

    assert(out != NULL && path != NULL);

    if (path[0] != '/') {
        return 0;
    }
    fd = open(path, flags);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        return 0;
    }
    begin = st.st_size > (off_t)HOOK_TRANSCRIPT_TAIL
                ? st.st_size - (off_t)HOOK_TRANSCRIPT_TAIL
                : 0;
    room = jz__buf_reserve(&tail, HOOK_TRANSCRIPT_TAIL);
    if (room == NULL) {
        return JZ_ENOMEM;
    }
    n = pread(fd, room, HOOK_TRANSCRIPT_TAIL, begin);
    return n <= 0 ? 0
                  : hook_transcript_find(
                        out, (struct jz__str){ room, (size_t)n }, begin > 0);
}
