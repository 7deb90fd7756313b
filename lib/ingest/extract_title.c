/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The title: the agent's own title of the session for its first segment; else
 * the first request that says what it is about, without courtesies, on one
 * line and short. A request that could stand over any session ("fix tests")
 * is followed by what came out of it. A later segment goes by its own request,
 * then by the agent's title, then by its outcome.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* A title stands on one line of a list, mostly of a terminal. Bytes that it aims
 * at, and the least that a cut leaves. */
#define TITLE_AIM 100
#define TITLE_LEAST 32
#define TITLE_VAGUE_AIM 120
/* A request of less weight says nothing in particular, and one of less than
 * the second could do with a word on what came of it. */
#define WEIGHT_VAGUE 4
#define WEIGHT_SHORT 7

/* Words of a title are separated by single blanks by now. */
static bool is_blank_or_end(struct jz__str text, size_t at)
{
    return at >= text.length || text.data[at] == ' ';
}

/* Append an address without its scheme and a long path without its folders:
 * they would take the whole title, and the summary has them in full. */
static void put_place(struct jz__buf *out, struct jz__str word)
{
    size_t i;
    size_t slashes = 0;

    if (jz__str_starts(word, "https://") || jz__str_starts(word, "http://")) {
        i = jz__str_find(word, "//") + 2;
        word.data += i;
        word.length -= i;
        if (jz__str_starts(word, "github.com/")) {
            word.data += 11;
            word.length -= 11;
        }
    } else if (word.data[0] == '/' && word.length > 24) {
        for (i = word.length; i > 0 && slashes < 2; i--) {
            slashes += word.data[i - 1] == '/';
        }
        word.data += i + 1;
        word.length -= i + 1;
    }
    jz__buf_append(out, word.data, word.length);
}

/* The text with its addresses and paths shortened, word by word. */
static void put_places(struct jz__buf *out, struct jz__str text)
{
    size_t i = 0;

    while (i < text.length) {
        size_t end = i;

        while (!is_blank_or_end(text, end)) {
            end++;
        }
        put_place(out, (struct jz__str){ text.data + i, end - i });
        if (end < text.length) {
            jz__buf_putc(out, ' ');
        }
        i = end + 1;
    }
}

/* Where to cut: behind the last clause that ends within `aim` bytes, else
 * behind the last word; *is_clause says which. */
static size_t cut_at(bool *is_clause, struct jz__str text, size_t aim)
{
    static const char *const ends[] = { ". ",
                                        "; ",
                                        ", ",
                                        " - ",
                                        " (",
                                        ": ",
                                        " \xE2\x80\x94 ",
                                        "? ",
                                        " because ",
                                        " so that ",
                                        " and ",
                                        " porque " };
    size_t best = 0;
    size_t i;
    size_t k;

    for (i = TITLE_LEAST; i < aim && i < text.length; i++) {
        struct jz__str rest = { text.data + i, text.length - i };

        for (k = 0; k < JZ__LENGTH(ends); k++) {
            if (rest.data[0] == ends[k][0] && jz__str_starts(rest, ends[k])) {
                best = i;
            }
        }
    }
    *is_clause = best >= aim / 2;
    if (*is_clause) {
        return best;
    }
    for (i = aim; i > TITLE_LEAST && text.data[i] != ' '; i--) {
    }
    return i > TITLE_LEAST ? i : aim;
}

/* The length without signs at the end, and of a text that was cut without the
 * small words that lead to what is missing. */
static size_t without_tail(struct jz__str text, bool is_cut)
{
    static const char *const words[] = {
        " so", " and",  " but",   " because", " the", " a",   " an",  " of",
        " to", " with", " which", " that",    " as",  " in",  " for", " on",
        " or", " by",   " if",    " is",      " de",  " que", " y",   " con"
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(words); i++) {
        while (text.length > 0 &&
               strchr(" ,;:.(-", text.data[text.length - 1]) != NULL) {
            text.length--;
        }
        if (is_cut && jz__str_ends(text, words[i])) {
            text.length -= strlen(words[i]);
            i = SIZE_MAX;
        }
    }
    return text.length;
}

/* Append at most `aim` bytes, ending at a clause or word; never inside a
 * character. */
static void put_cut(struct jz__buf *out, struct jz__str text, size_t aim)
{
    size_t length = text.length;
    bool is_clause = true;

    if (length > aim) {
        length = cut_at(&is_clause, text, aim);
        while (length > 0 &&
               ((unsigned char)text.data[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    length = without_tail((struct jz__str){ text.data, length },
                          length < text.length);
    jz__buf_append(out, text.data, length);
    if (!is_clause) {
        jz__buf_puts(out, "\xE2\x80\xA6");
    }
}

/* The first letter becomes a capital if the word is one of a language. */
static void capitalize(struct jz__buf *buf, size_t at)
{
    size_t i = at;

    while (i < buf->length && buf->data[i] >= 'a' && buf->data[i] <= 'z') {
        i++;
    }
    if (i > at &&
        (i == buf->length || buf->data[i] == ' ' || buf->data[i] == ',')) {
        buf->data[at] = (char)(buf->data[at] - 32);
    }
}

/* "Can you add x?" became "Add x?": it is no question any more. */
static struct jz__str core_of(struct jz__str text)
{
    struct jz__str core = jz__extract_request_core(text);

    if (core.length < 3) {
        return text;
    }
    if (core.length < text.length && core.data[core.length - 1] == '?') {
        core.length--;
    }
    return core;
}

/* How much the sentence tells of what the segment was about; 0: not at all. */
static int score_of(const struct jz__extract_work *work,
                    const struct jz__extract_sentence *sentence)
{
    const uint8_t *cues = sentence->cues;
    int score;

    if ((sentence->flags &
         (JZ__SENTENCE_USER | JZ__SENTENCE_LEAD | JZ__SENTENCE_ROW)) != 0 ||
        sentence->telling < 2 || !jz__extract_outcome_can_stand(sentence)) {
        return 0;
    }
    score = jz__extract_counts_central(work, sentence) / 3 +
            cues[JZ__CUE_FIX] * 2 + cues[JZ__CUE_OUTCOME] * 2 +
            cues[JZ__CUE_DECISION];
    score += sentence->telling < 6 ? sentence->telling : 6;
    score += sentence->marks < 3 ? sentence->marks : 3;
    score += (sentence->flags & JZ__SENTENCE_REPORT) != 0 ? 4 : 0;
    score -= (sentence->flags & JZ__SENTENCE_ITEM) != 0 ? 8 : 0;
    score -= cues[JZ__CUE_HEDGE] * 2 + cues[JZ__CUE_PLAN] * 2;
    return score > 0 ? score : 0;
}

/* The subject of the last commit, else the sentence that tells most. */
static struct jz__str best_outcome(const struct jz__extract_work *work)
{
    struct jz__str best = { "", 0 };
    int best_score = 0;
    size_t i;

    for (i = work->event_count; i > 0; i--) {
        const struct jz__event *event = work->events[i - 1];

        if (event->kind == JZ__EVENT_TOOL && event->state == JZ__TOOL_OK) {
            best = jz__extract_shell_subject(event->command);
        }
        if (best.length > 0) {
            return best;
        }
    }
    for (i = 0; i < work->sentence_count; i++) {
        int score = score_of(work, &work->sentences[i]);

        if (score > best_score &&
            jz__extract_alone_is_clear(&work->sentences[i])) {
            best_score = score;
            best = work->sentences[i].text;
        }
    }
    return best;
}

/* "Done - wrote the page" says no more than "wrote the page", and neither does
 * "docs(page): write it". */
static struct jz__str without_opening(struct jz__str text)
{
    size_t i = 0;

    if (jz__str_starts_nocase(text, "done") && text.length > 8 &&
        strchr(" -:,.;!", text.data[4]) != NULL) {
        i = 4;
    } else {
        while (i < text.length && text.data[i] >= 'a' && text.data[i] <= 'z') {
            i++;
        }
        if (i < text.length && text.data[i] == '(') {
            const char *close = memchr(text.data, ')', text.length);

            i = close != NULL ? (size_t)(close - text.data) + 1 : 0;
        }
        if (i == 0 || i + 8 > text.length || text.data[i] != ':' ||
            text.data[i + 1] != ' ') {
            return text;
        }
    }
    while (i < text.length && strchr(" -:,.;!", text.data[i]) != NULL) {
        i++;
    }
    text.data += i;
    text.length -= i;
    return text;
}

/* What came of it, behind the request. */
static void put_outcome(struct jz__buf *title,
                        const struct jz__extract_work *work)
{
    struct jz__str best =
        without_opening(jz__extract_request_core(best_outcome(work)));
    char last = title->length > 0 ? title->data[title->length - 1] : ' ';

    if (best.length == 0 || title->length + 24 > TITLE_VAGUE_AIM) {
        return;
    }
    if (title->length > 0) {
        jz__buf_puts(title, last == '?' || last == '!' ? " " : ": ");
    }
    put_cut(title, best, TITLE_VAGUE_AIM - title->length);
}

/* The first request, or if that says nothing at all the first that does. */
static bool find_request(struct jz__extract_request *out,
                         const struct jz__extract_work *work)
{
    struct jz__extract_request request;
    bool has_one = false;
    size_t at = 0;

    while (jz__extract_request_next(&request, work, &at)) {
        if (!has_one || request.weight >= WEIGHT_VAGUE) {
            *out = request;
            has_one = true;
        }
        if (out->weight > 0) {
            break;
        }
    }
    return has_one;
}

/* Does the next sentence go on with the request, and do both fit? */
static bool is_continued(const struct jz__extract_sentence *first,
                         const struct jz__extract_sentence *next)
{
    uint32_t bad = JZ__SENTENCE_PASTED | JZ__SENTENCE_HEAD | JZ__SENTENCE_ITEM |
                   JZ__SENTENCE_BREAK;

    return next->event == first->event && (next->flags & bad) == 0 &&
           (first->flags & JZ__SENTENCE_LEAD) == 0 && next->telling > 0 &&
           first->text.length + next->text.length < TITLE_AIM;
}

/* The request, cut to the aim; a short one with what follows it in the
 * message, or with what came of it. */
static void put_request(struct jz__buf *title, struct jz__extract_work *work,
                        const struct jz__extract_request *request)
{
    bool is_short = request->weight < WEIGHT_SHORT;
    const struct jz__extract_sentence *first =
        &work->sentences[request->sentence];

    jz__buf_clear(&work->buf);
    put_places(&work->buf, core_of(first->text));
    /* "Fix the PR issues. Revert the README." is one request. */
    if (request->weight < WEIGHT_SHORT &&
        request->sentence + 1 < work->sentence_count &&
        is_continued(first, first + 1)) {
        jz__buf_putc(&work->buf, ' ');
        put_places(&work->buf, first[1].text);
        is_short = false;
    }
    put_cut(title, (struct jz__str){ work->buf.data, work->buf.length },
            TITLE_AIM);
    if (is_short) {
        put_outcome(title, work);
    }
}

/* "Fix issue 6", "Update main": no word of it is this session's alone. */
static bool is_vague(struct jz__str text)
{
    struct jz__extract_word word;

    while (jz__extract_words_next(&word, &text)) {
        if (word.is_mark ||
            (!word.is_stop && !word.is_generic &&
             (word.text.data[0] < '0' || word.text.data[0] > '9'))) {
            return false;
        }
    }
    return true;
}

/* The heading over a report, or the first in it that says something: "Overview"
 * does not. */
static const struct jz__extract_sentence *
find_heading(const struct jz__extract_work *work)
{
    uint32_t want = JZ__SENTENCE_HEAD | JZ__SENTENCE_REPORT;
    size_t i;

    for (i = 0; i < work->sentence_count; i++) {
        const struct jz__extract_sentence *sentence = &work->sentences[i];
        bool is_first = i == 0 || sentence[-1].event != sentence->event;

        if ((sentence->flags & want) == want &&
            sentence->telling >= (is_first ? 1 : 2)) {
            return sentence;
        }
    }
    return NULL;
}

/* Nobody asked for anything in words: the heading of what came of it, a
 * sentence of it, or what was run. */
static void put_unasked(struct jz__buf *title, struct jz__extract_work *work)
{
    const struct jz__extract_sentence *heading = find_heading(work);
    size_t i;

    if (heading != NULL) {
        put_cut(title, heading->text, TITLE_AIM);
        return;
    }
    put_outcome(title, work);
    for (i = 0; i < work->event_count && title->length == 0; i++) {
        if (work->events[i]->kind == JZ__EVENT_TOOL &&
            work->events[i]->command.length > 0) {
            jz__buf_clear(&work->buf);
            jz__extract_flatten_line(&work->buf, work->events[i]->command);
            jz__buf_puts(title, work->buf.length > 0 ? "Ran " : "");
            put_cut(title, (struct jz__str){ work->buf.data, work->buf.length },
                    TITLE_AIM);
        }
    }
}

/* The agent's title covers the whole session, so a later segment prefers what
 * it was asked itself. */
int jz__extract_title_pick(struct jz__extract *out,
                           struct jz__extract_work *work,
                           const struct jz__extract_context *context)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf title = JZ__BUF_INIT;
    struct jz__extract_request request = { 0, 0 };
    bool has_request = find_request(&request, work);
    struct jz__str own = jz__str_trim(context->title);

    if (own.length > 0 && (context->segment == 0 || !has_request ||
                           request.weight < WEIGHT_VAGUE)) {
        jz__buf_append(&title, own.data, own.length);
        if (is_vague(own)) {
            put_outcome(&title, work);
        }
    } else {
        if (has_request) {
            put_request(&title, work, &request);
        } else {
            put_unasked(&title, work);
        }
        capitalize(&title, 0);
    }
    /* Of a request of signs alone nothing is left either. */
    if (title.length == 0) {
        jz__buf_puts(&title, "Session without a request");
    }
    if (title.error < 0 || work->buf.error < 0) {
        return JZ_ENOMEM;
    }
    return jz__extract_keep(&out->title, &out->arena,
                            (struct jz__str){ title.data, title.length },
                            JZ__EXTRACT_TITLE_MOST);
}
