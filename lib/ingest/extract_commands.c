/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that succeeded and that somebody may want to run again. An agent
 * runs hundreds of commands in a session, most of them to look around; what
 * extract_shell.c leaves of one is its candidate. Those that build, test,
 * migrate, deploy and record work come first, each kind of command a few times
 * at most.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* The tail of a command that is longer says little. */
#define COMMAND_BYTES 280

/* How many of the set run the same program with the same first word? */
static int count_alike(const struct jz__extract_candidates *set,
                       struct jz__str text)
{
    size_t head = 0;
    size_t blanks = 0;
    int count = 0;
    size_t i;

    while (head < text.length && blanks < 2) {
        blanks += text.data[head++] == ' ';
    }
    for (i = 0; i < set->count; i++) {
        count += set->best[i].text.length >= head &&
                 jz__str_equal((struct jz__str){ set->best[i].text.data, head },
                               (struct jz__str){ text.data, head });
    }
    return count;
}

/* Without "env NAME=value" in front: the same command. */
static uint64_t key_of(struct jz__str text)
{
    const char *blank = memchr(text.data, ' ', text.length);

    while (blank != NULL &&
           (jz__str_starts(text, "env ") ||
            memchr(text.data, '=', (size_t)(blank - text.data)) != NULL)) {
        text.length -= (size_t)(blank + 1 - text.data);
        text.data = blank + 1;
        blank = memchr(text.data, ' ', text.length);
    }
    return jz__extract_words_key(text);
}

/* The last of the same commands is the one that matters, but the first keeps
 * its place: ties go to the earlier one. */
static int put_command(struct jz__extract_candidates *out,
                       struct jz__extract_work *work, size_t i)
{
    const struct jz__event *event = work->events[i];
    struct jz__extract_candidate candidate = { .order = (uint32_t)i };
    struct jz__extract_shell *shell = &work->shells[i];

    jz__buf_clear(&work->buf);
    jz__extract_shell_read(&work->buf, shell, event->command);
    if (work->buf.error < 0) {
        return JZ_ENOMEM;
    }
    if (event->state != JZ__TOOL_OK || shell->score < 2) {
        return 0;
    }
    candidate.text = (struct jz__str){ work->buf.data, work->buf.length };
    candidate.key = key_of(candidate.text);
    /* Short commands are those that are run again; the third "go build" of
     * another folder says less than the first commit. */
    candidate.score = shell->score * 4 - 5 * count_alike(out, candidate.text) -
                      (candidate.text.length > 120) -
                      (candidate.text.length > COMMAND_BYTES) * 4;
    candidate.text.data = jz__arena_copy(&work->arena, candidate.text.data,
                                         candidate.text.length);
    if (candidate.text.data == NULL) {
        return JZ_ENOMEM;
    }
    jz__extract_candidates_put(out, &candidate);
    return 0;
}

/* Calls without a result are left out: nobody knows whether they succeeded.
 * What is found about each command stays in work->shells, for the errors. */
int jz__extract_commands_pick(struct jz__extract_candidates *out,
                              struct jz__extract_work *work)
{
    size_t i;

    work->shells = jz__arena_alloc(
        &work->arena, work->event_count * sizeof(work->shells[0]) + 1);
    if (work->shells == NULL) {
        return JZ_ENOMEM;
    }
    for (i = 0; i < work->event_count; i++) {
        const struct jz__event *event = work->events[i];
        int r;

        if (event->kind != JZ__EVENT_TOOL || event->command.length == 0) {
            continue;
        }
        r = put_command(out, work, i);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}
