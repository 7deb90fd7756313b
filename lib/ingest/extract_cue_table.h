/* SPDX-License-Identifier: Apache-2.0 */
/* The table of cue words: see extract_cues.c for what is done with it. */
#ifndef JZ_INGEST_EXTRACT_CUE_TABLE_H
#define JZ_INGEST_EXTRACT_CUE_TABLE_H

#include "ingest/extract_internal.h"

enum jz__extract_place {
    ANY,    /* at the start of any word */
    START,  /* of the sentence, or behind a colon or a dash in it */
    CLAUSE, /* START, or behind a comma */
    USER,   /* ANY, in what a person wrote */
    OPEN    /* START, in what a person wrote */
};

struct jz__extract_cue {
    const char *text;
    uint8_t kind;
    uint8_t weight;
    uint8_t place;
};

/* Sorted by bytes, in small letters. */
extern const struct jz__extract_cue jz__extract_cue_table[];
extern const size_t jz__extract_cue_count;

#endif
