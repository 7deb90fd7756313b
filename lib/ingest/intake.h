/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all connectors do with what they have read: messages and tool calls go
 * through here into the conversation, cleaned, cut, and with their keys.
 */
#ifndef JZ_INGEST_INTAKE_H
#define JZ_INGEST_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/scan.h"
#include "ingest/calls.h"
#include "ingest/conversation.h"

struct jz__intake {
    struct jz__conversation *out;
    struct jz__calls calls;
    int64_t time_ms;      /* of the current record */
    bool is_boundary;     /* the next event begins a new context */
    struct jz__buf text;  /* scratch for the connector */
    struct jz__buf clean; /* scratch of its own */
};

/* The text in a buffer so far. */
static inline struct jz__str jz__intake_text(const struct jz__buf *buf)
{
    struct jz__str text = { buf->data != NULL ? buf->data : "", buf->length };

    return text;
}

/* The raw bytes of a string, "" for token 0 and for what is no string. */
static inline struct jz__str jz__intake_raw(const struct jz__scan *scan,
                                            size_t token)
{
    return token != 0 && scan->tokens[token].type == JZ__SCAN_STRING
               ? jz__scan_raw(scan, token)
               : JZ__STR("");
}

/* out is borrowed and stays the caller's. */
void jz__intake_init(struct jz__intake *intake, struct jz__conversation *out);
void jz__intake_finish(struct jz__intake *intake);

/*
 * Identity of a record for the keys of its events: of its uuid and the number
 * of the block inside the record, or, with an empty uuid, of the current time.
 */
uint64_t jz__intake_identity(const struct jz__intake *intake,
                             struct jz__str uuid, unsigned int block);

/* Keep a string's text in *out, a slice of the conversation, unless that is set
 * already. Token 0 and what is no string change nothing. */
int jz__intake_keep(struct jz__str *out, struct jz__intake *intake,
                    const struct jz__scan *scan, size_t token);

/* Keep a title as one line in *out, instead of what is there; one without text
 * changes nothing. */
int jz__intake_keep_title(struct jz__str *out, struct jz__intake *intake,
                          const struct jz__scan *scan, size_t token);

/* Leave out of a user's text what no user wrote: 0 or JZ_ENOMEM. The rest,
 * which may be empty, is valid until the next call. */
int jz__intake_clean(struct jz__intake *intake, struct jz__str *text);

/*
 * Add a message; one without text adds nothing. Of a user's message what no
 * user wrote is left out first. *added (may be NULL) tells whether there is an
 * event now. All return 0 or JZ_ENOMEM.
 */
int jz__intake_message(bool *added, struct jz__intake *intake,
                       enum jz__event_kind kind, uint64_t identity,
                       struct jz__str text);

/*
 * Add a tool call: `id` is how its result will name it, `described` what
 * jz__tool_describe() gave. A call of Jezero's own tools adds nothing, and its
 * result will not either.
 */
int jz__intake_call(struct jz__intake *intake, struct jz__str id,
                    uint64_t identity, struct jz__str name,
                    struct jz__str described, bool is_command);

/*
 * Is a result's text needed? Of a call that failed it is, and of a command (it
 * may have printed an error and gone on); what a tool read or found is the
 * content of files, in which the word "error" means nothing.
 */
bool jz__intake_wants_output(struct jz__intake *intake, struct jz__str id,
                             enum jz__tool_state state);

/* Set a call's outcome. The output may be empty. A later, certain state
 * replaces an unknown one. */
int jz__intake_result(struct jz__intake *intake, struct jz__str id,
                      enum jz__tool_state state, struct jz__str output);

#endif
