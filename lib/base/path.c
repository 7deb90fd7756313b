/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as text. Nothing here asks the file system: a path out of a transcript
 * may be of another computer, or of a folder that is gone. So ".." is resolved
 * by text, which differs from the kernel's answer where a symbolic link is in
 * between; whoever needs the kernel's answer resolves the links first.
 */
#include "base/path.h"

#include <assert.h>
#include <string.h>

void jz__path_join(struct jz__buf *out, const char *base, const char *name)
{
    size_t length = strlen(base);

    assert(name != NULL);

    if (name[0] != '/' && length > 0) {
        jz__buf_puts(out, base);
        if (base[length - 1] != '/') {
            jz__buf_putc(out, '/');
        }
    }
    jz__buf_puts(out, name);
}

/* Length of path without its trailing slashes; 0 for "/". */
static size_t trimmed(const char *path)
{
    size_t length = strlen(path);

    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    return length;
}

/* Offset of the last part of path[0..length), which does not end in '/'. */
static size_t last_part(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    return length;
}

struct jz__str jz__path_name(const char *path)
{
    size_t length = trimmed(path);
    size_t start = last_part(path, length);

    return (struct jz__str){ path + start, length - start };
}

struct jz__str jz__path_parent(const char *path)
{
    size_t length = last_part(path, trimmed(path));

    /* The last part stands alone, or directly behind the root. */
    if (length == 0) {
        return path[0] == '/' ? JZ__STR("/") : JZ__STR(".");
    }
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    return (struct jz__str){ path, length };
}

/* Take the last part off what was written behind `start`. False: there is
 * none, or it is a ".." that could not be resolved. */
static bool drop_part(struct jz__buf *out, size_t start)
{
    const char *text = out->data + start;
    size_t length = out->length - start;
    size_t part = last_part(text, length);

    if (length == part || strcmp(text + part, "..") == 0) {
        return false;
    }
    /* The slash goes with its part, but the root's stays. */
    jz__buf_truncate(out, start + (part > 1 ? part - 1 : part));
    return true;
}

/* A relative path keeps the ".." that lead out of it, and one of which nothing
 * is left is ".", as a path is never empty. */
void jz__path_normalize(struct jz__buf *out, const char *path)
{
    bool is_absolute = path[0] == '/';
    size_t start = out->length;

    jz__buf_puts(out, is_absolute ? "/" : "");
    while (*path != '\0' && out->error == 0) {
        size_t length = strcspn(path, "/");
        bool is_up = length == 2 && path[0] == '.' && path[1] == '.';
        bool is_here = length == 0 || (length == 1 && path[0] == '.');

        /* Nothing is above the root: "/.." is "/". */
        if (!is_here && !(is_up && (drop_part(out, start) || is_absolute))) {
            if (out->length > start && out->data[out->length - 1] != '/') {
                jz__buf_putc(out, '/');
            }
            jz__buf_append(out, path, length);
        }
        path += length;
        path += strspn(path, "/");
    }
    if (out->length == start) {
        jz__buf_putc(out, '.');
    }
}

bool jz__path_is_below(const char *path, const char *folder)
{
    size_t length = trimmed(folder);

    /* "/" holds every absolute path, and an empty folder nothing. */
    if (length == 0) {
        return folder[0] == '/' && path[0] == '/';
    }
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '\0' || path[length] == '/');
}

/* "~name" is left alone: other people's homes are not ours to look up. */
void jz__path_expand(struct jz__buf *out, const char *path, const char *home)
{
    if (path[0] != '~' || (path[1] != '\0' && path[1] != '/')) {
        jz__buf_puts(out, path);
        return;
    }
    jz__buf_append(out, home, trimmed(home));
    /* A home of "/" is nothing once trimmed, and "~" alone still needs it. */
    if (trimmed(home) == 0 && path[1] == '\0') {
        jz__buf_puts(out, home);
    }
    jz__buf_puts(out, path + 1);
}
