/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export FILE.jsonl: every item as a line of JSON, by id. The file is written
 * under another name and takes its own when it is whole, so that a full disk
 * does not leave half an export that looks like one; it holds what people wrote
 * and gets owner-only rights. A file that is there is replaced if it is an
 * export itself: a slip in the name must not cost anybody a file, and least of
 * all the library.
 */
#include "command.h"
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* What is read of a file that is to be replaced. Behind it the first line of an
 * export goes on with an item's texts. */
#define LOOK_BYTES 4096

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

/* --- may the file be written? --- */

/* SQLite keeps files of these names beside a library. */
static bool is_reserved(const char *path)
{
    const struct jz__str name = jz__str_of(path);

    return jz__str_ends(name, "-wal") || jz__str_ends(name, "-shm") ||
           jz__str_ends(name, "-journal");
}

/* Does it begin as an export does? The keys of a line have a fixed order. */
static bool is_export(const char *path)
{
    static const char start[] = "{\"id\":";
    char text[LOOK_BYTES];
    FILE *stream = fopen(path, "re");
    size_t length = 0;

    if (stream != NULL) {
        length = fread(text, 1, sizeof(text), stream);
        fclose(stream);
    }
    return length > strlen(start) && memcmp(text, start, strlen(start)) == 0 &&
           memmem(text, length, "\"source\":", 9) != NULL &&
           memmem(text, length, "\"external_id\":", 14) != NULL;
}

/* `path` is the real one of what is there, so that the library is found by any
 * name; a second hard link has its inode. */
static int check_target(const struct jz__opts *opts, const char *path,
                        const char *library)
{
    struct stat target;
    struct stat own;

    if (is_reserved(path)) {
        return jz__command_fail(
            opts,
            "an export cannot be named %s: SQLite would take "
            "it for a part of another file",
            path);
    }
    if (stat(path, &target) != 0) {
        return errno == ENOENT ? 0
                               : jz__command_fail(opts, "cannot write %s: %s",
                                                  path, strerror(errno));
    }
    if (stat(library, &own) == 0 && own.st_dev == target.st_dev &&
        own.st_ino == target.st_ino) {
        return jz__command_fail(
            opts,
            "%s is the library itself: name another file for "
            "the export",
            path);
    }
    if (S_ISDIR(target.st_mode)) {
        return jz__command_fail(opts, "%s is a folder: name a file", path);
    }
    if (!S_ISREG(target.st_mode)) {
        return jz__command_fail(
            opts, "%s is there and is no regular file (- is stdout)", path);
    }
    return target.st_size == 0 || is_export(path)
               ? 0
               : jz__command_fail(opts,
                                  "%s is there and is no export: it is not "
                                  "replaced",
                                  path);
}

/* --- items --- */

static int64_t count_lines(const char *text)
{
    int64_t count = 0;

    while ((text = strchr(text, '\n')) != NULL) {
        count++;
        text++;
    }
    return count;
}

/* Batch after batch by id, so that an item that arrives meanwhile is either in
 * or has a higher id. The last line of a batch says where the next begins. */
static int write_items(int64_t *count, FILE *stream,
                       const struct jz__opts *opts, jz_library *lib)
{
    int64_t id = 0;

    *count = 0;
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
            *count += count_lines(lines);
        }
        jz_free(lines);
        if (!is_written) {
            return jz__command_fail(opts, "cannot write: %s", strerror(errno));
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
    int64_t count;
    int status;

    if (stream == NULL) {
        return jz__command_fail(opts, "cannot write %s: %s", path,
                                strerror(errno));
    }
    status = write_items(&count, stream, opts, lib);
    if (status == 0 && (fflush(stream) != 0 || fsync(fd) != 0)) {
        status = jz__command_fail(opts, "cannot write %s: %s", path,
                                  strerror(errno));
    }
    fclose(stream);
    if (status == 0 && rename(part, path) != 0) {
        status = jz__command_fail(opts, "cannot write %s: %s", path,
                                  strerror(errno));
    }
    if (status != 0) {
        (void)unlink(part);
        return status;
    }
    (void)jz__command_fail(opts, "%lld item%s written to %s", (long long)count,
                           count == 1 ? "" : "s", path);
    return 0;
}

static int export_file(const struct jz__opts *opts,
                       const struct command_library *library)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(opts->arguments[0], NULL);
    JZ_CLEANUP(jz__buf_finish) struct jz__buf part = JZ__BUF_INIT;
    const char *path = real != NULL ? real : opts->arguments[0];
    int status = check_target(opts, path, library->path);

    if (status != 0) {
        return status;
    }
    jz__buf_printf(&part, "%s.part-%ld", path, (long)getpid());
    if (part.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    return write_file(opts, library->lib, path, part.data);
}

int cmd_export_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    int status = command_open(&library, opts, COMMAND_READS);
    int64_t count;

    if (status != 0) {
        return status;
    }
    if (strcmp(opts->arguments[0], "-") != 0) {
        return export_file(opts, &library);
    }
    status = write_items(&count, stdout, opts, library.lib);
    return status == 0 ? jz__command_put(opts, "") : status;
}
