/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens that their issuer gave a prefix, so that they can be found in leaks.
 * One row of the table is one prefix: which of its bytes is the trigger (the
 * rarest one, shared by few), what may follow, how much of it
 * there must be, and what keeps ordinary names with the same beginning out:
 * `npm_config_registry`, `sk-fading-circle`, `task-…`.
 */
#include <assert.h>
#include <stdint.h>

#include "base/mem.h"
#include "ingest/redact_view.h"

/* A token whose end was cut off by us (U+2026) is one from here on. */
#define CUT_LEAST 8

enum body {
    ALNUM,
    UPPER_DIGIT,
    TOKEN,
    BASE64,
    DOTTED
};

/* What the part behind the prefix must hold to be random. */
enum need {
    ANY,
    DIGIT,
    DIGIT_OR_UPPER
};

#define TEXT(literal)                                                          \
    {                                                                          \
        "" literal, sizeof(literal) - 1                                        \
    }

struct prefix {
    struct jz__str text;
    uint8_t trigger; /* offset of the byte that asks */
    uint8_t body;    /* enum body: bytes that may follow */
    uint8_t need;    /* enum need */
    uint8_t least;   /* how many must follow */
    uint8_t most;    /* at most; 0: any number */
    const char *kind;
};

/* Rows of one trigger byte: the longer of two that begin alike stands first. */
static const struct prefix prefixes[] = {
    { TEXT("AKIA"), 2, UPPER_DIGIT, ANY, 16, 16, "aws" },
    { TEXT("ASIA"), 2, UPPER_DIGIT, ANY, 16, 16, "aws" },
    { TEXT("AIza"), 1, TOKEN, ANY, 30, 0, "google" },
    { TEXT("xoxa-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxb-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxc-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxd-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxe."), 0, DOTTED, DIGIT, 10, 0, "slack" },
    { TEXT("xoxe-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxo-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxp-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxr-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xoxs-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("xapp-"), 0, TOKEN, DIGIT, 10, 0, "slack" },
    { TEXT("github_pat_"), 6, TOKEN, ANY, 20, 0, "github" },
    { TEXT("ghp_"), 3, ALNUM, ANY, 20, 0, "github" },
    { TEXT("gho_"), 3, ALNUM, ANY, 20, 0, "github" },
    { TEXT("ghu_"), 3, ALNUM, ANY, 20, 0, "github" },
    { TEXT("ghs_"), 3, ALNUM, ANY, 20, 0, "github" },
    { TEXT("ghr_"), 3, ALNUM, ANY, 20, 0, "github" },
    { TEXT("sk_live_"), 2, ALNUM, ANY, 10, 0, "stripe" },
    { TEXT("sk_test_"), 2, ALNUM, ANY, 10, 0, "stripe" },
    { TEXT("rk_live_"), 2, ALNUM, ANY, 10, 0, "stripe" },
    { TEXT("rk_test_"), 2, ALNUM, ANY, 10, 0, "stripe" },
    { TEXT("whsec_"), 5, BASE64, ANY, 16, 0, "stripe" },
    { TEXT("npm_"), 3, ALNUM, ANY, 30, 0, "npm" },
    { TEXT("hf_"), 2, ALNUM, DIGIT_OR_UPPER, 30, 0, "huggingface" },
    { TEXT("gsk_"), 3, ALNUM, DIGIT_OR_UPPER, 30, 0, "groq" },
    { TEXT("dop_v1_"), 3, ALNUM, DIGIT, 40, 0, "digitalocean" },
    { TEXT("shpat_"), 5, ALNUM, DIGIT, 24, 0, "shopify" },
    { TEXT("shpss_"), 5, ALNUM, DIGIT, 24, 0, "shopify" },
    { TEXT("glsa_"), 4, TOKEN, DIGIT, 32, 0, "grafana" },
    { TEXT("dckr_pat_"), 4, TOKEN, ANY, 20, 0, "docker" },
    { TEXT("sbp_"), 3, ALNUM, DIGIT, 32, 0, "supabase" },
    { TEXT("lin_api_"), 3, ALNUM, ANY, 30, 0, "linear" },
    { TEXT("sk-ant-"), 2, TOKEN, DIGIT, 16, 0, "anthropic" },
    { TEXT("sk-proj-"), 2, TOKEN, DIGIT_OR_UPPER, 16, 0, "openai" },
    { TEXT("sk-svcacct-"), 2, TOKEN, DIGIT_OR_UPPER, 16, 0, "openai" },
    { TEXT("sk-admin-"), 2, TOKEN, DIGIT_OR_UPPER, 16, 0, "openai" },
    { TEXT("sk-or-v1-"), 2, ALNUM, DIGIT, 32, 0, "openrouter" },
    { TEXT("sk-"), 2, ALNUM, DIGIT, 20, 0, "openai" },
    { TEXT("glpat-"), 5, DOTTED, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("gldt-"), 4, TOKEN, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("glrt-"), 4, DOTTED, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("glft-"), 4, TOKEN, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("glptt-"), 5, TOKEN, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("glcbt-"), 5, TOKEN, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("gloas-"), 5, TOKEN, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("glsoat-"), 6, TOKEN, DIGIT_OR_UPPER, 16, 0, "gitlab" },
    { TEXT("pypi-AgE"), 4, TOKEN, ANY, 16, 0, "pypi" },
    { TEXT("GOCSPX-"), 6, TOKEN, ANY, 20, 0, "gcp" },
    { TEXT("ya29."), 4, DOTTED, DIGIT_OR_UPPER, 20, 0, "gcp" },
    { TEXT("hvs."), 3, TOKEN, DIGIT_OR_UPPER, 24, 0, "vault" },
};

static bool is_upper_digit(char c)
{
    return jz__redact_is_upper(c) || jz__redact_is_digit(c);
}

static bool is_dotted(char c)
{
    return jz__redact_is_token(c) || c == '.';
}

/* The end of what may belong to a token. */
static size_t body_end(const struct jz__redact_view *in, size_t at,
                       uint8_t body)
{
    static bool (*const classes[])(char) = {
        [ALNUM] = jz__redact_is_alnum, [UPPER_DIGIT] = is_upper_digit,
        [TOKEN] = jz__redact_is_token, [BASE64] = jz__redact_is_base64,
        [DOTTED] = is_dotted,
    };

    return jz__redact_run(in, at, classes[body]);
}

static bool meets(struct jz__str body, uint8_t need)
{
    size_t i;

    for (i = 0; need != ANY && i < body.length; i++) {
        if (jz__redact_is_digit(body.data[i]) ||
            (need == DIGIT_OR_UPPER && jz__redact_is_upper(body.data[i]))) {
            return true;
        }
    }
    return need == ANY;
}

/* AWS hands out id and secret in one row of a CSV file or two lines: a secret
 * of 40 bytes that only punctuation and blanks part from its id goes too. */
static size_t with_aws_secret(const struct jz__redact_view *in, size_t end)
{
    size_t at = end;
    size_t stop;

    while (at < in->length && at - end < 8 &&
           jz__redact_is_in(in->text[at], " \t\r\n,;:|\"'")) {
        at++;
    }
    stop = jz__redact_run(in, at, jz__redact_is_base64);
    if (at > end && stop - at == 40) {
        struct jz__str secret = { in->text + at, 40 };

        if (meets(secret, DIGIT) && !jz__redact_values_is_sample(secret)) {
            return stop;
        }
    }
    return end;
}

static bool match_prefix(struct jz__redact_span *out,
                         const struct jz__redact_view *in, size_t start,
                         const struct prefix *prefix)
{
    size_t body = start + prefix->text.length;
    size_t end = body_end(in, body, prefix->body);
    struct jz__str rest = { in->text + body, end - body };
    bool is_cut = jz__redact_is_cut(in, end) && rest.length >= CUT_LEAST;

    /* Too long is as telling as too short: AKIA begins words of capitals. */
    if ((rest.length < prefix->least && !is_cut) ||
        (prefix->most > 0 && rest.length > prefix->most)) {
        return false;
    }
    if (!meets(rest, prefix->need) || jz__redact_values_is_sample(rest)) {
        return false;
    }
    /* The full stop behind a sentence is no part of the token. */
    while (in->text[end - 1] == '.') {
        end--;
    }
    if (prefix->body == UPPER_DIGIT) {
        end = with_aws_secret(in, end);
    }
    *out = (struct jz__redact_span){ start, end, prefix->kind };
    return true;
}

/*
 * Can any row match at this trigger? Underscores and hyphens are frequent, so
 * the two or three bytes in front of them (for I and x: the one behind) are
 * asked before the table is walked. A new row needs its bytes here.
 */
static bool is_possible(const struct jz__redact_view *in, size_t at)
{
#define PAIR(a, b) (((unsigned)(a) << 8) | (unsigned char)(b))
    const char *p = in->text + at;
    char third = ' ';

    if (p[0] == 'I' || p[0] == 'x') {
        return jz__redact_is_in(jz__redact_byte(in, at + 1), "oaAz");
    }
    if (at - in->floor < 2) {
        return false;
    }
    if (at - in->floor >= 3) {
        third = p[-3];
    }
    switch (PAIR((unsigned char)p[-2], p[-1])) {
    case PAIR('s', 'k'): /* sk_ sk- gsk_ rk_ hf_ */
    case PAIR('r', 'k'):
    case PAIR('h', 'f'):
        return true;
    case PAIR('h', 'p'): /* ghp_ … */
    case PAIR('h', 'o'):
    case PAIR('h', 'u'):
    case PAIR('h', 's'):
    case PAIR('h', 'r'):
        return third == 'g';
    case PAIR('s', 'a'): /* glsa_ gldt- glrt- glft- */
    case PAIR('d', 't'):
    case PAIR('r', 't'):
    case PAIR('f', 't'):
        return third == 'l';
    case PAIR('a', 't'): /* shpat_ glpat- glsoat- shpss_ glptt- */
    case PAIR('s', 's'):
    case PAIR('t', 't'):
        return third == 'p' || third == 'o';
    case PAIR('e', 'c'): /* whsec_ sbp_ */
    case PAIR('b', 'p'):
        return third == 's';
    case PAIR('u', 'b'): /* github_ hvs. */
    case PAIR('v', 's'):
        return third == 'h';
    case PAIR('k', 'r'): /* dckr_ glcbt- */
    case PAIR('b', 't'):
        return third == 'c';
    case PAIR('i', 'n'): /* lin_, and each of the rest alone */
        return third == 'l';
    case PAIR('p', 'm'):
        return third == 'n';
    case PAIR('o', 'p'):
        return third == 'd';
    case PAIR('a', 's'):
        return third == 'o';
    case PAIR('p', 'i'):
        return third == 'y';
    case PAIR('2', '9'):
        return third == 'a';
    case PAIR('P', 'X'):
        return third == 'S';
    default:
        return false;
    }
#undef PAIR
}

bool jz__redact_tokens_match(struct jz__redact_span *out,
                             const struct jz__redact_view *in, size_t at)
{
    size_t i;

    assert(at >= in->floor && at < in->length);

    if (!is_possible(in, at)) {
        return false;
    }
    for (i = 0; i < JZ__LENGTH(prefixes); i++) {
        const struct prefix *prefix = &prefixes[i];
        size_t start = at - prefix->trigger;

        if (prefix->text.data[prefix->trigger] == in->text[at] &&
            at - in->floor >= prefix->trigger &&
            prefix->text.data[0] == in->text[start] &&
            in->length - start >= prefix->text.length &&
            memcmp(prefix->text.data, in->text + start, prefix->text.length) ==
                0 &&
            jz__redact_is_start(in, start) &&
            match_prefix(out, in, start, prefix)) {
            return true;
        }
    }
    return false;
}
