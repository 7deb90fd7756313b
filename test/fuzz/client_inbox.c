/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a transcript goes, by its path or its id: what is made of them must be
 * a path that the server takes, or nothing. And what lies in the queue, which
 * is read as a pointer or refused; a pointer that was read reads as it was when
 * it is written again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "inbox.h"
#include "inbox_path.h"
#include "jezero.h"
#include "pointer.h"

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Both as one text, up to its first NUL. */
static void check_path(const char *text)
{
    for (int agent = 0; agent < AGENT_COUNT; agent++) {
        struct jz__buf out = JZ__BUF_INIT;
        struct inbox_path path;
        const char *reason = NULL;
        size_t start;

        jz__buf_printf(&out, "%s/", agent_name((enum agent_id)agent));
        start = out.length;
        if (inbox_put_path(&out, &reason, (enum agent_id)agent, text, text)) {
            require(inbox_path_parse(&path, &reason,
                                     (struct jz__str){ out.data, out.length }));
        } else {
            require(reason != NULL && out.length == start);
        }
        jz__buf_finish(&out);
    }
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void check_pointer(struct jz__str text)
{
    struct pointer first = { 0 };
    struct pointer again = { 0 };
    struct jz__buf out = JZ__BUF_INIT;
    int r = pointer_read(&first, text);

    require(r == 0 || r == JZ_EINVAL);
    if (r == 0) {
        pointer_put(&out, &first);
        require(pointer_read(&again,
                             (struct jz__str){ out.data, out.length }) == 0);
        require(first.agent == again.agent &&
                is_same(first.session_id, again.session_id) &&
                is_same(first.path, again.path) &&
                is_same(first.cwd, again.cwd) &&
                is_same(first.project, again.project) &&
                first.queued_at == again.queued_at);
        jz__buf_clear(&out);
        pointer_put_name(&out, first.agent, first.session_id);
        require(out.length < 200 && strchr(out.data, '/') == NULL);
    }
    jz__buf_finish(&out);
    pointer_finish(&first);
    pointer_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);

    require(copy != NULL);
    memcpy(copy, data, size);
    copy[size] = '\0';
    check_path(copy);
    check_pointer((struct jz__str){ copy, size });
    free(copy);
    return 0;
}
