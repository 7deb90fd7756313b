/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private keys in PEM. Between "-----BEGIN … PRIVATE KEY-----" and its END
 * stand lines of base64, but in a transcript they come indented, quoted and
 * joined with +, numbered by `cat -n`, with "\n" as two characters when they
 * were inside JSON, on one line when line breaks became blanks, and without
 * their END or their BEGIN when an output was cut. So a body is read as a
 * sequence of runs of base64 with filler between them, forwards from BEGIN or
 * backwards from an END that has none.
 *
 * What keeps prose that only speaks of such a key out: without END a run must
 * be long and mixed, and with END there must be more than a word between.
 */
#include <assert.h>

#include "ingest/redact_view.h"

#define DASHES "-----"
#define DASHES_LENGTH 5
#define LABEL_MOST 80
/* A line of a key is 64 bytes, or 70, or 76; its last one may be short. */
#define LINE_LEAST 16
/* Base64 between BEGIN and END that is no key but an "and". */
#define BODY_LEAST 12
/* How far a body is followed backwards from END. */
#define BACK_MOST 16384

static bool is_mixed(const char *run, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++) {
        if (jz__redact_is_digit(run[i]) || jz__redact_is_upper(run[i])) {
            return true;
        }
    }
    return false;
}

/* Bytes at text[at] that may stand between the lines of a key: 0 for none. */
static size_t filler(const struct jz__redact_view *in, size_t at)
{
    char c = in->text[at];

    if (c == '\\' && at + 1 < in->length &&
        jz__redact_is_in(in->text[at + 1], "nrt\\\"'")) {
        return in->text[at + 1] == '\\' ? 1 : 2;
    }
    if (jz__redact_at(in, at, "\xe2\x86\x92")) { /* the arrow of `Read` */
        return 3;
    }
    return jz__redact_is_in(c, " \t\r\n\"'`,>|#*") ? 1 : 0;
}

static size_t skip_filler(const struct jz__redact_view *in, size_t at)
{
    size_t length;

    while (at < in->length && (length = filler(in, at)) > 0) {
        at += length;
    }
    return at;
}

/*
 * Behind "BEGIN" or "END": the end of the label and its dashes, if it is that
 * of a private key. The label may be broken over lines. 0: it is none.
 */
static size_t label_end(const struct jz__redact_view *in, size_t at)
{
    size_t start = at;
    bool has_private = false;

    while (at < in->length && at - start < LABEL_MOST) {
        if (jz__redact_at(in, at, DASHES)) {
            return has_private ? at + DASHES_LENGTH : 0;
        }
        if (jz__redact_at(in, at, "PRIVATE")) {
            has_private = true;
        }
        if (jz__redact_is_upper(in->text[at]) ||
            jz__redact_is_digit(in->text[at])) {
            at++;
        } else if (filler(in, at) > 0) {
            at += filler(in, at);
        } else {
            return 0;
        }
    }
    return 0;
}

/* Past "Proc-Type: 4,ENCRYPTED" and its like, at text[at]; at if there is
 * none. */
static size_t skip_header(const struct jz__redact_view *in, size_t at)
{
    static const char *const names[] = { "Proc-Type:", "DEK-Info:", "Version:",
                                         "Comment:", "Hash:" };
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!jz__redact_at(in, at, names[i])) {
            continue;
        }
        while (at < in->length && in->text[at] != '\n' &&
               in->text[at] != '\\') {
            at++;
        }
        return at;
    }
    return at;
}

/* The number of a line, as `cat -n` and others print it, is no base64. */
static bool is_line_number(const struct jz__redact_view *in, size_t start,
                           size_t end)
{
    return jz__redact_run(in, start, jz__redact_is_digit) == end &&
           (jz__redact_at(in, end, "\t") || jz__redact_at(in, end, "|") ||
            jz__redact_at(in, end, "\\t") ||
            jz__redact_at(in, end, "\xe2\x86\x92"));
}

/* A short last line: nothing but the end of a line or a quote may follow. */
static bool ends_line(const struct jz__redact_view *in, size_t end)
{
    return end == in->length || jz__redact_is_in(in->text[end], "\r\n\\\"'`,");
}

struct body {
    size_t end;    /* behind the last run that is surely of the key */
    size_t reach;  /* where reading stopped */
    size_t base64; /* bytes of mixed runs, up to reach */
};

/* Read the body behind the BEGIN line. */
static struct body read_body(const struct jz__redact_view *in, size_t at)
{
    struct body body = { 0, at, 0 };
    bool is_over = false; /* a short line was the last one */

    for (;;) {
        size_t start = skip_header(in, skip_filler(in, at));
        size_t end = jz__redact_run(in, start, jz__redact_is_base64);
        size_t length = end - start;
        bool was_over = is_over;

        body.reach = end;
        if (length == 0 && start == at) {
            return body;
        }
        at = end;
        if (is_line_number(in, start, end)) {
            continue;
        }
        if (is_mixed(in->text + start, length)) {
            body.base64 += length;
            is_over = is_over || length < LINE_LEAST;
        } else {
            is_over = is_over || length > 0;
        }
        if (length > 0 && !was_over &&
            (!is_over || (body.end > 0 && ends_line(in, end)))) {
            body.end = end;
        }
    }
}

bool jz__redact_pem_begin(struct jz__redact_span *out,
                          const struct jz__redact_view *in, size_t at)
{
    struct body body;
    size_t start = at - DASHES_LENGTH;
    size_t label;

    assert(at < in->length);

    if (at - in->floor < DASHES_LENGTH || !jz__redact_at(in, at, "BEGIN ") ||
        !jz__redact_at(in, start, DASHES)) {
        return false;
    }
    label = label_end(in, at + 5);
    if (label == 0) {
        return false;
    }
    body = read_body(in, label);
    if (body.base64 >= BODY_LEAST &&
        jz__redact_at(in, body.reach, DASHES "END")) {
        size_t end = label_end(in, body.reach + DASHES_LENGTH + 3);

        if (end > 0) {
            body.end = end;
        }
    }
    *out = (struct jz__redact_span){ start, body.end, "private-key" };
    return body.end > 0;
}

/* Step back over filler in front of text[at), not in front of stop. */
static size_t filler_back(const struct jz__redact_view *in, size_t at,
                          size_t stop)
{
    for (;;) {
        if (at > stop &&
            jz__redact_is_in(in->text[at - 1], " \t\r\n\"'`,>|#*")) {
            at--;
        } else if (at > stop + 1 && in->text[at - 2] == '\\' &&
                   jz__redact_is_in(in->text[at - 1], "nrt\\")) {
            at -= 2;
        } else if (at > stop + 2 && jz__redact_at(in, at - 3, "\xe2\x86\x92")) {
            at -= 3;
        } else {
            return at;
        }
    }
}

/* The start of the run of base64 in front of text[at). The n of a "\n" in
 * front of it looks like base64 and is not. */
static size_t run_back(const struct jz__redact_view *in, size_t at, size_t stop)
{
    size_t start = at;

    while (start > stop && jz__redact_is_base64(in->text[start - 1])) {
        start--;
    }
    if (start > stop && start < at && in->text[start - 1] == '\\') {
        start++;
    }
    return start;
}

bool jz__redact_pem_end(struct jz__redact_span *out,
                        const struct jz__redact_view *in, size_t at)
{
    size_t stop = in->floor;
    size_t place = at - DASHES_LENGTH;
    size_t first = SIZE_MAX; /* start of the earliest line that counts */
    size_t label;

    assert(at < in->length);

    if (at - in->floor < DASHES_LENGTH || !jz__redact_at(in, at, "END ") ||
        !jz__redact_at(in, place, DASHES)) {
        return false;
    }
    label = label_end(in, at + 3);
    if (label == 0) {
        return false;
    }
    if (place - stop > BACK_MOST) {
        stop = place - BACK_MOST;
    }
    for (;;) {
        size_t end = filler_back(in, place, stop);
        size_t start = run_back(in, end, stop);
        bool is_long = end - start >= LINE_LEAST &&
                       is_mixed(in->text + start, end - start);
        bool is_last = place == at - DASHES_LENGTH;

        if (start == end ||
            (!is_long && !is_last && !is_line_number(in, start, end))) {
            break;
        }
        if (is_long) {
            first = start;
        }
        place = start;
    }
    *out = (struct jz__redact_span){ first, label, "private-key" };
    return first != SIZE_MAX;
}
