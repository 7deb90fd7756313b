/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Codex connector share. */
#ifndef JZ_INGEST_CODEX_H
#define JZ_INGEST_CODEX_H

#include "ingest/intake.h"
#include "ingest/lines.h"

/* Where a message stands: Codex writes each of them up to twice, and which
 * streams there are changes from version to version, even within a file that
 * was resumed. */
enum jz__codex_stream {
    JZ__CODEX_RESPONSE, /* response_item: what the model got and gave */
    JZ__CODEX_EVENT,    /* event_msg user_message, agent_message */
    JZ__CODEX_ITEM      /* event_msg item_completed */
};

/* Messages among which the other copy of a message is looked for. */
#define JZ__CODEX_RECENT 64

/* A message, and the streams that it has come in so far. */
struct jz__codex_seen {
    size_t event; /* index in the conversation */
    enum jz__event_kind kind;
    uint64_t hash;        /* of the text */
    unsigned int streams; /* bit per enum jz__codex_stream */
};

/* A user's message that only the response stream has so far. */
struct jz__codex_doubt {
    size_t event;
    int64_t turn;
};

struct jz__codex {
    struct jz__intake intake;
    struct jz__lines lines;
    struct jz__scan inner; /* of JSON inside a string: a call's arguments */
    struct jz__buf inner_text;

    struct jz__codex_seen recent[JZ__CODEX_RECENT]; /* a ring */
    size_t recent_count;
    struct jz__codex_doubt *doubts;
    size_t doubt_count;
    size_t doubt_capacity;
    int64_t turn; /* number of the current one; 0: no turn was named yet */
    int64_t *clean_turns; /* turns with a user's message from a clean stream */
    size_t clean_count;
    size_t clean_capacity;

    bool has_header;
    int64_t created_ms; /* of the session, by its header */
    bool is_replaying;  /* the parent's records go by */
    bool has_old_turns; /* the records of it name their turns */
    int64_t replay_ms;  /* when its header was written */
    int64_t known;      /* records of a type that Codex writes */
    bool is_done;       /* nothing that follows is wanted */
};

/* The raw bytes of a string member, "" if there is none. */
static inline struct jz__str jz__codex_member(const struct jz__scan *scan,
                                              size_t object, const char *key)
{
    return jz__intake_raw(scan, jz__scan_get(scan, object, key));
}

/* --- codex_files.c: as struct jz__connector says --- */

struct jz__str jz__codex_files_session(const char *path);
bool jz__codex_files_is_session(const char *path);
bool jz__codex_files_is_transcript(struct jz__str head);

/* --- codex_calls.c: calls and results --- */

/* Take a call, or a result; false in *is_taken if the item is neither. */
int jz__codex_calls_add(bool *is_taken, struct jz__codex *codex, size_t item);

/* An event tells how a command ended: its exit_code, for the call `id`. */
int jz__codex_calls_end(struct jz__codex *codex, size_t event,
                        struct jz__str id);

/* --- codex_items.c: one record's payload --- */

/* Append a content, which is a string or a list of blocks. Blocks that the
 * program put in are left out, unless it is an output; of that no more than
 * JZ__CONVERSATION_OUTPUT_MOST bytes a block. 0 or JZ_ENOMEM. */
int jz__codex_items_put(struct jz__buf *out, const struct jz__scan *scan,
                        size_t content, bool is_output);

int jz__codex_items_response(struct jz__codex *codex, size_t item);
int jz__codex_items_event(struct jz__codex *codex, size_t event);

/* --- codex_streams.c: each message once --- */

/* Take a message of one stream. text is a user's or the agent's. */
int jz__codex_streams_add(struct jz__codex *codex, enum jz__codex_stream stream,
                          enum jz__event_kind kind, struct jz__str text);

/* At the end: leave out what the program said in the user's name. */
void jz__codex_streams_finish(struct jz__codex *codex);

#endif
