/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the extractive summariser share: a segment's sentences,
 * each with what its words say about it. The way is always the same: messages
 * -> sentences (extract_sentences.c) -> words and cues (extract_words.c,
 * extract_cues.c) -> picks (title, summary, questions, atoms).
 *
 * All scores are whole numbers, so that an item is the same on every machine.
 */
#ifndef JZ_INGEST_EXTRACT_INTERNAL_H
#define JZ_INGEST_EXTRACT_INTERNAL_H

#include "base/buf.h"
#include "ingest/extract.h"

/* Sentences of one segment that are looked at, and words of one sentence that
 * are remembered: both bound the work, and no real segment comes near. */
#define JZ__EXTRACT_SENTENCES_MOST 8192
#define JZ__EXTRACT_WORDS_MOST 40
/* Slots of the table of words, a power of two. */
#define JZ__EXTRACT_TABLE_SIZE 8192

/* What a cue tells about the sentence that holds it. The first seven are the
 * kinds of atoms, in the order in which they take turns. */
enum jz__extract_cue_kind {
    JZ__CUE_DECISION,
    JZ__CUE_FIX,
    JZ__CUE_ERROR,   /* no cue: errors come from tool results */
    JZ__CUE_COMMAND, /* no cue: commands come from tool calls */
    JZ__CUE_RATIONALE,
    JZ__CUE_RISK,
    JZ__CUE_FACT,
    JZ__CUE_OUTCOME, /* something was done */
    JZ__CUE_PLAN,    /* the agent says what it will do next */
    JZ__CUE_HEDGE,   /* somebody is not sure, or lists options */
    JZ__CUE_OFFER,   /* the agent asks whether it should go on */
    JZ__CUE_KINDS
};
#define JZ__EXTRACT_ATOM_KINDS (JZ__CUE_FACT + 1)

enum {
    JZ__SENTENCE_USER = 1 << 0,
    JZ__SENTENCE_ITEM = 1 << 1,     /* of a list */
    JZ__SENTENCE_HEAD = 1 << 2,     /* a heading or a bold line */
    JZ__SENTENCE_LEAD = 1 << 3,     /* ends in a colon: what follows is its */
    JZ__SENTENCE_QUESTION = 1 << 4, /* ends in a question mark */
    JZ__SENTENCE_PASTED = 1 << 5,   /* the person did not write it */
    JZ__SENTENCE_REPORT = 1 << 6,   /* of the last message before a person's */
    JZ__SENTENCE_BREAK = 1 << 7,    /* the first of its paragraph */
    JZ__SENTENCE_ROW = 1 << 8,      /* of a table */
    JZ__SENTENCE_ANSWER = 1 << 9    /* what a person picked from a choice */
};

struct jz__extract_sentence {
    struct jz__str text; /* one line, without markup */
    uint32_t event;      /* index of its message */
    uint32_t flags;
    uint8_t cues[JZ__CUE_KINDS]; /* sum of the weights of its cues */
    uint8_t word_count;          /* of words[] */
    uint8_t content;             /* words that are not empty ones */
    uint8_t telling; /* of these, those that not every session has */
    uint8_t marks;   /* names of files, functions, versions … */
    uint32_t *words; /* hashes of the content words */
};

struct jz__extract_count {
    uint32_t hash; /* 0: the slot is free */
    uint32_t count;
};

/* What extract_shell.c says of a command. */
struct jz__extract_shell {
    int score;      /* how much it is worth remembering, 0: not at all */
    bool is_reader; /* it shows what others wrote (cat, grep, git log): what
                       looks like an error in its output is none */
};

struct jz__extract_work {
    struct jz__arena arena;
    const struct jz__event *const *events;
    size_t event_count;
    struct jz__extract_sentence *sentences; /* malloc'ed */
    size_t sentence_count;
    size_t sentence_capacity;
    struct jz__extract_count *table; /* in how many sentences a word stands */
    size_t table_used;
    uint16_t *cue_index;
    struct jz__extract_shell *shells; /* of each event, if it is a command */
    struct jz__buf buf;               /* scratch */
};

/* extract_sentences.c: the sentences of one message, appended. */
int jz__extract_sentences_read(struct jz__extract_work *work, size_t event,
                               uint32_t flags);

/* extract_alone.c: is it understood without the sentences around it? */
bool jz__extract_alone_is_clear(const struct jz__extract_sentence *sentence);

/* extract_answers.c: is the message a list of picked answers? If so, append
 * the next question with its answer; false at the end. */
bool jz__extract_answers_is_text(struct jz__str text);
bool jz__extract_answers_next(struct jz__buf *out, struct jz__str *rest);

/* extract_lines.c: what kind of line is it? `line` is trimmed at its end. */
bool jz__extract_lines_is_machine(struct jz__str line); /* code, log, diff */
bool jz__extract_lines_is_code(struct jz__str line);
bool jz__extract_lines_is_frame(struct jz__str line);    /* of a stack trace */
bool jz__extract_lines_is_injected(struct jz__str text); /* a whole message */
/* The part of a person's message that is theirs: without the frames that
 * agents' programs put around it. */
struct jz__str jz__extract_lines_own(struct jz__str text);

/* extract_marks.c; the lines are trimmed. */
/* Bytes of "- ", "1. ", "B) ", "- [x] " at the start, 0 if it is no item. */
size_t jz__extract_marks_item(struct jz__str line);
bool jz__extract_marks_is_rule(struct jz__str line); /* --- */
bool jz__extract_marks_is_address(struct jz__str line);
bool jz__extract_marks_is_structure(struct jz__str line);
bool jz__extract_marks_is_question(struct jz__str text);
bool jz__extract_marks_is_personal(struct jz__str text);

/* extract_markup.c: append one paragraph as plain text. A sentence's end is
 * marked by a '\n'. */
void jz__extract_markup_plain(struct jz__buf *out, struct jz__str text);

/* extract_words.c */
struct jz__extract_word {
    struct jz__str text;
    uint32_t hash;
    bool is_stop;    /* the, of, para */
    bool is_generic; /* fix, test, branch: in nearly every session */
    bool is_mark;    /* jezero.toml, E0433, parse_bound, JZ_EINVAL */
};

/* Take the next word off *rest; false at the end. */
bool jz__extract_words_next(struct jz__extract_word *out, struct jz__str *rest);
/* Two atoms of the same key are one: case and punctuation do not count. */
uint64_t jz__extract_words_key(struct jz__str text);

/* extract_common.c */
void jz__extract_common_find(bool *is_stop, bool *is_generic,
                             struct jz__str word);
/* For a test: is the table in the order that the search needs? */
bool jz__extract_common_is_sorted(void);

/* extract_counts.c */
/* Fill the counts of the sentence and remember its words. 0 or JZ_ENOMEM. */
int jz__extract_counts_scan(struct jz__extract_work *work,
                            struct jz__extract_sentence *sentence);
/* How much of what the segment talks about is in the sentence: 0 to 30. */
int jz__extract_counts_central(const struct jz__extract_work *work,
                               const struct jz__extract_sentence *sentence);
/* Do the two say much the same? */
bool jz__extract_counts_alike(const struct jz__extract_sentence *a,
                              const struct jz__extract_sentence *b);

/* extract_cues.c: where in the table the cues of two first characters begin;
 * filled once a segment. */
#define JZ__EXTRACT_SECONDS 28
void jz__extract_cues_index(uint16_t index[26 * JZ__EXTRACT_SECONDS + 1]);
/* Fill sentence->cues. */
void jz__extract_cues_scan(struct jz__extract_sentence *sentence,
                           const uint16_t *index);
/* For a test: are the tables in the order that the search needs? */
bool jz__extract_cues_are_sorted(void);

/* extract_request.c: what people asked for. */
struct jz__extract_request {
    size_t sentence;
    int weight; /* words that tell what it is about */
};

/* Is this a greeting, a "yes, go on", a slash command, a bare path …? */
bool jz__extract_request_is_filler(const struct jz__extract_sentence *sentence);
/* The text without "ok, can you please". */
struct jz__str jz__extract_request_core(struct jz__str text);
/* The next request at or after sentence *at; false if there is none. */
bool jz__extract_request_next(struct jz__extract_request *out,
                              const struct jz__extract_work *work, size_t *at);
/* How much it tells; 0 to 3: it could stand over any session. */
int jz__extract_request_weight(const struct jz__extract_sentence *sentence);

/* extract_questions.c */
int jz__extract_questions_pick(struct jz__extract *out,
                               const struct jz__extract_work *work);

/* extract_outcome.c: indices of the sentences that say how it ended, in their
 * order; at most `most`. */
size_t jz__extract_outcome_pick(size_t *out, size_t most,
                                const struct jz__extract_work *work);
/* Is it a sentence that can stand in a summary at all? */
bool jz__extract_outcome_can_stand(const struct jz__extract_sentence *sentence);

/* extract_title.c */
int jz__extract_title_pick(struct jz__extract *out,
                           struct jz__extract_work *work,
                           const struct jz__extract_context *context);

/* extract_summary.c */
int jz__extract_summary_pick(struct jz__extract *out,
                             struct jz__extract_work *work);

/* extract_flatten.c: append the command on one line: continued lines joined,
 * comments dropped, of a text in quotes its first line, of `$(cat <<EOF …)` the
 * first line of the document, of another document "<<EOF" alone. A line's end
 * outside of quotes becomes ';'. */
void jz__extract_flatten_line(struct jz__buf *out, struct jz__str text);
/* text[at] begins the "<<EOF" of a here-document: the offset behind it; *first
 * is the first line of its body that is not empty. */
size_t jz__extract_flatten_document(struct jz__str *first, struct jz__str text,
                                    size_t at);

/* extract_programs.c: of a command without separators. */
int jz__extract_programs_score(struct jz__str text);
bool jz__extract_programs_is_reader(struct jz__str text);

/* extract_shell.c */
/* Append the part of a command line that is worth remembering, on one line. */
void jz__extract_shell_read(struct jz__buf *out, struct jz__extract_shell *info,
                            struct jz__str command);
/* The first line of the message of a "git commit -m" in it, else "". */
struct jz__str jz__extract_shell_subject(struct jz__str command);
/* extract_error_line.c: how sure it is that the line is an error, 0: it is not.
 * is_failed: the call that printed it failed. */
int jz__extract_error_line_score(struct jz__str line, bool is_failed);
/* Is it surely something else: code, a listing, a log at another level? */
bool jz__extract_error_line_is_other(struct jz__str line);
/* Where the message behind "file.c:12:3:" begins, 0 without such a place. */
size_t jz__extract_error_line_place(struct jz__str line);
/* For a test: is the table in the order that the search needs? */
bool jz__extract_error_line_is_sorted(void);

/* extract_candidates.c: the best few of one kind, best first. */
#define JZ__EXTRACT_CANDIDATES 8
struct jz__extract_candidate {
    struct jz__str text;
    uint64_t key;
    int score;
    uint32_t order; /* ties go to the earlier one */
    const struct jz__extract_sentence *sentence; /* or NULL */
};
struct jz__extract_candidates {
    struct jz__extract_candidate best[JZ__EXTRACT_CANDIDATES];
    size_t count;
};
void jz__extract_candidates_put(struct jz__extract_candidates *set,
                                const struct jz__extract_candidate *candidate);

/* extract_commands.c (first: it fills work->shells), extract_errors.c,
 * extract_atoms.c */
int jz__extract_commands_pick(struct jz__extract_candidates *out,
                              struct jz__extract_work *work);
int jz__extract_errors_pick(struct jz__extract_candidates *out,
                            struct jz__extract_work *work);
int jz__extract_atoms_pick(struct jz__extract *out,
                           struct jz__extract_work *work);

/* extract.c: copies text into the arena, as one line of at most `most`
 * characters. 0 or JZ_ENOMEM. */
int jz__extract_keep(struct jz__str *out, struct jz__arena *arena,
                     struct jz__str text, size_t most);

#endif
