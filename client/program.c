/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents keep the path of this program in their settings for years, and one of
 * them binds the user's consent to the exact command line. So the path has to
 * be the one that stays: /usr/local/bin/jezero-client and not the folder with a
 * version number that it leads to.
 */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define NAME "jezero-client"
#define COMMAND_LINE_MOST 1048576

/* What the system runs, and what it was called by; either may be empty. */
struct origin {
    struct jz__buf running;
    struct jz__buf called;
};

static void origin_finish(struct origin *origin)
{
    jz__buf_finish(&origin->running);
    jz__buf_finish(&origin->called);
}

#ifdef __APPLE__

static void find_origin(struct origin *out)
{
    char path[4096];
    uint32_t size = sizeof(path);

    if (_NSGetExecutablePath(path, &size) == 0) {
        jz__buf_puts(&out->called, path);
        jz__buf_puts(&out->running, path);
    }
}

#else

/* The name of a running file that was replaced meanwhile has " (deleted)"
 * behind it, and names none. */
static void find_origin(struct origin *out)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length > 0) {
        jz__buf_append(&out->running, path, (size_t)length);
    }
    /* Arguments end in a NUL each, so the text is the first of them. */
    (void)jz__file_read(&out->called, "/proc/self/cmdline", COMMAND_LINE_MOST,
                        NULL);
}

#endif

/* By device and inode: two paths may lead to one file. */
static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;

    return stat(path, &b) == 0 && S_ISREG(b.st_mode) && a->st_dev == b.st_dev &&
           a->st_ino == b.st_ino;
}

/* Make the path of a name in the next entry of PATH; *rest is what is behind
 * it. False: there are no more. An entry that is relative means another file in
 * every folder, and is passed over. */
static bool next_on_path(struct jz__buf *out, const char **rest,
                         const char *name)
{
    const char *entry = *rest;

    jz__buf_clear(out);
    while (entry != NULL && *entry != '\0') {
        size_t length = strcspn(entry, ":");

        *rest = entry + length + (entry[length] == ':');
        if (entry[0] == '/') {
            jz__buf_append(out, entry, length);
            jz__buf_printf(out, "/%s", name);
            return out->error == 0;
        }
        entry = *rest;
    }
    return false;
}

static bool put_from_path(struct jz__buf *out, const struct stat *self)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    const char *rest = getenv("PATH");

    while (next_on_path(&path, &rest, NAME)) {
        if (is_same_file(self, path.data)) {
            jz__path_normalize(out, path.data);
            return true;
        }
    }
    return false;
}

/* A folder may be searched, which is the same right. */
bool program_is_on_path(const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    const char *rest = getenv("PATH");
    struct stat st;

    while (next_on_path(&path, &rest, name)) {
        if (stat(path.data, &st) == 0 && S_ISREG(st.st_mode) &&
            access(path.data, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* "bin/jezero-client", seen from the folder that this is. */
static bool put_called(struct jz__buf *out, const char *called,
                       const struct stat *self)
{
    JZ_CLEANUP(jz__mem_freep) char *folder = getcwd(NULL, 0);
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    /* A name without a slash was looked up in PATH, where it was not found
     * again. */
    if (folder == NULL || strchr(called, '/') == NULL) {
        return false;
    }
    jz__path_join(&path, folder, called);
    if (path.error != 0 || !is_same_file(self, path.data)) {
        return false;
    }
    jz__path_normalize(out, path.data);
    return true;
}

/* PATH comes first: what stands there is what the user keeps up to date. */
int program_put_path(struct jz__buf *out, struct jz__error *error)
{
    JZ_CLEANUP(origin_finish)
    struct origin origin = { JZ__BUF_INIT, JZ__BUF_INIT };
    struct stat self;

    find_origin(&origin);
    if (origin.running.length == 0 || stat(origin.running.data, &self) < 0) {
        return jz__fail(error, JZ_EIO, "cannot find where this program lies");
    }
    if (!put_from_path(out, &self) &&
        !(origin.called.length > 0 &&
          put_called(out, origin.called.data, &self))) {
        jz__buf_puts(out, origin.running.data);
    }
    return out->error != 0 ? jz__fail_memory(error) : 0;
}

/* A package may install "jezero-client-2" beside the plain name. */
bool program_is_named(const char *path)
{
    return jz__str_starts(jz__path_name(path), NAME);
}
