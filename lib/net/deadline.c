/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting with one deadline for many steps: each step waits for what is left of
 * it and not for a time of its own, so a peer that sends one byte a second gains
 * nothing by it. Every loop around jz__deadline_poll() looks at the clock also
 * when bytes are ready, because there may always be some.
 */
#include "net/deadline.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

int64_t jz__deadline_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct jz__deadline jz__deadline_until(int64_t at_ms)
{
    return (struct jz__deadline){ .start_ms = jz__deadline_now_ms(),
                                  .at_ms = at_ms };
}

static int clamp_ms(int64_t left)
{
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

int jz__deadline_left_ms(const struct jz__deadline *deadline)
{
    return clamp_ms(deadline->at_ms - jz__deadline_now_ms());
}

size_t jz__deadline_poll(struct pollfd *polls, size_t count,
                         const struct jz__deadline *deadline, int64_t until_ms)
{
    int64_t at = deadline->at_ms;
    int ready;

    assert(polls != NULL || count == 0);

    if (until_ms != 0 && until_ms < at) {
        at = until_ms;
    }
    ready = poll(polls, (nfds_t)count, clamp_ms(at - jz__deadline_now_ms()));
    if (ready > 0) {
        return (size_t)ready;
    }
    /* What poll() left of the last call is no answer to this one. */
    for (size_t i = 0; i < count; i++) {
        polls[i].revents = 0;
    }
    return 0;
}

/* Tenths are enough, and hide the moment that passed since the caller reckoned
 * its deadline. */
const char *jz__deadline_show(char out[JZ__DEADLINE_TEXT_SIZE],
                              const struct jz__deadline *deadline)
{
    int64_t span = deadline->at_ms - deadline->start_ms;
    int64_t tenths = (span + 50) / 100;

    if (tenths < 10) {
        (void)snprintf(out, JZ__DEADLINE_TEXT_SIZE, "%d ms", clamp_ms(span));
    } else if (tenths % 10 == 0) {
        (void)snprintf(out, JZ__DEADLINE_TEXT_SIZE, "%lld s",
                       (long long)(tenths / 10));
    } else {
        (void)snprintf(out, JZ__DEADLINE_TEXT_SIZE, "%lld.%d s",
                       (long long)(tenths / 10), (int)(tenths % 10));
    }
    return out;
}
