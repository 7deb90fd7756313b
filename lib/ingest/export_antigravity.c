/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Antigravity writes a conversation twice: transcript.jsonl, with long content
 * cut, and transcript_full.jsonl. Both are trimmed at the head as they grow,
 * independently, so that either may hold steps that the other has lost. The
 * export is the union by step: a step of the full one wins, and of one file the
 * last line of a step, since a later line may finish it. Lines that are no whole
 * record, as the first one after a trim, are left out.
 */
#include "ingest/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/scan.h"
#include "ingest/export_rows.h"

static const char short_name[] = "transcript.jsonl";
static const char full_name[] = "transcript_full.jsonl";

/* A line of either file, by its place in the text of all lines. */
struct step {
    int64_t index;
    size_t order; /* of two lines of one step the later one wins */
    size_t start;
    size_t length;
};

struct steps {
    struct jz__buf text;
    struct step *list;
    size_t count;
    size_t capacity;
};

static void steps_finish(struct steps *steps)
{
    jz__buf_finish(&steps->text);
    free(steps->list);
}

/* The line that stands at the end of the text, from start on. */
static int take_line(struct steps *steps, struct jz__scan *scan, size_t start)
{
    size_t length = steps->text.length - start;
    struct step *step;
    int64_t index = 0;
    int r = jz__scan_parse(scan, steps->text.data + start, length);

    if (r == JZ_ENOMEM) {
        return r;
    }
    if (r < 0 || !jz__scan_is_whole(scan, length) ||
        !jz__scan_int(&index, scan, jz__scan_get(scan, 0, "step_index"))) {
        jz__buf_truncate(&steps->text, start);
        return 0;
    }
    if (jz__mem_grow(&steps->list, &steps->capacity, steps->count + 1,
                     sizeof(*step)) < 0) {
        return JZ_ENOMEM;
    }
    step = &steps->list[steps->count];
    *step = (struct step){ index, steps->count, start, scan->end };
    steps->count++;
    return 0;
}

static int read_lines(struct steps *steps, struct jz__file_lines *lines,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    size_t start = steps->text.length;
    const char *data;
    size_t length;
    bool ends_line;
    int r;

    while ((r = jz__file_lines_next(lines, &data, &length, &ends_line, error)) >
           0) {
        jz__buf_append(&steps->text, data, length);
        r = steps->text.error != 0 ? jz__fail_memory(error)
                                   : jz__export_check_size(&steps->text, error);
        if (r == 0 && ends_line) {
            r = take_line(steps, &scan, start);
            start = steps->text.length;
        }
        if (r < 0) {
            return r;
        }
    }
    /* A last line without its end counts if it is whole. */
    if (r == 0 && steps->text.length > start) {
        r = take_line(steps, &scan, start);
    }
    return r;
}

/* 1: there is no such file. */
static int read_transcript(struct steps *steps, const char *folder,
                           const char *name, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__file_lines_closep) struct jz__file_lines *lines = NULL;
    int r;

    jz__path_join(&path, folder, name);
    if (path.error != 0) {
        return jz__fail_memory(error);
    }
    r = jz__file_lines_open(&lines, path.data, error);
    if (r == JZ_ENOTFOUND) {
        return 1;
    }
    return r < 0 ? r : read_lines(steps, lines, error);
}

static int by_index(const void *a, const void *b)
{
    const struct step *x = a;
    const struct step *y = b;

    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

int jz__export_antigravity(struct jz__buf *out, const char *folder,
                           const char *session, struct jz__error *error)
{
    JZ_CLEANUP(steps_finish) struct steps steps = { .text = JZ__BUF_INIT };
    int r = read_transcript(&steps, folder, short_name, error);
    bool is_alone = r == 1;

    (void)session;
    if (r >= 0) {
        r = read_transcript(&steps, folder, full_name, error);
    }
    if (r < 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(error) : r;
    }
    if (is_alone && r == 1) {
        return jz__fail(error, JZ_ENOTFOUND, "%s holds no transcript", folder);
    }
    if (steps.count > 1) {
        qsort(steps.list, steps.count, sizeof(*steps.list), by_index);
    }
    for (size_t i = 0; i < steps.count; i++) {
        const struct step *step = &steps.list[i];

        if (i + 1 == steps.count || step[1].index != step->index) {
            jz__buf_append(out, steps.text.data + step->start, step->length);
            jz__buf_putc(out, '\n');
        }
    }
    return 0;
}

/* --- all conversations --- */

/* Both files of a conversation come one after the other in the walk. */
struct walk {
    int64_t since;
    jz__export_list_fn fn;
    void *userdata;
    struct jz__buf folder; /* of the conversation that was seen last */
    int64_t modified_ns;
    int64_t bytes;
    bool is_out_of_memory;
};

/* <conversation>/.system_generated/logs */
static struct jz__str conversation_of(const char *folder)
{
    static const char below[] = "/.system_generated/logs";
    struct jz__str path = jz__str_of(folder);
    struct jz__str id = JZ__STR("");

    if (!jz__str_ends(path, below)) {
        return id;
    }
    path.length -= sizeof(below) - 1;
    id.data = path.data + path.length;
    while (id.data > path.data && id.data[-1] != '/') {
        id.data--;
        id.length++;
    }
    return id;
}

static int tell(struct walk *walk)
{
    struct jz__str id;
    JZ_CLEANUP(jz__mem_freep) char *session = NULL;
    struct jz__export_entry entry;

    if (walk->folder.length == 0 ||
        walk->modified_ns / 1000000000 < walk->since) {
        return 0;
    }
    id = conversation_of(walk->folder.data);
    session = jz__mem_copy(id.data, id.length);
    entry = (struct jz__export_entry){ session, walk->folder.data,
                                       walk->modified_ns, walk->bytes };
    if (session == NULL) {
        walk->is_out_of_memory = true;
        return JZ_ENOMEM;
    }
    return walk->fn(walk->userdata, &entry);
}

static int on_file(void *userdata, const char *path)
{
    struct walk *walk = userdata;
    struct jz__str name = jz__path_name(path);
    struct jz__str folder = jz__path_parent(path);
    struct jz__file_state state;
    int r = 0;

    if ((!jz__str_is(name, short_name) && !jz__str_is(name, full_name)) ||
        jz__file_stat(&state, path, NULL) < 0) {
        return 0;
    }
    if (walk->folder.length == 0 ||
        !jz__str_equal(folder, jz__str_of(walk->folder.data))) {
        r = tell(walk);
        jz__buf_clear(&walk->folder);
        jz__buf_append(&walk->folder, folder.data, folder.length);
        walk->modified_ns = 0;
        walk->bytes = 0;
        if (walk->folder.error != 0) {
            walk->is_out_of_memory = true;
            return JZ_ENOMEM;
        }
        if (conversation_of(walk->folder.data).length == 0) {
            jz__buf_truncate(&walk->folder, 0);
        }
    }
    walk->bytes += state.size;
    if (state.mtime_ns > walk->modified_ns) {
        walk->modified_ns = state.mtime_ns;
    }
    return r;
}

/* The app's conversations and those of its command line. */
int jz__export_antigravity_list(const char *folder, int64_t since,
                                jz__export_list_fn fn, void *userdata,
                                struct jz__error *error)
{
    static const char *const below[] = { "antigravity/brain",
                                         "antigravity-cli/brain" };
    int r = 0;

    for (size_t i = 0; i < JZ__LENGTH(below) && r == 0; i++) {
        struct walk walk = { .since = since, .fn = fn, .userdata = userdata };
        JZ_CLEANUP(jz__buf_finish) struct jz__buf brain = JZ__BUF_INIT;
        struct jz__file_state unused;

        jz__path_join(&brain, folder, below[i]);
        if (brain.error != 0) {
            return jz__fail_memory(error);
        }
        if (jz__file_stat(&unused, brain.data, NULL) == JZ_ENOTFOUND) {
            continue;
        }
        r = jz__file_walk(brain.data, on_file, &walk, NULL, error);
        if (r == 0) {
            r = tell(&walk);
        }
        jz__buf_finish(&walk.folder);
        if (walk.is_out_of_memory) {
            return jz__fail_memory(error);
        }
    }
    return r;
}
