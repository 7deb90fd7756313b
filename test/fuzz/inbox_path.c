/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of an upload, and the project that comes with it. A path that is
 * taken is put together again from its parts and has to be what was sent: so
 * nothing was decoded, dropped or looked past. None of its parts can lead
 * anywhere but down.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "inbox_path.h"
#include "jezero.h"
#include "net/percent.h"

#define PROJECT_MOST 200

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_part(struct jz__str part)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"
                                  "rstuvwxyz0123456789._-";

    require(part.length > 0 && part.data[0] != '.');
    require(part.length <= INBOX_PART_MOST + sizeof(".jsonl") - 1);
    for (size_t i = 0; i < part.length; i++) {
        require(part.data[i] != '\0' && strchr(allowed, part.data[i]) != NULL);
    }
}

static void check_path(struct jz__str text)
{
    struct jz__buf again = JZ__BUF_INIT;
    struct inbox_path path;
    const char *reason = NULL;
    size_t known = 0;

    if (!inbox_path_parse(&path, &reason, text)) {
        require(reason != NULL);
        return;
    }
    while (inbox_agents[known] != NULL &&
           strcmp(inbox_agents[known], path.agent) != 0) {
        known++;
    }
    require(inbox_agents[known] != NULL);
    require(path.count >= 1 && path.count <= INBOX_PARTS_MOST);
    jz__buf_puts(&again, path.agent);
    for (size_t i = 0; i < path.count; i++) {
        check_part(path.parts[i]);
        jz__buf_putc(&again, '/');
        jz__buf_append(&again, path.parts[i].data, path.parts[i].length);
    }
    require(again.length == text.length &&
            memcmp(again.data, text.data, text.length) == 0);
    jz__buf_finish(&again);
}

static void check_project(struct jz__str text)
{
    struct jz__buf project = JZ__BUF_INIT;
    int r = jz__percent_decode(&project, text, PROJECT_MOST);

    require(r == 0 || r == JZ_EINVAL);
    require(r == 0 || project.length == 0);
    require(project.length <= PROJECT_MOST && project.length <= text.length);
    require(project.length == 0 ||
            jz__utf8_is_valid(project.data, project.length));
    for (size_t i = 0; i < project.length; i++) {
        unsigned char c = (unsigned char)project.data[i];

        require(c >= 0x20 && c != 0x7F);
    }
    jz__buf_finish(&project);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A slice of its own size, so that a read behind it is seen. */
    char *copy = malloc(size + 1);
    struct jz__str text = { copy, size };

    require(copy != NULL);
    memcpy(copy, data, size);
    check_path(text);
    check_project(text);
    free(copy);
    return 0;
}
