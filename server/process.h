/* SPDX-License-Identifier: Apache-2.0 */
/* What the system knows of this process. */
#ifndef JEZERO_SERVER_PROCESS_H
#define JEZERO_SERVER_PROCESS_H

#include <stdint.h>

/* What the system does not tell is negative. */
struct process_state {
    int64_t resident_bytes;
    int64_t virtual_bytes;
    int64_t cpu_ns; /* of all threads, in user and kernel mode */
    int64_t open_files;
    int64_t open_files_most;
};

void process_read(struct process_state *out);

#endif
