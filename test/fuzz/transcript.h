/* SPDX-License-Identifier: Apache-2.0 */
/* A connector on any bytes: it must come to an end, and what it gives must be
 * what conversation.h promises, whatever the file holds. */
#ifndef JZ_TEST_TRANSCRIPT_H
#define JZ_TEST_TRANSCRIPT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "ingest/connector.h"
#include "ingest/segment.h"

static inline void transcript_require(bool is_true)
{
    if (!is_true) {
        abort();
    }
}

static inline void transcript_check_text(struct jz__str text)
{
    transcript_require(text.data != NULL);
    transcript_require(jz__utf8_is_clean(text.data, text.length));
}

static inline void transcript_check_event(const struct jz__event *event)
{
    transcript_check_text(event->text);
    transcript_check_text(event->tool);
    transcript_check_text(event->argument);
    transcript_check_text(event->command);
    transcript_check_text(event->output);
    transcript_require(event->kind == JZ__EVENT_TOOL || event->text.length > 0);
    transcript_require(
        jz__utf8_count(event->argument.data, event->argument.length) <= 300);
    transcript_require(event->output.length <=
                       4 * JZ__CONVERSATION_OUTPUT_MOST);
}

static inline void transcript_check(const struct jz__conversation *talk)
{
    struct jz__segment *segments = NULL;
    size_t count;
    size_t i;

    for (i = 0; i < talk->count; i++) {
        transcript_check_event(&talk->events[i]);
        transcript_require(i == 0 || talk->events[i - 1].time_ms <=
                                         talk->events[i].time_ms);
    }
    transcript_check_text(talk->session);
    transcript_check_text(talk->parent);
    transcript_check_text(talk->folder);
    transcript_check_text(talk->git_branch);
    transcript_check_text(talk->title);
    transcript_require(jz__segment_cut(&segments, &count, talk, NULL) == 0);
    free(segments);
}

/* Read the bytes out of a file that has no place on a disk. */
static inline void transcript_read(const struct jz__connector *connector,
                                   const uint8_t *data, size_t size)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__error error;
    char path[64];
    int fd = memfd_create("transcript", 0);

    transcript_require(fd >= 0);
    transcript_require(size == 0 || write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (connector->read(&talk, path, &error) == 0) {
        transcript_check(&talk);
    }
    jz__conversation_finish(&talk);
    (void)close(fd);
    (void)connector->is_transcript(
        (struct jz__str){ (const char *)data, size });
}

#endif
