/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transcript written by a test, and what a connector makes of it:
 *
 *     struct story story;
 *
 *     story_read(&story, &jz__connector_codex, "rollout.jsonl", TEXT);
 *     CHECK_STR(story_events(&story), "user: hello\n");
 *     story_finish(&story);
 */
#ifndef JZ_TEST_STORY_H
#define JZ_TEST_STORY_H

#include <string.h>

#include "base/buf.h"
#include "ingest/connector.h"
#include "tmpdir.h"

struct story {
    struct tmpdir dir;
    struct jz__conversation talk;
    struct jz__error error;
    struct jz__buf shown;
    int r;
};

static inline void story_read_bytes(struct story *story,
                                    const struct jz__connector *connector,
                                    const char *name, const void *text,
                                    size_t length)
{
    static const struct jz__conversation empty = JZ__CONVERSATION_INIT;

    memset(story, 0, sizeof(*story));
    story->talk = empty;
    tmpdir_make(&story->dir);
    story->r = connector->read(&story->talk,
                               tmpdir_write(&story->dir, name, text, length),
                               &story->error);
}

static inline void story_read(struct story *story,
                              const struct jz__connector *connector,
                              const char *name, const char *text)
{
    story_read_bytes(story, connector, name, text, strlen(text));
}

/* Texts that make up a transcript, joined as they stand. */
#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static inline void story_join(struct jz__buf *out, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        jz__buf_puts(out, *texts);
    }
}

static inline void story_read_lines(struct story *story,
                                    const struct jz__connector *connector,
                                    const char *name, const char *const *texts)
{
    struct jz__buf text = JZ__BUF_INIT;

    story_join(&text, texts);
    story_read_bytes(story, connector, name, text.data != NULL ? text.data : "",
                     text.length);
    jz__buf_finish(&text);
}

/* A recorded transcript: name is below test/data/transcripts. */
static inline void story_open(struct story *story,
                              const struct jz__connector *connector,
                              const char *name)
{
    static const struct jz__conversation empty = JZ__CONVERSATION_INIT;
    char path[PATH_MAX];

    memset(story, 0, sizeof(*story));
    story->talk = empty;
    tmpdir_make(&story->dir);
    (void)snprintf(path, sizeof(path), "%s/transcripts/%s", JZ_TEST_DATA, name);
    story->r = connector->read(&story->talk, path, &story->error);
}

/* All events, a line each: "user: …", "assistant: …", "tool Bash ok: …"; "--"
 * in front of one that begins a new context. */
static inline const char *story_events(struct story *story)
{
    static const char *const states[] = { "?", "ok", "failed" };
    size_t i;

    jz__buf_clear(&story->shown);
    jz__buf_puts(&story->shown, "");
    for (i = 0; i < story->talk.count; i++) {
        const struct jz__event *event = &story->talk.events[i];

        jz__buf_puts(&story->shown, event->is_boundary ? "-- " : "");
        if (event->kind == JZ__EVENT_TOOL) {
            jz__buf_printf(&story->shown, "tool %.*s %s: %.*s\n",
                           (int)event->tool.length, event->tool.data,
                           states[event->state], (int)event->argument.length,
                           event->argument.data);
        } else {
            jz__buf_printf(&story->shown, "%s: %.*s\n",
                           event->kind == JZ__EVENT_USER ? "user" : "assistant",
                           (int)event->text.length, event->text.data);
        }
    }
    return story->shown.data;
}

static inline void story_finish(struct story *story)
{
    jz__conversation_finish(&story->talk);
    jz__buf_finish(&story->shown);
    tmpdir_remove(&story->dir);
}

#endif
