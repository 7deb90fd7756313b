/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples are items as JSON lines under sources of their own, so that they can
 * be told from real work for ever: which of a library's items are samples is
 * read off the sources that the files name.
 *
 * They lie in the data folder of the installation; a program that runs from its
 * build folder takes those of the source tree.
 */
#include "samples.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define FILE_MAX ((size_t)16 * 1024 * 1024)

struct gather {
    struct jz__buf *out;
    struct jz__error *error;
};

/* A line end between two files: the last line of a file may lack its own. */
static int gather_file(void *userdata, const char *path)
{
    struct gather *gather = userdata;
    size_t before = gather->out->length;

    if (!jz__str_ends(jz__str_of(path), ".jsonl")) {
        return 0;
    }
    int r = jz__file_read(gather->out, path, FILE_MAX, gather->error);
    if (r == 0 && gather->out->length > before) {
        jz__buf_putc(gather->out, '\n');
    }
    return r;
}

/* Does this program lie in the folder it was built in? Without /proc this says
 * no, and the installed samples are taken. */
static bool is_uninstalled(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length < 0) {
        return false;
    }
    path[length] = '\0';
    return jz__path_is_below(path, SAMPLES_BUILD_DIR);
}

int samples_read(struct jz__buf *out, struct jz__error *error)
{
    struct gather gather = { out, error };
    const char *folder =
        is_uninstalled() ? SAMPLES_SOURCE_DIR : SAMPLES_INSTALL_DIR;
    int r = jz__file_walk(folder, gather_file, &gather, NULL, error);

    if (r == 0 && out->error != 0) {
        return jz__fail_memory(error);
    }
    if (r == 0 && out->length == 0) {
        return jz__fail(error, JZ_ENOTFOUND, "there are no samples in %s",
                        folder);
    }
    return r;
}

/* Samples bring no ids: a library gives them those that are free. */
int samples_import(jz_library *lib, const struct jz__buf *lines,
                   struct jz__error *error)
{
    char *answer = NULL;
    int r = jz_import(&answer, lib, lines->data, lines->length);

    jz_free(answer);
    return r < 0 ? jz__fail(error, r, "%s", jz_library_errmsg(lib)) : 0;
}

/* Does any line name this source? Parsed again for each source: a few dozen
 * lines, once in the life of a server. */
static bool is_sample_source(const struct jz__buf *lines, const char *source)
{
    struct jz__str rest = { lines->data, lines->length };
    struct jz__str line;

    while (jz__str_line(&line, &rest)) {
        JZ_CLEANUP(jz__json_freep) cJSON *item = NULL;

        if (jz__json_parse(&item, line.data, line.length, NULL) == 0 &&
            strcmp(jz__json_text(item, "source", ""), source) == 0) {
            return true;
        }
    }
    return false;
}

/* Called for each source of a library. 0 goes on. */
typedef int (*source_fn)(void *userdata, const char *source, bool is_sample);

static int each_source(jz_library *lib, const struct jz__buf *lines,
                       source_fn fn, void *userdata, struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    const cJSON *source;
    char *json = NULL;
    int r = jz_list_sources(&json, lib, NULL, NULL);

    if (r < 0) {
        return jz__fail(error, r, "%s", jz_library_errmsg(lib));
    }
    r = jz__json_parse(&answer, json, strlen(json), error);
    jz_free(json);
    if (r < 0) {
        return r;
    }
    cJSON_ArrayForEach(source, jz__json_get(answer, "sources"))
    {
        r = fn(userdata, source->string,
               is_sample_source(lines, source->string));
        if (r < 0) {
            return jz__fail(error, r, "%s", jz_library_errmsg(lib));
        }
    }
    return 0;
}

static int count_source(void *userdata, const char *source, bool is_sample)
{
    struct samples_count *count = userdata;

    (void)source;
    count->samples += is_sample;
    count->others += !is_sample;
    return 0;
}

int samples_look(struct samples_count *out, jz_library *lib,
                 const struct jz__buf *lines, struct jz__error *error)
{
    memset(out, 0, sizeof(*out));
    return each_source(lib, lines, count_source, out, error);
}

static int remove_source(void *userdata, const char *source, bool is_sample)
{
    int64_t removed;

    return is_sample ? jz_remove_source(&removed, userdata, source) : 0;
}

int samples_remove(jz_library *lib, const struct jz__buf *lines,
                   struct jz__error *error)
{
    return each_source(lib, lines, remove_source, lib, error);
}
