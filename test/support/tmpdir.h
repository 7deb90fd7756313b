/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of its own for a test, removed with all that is in it:
 *
 *     static void missing_file_is_not_found(void)
 *     {
 *         struct tmpdir dir;
 *
 *         tmpdir_make(&dir);
 *         tmpdir_write(&dir, "there", "text", 4);
 *         CHECK_INT(call(tmpdir_path(&dir, "missing")), JZ_ENOTFOUND);
 *         tmpdir_remove(&dir);
 *     }
 *
 * A test cannot go on without its folder, so a failure here ends the program.
 */
#ifndef JZ_TEST_TMPDIR_H
#define JZ_TEST_TMPDIR_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMPDIR_PATHS 8

struct tmpdir {
    char path[256];
    char joined[TMPDIR_PATHS][PATH_MAX];
    int next;
};

static inline void tmpdir_die(const char *what, const char *path)
{
    printf("Bail out! %s %s\n", what, path);
    exit(EXIT_FAILURE);
}

static inline void tmpdir_make(struct tmpdir *dir)
{
    const char *base = getenv("TMPDIR");

    if (base == NULL || base[0] != '/' || strlen(base) > 200) {
        base = "/tmp";
    }
    dir->next = 0;
    (void)snprintf(dir->path, sizeof(dir->path), "%s/jezero-test-XXXXXX", base);
    if (mkdtemp(dir->path) == NULL) {
        tmpdir_die("cannot make", dir->path);
    }
}

/* The path of name in the folder, valid for the next seven calls. */
static inline const char *tmpdir_path(struct tmpdir *dir, const char *name)
{
    char *path = dir->joined[dir->next];
    size_t base = strlen(dir->path);
    size_t length = strlen(name);

    if (base + length + 2 > PATH_MAX) {
        tmpdir_die("path too long below", dir->path);
    }
    memcpy(path, dir->path, base);
    path[base] = '/';
    memcpy(path + base + 1, name, length + 1);
    dir->next = (dir->next + 1) % TMPDIR_PATHS;
    return path;
}

/* Make the folder `name`; those above it are there. Its path is returned. */
static inline const char *tmpdir_mkdir(struct tmpdir *dir, const char *name)
{
    const char *path = tmpdir_path(dir, name);

    if (mkdir(path, 0700) < 0) {
        tmpdir_die("cannot make", path);
    }
    return path;
}

/* Write the file `name`; the folders above it are there. Its path is
 * returned. */
static inline const char *tmpdir_write(struct tmpdir *dir, const char *name,
                                       const void *data, size_t length)
{
    const char *path = tmpdir_path(dir, name);
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(data, 1, length, file) != length ||
        fclose(file) != 0) {
        tmpdir_die("cannot write", path);
    }
    return path;
}

static inline int tmpdir_remove_one(const char *path, const struct stat *st,
                                    int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline void tmpdir_remove(struct tmpdir *dir)
{
    if (nftw(dir->path, tmpdir_remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0) {
        tmpdir_die("cannot remove", dir->path);
    }
}

#endif
