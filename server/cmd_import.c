/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import FILE.jsonl: items as lines of JSON. A line that cannot be taken is
 * named by its number and the import goes on; a library that cannot be written
 * to ends it, because no further line would fare better. What was taken stays.
 *
 * Lines are read with fread() and not as a file of base/file.h, because `-` is
 * stdin, which may be a pipe.
 */
#include "command.h"
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* A longer line is refused: an item's original is far smaller. */
#define LINE_MAX_BYTES ((size_t)64 * 1024 * 1024)

/* Lines that are stored in one transaction: until one of the two is reached. */
#define BATCH_LINES 500
#define BATCH_BYTES ((size_t)4 * 1024 * 1024)

/* Bad lines that are named; the rest is counted. */
#define NAMED_MAX 20

struct import {
    const struct jz__opts *opts;
    jz_library *lib;
    struct jz__buf line;
    bool is_too_long; /* the rest of this line is passed over */
    int64_t number;   /* of the line */
    struct jz__buf batch;
    int64_t numbers[BATCH_LINES]; /* of the lines in the batch */
    size_t batch_count;
    int64_t created;
    int64_t replaced; /* were there already */
    int64_t failed;
};

/* A file of the wrong kind is wrong in every line; twenty are enough to see
 * it. */
static void name_bad_line(struct import *import, int64_t number,
                          const char *why)
{
    import->failed++;
    if (import->failed <= NAMED_MAX) {
        (void)jz__command_fail(import->opts, "line %lld: %s", (long long)number,
                               why);
    }
}

/* {"lines":500,"stored":499,"created":400,"failed":[{"line":3,"reason":…}]} */
static int count_batch(struct import *import, const char *answer)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    struct jz__error error = { 0 };
    const cJSON *bad;
    double stored;
    double created;

    if (jz__json_parse(&tree, answer, strlen(answer), &error) < 0) {
        return jz__command_fail(import->opts, "%s", error.message);
    }
    stored = jz__json_number(tree, "stored", 0.0);
    created = jz__json_number(tree, "created", 0.0);
    import->created += (int64_t)created;
    import->replaced += (int64_t)(stored - created);
    cJSON_ArrayForEach(bad, jz__json_get(tree, "failed"))
    {
        double line = jz__json_number(bad, "line", 0.0);

        if (line >= 1.0 && line <= (double)import->batch_count) {
            name_bad_line(import, import->numbers[(size_t)line - 1],
                          jz__json_text(bad, "reason", "refused"));
        }
    }
    return 0;
}

/* The library counts lines from the start of the batch, and blank ones were
 * left out of it; numbers[] leads back to the file. */
static int store_batch(struct import *import)
{
    char *answer = NULL;
    int status = 0;
    int r;

    if (import->batch_count == 0) {
        return 0;
    }
    if (import->batch.error != 0) {
        return jz__command_fail(import->opts, "out of memory");
    }
    r = jz_import(&answer, import->lib, import->batch.data,
                  import->batch.length);
    if (r < 0) {
        return jz__command_fail(import->opts, "stopped before line %lld: %s",
                                (long long)import->numbers[0],
                                jz_library_errmsg(import->lib));
    }
    status = count_batch(import, answer);
    jz_free(answer);
    jz__buf_clear(&import->batch);
    import->batch_count = 0;
    return status;
}

/* A whole line into the batch; blank ones are passed over. 0, or the exit
 * status that ends the import. */
static int take_line(struct import *import)
{
    struct jz__str text;

    import->number++;
    if (import->is_too_long) {
        name_bad_line(import, import->number, "the line is longer than 64 MiB");
        return 0;
    }
    if (import->line.error != 0) {
        return jz__command_fail(import->opts, "line %lld: out of memory",
                                (long long)import->number);
    }
    text = jz__str_trim(
        (struct jz__str){ import->line.data != NULL ? import->line.data : "",
                          import->line.length });
    if (text.length == 0) {
        return 0;
    }
    jz__buf_append(&import->batch, text.data, text.length);
    jz__buf_putc(&import->batch, '\n');
    import->numbers[import->batch_count++] = import->number;
    return import->batch_count == BATCH_LINES ||
                   import->batch.length >= BATCH_BYTES
               ? store_batch(import)
               : 0;
}

/* Once a line is too long, its bytes are no longer kept. */
static void add_bytes(struct import *import, const char *data, size_t length)
{
    if (import->line.length + length > LINE_MAX_BYTES) {
        import->is_too_long = true;
    }
    if (!import->is_too_long) {
        jz__buf_append(&import->line, data, length);
    }
}

static int take_bytes(struct import *import, const char *data, size_t length)
{
    while (length > 0) {
        const char *end = memchr(data, '\n', length);
        size_t part = end != NULL ? (size_t)(end - data) : length;
        int status;

        add_bytes(import, data, part);
        if (end == NULL) {
            return 0;
        }
        status = take_line(import);
        if (status != 0) {
            return status;
        }
        jz__buf_clear(&import->line);
        import->is_too_long = false;
        data = end + 1;
        length -= part + 1;
    }
    return 0;
}

/* 64 KiB at a time: memory is bounded by a line and a batch, whatever the
 * file. */
static int take_stream(struct import *import, FILE *stream, const char *name)
{
    char data[65536];
    size_t length;
    int status = 0;

    while (status == 0 && (length = fread(data, 1, sizeof(data), stream)) > 0) {
        status = take_bytes(import, data, length);
    }
    if (status == 0 && ferror(stream) != 0) {
        return jz__command_fail(import->opts, "cannot read %s: %s", name,
                                strerror(errno));
    }
    if (status == 0 && (import->line.length > 0 || import->is_too_long)) {
        status = take_line(import); /* the last line has no line end */
    }
    return status == 0 ? store_batch(import) : status;
}

/* On stdout: it is the result of the command. Also after a failure, because
 * what was stored is stored. */
static int report(const struct import *import)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int64_t total = import->created + import->replaced;

    if (import->failed > NAMED_MAX) {
        (void)jz__command_fail(import->opts, "… and %lld further bad lines",
                               (long long)import->failed - NAMED_MAX);
    }
    jz__buf_printf(&text,
                   "%lld item%s: %lld new, %lld replaced; %lld bad "
                   "line%s\n",
                   (long long)total, total == 1 ? "" : "s",
                   (long long)import->created, (long long)import->replaced,
                   (long long)import->failed, import->failed == 1 ? "" : "s");
    return text.error == 0 ? jz__command_put(import->opts, text.data)
                           : jz__command_fail(import->opts, "out of memory");
}

static int run_import(struct import *import, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "re");
    int status;
    int r;

    if (stream == NULL) {
        return jz__command_fail(import->opts, "cannot read %s: %s", path,
                                strerror(errno));
    }
    status = take_stream(import, stream, is_stdin ? "stdin" : path);
    if (!is_stdin) {
        fclose(stream);
    }
    if (status == 0) {
        status = command_maintain(import->opts, import->lib);
    }
    r = report(import);
    status = status != 0 ? status : r;
    return status == 0 && import->failed > 0 ? JZ__COMMAND_FAILED : status;
}

int cmd_import_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    struct import import = { .opts = opts };
    int status;

    /* A slip in the file's name must not leave an empty library behind. */
    if (strcmp(opts->arguments[0], "-") != 0 &&
        access(opts->arguments[0], R_OK) != 0) {
        return jz__command_fail(opts, "cannot read %s: %s", opts->arguments[0],
                                strerror(errno));
    }
    status = command_open(&library, opts, COMMAND_CREATES);
    if (status != 0) {
        return status;
    }
    import.lib = library.lib;
    status = run_import(&import, opts->arguments[0]);
    jz__buf_finish(&import.line);
    jz__buf_finish(&import.batch);
    return status;
}
