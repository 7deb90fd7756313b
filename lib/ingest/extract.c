/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extractive summariser. It reads the messages of a segment into sentences
 * once; title, summary, questions and atoms are then picks from these. No
 * clock, no chance, no floating point: the same segment gives the same item on
 * every machine. The work is linear in the text and bounded for one segment,
 * because ingest runs it over everything that people ever said to their agents.
 */
#include "ingest/extract.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "ingest/extract_internal.h"

int jz__extract_keep(struct jz__str *out, struct jz__arena *arena,
                     struct jz__str text, size_t most)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;

    jz__utf8_one_line(&line, text.data != NULL ? text.data : "", text.length);
    jz__utf8_cut(&cut, line.data != NULL ? line.data : "", line.length, most);
    if (line.error < 0 || cut.error < 0) {
        return JZ_ENOMEM;
    }
    out->data =
        jz__arena_copy(arena, cut.data != NULL ? cut.data : "", cut.length);
    out->length = cut.length;
    return out->data != NULL ? 0 : JZ_ENOMEM;
}

/*
 * Which of the agent's messages end a turn: those that nothing but further
 * words of the agent stands behind before a person speaks or the segment ends.
 * A segment that stops in the middle of its only turn has none; then its last
 * message has to do.
 */
static void find_reports(bool *is_report, const struct jz__event *const *events,
                         size_t count)
{
    bool is_open = true;
    size_t found = 0;
    size_t last = count;
    size_t i;

    for (i = count; i > 0; i--) {
        switch (events[i - 1]->kind) {
        case JZ__EVENT_USER:
            is_open = true;
            break;
        case JZ__EVENT_TOOL:
            is_open = false;
            break;
        case JZ__EVENT_ASSISTANT:
            is_report[i - 1] = is_open;
            found += is_open;
            last = last == count ? i - 1 : last;
            break;
        }
    }
    if (found == 0 && last < count) {
        is_report[last] = true;
    }
}

/* Only what people and agent wrote is read into sentences. Tool calls are
 * looked at again where their commands and errors are picked. */
static int read_messages(struct jz__extract_work *work)
{
    bool *is_report =
        jz__arena_alloc(&work->arena, work->event_count * sizeof(bool) + 1);
    size_t i;

    if (is_report == NULL) {
        return JZ_ENOMEM;
    }
    find_reports(is_report, work->events, work->event_count);
    for (i = 0; i < work->event_count; i++) {
        uint32_t flags = 0;
        int r;

        if (work->events[i]->kind == JZ__EVENT_TOOL) {
            continue;
        }
        if (work->events[i]->kind == JZ__EVENT_USER) {
            flags = JZ__SENTENCE_USER;
        } else if (is_report[i]) {
            flags = JZ__SENTENCE_REPORT;
        }
        r = jz__extract_sentences_read(work, i, flags);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* The sentences' texts and words lie in the arena; the list of them is apart
 * because it grows. */
static void finish_work(struct jz__extract_work *work)
{
    free(work->sentences);
    jz__buf_finish(&work->buf);
    jz__arena_finish(&work->arena);
}

/* The picks do not depend on each other's results, so their order does not
 * matter; each leaves work as it found it, but for the scratch buffer. */
int jz__extract_segment(struct jz__extract *out,
                        const struct jz__event *const *events, size_t count,
                        const struct jz__extract_context *context)
{
    JZ_CLEANUP(finish_work)
    struct jz__extract_work work = {
        .events = events,
        .event_count = count,
    };
    int r;

    assert(out != NULL && context != NULL);
    assert(events != NULL || count == 0);

    work.table = jz__arena_alloc(&work.arena, JZ__EXTRACT_TABLE_SIZE *
                                                  sizeof(work.table[0]));
    work.cue_index =
        jz__arena_alloc(&work.arena, (26 * JZ__EXTRACT_SECONDS + 1) *
                                         sizeof(work.cue_index[0]));
    if (work.table == NULL || work.cue_index == NULL) {
        return JZ_ENOMEM;
    }
    jz__extract_cues_index(work.cue_index);
    r = read_messages(&work);
    if (r == 0) {
        r = jz__extract_title_pick(out, &work, context);
    }
    if (r == 0) {
        r = jz__extract_summary_pick(out, &work);
    }
    if (r == 0) {
        r = jz__extract_questions_pick(out, &work);
    }
    if (r == 0) {
        r = jz__extract_atoms_pick(out, &work);
    }
    return r;
}

/* Zeroed, so that finishing twice, or reading a finished item, harms nothing.
 */
void jz__extract_finish(struct jz__extract *extract)
{
    if (extract != NULL) {
        jz__arena_finish(&extract->arena);
        memset(extract, 0, sizeof(*extract));
    }
}
