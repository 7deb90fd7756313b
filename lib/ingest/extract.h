/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extractive summariser: title, summary, questions and atoms of a segment,
 * picked from what stands in it. Deterministic: same text, same item.
 */
#ifndef JZ_INGEST_EXTRACT_H
#define JZ_INGEST_EXTRACT_H

#include "base/error.h"
#include "base/mem.h"
#include "ingest/conversation.h"

/* Limits in characters, and numbers. */
#define JZ__EXTRACT_TITLE_MOST 200
#define JZ__EXTRACT_SUMMARY_MOST 900
#define JZ__EXTRACT_ATOM_MOST 300
#define JZ__EXTRACT_ATOMS_MOST 24
#define JZ__EXTRACT_QUESTION_MOST 300
#define JZ__EXTRACT_QUESTIONS_MOST 8

struct jz__extract_atom {
    const char *kind; /* decision rationale fix error command fact risk */
    struct jz__str text;
};

struct jz__extract {
    struct jz__arena arena; /* holds all texts */
    struct jz__str title;
    struct jz__str summary;
    struct jz__str questions[JZ__EXTRACT_QUESTIONS_MOST];
    size_t question_count;
    struct jz__extract_atom atoms[JZ__EXTRACT_ATOMS_MOST];
    size_t atom_count;
};

/* What is known about the segment beside its events. */
struct jz__extract_context {
    struct jz__str title; /* the agent's own title of the session, or "" */
    int segment;          /* number of this one, from 0 */
    int segments;         /* of the session */
};

/*
 * The events are those of one segment that the session keeps, already
 * redacted: events[i] for i in [0, count). 0 or JZ_ENOMEM. out is zeroed by the
 * caller and finished in every case.
 */
int jz__extract_segment(struct jz__extract *out,
                        const struct jz__event *const *events, size_t count,
                        const struct jz__extract_context *context);

void jz__extract_finish(struct jz__extract *extract);

#endif
