/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Claude Code connector share: the state of one read and
 * the fields of one record. */
#ifndef JZ_INGEST_CLAUDE_H
#define JZ_INGEST_CLAUDE_H

#include "base/error.h"
#include "ingest/intake.h"
#include "ingest/lines.h"

/* Prompts that wait in the agent's queue, and titles whose session is not known
 * yet: more of either are not looked at. */
#define JZ__CLAUDE_QUEUED_MOST 1024
#define JZ__CLAUDE_SUMMARIES_MOST 64

/* Token indexes of a record's members; 0: it has none. */
struct jz__claude_record {
    size_t type;
    size_t uuid;
    size_t timestamp;
    size_t session;
    size_t message;
    size_t cwd;
    size_t branch;
    size_t sidechain;
    size_t meta;
    size_t compact;
    size_t origin;
    size_t forked;
    size_t attachment;
    size_t subtype;
    size_t api_error;
    size_t operation;
    size_t content;
    size_t title; /* customTitle, aiTitle or summary */
    size_t leaf;
};

/* A prompt that was typed while the agent was busy. */
struct jz__claude_queued {
    struct jz__str text;
    uint64_t hash; /* of the text */
    uint64_t identity;
    int64_t time_ms;
    bool is_settled; /* the agent took it, or it came another way */
    bool is_dropped; /* taken back, or it is a message too */
};

struct jz__claude_summary {
    struct jz__str leaf;
    struct jz__str title;
    bool is_ours; /* the leaf is in this file */
};

struct jz__claude {
    struct jz__intake intake;
    struct jz__lines lines;
    struct jz__claude_record record;

    struct jz__claude_queued *queued;
    size_t queued_count;
    size_t queued_capacity;
    struct jz__claude_summary summaries[JZ__CLAUDE_SUMMARIES_MOST];
    size_t summary_count;
    struct jz__str custom_title;
    struct jz__str ai_title;

    int64_t known;     /* records of a type that Claude Code writes */
    int64_t messages;  /* records of the main conversation */
    int64_t sidechain; /* records of a sub-agent's */
};

/* --- claude_files.c: as struct jz__connector says --- */

struct jz__str jz__claude_files_session(const char *path);
bool jz__claude_files_is_session(const char *path);
bool jz__claude_files_is_transcript(struct jz__str head);

/* Is it the file of a sub-agent? */
bool jz__claude_files_is_subagent(const char *path);

/* --- claude_record.c: one record --- */

void jz__claude_record_find(struct jz__claude_record *record,
                            const struct jz__scan *scan);

/* Is the type one that is read, or one that is known and of no use? */
bool jz__claude_record_is_read(struct jz__str type);
bool jz__claude_record_is_skipped(struct jz__str type);

/* Does the line hold one record of no use and nothing else? Told by its first
 * bytes, not by its grammar. */
bool jz__claude_record_is_skipped_line(struct jz__str line);

/* --- claude_titles.c: titles --- */

/* Keep the record's title as one line in *out, instead of what is there. */
int jz__claude_titles_keep(struct jz__str *out, struct jz__claude *claude);

/* A summary, which may be of another session. */
int jz__claude_titles_summary(struct jz__claude *claude);

/* Any record: it may be the one that a summary names. */
void jz__claude_titles_match(struct jz__claude *claude);

/* At the end: the best title there is. */
void jz__claude_titles_finish(struct jz__claude *claude);

/* --- claude_blocks.c: messages --- */

/* The blocks of a user's or the agent's record: 0 or JZ_ENOMEM. */
int jz__claude_blocks_user(struct jz__claude *claude);
int jz__claude_blocks_assistant(struct jz__claude *claude);

/* Append the texts of a string or a list of blocks, one below the other; a
 * picture is "[image]". */
void jz__claude_blocks_put(struct jz__buf *out, const struct jz__scan *scan,
                           size_t content);

/* The same for a result: no more than JZ__CONVERSATION_OUTPUT_MOST bytes of a
 * text. */
void jz__claude_blocks_put_output(struct jz__buf *out,
                                  const struct jz__scan *scan, size_t content);

/* Add a message of the current record; block numbers its texts. intake.text
 * may hold the text. */
int jz__claude_blocks_add_message(struct jz__claude *claude,
                                  enum jz__event_kind kind, unsigned int block,
                                  struct jz__str text);

/* --- claude_results.c: results of calls --- */

/* A block of type tool_result. */
int jz__claude_results_add(struct jz__claude *claude, size_t block,
                           unsigned int number);

/* --- claude_queue.c: prompts typed while the agent was busy --- */

int jz__claude_queue_operation(struct jz__claude *claude);
int jz__claude_queue_attachment(struct jz__claude *claude);

/* At the end: the prompts that came in no other way become messages. */
int jz__claude_queue_finish(struct jz__claude *claude);

#endif
