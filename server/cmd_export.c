/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export FILE.jsonl: every item as a line of JSON, by id. The file is written
 * under another name and takes its own when it is whole, so that a full disk
 * does not leave half an export that looks like one; it holds what people wrote
 * and gets owner-only rights.
 */
#include "command.h"
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* Items of a batch: with originals of 60,000 characters some megabytes. */
#define BATCH 100

/* The id of a batch's last line, or 0. */
static int64_t last_id(const char *lines)
{
    JZ_CLEANUP(jz__json_freep) cJSON *item = NULL;
    struct jz__str rest = jz__str_trim(jz__str_of(lines));
    const char *start = memrchr(rest.data, '\n', rest.length);
    int64_t id = 0;

    if (start != NULL) {
        start++;
        rest.length -= (size_t)(start - rest.data);
        rest.data = start;
    }
    if (jz__json_parse(&item, rest.data, rest.length, NULL) < 0 ||
        !jz__json_whole(&id, jz__json_get(item, "id"))) {
        return 0;
    }
    return id;
}

/* Batch after batch by id, so that an item that arrives meanwhile is either in
 * or has a higher id. The last line of a batch says where the next begins. */
static int write_items(FILE *stream, const struct jz__opts *opts,
                       jz_library *lib)
{
    int64_t id = 0;

    for (;;) {
        char *lines = NULL;
        int64_t last = 0;
        bool is_written = true;
        int r = jz_export(&lines, lib, id, BATCH);

        if (r < 0) {
            return command_fail_library(opts, lib, r);
        }
        if (lines[0] != '\0') {
            is_written = fputs(lines, stream) >= 0;
            last = last_id(lines);
        }
        jz_free(lines);
        if (!is_written) {
            return command_fail(opts, "cannot write: %s", strerror(errno));
        }
        if (last <= id) {
            return 0;
        }
        id = last;
    }
}

/* The process id in the name keeps two exports apart; O_EXCL keeps out a link
 * that somebody put there. */
static int write_file(const struct jz__opts *opts, jz_library *lib,
                      const char *path, const char *part)
{
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    int status;

    if (stream == NULL) {
        return command_fail(opts, "cannot write %s: %s", path, strerror(errno));
    }
    status = write_items(stream, opts, lib);
    if (status == 0 && (fflush(stream) != 0 || fsync(fd) != 0)) {
        status =
            command_fail(opts, "cannot write %s: %s", path, strerror(errno));
    }
    fclose(stream);
    if (status == 0 && rename(part, path) != 0) {
        status =
            command_fail(opts, "cannot write %s: %s", path, strerror(errno));
    }
    if (status != 0) {
        (void)unlink(part);
    }
    return status;
}

int cmd_export_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf part = JZ__BUF_INIT;
    const char *path = opts->arguments[0];
    int status = command_open(&library, opts, COMMAND_READS);

    if (status != 0) {
        return status;
    }
    if (strcmp(path, "-") == 0) {
        status = write_items(stdout, opts, library.lib);
        return status == 0 ? command_put(opts, "") : status;
    }
    jz__buf_printf(&part, "%s.part-%ld", path, (long)getpid());
    if (part.error != 0) {
        return command_fail(opts, "out of memory");
    }
    return write_file(opts, library.lib, path, part.data);
}
