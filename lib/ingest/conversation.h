/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a connector makes of a transcript, whichever agent wrote it: the
 * messages of people and agent and the tool calls between them, in order of
 * time. Everything lies in one arena and is freed whole.
 *
 * What never gets here: thinking, images and other base64, sub-agents' records,
 * system reminders and other text that the agent's program put into the user's
 * mouth, and Jezero's own injected context and tool results.
 */
#ifndef JZ_INGEST_CONVERSATION_H
#define JZ_INGEST_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"

/* Characters of one message that are kept; the cut is marked in the text. */
#define JZ__CONVERSATION_MESSAGE_MOST 20000
/* Bytes of one tool result that are looked at (the first and the last half:
 * errors stand at the end of long logs). */
#define JZ__CONVERSATION_OUTPUT_MOST 16384
/* Bytes of arena that one session may take; what comes after is counted as
 * skipped. It bounds the memory of an ingest. */
#define JZ__CONVERSATION_BYTES_MOST (96u << 20)

enum jz__event_kind {
    JZ__EVENT_USER,      /* a person wrote */
    JZ__EVENT_ASSISTANT, /* the agent wrote to the person */
    JZ__EVENT_TOOL       /* the agent called a tool */
};

enum jz__tool_state {
    JZ__TOOL_UNKNOWN, /* no result in the transcript */
    JZ__TOOL_OK,
    JZ__TOOL_FAILED
};

/* One message or tool call. Texts are valid UTF-8 without NUL, not redacted
 * yet. */
struct jz__event {
    int64_t time_ms; /* since 1970; a record without a time has that of the one
                        before it */
    uint64_t key;    /* identity across files: of the record's uuid (or its
                        time, if it has none), role and text */
    enum jz__event_kind kind;
    bool is_boundary; /* the agent's context was compacted before this event */
    struct jz__str text; /* of a message */

    /* Of a tool call: */
    struct jz__str tool;     /* its name as the agent gives it: Bash */
    struct jz__str argument; /* its command or most telling argument, one line,
                                at most 300 characters */
    struct jz__str command;  /* the whole command if it is one for a shell */
    struct jz__str output;   /* its result; of one that succeeded only as much
                                as is needed to find error lines in it */
    enum jz__tool_state state;
};

/* One session. */
struct jz__conversation {
    struct jz__arena arena;
    struct jz__event *events; /* sorted by time, stable; malloc'ed */
    size_t count;
    size_t capacity;

    struct jz__str session;    /* id */
    struct jz__str parent;     /* session it was forked from, if it names one */
    struct jz__str folder;     /* working folder */
    struct jz__str git_branch; /* "" if unknown */
    struct jz__str title;      /* the agent's own title record, else "" */
    int64_t own_time_ms; /* earliest record that is no copy by its nature (has
                            no uuid: it is never copied by a fork); INT64_MAX
                            if there is none */
    bool is_subagent;    /* of a sub-agent: not to be stored */

    /* What was read, for the report. */
    int64_t lines;
    int64_t lines_bad;       /* no JSON */
    int64_t lines_too_long;  /* over the limit, also after cutting strings */
    int64_t records_unknown; /* record types that the connector does not know */
    int64_t records_copied;  /* replayed from a parent session, left out */
    bool is_partial; /* the last line was broken: the agent is still writing */
    bool is_cut;     /* JZ__CONVERSATION_BYTES_MOST was reached */
};

#define JZ__CONVERSATION_INIT                                                  \
    {                                                                          \
        .own_time_ms = INT64_MAX                                               \
    }

/* A new event at the end, zeroed; NULL when out of memory. */
struct jz__event *jz__conversation_add(struct jz__conversation *conversation);

/* Has the conversation reached JZ__CONVERSATION_BYTES_MOST? Sets .is_cut. */
bool jz__conversation_is_full(struct jz__conversation *conversation);

/* Copy text (valid UTF-8) into the arena: 0 or JZ_ENOMEM. */
int jz__conversation_keep(struct jz__str *out,
                          struct jz__conversation *conversation,
                          struct jz__str text);

/* The same for the text of a message: trimmed, and cut, with a mark, at
 * JZ__CONVERSATION_MESSAGE_MOST characters. */
int jz__conversation_keep_message(struct jz__str *out,
                                  struct jz__conversation *conversation,
                                  struct jz__str text);

/* Sort by time, stable: a record that has the time of another stays behind it. */
void jz__conversation_sort(struct jz__conversation *conversation);

void jz__conversation_finish(struct jz__conversation *conversation);

#endif
