/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hooks add to an agent's context. Everything in it that comes from a
 * server goes out on one line, without control and bidi characters and without
 * backticks, so that it can neither start a heading nor end our own text.
 */
#ifndef JEZERO_CLIENT_CONTEXT_H
#define JEZERO_CLIENT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent.h"
#include "base/buf.h"

/* Characters of all that one hook adds. */
#define CONTEXT_MOST 4000
/* Characters of a title and of a project's name. */
#define CONTEXT_TITLE_MOST 200
#define CONTEXT_PROJECT_MOST 80

struct context_item {
    int64_t id;
    const char *occurred_at; /* its first 10 characters are the day */
    const char *title;
    bool is_external;
};

struct context {
    struct jz__buf text;
    enum agent_id agent;
    size_t points; /* characters of text */
    bool has_heading;
};

/* The protocol, with the names that the agent knows our tools by. */
void context_put_protocol(struct context *context);

/* Both leave out the last items that would not fit, and print nothing without
 * items. */
void context_put_recent(struct context *context, const char *project,
                        const struct context_item *items, size_t count);
void context_put_related(struct context *context,
                         const struct context_item *items, size_t count);

void context_finish(struct context *context);

#endif
