/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each message once. The response stream holds all that went to the model, with
 * what the program adds in the user's name; the two event streams mirror it and
 * hold what people typed and read. A copy comes within a moment of the other,
 * in either order, or not at all: so a message that comes again, in another
 * stream, with the same text, among the last few and within a minute, is the
 * same. "yes" typed twice comes twice in one stream, and stays two messages.
 *
 * A user's message that only the response stream has is doubtful. It stays if
 * its turn has no other: then the file has no mirror there. Beside one that
 * people typed it is the program's.
 */
#include "ingest/codex.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ingest/injected.h"

/* Between the copies of a message. */
#define APART_MOST_MS 60000

/* A shorter text is no sign that one message is the beginning of another. */
#define PREFIX_LEAST 24

/* Does one of the texts begin with the other? Mirrors lack what the program
 * hangs on behind the model's words, or carry it. */
static bool is_prefix(struct jz__str a, struct jz__str b)
{
    size_t length = a.length < b.length ? a.length : b.length;

    return length >= PREFIX_LEAST && memcmp(a.data, b.data, length) == 0;
}

/* The message of which this is another copy, the oldest first; NULL: none. */
static struct jz__codex_seen *find_seen(struct jz__codex *codex,
                                        enum jz__codex_stream stream,
                                        enum jz__event_kind kind,
                                        struct jz__str text, uint64_t hash)
{
    size_t count = codex->recent_count < JZ__CODEX_RECENT ? codex->recent_count
                                                          : JZ__CODEX_RECENT;
    size_t i;

    for (i = codex->recent_count - count; i < codex->recent_count; i++) {
        struct jz__codex_seen *seen = &codex->recent[i % JZ__CODEX_RECENT];
        const struct jz__event *event = &codex->intake.out->events[seen->event];
        int64_t apart = codex->intake.time_ms - event->time_ms;

        if (seen->kind == kind && (seen->streams & 1u << stream) == 0 &&
            apart <= APART_MOST_MS && apart >= -APART_MOST_MS &&
            (seen->hash == hash || is_prefix(event->text, text))) {
            return seen;
        }
    }
    return NULL;
}

/* A user's message came in a clean stream, so doubtful ones of this turn are
 * the program's. Turns only go up, which keeps the list sorted. */
static int note_clean_turn(struct jz__codex *codex)
{
    if (codex->turn == 0 ||
        (codex->clean_count > 0 &&
         codex->clean_turns[codex->clean_count - 1] == codex->turn)) {
        return JZ_OK;
    }
    if (jz__mem_grow(&codex->clean_turns, &codex->clean_capacity,
                     codex->clean_count + 1, sizeof(*codex->clean_turns)) < 0) {
        return JZ_ENOMEM;
    }
    codex->clean_turns[codex->clean_count++] = codex->turn;
    return JZ_OK;
}

/* It is decided at the end: the clean copy, if there is one, comes later. */
static int note_doubt(struct jz__codex *codex, size_t event)
{
    if (jz__mem_grow(&codex->doubts, &codex->doubt_capacity,
                     codex->doubt_count + 1, sizeof(*codex->doubts)) < 0) {
        return JZ_ENOMEM;
    }
    codex->doubts[codex->doubt_count].event = event;
    codex->doubts[codex->doubt_count].turn = codex->turn;
    codex->doubt_count++;
    return JZ_OK;
}

/* A doubtful message came in a clean stream too. */
static void drop_doubt(struct jz__codex *codex, size_t event)
{
    size_t i;

    for (i = codex->doubt_count; i > 0; i--) {
        if (codex->doubts[i - 1].event == event) {
            codex->doubts[i - 1].turn = -1;
            return;
        }
    }
}

/* The other copy of a message that is already in the conversation. Of a user's
 * message the clean stream's text is the one to keep, of the agent's the
 * response stream's. */
static int merge(struct jz__codex *codex, struct jz__codex_seen *seen,
                 enum jz__codex_stream stream, struct jz__str text,
                 uint64_t hash)
{
    bool is_user = seen->kind == JZ__EVENT_USER;
    bool is_response = stream == JZ__CODEX_RESPONSE;

    seen->streams |= 1u << stream;
    if (is_user && !is_response) {
        drop_doubt(codex, seen->event);
    }
    if (hash == seen->hash || is_user == is_response) {
        return JZ_OK;
    }
    seen->hash = hash;
    if (is_user && jz__intake_clean(&codex->intake, &text) < 0) {
        return JZ_ENOMEM;
    }
    return text.length == 0 ? JZ_OK
                            : jz__conversation_keep_message(
                                  &codex->intake.out->events[seen->event].text,
                                  codex->intake.out, text);
}

/* Text that is put in front of a prompt by editors and by the desktop program:
 * files, selections, then the prompt under a heading. */
static struct jz__str without_context(struct jz__str text)
{
    static const char mark[] = "## My request for Codex:";
    size_t at;

    if (!jz__str_starts(text, "# ")) {
        return text;
    }
    at = jz__str_find(text, mark);
    if (at != SIZE_MAX) {
        text.data += at + sizeof(mark) - 1;
        text.length -= at + sizeof(mark) - 1;
    }
    return jz__str_trim(text);
}

/* Texts are compared as they come, before they are cleaned and cut, since the
 * copies are the same only then. */
int jz__codex_streams_add(struct jz__codex *codex, enum jz__codex_stream stream,
                          enum jz__event_kind kind, struct jz__str text)
{
    struct jz__intake *intake = &codex->intake;
    bool is_clean = kind == JZ__EVENT_USER && stream != JZ__CODEX_RESPONSE;
    struct jz__codex_seen *seen;
    uint64_t hash;
    bool is_added;
    int r;

    assert(codex != NULL && kind != JZ__EVENT_TOOL);

    text = jz__str_trim(text);
    if (kind == JZ__EVENT_USER) {
        text = without_context(text);
    }
    hash = jz__str_hash(text, 0);
    seen = find_seen(codex, stream, kind, text, hash);
    if (seen != NULL) {
        r = merge(codex, seen, stream, text, hash);
        return r == 0 && is_clean ? note_clean_turn(codex) : r;
    }
    r = jz__intake_message(&is_added, intake, kind,
                           jz__intake_identity(intake, JZ__STR(""), 0), text);
    if (r < 0 || !is_added) {
        return r;
    }
    seen = &codex->recent[codex->recent_count++ % JZ__CODEX_RECENT];
    seen->event = intake->out->count - 1;
    seen->kind = kind;
    seen->hash = hash;
    seen->streams = 1u << stream;
    if (kind == JZ__EVENT_USER && stream == JZ__CODEX_RESPONSE) {
        return note_doubt(codex, seen->event);
    }
    return is_clean ? note_clean_turn(codex) : JZ_OK;
}

/* A binary search: a session may have thousands of turns. */
static bool is_clean_turn(const struct jz__codex *codex, int64_t turn)
{
    size_t low = 0;
    size_t high = codex->clean_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (codex->clean_turns[middle] < turn) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < codex->clean_count && codex->clean_turns[low] == turn;
}

/* Events and doubts are both in the order of the file: one walk is enough. A
 * boundary on a message that goes moves on to the next. */
void jz__codex_streams_finish(struct jz__codex *codex)
{
    struct jz__conversation *out = codex->intake.out;
    bool is_boundary = false;
    size_t doubt = 0;
    size_t to = 0;
    size_t i;

    for (i = 0; i < out->count; i++) {
        if (doubt < codex->doubt_count && codex->doubts[doubt].event == i) {
            if (is_clean_turn(codex, codex->doubts[doubt++].turn)) {
                is_boundary = is_boundary || out->events[i].is_boundary;
                continue;
            }
        }
        out->events[i].is_boundary = out->events[i].is_boundary || is_boundary;
        is_boundary = false;
        out->events[to++] = out->events[i];
    }
    out->count = to;
}
