/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values are secrets. Behind `password =` stands a password in a .env
 * file, and in source a call, a variable, a type, a sentence or a sample. What
 * decides is how the value is written (quoted, KEY=value, followed by words)
 * and what it is made of. In doubt a value that is quoted or stands in an
 * environment is a secret, and a bare word in source is code.
 */
#include <assert.h>
#include <stdint.h>

#include "base/mem.h"
#include "ingest/redact_view.h"

/* What a value is made of, in bytes. */
struct makeup {
    size_t lower;
    size_t upper;
    size_t digits;
    size_t separators; /* _ - . blank */
    size_t others;
    size_t high; /* of characters over U+007F */
};

/* Count the bytes by class. A value is at most JZ__REDACT_JUDGED bytes long, so
 * this costs less than remembering what was counted before. */
static struct makeup look(struct jz__str text)
{
    struct makeup m = { 0, 0, 0, 0, 0, 0 };
    size_t i;

    for (i = 0; i < text.length; i++) {
        char c = text.data[i];

        m.lower += jz__redact_is_lower(c);
        m.upper += jz__redact_is_upper(c);
        m.digits += jz__redact_is_digit(c);
        m.separators += c == '_' || c == '-' || c == '.' || c == ' ';
        m.high += (unsigned char)c >= 0x80;
    }
    m.others =
        text.length - m.lower - m.upper - m.digits - m.separators - m.high;
    return m;
}

static bool is_in(struct jz__str word, const char *const *list, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (jz__str_is_nocase(word, list[i])) {
            return true;
        }
    }
    return false;
}

/* Nothing but words: a name, a phrase, a type. What is random has digits; of 20
 * random letters and digits all are letters once in 30,000. */
bool jz__redact_values_is_words(struct jz__str text)
{
    struct makeup m = look(text);

    return m.digits == 0 && m.others == 0;
}

/* Four of one byte in a row, of those that people blank things out with. */
static bool has_blanked(struct jz__str text)
{
    size_t run = 0;
    size_t i;

    for (i = 0; i < text.length; i++) {
        char c = (char)(text.data[i] == 'X' ? 'x' : text.data[i]);

        if (c != 'x' && c != '*') {
            run = 0;
        } else if (++run == 4) {
            return true;
        }
    }
    return false;
}

bool jz__redact_values_is_sample(struct jz__str text)
{
    size_t i = 1;

    while (i < text.length && text.data[i] == text.data[0]) {
        i++;
    }
    /* AWS writes its samples so. EXAMPLE in the middle is part of a key. */
    return i >= text.length || has_blanked(text) ||
           jz__str_ends(text, "EXAMPLE") || jz__str_ends(text, "EXAMPLEKEY");
}

/* All of it, in any case. Short common words are on it because manuals and
 * tests use them, not because nobody has such a password. */
static const char *const placeholder_words[] = {
    "password",
    "passwd",
    "pass",
    "passphrase",
    "pwd",
    "pw",
    "passwort",
    "kennwort",
    "contrasena",
    "senha",
    "secret",
    "secrets",
    "token",
    "apikey",
    "key",
    "changeme",
    "change",
    "changethis",
    "replaceme",
    "example",
    "test",
    "testing",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "todo",
    "tbd",
    "required",
    "optional",
    "hidden",
    "redacted",
    "masked",
    "removed",
    "omitted",
    "empty",
    "foo",
    "bar",
    "foobar",
    "dummy",
    "placeholder",
    "value",
    "string",
    "text",
    "include",
    "inherit",
    "omit",
    "same-origin",
    "default",
    "unset",
    "missing",
    "invalid",
    "unknown",
    "n/a",
    "user",
    "username",
    "bearer",
    "basic",
    "disabled",
    "enabled",
    "contrase\303\261a",
};

/* `your-api-key`, `change-me`, `insert_token_here`. */
static const char *const placeholder_starts[] = {
    "your",   "my-",   "my_",   "insert", "replace", "change",
    "enter-", "put-",  "put_",  "add-",   "some-",   "some_",
    "the-",   "the_",  "fake-", "fake_",  "dummy",   "sample",
    "test-",  "test_", "not-",  "not_",   "enter_",  "paste",
};

/* Anywhere in it: `this-is-an-example`, `put_it_here`. */
static const char *const placeholder_parts[] = {
    "example", "placeholder", "sample", "redacted", "changeme", "here",
};

/* Words alone: is it the name of a secret, or does it say that it is none? */
static bool is_placeholder_words(struct jz__str text)
{
    struct makeup m = look(text);
    bool is_bare;
    size_t i;

    for (i = 0; i < JZ__LENGTH(placeholder_starts); i++) {
        if (jz__str_starts_nocase(text, placeholder_starts[i])) {
            return true;
        }
    }
    for (i = 0; i < JZ__LENGTH(placeholder_parts); i++) {
        if (jz__str_find_nocase(text, placeholder_parts[i]) != SIZE_MAX) {
            return true;
        }
    }
    /* db_password, mySecretToken, "Password is required". */
    return (m.separators > 0 || (m.upper > 0 && m.lower > 0)) &&
           jz__redact_names_class(&is_bare, text) != JZ__REDACT_NONE;
}

/* $VAR, ${VAR}, $(call), {{template}}, {name}, %s, <token>, #{name}. */
static bool is_substituted(struct jz__str text)
{
    static const char *const signs[] = { "${", "{{", "$(", "#{", "<%",
                                         "%(", "%{", "((", "%s", "{}" };
    size_t i = 1;

    for (i = 0; i < JZ__LENGTH(signs); i++) {
        if (jz__str_find(text, signs[i]) != SIZE_MAX) {
            return true;
        }
    }
    i = 1;
    while (i < text.length && (jz__redact_is_alnum(text.data[i]) ||
                               jz__redact_is_in(text.data[i], "_-. :"))) {
        i++;
    }
    switch (text.data[0]) {
    case '$': /* all of it, or a name in capitals; $2b$12$… is a hash */
        return i > 1 && !(jz__redact_is_digit(text.data[1]) && i > 2) &&
               (i == text.length || jz__redact_is_upper(text.data[1]));
    case '%':
        return i == text.length ||
               (i + 1 == text.length && text.data[i] == '%');
    case '<':
    case '{':
    case '[':
        return true;
    default:
        return false;
    }
}

/* A pattern instead of a value: the redaction of another program, a check of
 * a form, a rule for an editor. */
static bool is_pattern(struct jz__str text)
{
    static const char *const signs[] = { "[a-z", "[A-Z", "[0-9", "\\w",
                                         "\\d",  "\\S",  "(?",   ".*" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(signs); i++) {
        if (jz__str_find(text, signs[i]) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

/* Where the secret is kept: /run/secrets/db, ./key.pem, ~/.netrc, certs/a.pem,
 * https://… */
static bool is_path(struct jz__str text)
{
    static const char *const endings[] = { ".pem",  ".key", ".txt",  ".json",
                                           ".crt",  ".yml", ".yaml", ".env",
                                           ".toml", ".py",  ".ts",   ".js",
                                           ".go",   ".rs",  ".md",   ".sh" };
    size_t i;

    if (jz__str_starts(text, "./") || jz__str_starts(text, "../") ||
        jz__str_starts(text, "~/") || jz__str_find(text, "://") != SIZE_MAX) {
        return true;
    }
    for (i = 0; i < JZ__LENGTH(endings); i++) {
        if (jz__str_ends(text, endings[i])) {
            return true;
        }
    }
    /* One in 64 random keys in base64 begins with a slash as well. A folder has
     * a name of small letters, up to the next slash. */
    if (text.length < 3 || text.data[0] != '/') {
        return false;
    }
    i = 1;
    while (i < text.length && (jz__redact_is_lower(text.data[i]) ||
                               jz__redact_is_in(text.data[i], "._-"))) {
        i++;
    }
    return i > 2 && (i == text.length || text.data[i] == '/');
}

bool jz__redact_values_is_placeholder(struct jz__str text)
{
    if (text.length == 0 || jz__redact_values_is_sample(text) ||
        is_substituted(text) || is_pattern(text) || is_path(text) ||
        is_in(text, placeholder_words, JZ__LENGTH(placeholder_words))) {
        return true;
    }
    /* "sk-ab12...": somebody cut it for us. */
    if (text.length <= 24 && jz__str_ends(text, "...")) {
        return true;
    }
    return jz__redact_values_is_words(text) && is_placeholder_words(text);
}

/* Words that begin an expression or name a type. An unquoted value that is one
 * of them is source, in whatever language. */
static const char *const code_words[] = {
    "str",      "string",   "bytes",    "number",    "int",     "integer",
    "float",    "bool",     "boolean",  "any",       "unknown", "object",
    "never",    "void",     "optional", "char",      "const",   "varchar",
    "uuid",     "date",     "await",    "async",     "new",     "return",
    "function", "lambda",   "not",      "yield",     "typeof",  "if",
    "else",     "import",   "from",     "self",      "this",    "super",
    "static",   "readonly", "mut",      "ref",       "array",   "list",
    "dict",     "map",      "struct",   "interface", "slice",   "secretstr",
    "is",       "and",      "or",       "config",    "nullptr", "stdin",
};

static bool is_name_byte(char c)
{
    return jz__redact_is_alnum(c) || c == '_' || c == '$';
}

/* name, a.b.c, a::b, a->b, a?.b, with or without signs in front (&a, !a, *a).
 * *parts counts the names. */
static bool is_name_path(size_t *parts, struct jz__str text)
{
    size_t i = 0;

    *parts = 0;
    while (i < text.length && jz__redact_is_in(text.data[i], "&*!@")) {
        i++;
    }
    for (;;) {
        if (i == text.length || jz__redact_is_digit(text.data[i]) ||
            !is_name_byte(text.data[i])) {
            return false;
        }
        while (i < text.length && is_name_byte(text.data[i])) {
            i++;
        }
        ++*parts;
        if (i < text.length && (text.data[i] == '?' || text.data[i] == '!')) {
            i++;
        }
        if (i == text.length) {
            return true;
        }
        if (text.data[i] != '.' && text.data[i] != ':' && text.data[i] != '-') {
            return false;
        }
        i += text.length - i > 1 &&
                     (text.data[i + 1] == ':' || text.data[i + 1] == '>')
                 ? 2
                 : 1;
    }
}

/* Is this unquoted value an expression of a programming language? */
static bool is_code(const struct jz__redact_value *value)
{
    struct jz__str text = value->text;
    struct makeup m = look(text);
    size_t parts;
    bool is_names = is_name_path(&parts, text);
    bool has_signs = jz__redact_is_in(text.data[0], "&*!@");

    if (text.data[0] == '-' || text.data[0] == '~' ||
        is_in(text, code_words, JZ__LENGTH(code_words))) {
        return true;
    }
    /* f(…), a.b[…], Option<String>, Token{…}. */
    if (is_names && jz__redact_is_in(value->follows, "([{<") &&
        !(value->follows == '<' && value->is_tight)) {
        return true;
    }
    /* The shell has no variables without a $: what is left is a literal. */
    if (value->is_env) {
        return false;
    }
    /* self.token, &cfg.secret. Digits are rare in names: with more of them, and
     * no blanks around the =, it is a value with a dot in it. */
    if (is_names && (parts > 1 || has_signs) && m.digits <= 2) {
        return !value->is_tight || m.digits == 0;
    }
    /* password=password_of(user) is above; here password=pw, in a call. */
    return is_names && m.digits == 0 &&
           (value->follows == ',' || value->follows == ')' ||
            value->follows == ';');
}

/* An unquoted password behind a colon, or an = with blanks: YAML, INI files and
 * notes on the one hand, source and sentences on the other. A digit among
 * letters decides; without one there must be nothing else on the line. */
static bool is_loose_password(const struct jz__redact_value *value,
                              const struct makeup *m)
{
    size_t length = value->text.length;

    if (m->digits > 0 && m->lower + m->upper + m->others + m->high > 0) {
        return length >= 5;
    }
    if (value->has_words_behind) {
        return m->others > 0 && m->lower + m->upper > 0 && length >= 8;
    }
    if (m->digits > 0) {
        return length >= 4 && m->separators == 0;
    }
    if (m->others > 0) {
        return length >= 6;
    }
    /* One word, as in YAML. A word with a capital is a type's name. */
    return length >= 6 && m->upper == 0 && m->separators == 0;
}

/* People choose passwords, so one may be a plain word; only how it is written
 * tells it from a name. Shorter than 4 bytes is a sample. */
static bool is_password(const struct jz__redact_value *value,
                        const struct makeup *m)
{
    bool is_words = m->digits == 0 && m->others == 0;
    size_t length = value->text.length;

    /* PASS=12 of a test's report, 'X::Pass' => '1.30'; "they pass: `all of them`". */
    if (value->is_bare && (m->digits + m->separators == length ||
                           (is_words && !value->is_tight))) {
        return false;
    }
    if (value->is_quoted) {
        /* A sentence or a label in another language is no password. */
        if (is_words &&
            (m->high > m->lower + m->upper ||
             (memchr(value->text.data, ' ', length) != NULL && m->upper > 0))) {
            return false;
        }
        return length >= 4;
    }
    if (value->is_env || value->is_tight) {
        return length >= 4;
    }
    return is_loose_password(value, m);
}

/* What is called a secret may be chosen or made, and it is the name of an object
 * in Kubernetes and of a file elsewhere: `secret: billing-tls`. */
static bool is_secret(const struct jz__redact_value *value,
                      const struct makeup *m)
{
    size_t length = value->text.length;

    if (m->digits == 0 && m->others == 0) {
        return (value->is_quoted || value->is_env || value->is_tight) &&
               m->separators == 0 && length >= 8;
    }
    if (m->digits == length) {
        return length >= 16;
    }
    if (value->is_quoted || value->is_env || value->is_tight) {
        return length >= 6 && (m->others == 0 || m->separators < 4 ||
                               memchr(value->text.data, ' ', length) == NULL);
    }
    return m->digits > 0 && length >= (value->has_words_behind ? 10 : 8);
}

/* Tokens and keys are random, and the word `token` means much else. */
static bool is_random(const struct jz__redact_value *value,
                      const struct makeup *m)
{
    size_t length = value->text.length;
    bool is_written = value->is_quoted || value->is_env || value->is_tight;

    if (memchr(value->text.data, ' ', length) != NULL) {
        return false;
    }
    /* A number behind `token` is a count or a position. */
    if (m->digits == length) {
        return length >= 20;
    }
    if (m->digits == 0 && m->separators > 0) {
        return length >= 32 && m->upper > 0 && m->lower > 0;
    }
    /* access_token="…", API_KEY=…: nothing else is called so. */
    if (!value->is_bare && is_written) {
        return length >= 6 && m->high == 0;
    }
    if (m->digits == 0) {
        return length >= 20 && m->upper > 2 && m->lower > 2;
    }
    return length >= (value->has_words_behind ? 12 : 8) &&
           m->lower + m->upper > 0;
}

bool jz__redact_values_is_secret(const struct jz__redact_value *value)
{
    struct makeup m;

    assert(value != NULL && value->text.length <= JZ__REDACT_JUDGED);

    if (jz__str_find(value->text, JZ__REDACT_MARKER) != SIZE_MAX ||
        jz__redact_values_is_placeholder(value->text) ||
        (!value->is_quoted && is_code(value))) {
        return false;
    }
    m = look(value->text);
    switch (value->kind) {
    case JZ__REDACT_PASSWORD:
        return is_password(value, &m);
    case JZ__REDACT_SECRET:
        return is_secret(value, &m);
    case JZ__REDACT_KEY:
    case JZ__REDACT_TOKEN:
        return is_random(value, &m);
    case JZ__REDACT_SIGNATURE:
        return value->text.length >= 32 && m.digits > 0;
    case JZ__REDACT_NONE:
    default:
        return false;
    }
}
