/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which names are names of secrets: DB_PASSWORD, apiKey, client-secret,
 * spring.datasource.password, JWT_SECRET_V2, and not password_file, maxTokens,
 * token_type, secretName, nextPageToken.
 *
 * A name is split into words, at separators and at capitals. The last word that
 * can name a secret decides, unless a word behind it says that the value is
 * something about the secret (its file, its length, where it is kept), or a
 * word in front of it that it is another kind of token.
 */
#include <assert.h>
#include <stdint.h>

#include "base/mem.h"
#include "ingest/redact_view.h"

/* Bytes and words of a name that are looked at; names are shorter. */
#define NAME_MOST 64
#define WORDS_MOST 16

struct words {
    char text[NAME_MOST];
    struct jz__str word[WORDS_MOST];
    size_t count;
};

#define TEXT(literal)                                                          \
    {                                                                          \
        "" literal, sizeof(literal) - 1                                        \
    }

struct stem {
    struct jz__str text;
    bool is_suffix; /* also as the end of a longer word: pgpassword */
    enum jz__redact_class kind;
};

static const struct stem stems[] = {
    { TEXT("password"), true, JZ__REDACT_PASSWORD },
    { TEXT("passwd"), true, JZ__REDACT_PASSWORD },
    { TEXT("passphrase"), true, JZ__REDACT_PASSWORD },
    { TEXT("passcode"), false, JZ__REDACT_PASSWORD },
    { TEXT("pass"), false, JZ__REDACT_PASSWORD },
    { TEXT("pwd"), false, JZ__REDACT_PASSWORD },
    { TEXT("contrase\303\261a"), false, JZ__REDACT_PASSWORD },
    { TEXT("contrasena"), false, JZ__REDACT_PASSWORD },
    { TEXT("secret"), true, JZ__REDACT_SECRET },
    { TEXT("credential"), false, JZ__REDACT_SECRET },
    { TEXT("credentials"), false, JZ__REDACT_SECRET },
    { TEXT("creds"), false, JZ__REDACT_SECRET },
    { TEXT("apikey"), true, JZ__REDACT_KEY },
    { TEXT("accesskey"), true, JZ__REDACT_KEY },
    { TEXT("secretkey"), true, JZ__REDACT_KEY },
    { TEXT("privatekey"), true, JZ__REDACT_KEY },
    { TEXT("accountkey"), true, JZ__REDACT_KEY },
    { TEXT("authkey"), true, JZ__REDACT_KEY },
    { TEXT("encryptionkey"), true, JZ__REDACT_KEY },
    { TEXT("signingkey"), true, JZ__REDACT_KEY },
    { TEXT("masterkey"), true, JZ__REDACT_KEY },
    { TEXT("token"), true, JZ__REDACT_TOKEN },
    { TEXT("jwt"), false, JZ__REDACT_TOKEN },
};

/* Words in front of `key` that make it the key of a door. */
static const char *const key_kinds[] = {
    "api",     "access",   "secret",  "private", "auth",    "encryption",
    "encrypt", "signing",  "sign",    "master",  "account", "shared",
    "app",     "consumer", "deploy",  "webhook", "admin",   "subscription",
    "role",    "hmac",     "session", "license",
};

/* Words behind a secret's name that make its value something else. */
static const char *const about[] = {
    "age",         "algorithm", "arn",        "at",       "attempts",
    "backend",     "budget",    "by",         "callback", "class",
    "column",      "config",    "count",      "dir",      "digest",
    "enabled",     "encoder",   "endpoint",   "engine",   "env",
    "error",       "exp",       "expiration", "expired",  "expires",
    "expiry",      "field",     "file",       "filename", "format",
    "function",    "generator", "hash",       "hashed",   "hasher",
    "header",      "hint",      "id",         "ids",      "in",
    "index",       "input",     "issuer",     "key",      "kind",
    "label",       "len",       "length",     "limit",    "location",
    "manager",     "max",       "message",    "min",      "mode",
    "name",        "names",     "param",      "path",     "pattern",
    "placeholder", "policy",    "position",   "prefix",   "prompt",
    "provider",    "ref",       "refs",       "regex",    "region",
    "required",    "reset",     "rotation",   "rule",     "rules",
    "scope",       "scopes",    "service",    "sha",      "size",
    "source",      "state",     "status",     "store",    "strategy",
    "strength",    "suffix",    "template",   "title",    "ttl",
    "type",        "types",     "uri",        "url",      "usage",
    "valid",       "validator", "var",        "variable", "version",
    "visible",     "error",     "errors",     "handler",  "list",
};

/* Words in front of `token` (and `secret`) that make it no credential. */
static const char *const other_tokens[] = {
    "next",    "page",   "prev",       "previous", "continuation", "sync",
    "cursor",  "max",    "min",        "num",      "total",        "per",
    "input",   "output", "completion", "prompt",   "cached",       "reasoning",
    "eos",     "bos",    "pad",        "unk",      "special",      "stop",
    "mask",    "sep",    "cls",        "has",      "is",           "no",
    "use",     "bad",    "invalid",    "missing",  "expired",      "current",
    "first",   "last",   "peek",       "design",   "unexpected",   "public",
    "without", "with",   "the",        "a",        "old",
};

/* The lists are short and asked for few names: no need to sort them. */
static bool is_in(struct jz__str word, const char *const *list, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (jz__str_is(word, list[i])) {
            return true;
        }
    }
    return false;
}

/* A new word begins at name[i]: aB, ABc (at the B), a1. */
static bool is_hump(struct jz__str name, size_t i)
{
    const char *p = name.data + i;

    if (jz__redact_is_upper(p[0])) {
        return !jz__redact_is_upper(p[-1]) ||
               (i + 1 < name.length && jz__redact_is_lower(p[1]));
    }
    return jz__redact_is_digit(p[0]) && jz__redact_is_letter(p[-1]);
}

/* Of a word: letters of other scripts count, what parts words does not. */
static bool is_name_byte(char c)
{
    return jz__redact_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Lower case, in words; what is over the limits is dropped. The words point
 * into words->text. */
static void split(struct words *words, struct jz__str name)
{
    size_t i;

    words->count = 0;
    for (i = 0; i < name.length && i < NAME_MOST; i++) {
        char c = name.data[i];
        bool is_first =
            i == 0 || !is_name_byte(name.data[i - 1]) || is_hump(name, i);

        words->text[i] = c;
        if (jz__redact_is_upper(c)) {
            words->text[i] = (char)(c | 0x20);
        }
        if (!is_name_byte(c)) {
            continue;
        }
        if (is_first && words->count == WORDS_MOST) {
            return;
        }
        if (is_first) {
            words->word[words->count].data = words->text + i;
            words->word[words->count].length = 0;
            words->count++;
        }
        words->word[words->count - 1].length++;
    }
}

/* The letters of a name as a set. Most names have none that could spell any of
 * the stems, and are refused by this alone. */
static bool can_be_secret(struct jz__str name)
{
#define BIT(c) (1u << ((c) - 'a'))
    static const uint32_t needed[] = {
        BIT('p') | BIT('a') | BIT('s'), /* pass… */
        BIT('p') | BIT('w') | BIT('d'), /* pwd */
        BIT('t') | BIT('o') | BIT('k') | BIT('e') | BIT('n'),
        BIT('k') | BIT('e') | BIT('y'), /* …key */
        BIT('s') | BIT('e') | BIT('c') | BIT('r') | BIT('t'),
        BIT('c') | BIT('r') | BIT('e') | BIT('d') | BIT('s'),
        BIT('c') | BIT('r') | BIT('d') | BIT('n') | BIT('l'), /* credential */
        BIT('c') | BIT('n') | BIT('t') | BIT('s') | BIT('a'), /* contrasena */
        BIT('s') | BIT('i') | BIT('g') | BIT('n') | BIT('a') | BIT('u'),
        BIT('j') | BIT('w') | BIT('t'),
    };
#undef BIT
    uint32_t letters = 0;
    size_t i;

    if (jz__str_is(name, "sig")) {
        return true;
    }

    for (i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)(name.data[i] | 0x20);

        if (c >= 'a' && c <= 'z') {
            letters |= 1u << (c - 'a');
        }
    }
    for (i = 0; i < JZ__LENGTH(needed); i++) {
        if ((letters & needed[i]) == needed[i]) {
            return true;
        }
    }
    return false;
}

/* The class of word i by itself. "key" alone is any key, of a map for example;
 * the word in front of it has to say what it opens. */
static enum jz__redact_class word_class(const struct words *words, size_t i)
{
    struct jz__str word = words->word[i];
    size_t k;

    for (k = 0; k < JZ__LENGTH(stems); k++) {
        struct jz__str stem = stems[k].text;

        if ((word.length == stem.length ||
             (word.length > stem.length && stems[k].is_suffix)) &&
            memcmp(word.data + word.length - stem.length, stem.data,
                   stem.length) == 0) {
            return stems[k].kind;
        }
    }
    if (i > 0 && jz__str_is(word, "key") &&
        is_in(words->word[i - 1], key_kinds, JZ__LENGTH(key_kinds))) {
        return JZ__REDACT_KEY;
    }
    return JZ__REDACT_NONE;
}

/* sig= of Azure; X-Amz-Signature=, X-Goog-Signature=. */
static bool is_signature(const struct words *words)
{
    struct jz__str last = words->word[words->count - 1];

    if (words->count == 1) {
        return jz__str_is(last, "sig");
    }
    return jz__str_is(last, "signature") &&
           (jz__str_is(words->word[words->count - 2], "amz") ||
            jz__str_is(words->word[words->count - 2], "goog"));
}

enum jz__redact_class jz__redact_names_class(bool *is_bare, struct jz__str key)
{
    struct words words;
    enum jz__redact_class kind = JZ__REDACT_NONE;
    size_t last;
    size_t i;

    assert(is_bare != NULL);

    *is_bare = false;
    if (!can_be_secret(key)) {
        return JZ__REDACT_NONE;
    }
    split(&words, key);
    if (words.count == 0) {
        return JZ__REDACT_NONE;
    }
    if (is_signature(&words)) {
        return JZ__REDACT_SIGNATURE;
    }
    /* The last word that can name a secret, then the words behind it. */
    for (last = words.count; kind == JZ__REDACT_NONE && last > 0; last--) {
        kind = word_class(&words, last - 1);
    }
    for (i = last + 1; kind != JZ__REDACT_NONE && i < words.count; i++) {
        if (is_in(words.word[i], about, JZ__LENGTH(about))) {
            return JZ__REDACT_NONE;
        }
    }
    if (kind == JZ__REDACT_TOKEN && last > 0 &&
        is_in(words.word[last - 1], other_tokens, JZ__LENGTH(other_tokens))) {
        return JZ__REDACT_NONE;
    }
    /* `pass` and `token` alone mean other things just as often. */
    *is_bare = words.count == 1 &&
               (kind == JZ__REDACT_TOKEN || jz__str_is(words.word[0], "pass"));
    return kind;
}
