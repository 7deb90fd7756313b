/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks. A folder is read to its end, closed, and what it holds is sorted
 * before the walk goes deeper: one descriptor is open at a time, however deep
 * the tree, and two walks over the same files see them in the same order.
 *
 * Agents' folders hold links that lead back up, folders of other users and
 * files that vanish meanwhile. So links to folders are not followed below the
 * root, and what cannot be read is counted and not an error. The root itself
 * is what somebody named: it may be a link, and it must be readable.
 */
#include "base/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* Folders below the root. It bounds the recursion as well. */
#define WALK_DEPTH 32

struct entry {
    char *name; /* in the folder's arena */
    bool is_folder;
};

/* What one folder holds of interest. */
struct listing {
    struct jz__arena arena;
    struct entry *entries;
    size_t count;
    size_t capacity;
};

struct walk {
    jz__file_walk_fn fn;
    void *userdata;
    int64_t skipped;
    struct jz__buf path; /* of the folder at hand */
    struct jz__error *error;
};

static void finish_walk(struct walk *walk)
{
    jz__buf_finish(&walk->path);
}

static void finish_listing(struct listing *list)
{
    free(list->entries);
    jz__arena_finish(&list->arena);
}

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

/* Byte order of the whole paths below: a folder's paths go on with a slash
 * where a file's path ends. */
static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    size_t i = 0;
    int x;
    int y;

    while (a->name[i] != '\0' && a->name[i] == b->name[i]) {
        i++;
    }
    x = (unsigned char)a->name[i];
    y = (unsigned char)b->name[i];
    if (x == 0 && a->is_folder) {
        x = '/';
    }
    if (y == 0 && b->is_folder) {
        y = '/';
    }
    return x - y;
}

/* Is the entry a folder, or a file (also by a link)? False: neither. Most file
 * systems tell the kind along with the name, which saves a call for each of
 * many thousand files; for the others and for links it is asked. */
static bool classify(bool *is_folder, DIR *folder, const struct dirent *entry)
{
    struct stat st;

    *is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_DIR || entry->d_type == DT_REG) {
        return true;
    }
    if (entry->d_type == DT_UNKNOWN &&
        fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(st.st_mode)) {
        *is_folder = true;
        return true;
    }
    return (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) &&
           fstatat(dirfd(folder), entry->d_name, &st, 0) == 0 &&
           S_ISREG(st.st_mode);
}

static int add_entry(struct listing *list, const char *name, bool is_folder)
{
    int r = jz__mem_grow(&list->entries, &list->capacity, list->count + 1,
                         sizeof(*list->entries));

    if (r < 0) {
        return r;
    }
    list->entries[list->count].is_folder = is_folder;
    list->entries[list->count].name =
        jz__arena_copy(&list->arena, name, strlen(name));
    if (list->entries[list->count].name == NULL) {
        return JZ_ENOMEM;
    }
    list->count++;
    return JZ_OK;
}

/* Read and sort a folder. 0; JZ_EIO with errno set; JZ_ENOMEM. Below the root
 * O_NOFOLLOW holds even if a folder became a link since it was listed. */
static int list_folder(struct listing *list, const char *path, bool is_root)
{
    JZ_CLEANUP(close_folder) DIR *folder = NULL;
    int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC;
    int fd = open(path, is_root ? flags : flags | O_NOFOLLOW);
    const struct dirent *entry;

    if (fd < 0) {
        return JZ_EIO;
    }
    folder = fdopendir(fd);
    if (folder == NULL) {
        (void)close(fd);
        return JZ_EIO;
    }
    /* readdir() tells its end and its errors alike, but for errno. */
    errno = 0;
    while ((entry = readdir(folder)) != NULL) {
        bool is_folder;

        if (strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0 ||
            !classify(&is_folder, folder, entry)) {
            errno = 0;
            continue;
        }
        if (add_entry(list, entry->d_name, is_folder) < 0) {
            return JZ_ENOMEM;
        }
        errno = 0;
    }
    if (errno != 0) {
        return JZ_EIO;
    }
    if (list->count > 1) {
        qsort(list->entries, list->count, sizeof(*list->entries),
              compare_entries);
    }
    return JZ_OK;
}

/* The folder is walk->path; depth is 0 for the root. The recursion ends at
 * WALK_DEPTH. */
/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited. */
static int walk_folder(struct walk *walk, int depth)
{
    JZ_CLEANUP(finish_listing)
    struct listing list = { JZ__ARENA_INIT, NULL, 0, 0 };
    size_t length = walk->path.length;
    size_t i;
    int r = JZ_EIO;

    /* Too deep counts as unreadable, so that it shows in the number. */
    if (depth <= WALK_DEPTH) {
        r = list_folder(&list, walk->path.data, depth == 0);
    }
    if (r == JZ_EIO && depth > 0) {
        walk->skipped++;
        return JZ_OK;
    }
    if (r == JZ_EIO) {
        return jz__fail_errno(walk->error, errno, "cannot read folder",
                              walk->path.data);
    }
    for (i = 0; r == 0 && i < list.count; i++) {
        if (length > 0 && walk->path.data[length - 1] != '/') {
            jz__buf_putc(&walk->path, '/');
        }
        jz__buf_puts(&walk->path, list.entries[i].name);
        if (walk->path.error != 0) {
            r = JZ_ENOMEM;
        } else if (list.entries[i].is_folder) {
            r = walk_folder(walk, depth + 1);
        } else {
            r = walk->fn(walk->userdata, walk->path.data);
        }
        jz__buf_truncate(&walk->path, length);
    }
    return r == JZ_ENOMEM ? jz__fail_memory(walk->error) : r;
}

int jz__file_walk(const char *folder, jz__file_walk_fn fn, void *userdata,
                  int64_t *skipped, struct jz__error *error)
{
    JZ_CLEANUP(finish_walk)
    struct walk walk = { fn, userdata, 0, JZ__BUF_INIT, error };
    struct stat st;
    int r;

    assert(folder != NULL && fn != NULL);

    if (skipped != NULL) {
        *skipped = 0;
    }
    if (stat(folder, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot read", folder);
    }
    if (!S_ISDIR(st.st_mode)) {
        if (!S_ISREG(st.st_mode)) {
            return jz__fail(error, JZ_EINVAL, "%s is no regular file", folder);
        }
        return fn(userdata, folder);
    }
    jz__buf_puts(&walk.path, folder);
    if (walk.path.error != 0) {
        return jz__fail_memory(error);
    }
    r = walk_folder(&walk, 0);
    if (skipped != NULL) {
        *skipped = walk.skipped;
    }
    return r;
}
