/* SPDX-License-Identifier: Apache-2.0 */
/* One moment by which everything has to be over, and waiting until then. */
#ifndef JZ_NET_DEADLINE_H
#define JZ_NET_DEADLINE_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/* Both monotonic milliseconds; the start is for messages alone. */
struct jz__deadline {
    int64_t start_ms;
    int64_t at_ms;
};

/* Room for jz__deadline_show(). */
#define JZ__DEADLINE_TEXT_SIZE 32

int64_t jz__deadline_now_ms(void);

/* From now on. */
struct jz__deadline jz__deadline_until(int64_t at_ms);

/* Milliseconds that are left, 0 when it has passed; what poll() takes. */
int jz__deadline_left_ms(const struct jz__deadline *deadline);

/* poll() until the deadline, or until until_ms if that is earlier (0: it is
 * not): how many are ready. 0 also when a signal came: look at the clock. */
size_t jz__deadline_poll(struct pollfd *polls, size_t count,
                         const struct jz__deadline *deadline, int64_t until_ms);

/* The whole time there was: "2 s", "1.5 s", "300 ms"; returns out. */
const char *jz__deadline_show(char out[JZ__DEADLINE_TEXT_SIZE],
                              const struct jz__deadline *deadline);

#endif
