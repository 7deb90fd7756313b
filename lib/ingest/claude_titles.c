/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Titles. The person's own wins over the one that the agent made, and both are
 * written again and again, the last one being current. Older versions wrote
 * summaries instead, at the head of the file and often those of other sessions:
 * such a one counts only if the record that it names is in this file.
 */
#include "ingest/claude.h"

#include <assert.h>
#include <string.h>

int jz__claude_titles_keep(struct jz__str *out, struct jz__claude *claude)
{
    return jz__intake_keep_title(out, &claude->intake, &claude->lines.scan,
                                 claude->record.title);
}

/* Summaries stand at the head, before the records that could tell whose they
 * are: they are kept until the end. */
int jz__claude_titles_summary(struct jz__claude *claude)
{
    struct jz__claude_summary *summary;
    struct jz__str leaf =
        jz__intake_raw(&claude->lines.scan, claude->record.leaf);
    int r;

    if (claude->summary_count == JZ__CLAUDE_SUMMARIES_MOST ||
        leaf.length == 0 || leaf.length > 64) {
        return JZ_OK;
    }
    summary = &claude->summaries[claude->summary_count++];
    memset(summary, 0, sizeof(*summary));
    summary->title = JZ__STR("");
    r = jz__conversation_keep(&summary->leaf, claude->intake.out, leaf);
    return r < 0 ? r : jz__claude_titles_keep(&summary->title, claude);
}

/* A record's uuid may be the leaf of a summary that stood before it. */
void jz__claude_titles_match(struct jz__claude *claude)
{
    struct jz__str uuid =
        jz__intake_raw(&claude->lines.scan, claude->record.uuid);
    size_t i;

    for (i = 0; i < claude->summary_count; i++) {
        if (jz__str_equal(uuid, claude->summaries[i].leaf)) {
            claude->summaries[i].is_ours = true;
        }
    }
}

/* --- the whole file --- */

void jz__claude_titles_finish(struct jz__claude *claude)
{
    struct jz__conversation *out = claude->intake.out;
    size_t i;

    for (i = 0; i < claude->summary_count; i++) {
        if (claude->summaries[i].is_ours) {
            out->title = claude->summaries[i].title;
        }
    }
    if (claude->ai_title.length > 0) {
        out->title = claude->ai_title;
    }
    if (claude->custom_title.length > 0) {
        out->title = claude->custom_title;
    }
}
