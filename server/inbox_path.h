/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be uploaded where: /inbox/v1/<agent>/<path>, as each agent's
 * connector takes it. Pure.
 */
#ifndef JEZERO_SERVER_INBOX_PATH_H
#define JEZERO_SERVER_INBOX_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Bytes of one part of a path; the ending of the last one does not count. */
#define INBOX_PART_MOST 150

/* Parts behind the agent: codex has YYYY/MM/DD/file. */
#define INBOX_PARTS_MOST 4

struct inbox_path {
    const char *agent;                      /* static */
    struct jz__str parts[INBOX_PARTS_MOST]; /* slices of the text */
    size_t count;
};

/*
 * Read "<agent>/<path>", what follows /inbox/v1/ as it was sent: nothing is
 * decoded, because no allowed character is ever encoded. False, and *reason is
 * a static phrase: it is refused.
 */
bool inbox_path_parse(struct inbox_path *out, const char **reason,
                      struct jz__str text);

/* The agents that may upload; the last one is NULL. */
extern const char *const inbox_agents[];

#endif
