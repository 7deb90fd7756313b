/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that have no prefix of their own but a shape: parts of known length,
 * parted by a dot, a colon or a tilde. Each function is asked at one byte and
 * refuses cheaply, by a byte at a fixed distance, before it measures anything.
 */
#include <assert.h>

#include "ingest/redact_view.h"

/* Bytes in front of text[at] that are of a class, at most `most`: the limit
 * keeps a long run from being walked again for each of its dots. */
static size_t run_back(const struct jz__redact_view *in, size_t at, size_t most,
                       bool (*is_in)(char))
{
    size_t n = 0;

    while (n < most && at - n > in->floor && is_in(in->text[at - n - 1])) {
        n++;
    }
    return n;
}

/* Random enough? Names of modules and hosts have dots at the same distances, but
 * are in small letters. */
static bool has_digit_and_upper(const struct jz__redact_view *in, size_t start,
                                size_t end)
{
    bool has_digit = false;
    bool has_upper = false;
    size_t i;

    for (i = start; i < end; i++) {
        has_digit = has_digit || jz__redact_is_digit(in->text[i]);
        has_upper = has_upper || jz__redact_is_upper(in->text[i]);
    }
    return has_digit && has_upper;
}

/* Set the span unless the text between is a sample (xxxx). */
static bool take(struct jz__redact_span *out, const struct jz__redact_view *in,
                 size_t start, size_t end, const char *kind)
{
    struct jz__str text = { in->text + start, end - start };

    *out = (struct jz__redact_span){ start, end, kind };
    return !jz__redact_values_is_sample(text);
}

/*
 * eyJ… is base64 of {"… and so common in ordinary base64. A token is it when a
 * second part of the same kind, or four parts (an encrypted one), follow.
 */
bool jz__redact_shapes_jwt(struct jz__redact_span *out,
                           const struct jz__redact_view *in, size_t at)
{
    size_t start = at - 2;
    size_t end;
    size_t parts = 1;
    size_t payload;

    assert(at < in->length);

    if (at - in->floor < 2 || !jz__redact_at(in, start, "eyJ") ||
        !jz__redact_is_start(in, start)) {
        return false;
    }
    end = jz__redact_run(in, start, jz__redact_is_token);
    if (end - start < 10) {
        return false;
    }
    /* Cut by us within its first part: of base64 of plain JSON one cannot tell
     * it, so it must be as long as such a header is. */
    if (jz__redact_is_cut(in, end) && end - start >= 30) {
        return take(out, in, start, end, "jwt");
    }
    payload = end + 1;
    while (parts < 5 && end + 1 < in->length && in->text[end] == '.' &&
           (jz__redact_is_token(in->text[end + 1]) || parts > 1)) {
        end = jz__redact_run(in, end + 1, jz__redact_is_token);
        parts++;
    }
    /* The full stop of a sentence is no empty last part. */
    if (in->text[end - 1] == '.') {
        end--;
    }
    if ((parts < 2 || !jz__redact_at(in, payload, "eyJ")) && parts < 5) {
        return false;
    }
    return take(out, in, start, end, "jwt");
}

/* Discord: the user's number in base64 (it begins with M, N or O), a time, a
 * code, as 23-28 . 6 . 27-40. */
static bool match_discord(struct jz__redact_span *out,
                          const struct jz__redact_view *in, size_t at)
{
    size_t id = run_back(in, at, 40, jz__redact_is_token);
    size_t start = at - id;
    size_t end;

    if (id < 23 || id > 28 || in->text[start] < 'M' || in->text[start] > 'O' ||
        jz__redact_run(in, at + 1, jz__redact_is_token) != at + 7) {
        return false;
    }
    end = jz__redact_run(in, at + 8, jz__redact_is_token);
    if (end - at - 8 < 27 || end - at - 8 > 40 ||
        !has_digit_and_upper(in, start, at) ||
        !has_digit_and_upper(in, at + 8, end)) {
        return false;
    }
    return take(out, in, start, end, "discord");
}

static bool is_hook_path(char c)
{
    return jz__redact_is_token(c) || c == '/';
}

/* Addresses that are secrets by themselves: who knows one may post. The host
 * stays, the path goes. */
static bool match_hook(struct jz__redact_span *out,
                       const struct jz__redact_view *in, size_t at)
{
    static const struct {
        const char *text; /* from the dot on */
        const char *kind;
    } hooks[] = {
        { ".slack.com/services/", "slack" },
        { ".slack.com/workflows/", "slack" },
        { ".slack.com/triggers/", "slack" },
        { ".com/api/webhooks/", "discord" },
    };
    size_t i;

    for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
        size_t start = at + strlen(hooks[i].text);
        size_t end;

        if (!jz__redact_at(in, at, hooks[i].text)) {
            continue;
        }
        end = jz__redact_run(in, start, is_hook_path);
        if (end - start >= 20 ||
            (end - start >= 8 && jz__redact_is_cut(in, end))) {
            return take(out, in, start, end, hooks[i].kind);
        }
    }
    return false;
}

bool jz__redact_shapes_dot(struct jz__redact_span *out,
                           const struct jz__redact_view *in, size_t at)
{
    assert(at < in->length && in->text[at] == '.');

    if (in->length - at < 20) {
        return false;
    }
    if (in->text[at + 7] == '.' && match_discord(out, in, at)) {
        return true;
    }
    return (in->text[at + 1] == 's' || in->text[at + 1] == 'c') &&
           match_hook(out, in, at);
}

/* SG.<22>.<43>, with room for other lengths: the prefix is telling, but so are
 * names of modules (SG.templates.list). */
bool jz__redact_shapes_sendgrid(struct jz__redact_span *out,
                                const struct jz__redact_view *in, size_t at)
{
    size_t start = at - 1;
    size_t dot;
    size_t end;

    if (at - in->floor < 1 || !jz__redact_at(in, start, "SG.") ||
        !jz__redact_is_start(in, start)) {
        return false;
    }
    dot = jz__redact_run(in, at + 2, jz__redact_is_token);
    if (dot - at - 2 < 16 || dot == in->length) {
        return false;
    }
    if (jz__redact_is_cut(in, dot)) {
        return take(out, in, start, dot, "sendgrid");
    }
    end = jz__redact_run(in, dot + 1, jz__redact_is_token);
    if (in->text[dot] != '.' ||
        (end - dot - 1 < 30 && !jz__redact_is_cut(in, end))) {
        return false;
    }
    return take(out, in, start, end, "sendgrid");
}

/* <bot's number>:<35 bytes>, often right behind the "bot" of an address. Times
 * and ports have digits in front of a colon too, but not so much behind it. */
bool jz__redact_shapes_telegram(struct jz__redact_span *out,
                                const struct jz__redact_view *in, size_t at)
{
    size_t digits;
    size_t end;

    if (in->length - at < 30 || !jz__redact_is_token(in->text[at + 1])) {
        return false;
    }
    digits = run_back(in, at, 11, jz__redact_is_digit);
    if (digits < 8 || digits > 10) {
        return false;
    }
    end = jz__redact_run(in, at + 1, jz__redact_is_token);
    if (end - at - 1 != 35 &&
        !(jz__redact_at(in, at + 1, "AA") && end - at - 1 >= 30)) {
        return false;
    }
    if (!has_digit_and_upper(in, at + 1, end)) {
        return false;
    }
    return take(out, in, at - digits, end, "telegram");
}

/*
 * SK and 32 hexadecimal digits are a key, AC and 32 an account. The account's
 * token has no mark at all, but it is 32 such digits right behind the account:
 * `-u AC…:…`, `Client("AC…", "…")`.
 */
bool jz__redact_shapes_twilio(struct jz__redact_span *out,
                              const struct jz__redact_view *in, size_t at)
{
    bool is_account = in->text[at] == 'C';
    size_t start = at - 1;
    size_t end;
    size_t next;

    if (at - in->floor < 1 || in->text[start] != (is_account ? 'A' : 'S') ||
        !jz__redact_is_start(in, start)) {
        return false;
    }
    end = jz__redact_run(in, at + 1, jz__redact_is_hex);
    if (end - at - 1 != 32 ||
        (end < in->length && jz__redact_is_alnum(in->text[end]))) {
        return false;
    }
    next = end;
    /* What is between the two in a call or a configuration. */
    while (next < in->length && next - end < 5 &&
           jz__redact_is_in(in->text[next], " ,:\"'")) {
        next++;
    }
    if (is_account && next > end) {
        size_t stop = jz__redact_run(in, next, jz__redact_is_hex);

        if (stop - next == 32 &&
            (stop == in->length || !jz__redact_is_token(in->text[stop]))) {
            end = stop;
        }
    }
    return take(out, in, start, end, "twilio");
}

static bool is_azure(char c)
{
    return jz__redact_is_token(c) || c == '.' || c == '~';
}

/* A client secret of Entra: three bytes, a digit, Q~, 31 to 34 bytes. */
bool jz__redact_shapes_azure(struct jz__redact_span *out,
                             const struct jz__redact_view *in, size_t at)
{
    size_t start = at - 5;
    size_t end;

    if (at - in->floor < 5 || in->text[at - 1] != 'Q' ||
        !jz__redact_is_digit(in->text[at - 2]) ||
        jz__redact_run(in, start, is_azure) <= at) {
        return false;
    }
    end = jz__redact_run(in, at + 1, is_azure);
    if (end - at - 1 < 31 || end - at - 1 > 40 ||
        !has_digit_and_upper(in, at + 1, end)) {
        return false;
    }
    return take(out, in, start, end, "azure");
}
