/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets out of text: one pass, which stops only at bytes that can belong to
 * a secret, and asks there the part that knows more.
 *
 * No pattern is searched for on its own. Each has a byte that is rare in
 * ordinary text and always in it (the _ of ghp_, the J of eyJ, the : or = of an
 * assignment), and that byte is the trigger; what stands in front of it is
 * checked by looking back. So the cost is a table look-up for each byte and a
 * few comparisons for one byte in fifteen, however many kinds there are.
 *
 * Twice is the same as once, because a marker "[redacted:kind]" in the text is
 * copied as it stands, no part looks back over one (see redact_view.h), and a
 * value that holds one, or that one cuts short, is left alone.
 */
#include "ingest/redact.h"

#include <assert.h>
#include <stdint.h>

#include "base/mem.h"
#include "ingest/redact_view.h"

/* The triggers, a bit each. */
#define ON_DASH 0x0001u
#define ON_DOT 0x0002u
#define ON_COLON 0x0004u
#define ON_EQUALS 0x0008u
#define ON_GREATER 0x0010u
#define ON_UNDERSCORE 0x0020u
#define ON_TILDE 0x0040u
#define ON_B 0x0080u
#define ON_C 0x0100u
#define ON_E 0x0200u
#define ON_G 0x0400u
#define ON_I 0x0800u
#define ON_J 0x1000u
#define ON_K 0x2000u
#define ON_X 0x4000u
#define ON_ANY 0x8000u /* a marker or a further literal: whatever is before */

/* Longest kind in a marker that is taken for one of ours. */
#define KIND_MOST 32

static const uint16_t triggers[256] = {
    ['-'] = ON_DASH,   ['.'] = ON_DOT,     [':'] = ON_COLON,
    ['='] = ON_EQUALS, ['>'] = ON_GREATER, ['_'] = ON_UNDERSCORE,
    ['~'] = ON_TILDE,  ['B'] = ON_B,       ['C'] = ON_C,
    ['E'] = ON_E,      ['G'] = ON_G,       ['I'] = ON_I,
    ['J'] = ON_J,      ['K'] = ON_K,       ['x'] = ON_X,
    ['['] = ON_ANY,
};

/*
 * Behind which byte a trigger is worth a question. This halves the stops: most
 * hyphens, underscores and capitals stand behind a byte that no secret has
 * there. It must let pass whatever a part would accept; what is in front of a
 * floor is not known, so the byte at a floor is always asked.
 */
#define KEYS (ON_COLON | ON_EQUALS | ON_GREATER) /* a key may end so */
#define WORD (KEYS | ON_DOT | ON_ANY)            /* any letter or digit */
#define ESCAPE (ON_X | ON_B)        /* the n of \n, the m of ESC[m */
#define OPEN (ON_X | ON_B | ON_ANY) /* a word may begin behind */

#define OPEN_4(c)                                                              \
    [(c)] = OPEN, [(c) + 1] = OPEN, [(c) + 2] = OPEN, [(c) + 3] = OPEN
#define OPEN_16(c) OPEN_4(c), OPEN_4((c) + 4), OPEN_4((c) + 8), OPEN_4((c) + 12)

static const uint16_t before[256] = {
    ['0'] = WORD | ON_X,
    ['1'] = WORD | ON_X,
    ['2'] = WORD | ON_X,
    ['3'] = WORD | ON_X,
    ['4'] = WORD | ON_X,
    ['5'] = WORD | ON_X,
    ['6'] = WORD | ON_X,
    ['7'] = WORD | ON_X,
    ['8'] = WORD | ON_X,
    ['9'] = WORD | ON_X,
    ['A'] = WORD | ON_X | ON_C | ON_I,
    ['B'] = WORD | ON_X,
    ['C'] = WORD | ON_X,
    ['D'] = WORD | ON_X,
    ['E'] = WORD | ON_X,
    ['F'] = WORD | ON_X,
    ['G'] = WORD,
    ['H'] = WORD,
    ['I'] = WORD,
    ['J'] = WORD,
    ['K'] = WORD | ON_I,
    ['L'] = WORD,
    ['M'] = WORD,
    ['N'] = WORD,
    ['O'] = WORD,
    ['P'] = WORD,
    ['Q'] = WORD | ON_TILDE,
    ['R'] = WORD,
    ['S'] = WORD | ON_I | ON_G | ON_K,
    ['T'] = WORD,
    ['U'] = WORD,
    ['V'] = WORD,
    ['W'] = WORD,
    ['X'] = WORD | ON_DASH,
    ['Y'] = WORD,
    ['Z'] = WORD,
    ['a'] = WORD | ON_UNDERSCORE,
    ['b'] = WORD | ON_UNDERSCORE,
    ['c'] = WORD | ON_UNDERSCORE,
    ['d'] = WORD,
    ['e'] = WORD,
    ['f'] = WORD | ON_UNDERSCORE,
    ['g'] = WORD,
    ['h'] = WORD,
    ['i'] = WORD | ON_DASH,
    ['j'] = WORD,
    ['k'] = WORD | ON_DASH | ON_UNDERSCORE,
    ['l'] = WORD,
    ['m'] = WORD | ON_UNDERSCORE | ESCAPE,
    ['n'] = WORD | ON_UNDERSCORE | ESCAPE,
    ['o'] = WORD | ON_UNDERSCORE,
    ['p'] = WORD | ON_UNDERSCORE,
    ['q'] = WORD,
    ['r'] = WORD | ON_UNDERSCORE | ESCAPE,
    ['s'] = WORD | ON_DASH | ON_UNDERSCORE,
    ['t'] = WORD | ON_DASH | ON_UNDERSCORE | ESCAPE,
    ['u'] = WORD | ON_UNDERSCORE,
    ['v'] = WORD,
    ['w'] = WORD,
    ['x'] = WORD,
    ['y'] = WORD | ON_J,
    ['z'] = WORD,
    ['-'] = ON_DOT | ON_DASH | ON_B | ON_E | ON_ANY,
    ['_'] = WORD,
    OPEN_4(0x00),
    OPEN_4(0x04),
    [0x08] = OPEN,
    ['\t'] = KEYS | OPEN,
    ['\n'] = OPEN,
    [0x0B] = OPEN,
    [0x0C] = OPEN,
    ['\r'] = OPEN,
    [0x0E] = OPEN,
    [0x0F] = OPEN,
    OPEN_16(0x10),
    [' '] = KEYS | OPEN,
    ['"'] = KEYS | OPEN,
    ['\''] = KEYS | OPEN,
    ['`'] = KEYS | OPEN,
    [']'] = KEYS | OPEN,
    ['*'] = KEYS | OPEN,
    ['?'] = KEYS | OPEN,
    ['!'] = OPEN,
    ['#'] = OPEN,
    ['$'] = OPEN,
    ['%'] = OPEN,
    ['&'] = OPEN,
    ['('] = OPEN,
    [')'] = OPEN,
    ['+'] = OPEN,
    [','] = OPEN,
    ['.'] = OPEN,
    ['/'] = OPEN,
    [':'] = OPEN,
    [';'] = OPEN,
    ['<'] = OPEN,
    ['='] = OPEN,
    ['>'] = OPEN,
    ['@'] = OPEN,
    ['['] = OPEN,
    ['\\'] = OPEN,
    ['^'] = OPEN,
    ['{'] = OPEN,
    ['|'] = OPEN,
    ['}'] = OPEN,
    ['~'] = OPEN,
    [0x7F] = OPEN,
    OPEN_16(0x80),
    OPEN_16(0x90),
    OPEN_16(0xA0),
    OPEN_16(0xB0),
    OPEN_16(0xC0),
    OPEN_16(0xD0),
    OPEN_16(0xE0),
    OPEN_16(0xF0),
};

struct scan {
    struct jz__redact_view view;
    const struct jz__redact_options *options;
    const uint16_t *triggers;
    uint16_t own_triggers[256]; /* with the further literals */
};

/* The tables are used as they are, unless there are further literals: then
 * their first bytes become triggers, whatever stands in front. */
static void scan_init(struct scan *scan, struct jz__str text,
                      const struct jz__redact_options *options)
{
    size_t i;

    scan->view = (struct jz__redact_view){ text.data, text.length, 0 };
    scan->options = options;
    scan->triggers = triggers;
    if (options == NULL || options->extra_count == 0) {
        return;
    }
    memcpy(scan->own_triggers, triggers, sizeof(triggers));
    for (i = 0; i < options->extra_count; i++) {
        assert(options->extra[i][0] != '\0');
        scan->own_triggers[(unsigned char)options->extra[i][0]] |= ON_ANY;
    }
    scan->triggers = scan->own_triggers;
}

/* The next place, at text[at] or behind it, that is worth a question. */
static size_t next_trigger(const struct scan *scan, size_t at)
{
    const unsigned char *text = (const unsigned char *)scan->view.text;
    const uint16_t *here = scan->triggers;
    const uint16_t *front = before;
    size_t length = scan->view.length;

    if (at == scan->view.floor) {
        if (at == length || here[text[at]] != 0) {
            return at;
        }
        at++;
    }
    while (length - at >= 4 &&
           ((here[text[at]] & front[text[at - 1]]) |
            (here[text[at + 1]] & front[text[at]]) |
            (here[text[at + 2]] & front[text[at + 1]]) |
            (here[text[at + 3]] & front[text[at + 2]])) == 0) {
        at += 4;
    }
    while (at < length && (here[text[at]] & front[text[at - 1]]) == 0) {
        at++;
    }
    return at;
}

/* The length of the marker at text[at]; 0: there is none. */
static size_t marker_length(const struct jz__redact_view *in, size_t at)
{
    size_t kind = at + sizeof(JZ__REDACT_MARKER) - 1;
    size_t end = kind;

    if (!jz__redact_at(in, at, JZ__REDACT_MARKER)) {
        return 0;
    }
    while (end < in->length && end - kind <= KIND_MOST &&
           (jz__redact_is_lower(in->text[end]) || in->text[end] == '-')) {
        end++;
    }
    if (end == kind || end == in->length || in->text[end] != ']') {
        return 0;
    }
    return end + 1 - at;
}

/* A span must not split a character: the literals are not ours. */
static bool is_inside_character(const struct jz__redact_view *in, size_t at)
{
    return at < in->length && ((unsigned char)in->text[at] & 0xC0) == 0x80;
}

/* The longest of the further literals that stands at text[at]. One that
 * reaches into a marker is none: it would not have been there before. */
static bool match_extra(struct jz__redact_span *out, const struct scan *scan,
                        size_t at)
{
    const struct jz__redact_view *in = &scan->view;
    size_t most = 0;
    size_t i;

    for (i = 0; i < scan->options->extra_count; i++) {
        const char *literal = scan->options->extra[i];
        size_t length = strlen(literal);
        const char *bracket;

        if (length <= most || !jz__redact_at(in, at, literal) ||
            is_inside_character(in, at) ||
            is_inside_character(in, at + length)) {
            continue;
        }
        bracket = memchr(literal, '[', length);
        while (bracket != NULL &&
               marker_length(in, at + (size_t)(bracket - literal)) == 0) {
            bracket = strchr(bracket + 1, '[');
        }
        if (bracket == NULL) {
            most = length;
        }
    }
    *out = (struct jz__redact_span){ at, at + most, "extra" };
    return most > 0;
}

/* The separator behind a key: = or :, also the > behind a tag. */
static bool match_separator(struct jz__redact_span *out,
                            const struct jz__redact_view *in, size_t at)
{
    char next = jz__redact_byte(in, at + 1);
    struct jz__str key;

    /* The end of a line of prose; :: and ==. */
    if (next == '\n' || next == in->text[at]) {
        return false;
    }
    key = jz__redact_assignments_key(in, at);
    if (key.length == 0) {
        return false;
    }
    if (jz__redact_headers_is_credentials(key)) {
        return jz__redact_headers_match(out, in, at, key);
    }
    return jz__redact_assignments_match(out, in, at, key);
}

static bool match_colon(struct jz__redact_span *out,
                        const struct jz__redact_view *in, size_t at)
{
    if (jz__redact_at(in, at, "://")) {
        return jz__redact_urls_match(out, in, at);
    }
    return jz__redact_shapes_telegram(out, in, at) ||
           match_separator(out, in, at);
}

/* Ask the parts that know the trigger byte text[at]. The order matters where
 * two could answer: a prefix tells more than the option or name around it. */
static bool match(struct jz__redact_span *out, const struct jz__redact_view *in,
                  size_t at)
{
    switch (in->text[at]) {
    case '-':
        return jz__redact_tokens_match(out, in, at) ||
               jz__redact_assignments_option(out, in, at);
    case '_':
    case 'I':
    case 'x':
        return jz__redact_tokens_match(out, in, at);
    case '.':
        return jz__redact_tokens_match(out, in, at) ||
               jz__redact_shapes_dot(out, in, at);
    case ':':
        return match_colon(out, in, at);
    case '=':
    case '>':
        return match_separator(out, in, at);
    case '~':
        return jz__redact_shapes_azure(out, in, at);
    case 'B':
        return jz__redact_pem_begin(out, in, at) ||
               jz__redact_headers_bearer(out, in, at);
    case 'E':
        return jz__redact_pem_end(out, in, at);
    case 'C':
    case 'K':
        return jz__redact_shapes_twilio(out, in, at);
    case 'G':
        return jz__redact_shapes_sendgrid(out, in, at);
    case 'J':
        return jz__redact_shapes_jwt(out, in, at);
    default:
        return false;
    }
}

/* Is text[at] where a secret is recognised? */
static bool match_any(struct jz__redact_span *out, const struct scan *scan,
                      size_t at)
{
    unsigned char c = (unsigned char)scan->view.text[at];

    /* match() has nothing to say about bytes of further literals alone. */
    return ((scan->triggers[c] & ON_ANY) != 0 && scan->options != NULL &&
            match_extra(out, scan, at)) ||
           match(out, &scan->view, at);
}

/* One pass over a text, as far as it has come. */
struct pass {
    struct scan scan;
    struct jz__buf *out;
    size_t copied; /* what of the text is in out */
    size_t spans;
    struct jz__redact_span next; /* recognised, not reached yet; end 0: none */
};

/* What was not copied yet, then the marker. From here on nobody looks back. */
static void put_span(struct pass *pass, struct jz__redact_span span)
{
    const struct jz__redact_view *in = &pass->scan.view;

    assert(span.start >= pass->copied && span.start < span.end);
    assert(span.end <= in->length);

    jz__buf_append(pass->out, in->text + pass->copied,
                   span.start - pass->copied);
    jz__buf_puts(pass->out, JZ__REDACT_MARKER);
    jz__buf_puts(pass->out, span.kind);
    jz__buf_putc(pass->out, ']');
    pass->copied = span.end;
    pass->scan.view.floor = span.end;
    pass->spans++;
}

/* Put the span that was waiting. Returns where to go on. */
static size_t put_next(struct pass *pass)
{
    struct jz__redact_span span = pass->next;

    pass->next.end = 0;
    put_span(pass, span);
    return span.end;
}

/*
 * A span often begins some way behind the byte that told of it: the password
 * of a URL behind its user. So it waits, and what lies between is asked as
 * well, for the user may be a token. Returns where to go on.
 */
static size_t take_span(struct pass *pass, struct jz__redact_span span,
                        size_t at)
{
    struct jz__redact_span *next = &pass->next;

    if (next->end == 0 && span.start > at) {
        *next = span;
        return at + 1;
    }
    if (next->end == 0 || span.end <= next->start) {
        put_span(pass, span);
        return span.end;
    }
    /* They overlap: who saw it first knows better where it begins and ends,
     * but nothing that either of them found may stay. */
    if (span.start < next->start) {
        next->start = span.start;
        next->end = span.end > next->end ? span.end : next->end;
    }
    return next->start > at ? at + 1 : put_next(pass);
}

/* A value that a marker cuts short was longer before, and stayed then. Between
 * them may be what the parts trim off the end of a value. */
static bool is_cut_short(const struct jz__redact_view *in, size_t end)
{
    while (end < in->length &&
           (in->text[end] == '.' || in->text[end] == ':' ||
            in->text[end] == '*' || in->text[end] == '\\')) {
        end++;
    }
    return marker_length(in, end) > 0;
}

/* Deal with text[at], a trigger or the end. Returns where to go on. */
static size_t step(struct pass *pass, size_t at)
{
    struct jz__redact_view *in = &pass->scan.view;
    struct jz__redact_span span;
    size_t marker;

    if (pass->next.end > 0 && at >= pass->next.start) {
        return put_next(pass);
    }
    marker = in->text[at] == '[' ? marker_length(in, at) : 0;
    if (marker > 0) {
        in->floor = at + marker;
        return in->floor;
    }
    if (!match_any(&span, &pass->scan, at) || is_cut_short(in, span.end)) {
        return at + 1;
    }
    assert(span.end > at);
    return take_span(pass, span, at);
}

void jz__redact_text(struct jz__buf *out, size_t *found, struct jz__str text,
                     const struct jz__redact_options *options)
{
    struct pass pass = { .out = out };
    size_t at = 0;

    assert(out != NULL && (text.data != NULL || text.length == 0));

    if (options == NULL || !options->is_disabled) {
        scan_init(&pass.scan, text, options);
        while ((at = next_trigger(&pass.scan, at)) < text.length) {
            at = step(&pass, at);
        }
        if (pass.next.end > 0) {
            put_span(&pass, pass.next);
        }
    }
    if (text.length > pass.copied) {
        jz__buf_append(out, text.data + pass.copied, text.length - pass.copied);
    }
    if (found != NULL) {
        *found = pass.spans;
    }
}
