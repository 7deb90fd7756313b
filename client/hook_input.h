/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an agent writes to a hook: one JSON object, after which the agent may
 * leave the pipe open for ever.
 */
#ifndef JEZERO_CLIENT_HOOK_INPUT_H
#define JEZERO_CLIENT_HOOK_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Bytes. A larger object is read to its end and dropped. */
#define HOOK_INPUT_MOST ((size_t)4 * 1024 * 1024)

struct hook_input {
    struct jz__buf text;
    size_t start;   /* of the object in text */
    size_t checked; /* bytes of text that were looked at */
    size_t depth;   /* of open braces and brackets at this place */
    bool has_begun;
    bool in_string;
    bool is_escaped; /* a backslash stands in front of this place */
    bool is_whole;   /* the object ends at `checked` */
    bool is_too_long;
};

/* Look at what was appended to text since the last call: 0, or JZ_EINVAL if it
 * cannot become an object. */
int hook_input_check(struct hook_input *input, struct jz__error *error);

/* An agent that writes slowly is waited for while bytes keep coming, never longer
 * than this apart, up to so long in all. */
#define HOOK_INPUT_GAP_MS 500
#define HOOK_INPUT_MOST_MS 8000

/*
 * Read until one whole object is there, without waiting for the end of the
 * input. The deadline (jz__fetch_now_ms()) is moved while bytes keep coming. 0,
 * and hook_input_value() is it; HOOK_INPUT_NONE: there is nothing to read, as on
 * a terminal, which is no fault. JZ_EINVAL: no object, half of one at the end or
 * at the deadline, or one over the limit; JZ_ENOMEM. The input is zeroed, and
 * finished by the caller in every case.
 */
#define HOOK_INPUT_NONE 1
int hook_input_read(struct hook_input *input, int fd, int64_t deadline_ms,
                    struct jz__error *error);

/* Borrowed. Its braces match; whether it is JSON in between is not known. */
struct jz__str hook_input_value(const struct hook_input *input);

void hook_input_finish(struct hook_input *input);

#endif
