/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of one upload below the inbox. The parts were checked before; they
 * are copied because the request that named them is gone when the file is put
 * in its place.
 */
#include "inbox_disk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Copy one part to *at, which goes on behind it. */
static const char *put_part(char **at, struct jz__str part)
{
    const char *start = *at;

    memcpy(*at, part.data, part.length);
    (*at)[part.length] = '\0';
    *at += part.length + 1;
    return start;
}

bool inbox_name_init(struct inbox_name *out, const char *device,
                     const struct inbox_path *path)
{
    size_t length = strlen(device) + strlen(path->agent) + 2;
    char *at;
    size_t i;

    assert(path->count >= 1 && path->count <= INBOX_PARTS_MOST);

    *out = (struct inbox_name){ .text = NULL };
    for (i = 0; i < path->count; i++) {
        length += path->parts[i].length + 1;
    }
    out->text = malloc(length);
    if (out->text == NULL) {
        return false;
    }
    at = out->text;
    out->folders[out->folder_count++] = put_part(&at, jz__str_of(device));
    out->folders[out->folder_count++] = put_part(&at, jz__str_of(path->agent));
    for (i = 0; i + 1 < path->count; i++) {
        out->folders[out->folder_count++] = put_part(&at, path->parts[i]);
    }
    out->file = put_part(&at, path->parts[i]);
    assert(at == out->text + length);
    return true;
}

void inbox_name_finish(struct inbox_name *name)
{
    free(name->text);
    *name = (struct inbox_name){ .text = NULL };
}

bool inbox_name_equal(const struct inbox_name *a, const struct inbox_name *b)
{
    size_t i;

    if (a->folder_count != b->folder_count || strcmp(a->file, b->file) != 0) {
        return false;
    }
    for (i = 0; i < a->folder_count; i++) {
        if (strcmp(a->folders[i], b->folders[i]) != 0) {
            return false;
        }
    }
    return true;
}

void inbox_name_put(struct jz__buf *out, const char *inbox,
                    const struct inbox_name *name)
{
    size_t i;

    jz__buf_puts(out, inbox);
    for (i = 0; i < name->folder_count; i++) {
        jz__buf_printf(out, "/%s", name->folders[i]);
    }
    jz__buf_printf(out, "/%s", name->file);
}
