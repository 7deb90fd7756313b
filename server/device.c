/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source is named after the agent and the computer, agent-codex-laptop, and a
 * name is for ever: items are found by it. So nothing goes in that changes with
 * the network (the domain) or with the way the name is written (its case).
 */
#include "device.h"

#include <string.h>
#include <unistd.h>

void device_clean(char out[DEVICE_SIZE], const char *host_name)
{
    size_t length = 0;
    const char *at;

    for (at = host_name; *at != '\0' && *at != '.' && length + 1 < DEVICE_SIZE;
         at++) {
        char c = *at;

        if (c >= 'A' && c <= 'Z') {
            c = (char)(c - 'A' + 'a');
        }
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
            c == '-') {
            out[length++] = c;
        }
    }
    out[length] = '\0';
    if (length == 0) {
        memcpy(out, "computer", sizeof("computer"));
    }
}

void device_name(char out[DEVICE_SIZE])
{
    char name[256] = "";

    if (gethostname(name, sizeof(name) - 1) != 0) {
        name[0] = '\0';
    }
    device_clean(out, name);
}
