/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the library can be read: looked at every two seconds off the loop,
 * so that the answer is there when somebody asks. */
#ifndef JEZERO_SERVER_HEALTH_H
#define JEZERO_SERVER_HEALTH_H

#include <stdbool.h>
#include <uv.h>

#include "base/file.h"
#include "base/log.h"

/* Made by its owner, who keeps it until the loop has closed its timer. */
struct health {
    bool is_healthy; /* for the loop's thread */
    uv_timer_t timer;
    uv_work_t work;
    bool is_working;
    const char *library_path;
    const struct jz__log *log;

    /* What the last look saw; a thread's own while it works. */
    struct jz__file_state seen;
    bool saw_healthy;
    struct jz__error error;
};

/* Begin with a library that was just opened. 0, or a negative uv error. */
int health_start(struct health *health, uv_loop_t *loop,
                 const char *library_path, const struct jz__log *log);

/* Close the timer. May be called twice, and after a failed start. */
void health_stop(struct health *health);

#endif
