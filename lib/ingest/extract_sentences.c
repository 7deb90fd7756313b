/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message -> its sentences. Lines are gathered into paragraphs; code, quotes,
 * logs and rules are left out; each paragraph goes through extract_markup.c and
 * comes back as sentences.
 *
 * In a person's message it is also decided what they wrote and what they
 * pasted (a page, a plan, somebody's report): a pasted sentence may explain
 * what the session was about, but it is never taken for a decision of ours.
 * Being wrong in one direction loses a sentence, in the other it puts a
 * stranger's words into our mouth; so a message that is long or goes on behind
 * a colon, an address or a heading is the person's only up to there.
 */
#include "ingest/extract_internal.h"

#include <assert.h>
#include <string.h>

/* Bytes of a person's message up to which all paragraphs may be theirs; of a
 * longer one it is the first paragraph. */
#define OWN_MOST 700
/* A later paragraph at least this long that speaks neither of "I" nor of "you"
 * comes from somewhere else: a report, a page. */
#define FOREIGN_LEAST 160
/* A line at least this long was wrapped, so the next one goes on with it. */
#define WRAPPED_LEAST 60
/* How far the end of a block is looked for: without a limit, a message of
 * nothing but beginnings would be read once for each of them; and who opened
 * this many blocks without an end does not write blocks. */
#define BLOCK_MOST 4096
#define MISSES_MOST 8
/* Surer than any cue: the person chose it from a list. */
#define ANSWER_WEIGHT 12

struct reader {
    struct jz__extract_work *work;
    struct jz__buf paragraph;
    size_t event;
    uint32_t base;      /* flags of every sentence of the message */
    uint32_t flags;     /* and of this paragraph */
    size_t last_length; /* of the paragraph's last line */
    char fence;         /* the character of the open fence, or 0 */
    size_t misses;      /* blocks without an end so far */
    size_t paragraphs;  /* that were read so far */
    bool is_long;       /* over OWN_MOST */
    bool is_wordy;      /* long enough to hold a page's paragraph */
    bool is_pasted;
    bool after_lead; /* the last paragraph ended in a colon */
    uint8_t heading[JZ__CUE_KINDS];
    int error;
};

/* The sentence with its cues and words. Behind the most that a segment may
 * have, further ones are left out without a word: they are not missed. */
static int add_sentence(struct reader *r, struct jz__str text, uint32_t flags)
{
    struct jz__extract_work *work = r->work;
    struct jz__extract_sentence *sentence;
    int i;

    if (work->sentence_count >= JZ__EXTRACT_SENTENCES_MOST) {
        return 0;
    }
    if (jz__mem_grow(&work->sentences, &work->sentence_capacity,
                     work->sentence_count + 1,
                     sizeof(work->sentences[0])) < 0) {
        return JZ_ENOMEM;
    }
    sentence = &work->sentences[work->sentence_count];
    memset(sentence, 0, sizeof(*sentence));
    sentence->text.data = jz__arena_copy(&work->arena, text.data, text.length);
    if (sentence->text.data == NULL) {
        return JZ_ENOMEM;
    }
    sentence->text.length = text.length;
    sentence->event = (uint32_t)r->event;
    sentence->flags = flags;
    work->sentence_count++;
    jz__extract_cues_scan(sentence, work->cue_index);
    if ((flags & JZ__SENTENCE_HEAD) != 0) {
        memcpy(r->heading, sentence->cues, sizeof(r->heading));
    }
    /* Under the heading "Root cause" every sentence speaks of it. */
    for (i = 0; i <= JZ__CUE_FACT; i++) {
        sentence->cues[i] =
            (uint8_t)(sentence->cues[i] + (r->heading[i] > 0 ? 2 : 0));
    }
    return jz__extract_counts_scan(work, sentence);
}

/* Quotes and brackets may close behind the last sign. */
static uint32_t flags_of(const struct reader *r, struct jz__str text)
{
    uint32_t flags = r->base | r->flags;
    size_t end = text.length;

    while (end > 0 && strchr("\"')", text.data[end - 1]) != NULL) {
        end--;
    }
    if ((end > 0 && text.data[end - 1] == '?') ||
        ((r->base & JZ__SENTENCE_USER) != 0 &&
         jz__extract_marks_is_question(text))) {
        flags |= JZ__SENTENCE_QUESTION;
    }
    if (end > 0 && text.data[end - 1] == ':') {
        flags |= JZ__SENTENCE_LEAD;
    }
    return r->is_pasted ? flags | JZ__SENTENCE_PASTED : flags;
}

/* What in a person's paragraph says that it, or the rest, is not theirs? */
static void watch_paragraph(struct reader *r)
{
    struct jz__str text = { r->paragraph.data, r->paragraph.length };

    r->paragraphs++;
    if (r->paragraphs > 1 && text.length >= FOREIGN_LEAST &&
        !jz__extract_marks_is_personal(text)) {
        r->is_pasted = true;
    }
}

/* The paragraph is whole: cut it into sentences. */
static void flush(struct reader *r)
{
    struct jz__buf *buf = &r->work->buf;
    struct jz__str rest;
    struct jz__str text;
    uint32_t mark = JZ__SENTENCE_BREAK;

    if (r->paragraph.length == 0) {
        return;
    }
    if ((r->base & JZ__SENTENCE_USER) != 0) {
        watch_paragraph(r);
    }
    jz__buf_clear(buf);
    jz__extract_markup_plain(
        buf, (struct jz__str){ r->paragraph.data, r->paragraph.length });
    rest = (struct jz__str){ buf->data, buf->length };
    while (r->error == 0 && buf->error == 0 && jz__str_line(&text, &rest)) {
        text = jz__str_trim(text);
        if (text.length >= 2) {
            uint32_t flags = flags_of(r, text);

            r->after_lead = (flags & JZ__SENTENCE_LEAD) != 0;
            r->error = add_sentence(r, text, flags | mark);
            mark = 0;
        }
    }
    if (buf->error < 0 || r->paragraph.error < 0) {
        r->error = JZ_ENOMEM;
    }
    /* Only the first paragraph of a long message is surely the person's, and
     * what stands below an address is mostly what was found there. */
    r->is_pasted = r->is_pasted || r->is_long ||
                   (r->paragraphs == 1 && r->is_wordy &&
                    jz__str_find((struct jz__str){ r->paragraph.data,
                                                   r->paragraph.length },
                                 "://") != SIZE_MAX);
    jz__buf_clear(&r->paragraph);
    r->flags = 0;
    r->last_length = 0;
}

/* Opens or closes a fence: ```, ~~~ or a person's three quotes. */
static bool take_fence(struct reader *r, struct jz__str line)
{
    char c = line.data[0];

    if (line.length < 3 || strchr("`~\"", c) == NULL || line.data[1] != c ||
        line.data[2] != c) {
        return r->fence != 0;
    }
    if (r->fence == 0) {
        flush(r);
        r->after_lead = false;
        r->fence = c;
    } else if (r->fence == c) {
        r->fence = 0;
    }
    return true;
}

/* "| a | b |" is a row: "a: b". The line under the head has no letters. */
static bool take_row(struct reader *r, struct jz__str line)
{
    size_t count = 0;
    size_t i;

    if (line.data[0] != '|') {
        return false;
    }
    flush(r);
    if (jz__extract_marks_is_rule(
            (struct jz__str){ line.data + 1, line.length - 1 }) ||
        jz__str_find(line, "--") != SIZE_MAX) {
        return true;
    }
    r->flags = JZ__SENTENCE_ROW | JZ__SENTENCE_ITEM;
    for (i = 1; i < line.length; i++) {
        size_t end = i;
        struct jz__str cell;

        while (end < line.length && line.data[end] != '|') {
            end++;
        }
        cell = jz__str_trim((struct jz__str){ line.data + i, end - i });
        /* The number of the row says nothing. */
        if (cell.length > 2) {
            jz__buf_puts(&r->paragraph, count == 0   ? ""
                                        : count == 1 ? ": "
                                                     : "; ");
            jz__buf_append(&r->paragraph, cell.data, cell.length);
            count++;
        }
        i = end;
    }
    flush(r);
    return true;
}

/* Heading: "# Title", or a line that is bold as a whole. */
static bool take_heading(struct reader *r, struct jz__str line)
{
    size_t level = 0;

    while (level < line.length && line.data[level] == '#') {
        level++;
    }
    if (level == 0 && jz__str_starts(line, "**") && line.length > 4) {
        struct jz__str inner = { line.data + 2, line.length - 2 };

        if (inner.data[inner.length - 1] == ':') {
            inner.length--;
        }
        if (jz__str_find(inner, "**") != inner.length - 2) {
            return false;
        }
    } else if (level == 0 || level > 6 || level == line.length ||
               line.data[level] != ' ') {
        return false;
    }
    flush(r);
    /* People do not write headings into what they ask. */
    r->is_pasted = r->is_pasted || (r->base & JZ__SENTENCE_USER) != 0;
    r->flags = JZ__SENTENCE_HEAD;
    jz__buf_append(&r->paragraph, line.data + level, line.length - level);
    flush(r);
    return true;
}

/* Lines that are no words of whoever wrote the message. */
static bool take_foreign(struct reader *r, struct jz__str line,
                         struct jz__str trimmed)
{
    bool is_user = (r->base & JZ__SENTENCE_USER) != 0;

    if (jz__extract_marks_is_rule(trimmed) || trimmed.data[0] == '>') {
        flush(r);
        return true;
    }
    /* What stands below an address is what was found there. */
    if (is_user && jz__extract_marks_is_address(trimmed)) {
        flush(r);
        r->is_pasted = true;
        return true;
    }
    if (is_user && (jz__str_starts(trimmed, "From: ") ||
                    jz__str_starts(trimmed, "Subject: "))) {
        r->is_pasted = true;
    }
    if (is_user ? !jz__extract_lines_is_machine(line)
                : !jz__extract_marks_is_structure(trimmed)) {
        return false;
    }
    flush(r);
    return true;
}

/* A line goes on with the paragraph if the one before was wrapped; a list's
 * item begins its own. */
static void add_line(struct reader *r, struct jz__str line)
{
    struct jz__str trimmed = jz__str_trim(line);
    size_t marker = jz__extract_marks_item(trimmed);
    char last = r->paragraph.length > 0
                    ? r->paragraph.data[r->paragraph.length - 1]
                    : ' ';

    if (marker > 0) {
        flush(r);
        r->flags = JZ__SENTENCE_ITEM;
    } else if (r->paragraph.length > 0 &&
               (r->last_length < WRAPPED_LEAST || last == ':') &&
               !(trimmed.data[0] >= 'a' && trimmed.data[0] <= 'z' &&
                 last == ',')) {
        flush(r);
    }
    /* A paragraph behind a colon is what the colon announced, not their own. */
    if (r->after_lead && r->paragraph.length == 0) {
        r->is_pasted =
            r->is_pasted || (marker == 0 && (r->base & JZ__SENTENCE_USER) != 0);
        r->after_lead = marker > 0;
    }
    r->last_length = trimmed.length;
    while (marker > 0 && marker < trimmed.length &&
           (trimmed.data[marker] == '#' || trimmed.data[marker] == ' ')) {
        marker++;
    }
    jz__buf_putc(&r->paragraph, ' ');
    jz__buf_append(&r->paragraph, trimmed.data + marker,
                   trimmed.length - marker);
}

/* The first that knows the line takes it; what nobody knows is words. */
static void read_line(struct reader *r, struct jz__str line)
{
    struct jz__str trimmed = jz__str_trim(line);

    if (trimmed.length == 0) {
        if (r->fence == 0) {
            flush(r);
        }
        return;
    }
    if (take_fence(r, trimmed) || take_row(r, trimmed) ||
        take_heading(r, trimmed) || take_foreign(r, line, trimmed)) {
        return;
    }
    add_line(r, line);
}

/* "<name>" alone on a line, with its "</name>" further down, is a block of some
 * program's: a citation, a setting, a pasted document. */
static bool skip_block(struct reader *r, struct jz__str line,
                       struct jz__str *rest)
{
    struct jz__str near = { rest->data, rest->length < BLOCK_MOST
                                            ? rest->length
                                            : BLOCK_MOST };
    char close[40];
    size_t at;

    if (r->fence != 0 || r->misses >= MISSES_MOST || line.length < 3 ||
        line.length > sizeof(close) - 3 || line.data[0] != '<' ||
        line.data[1] == '/' || line.data[line.length - 1] != '>' ||
        memchr(line.data, ' ', line.length) != NULL) {
        return false;
    }
    close[0] = '<';
    close[1] = '/';
    memcpy(close + 2, line.data + 1, line.length - 1);
    close[line.length + 1] = '\0';
    at = jz__str_find(near, close);
    if (at == SIZE_MAX) {
        r->misses++;
        return false;
    }
    flush(r);
    rest->data += at;
    rest->length -= at;
    return true;
}

/* Each question with its answer is a sentence, and a sure decision: whatever
 * else its words look like, the person picked it. */
static int read_answers(struct reader *r, struct jz__str text)
{
    struct jz__extract_work *work = r->work;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf pair = JZ__BUF_INIT;

    while (jz__extract_answers_next(&pair, &text)) {
        size_t before = work->sentence_count;
        int error;

        if (pair.error < 0) {
            return JZ_ENOMEM;
        }
        error = add_sentence(
            r, jz__str_trim((struct jz__str){ pair.data, pair.length }),
            r->base | JZ__SENTENCE_ANSWER | JZ__SENTENCE_BREAK);
        if (error < 0) {
            return error;
        }
        if (work->sentence_count > before) {
            uint8_t *cues = work->sentences[before].cues;

            memset(cues, 0, sizeof(work->sentences[before].cues));
            cues[JZ__CUE_DECISION] = ANSWER_WEIGHT;
        }
        jz__buf_clear(&pair);
    }
    return 0;
}

int jz__extract_sentences_read(struct jz__extract_work *work, size_t event,
                               uint32_t flags)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf paragraph = JZ__BUF_INIT;
    struct reader r = { .work = work, .event = event, .base = flags };
    struct jz__str rest = work->events[event]->text;
    struct jz__str line;

    assert(event < work->event_count);

    if ((flags & JZ__SENTENCE_USER) != 0) {
        if (jz__extract_lines_is_injected(rest)) {
            return 0;
        }
        if (jz__extract_answers_is_text(rest)) {
            return read_answers(&r, rest);
        }
        rest = jz__extract_lines_own(rest);
    }
    r.is_long = (flags & JZ__SENTENCE_USER) != 0 && rest.length > OWN_MOST;
    r.is_wordy =
        (flags & JZ__SENTENCE_USER) != 0 && rest.length > 2 * FOREIGN_LEAST;
    r.paragraph = paragraph;
    while (r.error == 0 && jz__str_line(&line, &rest)) {
        if (!skip_block(&r, jz__str_trim(line), &rest)) {
            read_line(&r, line);
        }
    }
    flush(&r);
    if (r.paragraph.error < 0) {
        r.error = JZ_ENOMEM;
    }
    paragraph = r.paragraph;
    return r.error;
}
