/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments come from language models, so the reader is lenient where the
 * meaning is plain (5.0 and "5" are 5, null and an empty optional text are as
 * if left out) and answers the rest with a sentence that tells the model what
 * to send instead. An unknown argument is refused rather than ignored: a model
 * that wrote "from" for "since" would take the wrong result for the right one.
 *
 * The table says which read takes what; the order of its rows is the order in
 * which a message lists them.
 */
#include "search/arguments.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"

/* Characters of a wrong value that a message repeats. */
#define SHOWN_MOST 60

/* Seconds from the first to the last of a day. */
#define DAY_REST (24 * 60 * 60 - 1)

/* 2^53: every double beyond is whole. */
#define EXACT_MOST 9007199254740992.0

#define BIT(read) (1u << (read))
#define BY_ID (BIT(JZ__READ_GET_ITEM) | BIT(JZ__READ_LATER))
#define BY_WORDS (BIT(JZ__READ_SEARCH) | BIT(JZ__READ_LATER))
#define FILTERED (BIT(JZ__READ_SEARCH) | BIT(JZ__READ_TIMELINE))

/* The rows of the table. */
enum argument {
    ARGUMENT_ITEM_ID,
    ARGUMENT_QUERY,
    ARGUMENT_PROJECT,
    ARGUMENT_SOURCE,
    ARGUMENT_SINCE,
    ARGUMENT_UNTIL,
    ARGUMENT_LIMIT,
    ARGUMENT_INCLUDE_ORIGINAL
};

static const struct {
    const char *name;
    unsigned taken_by;    /* bits of enum jz__read */
    unsigned required_by; /* the same */
} arguments[] = {
    [ARGUMENT_ITEM_ID] = { "item_id", BY_ID, BY_ID },
    [ARGUMENT_QUERY] = { "query", BY_WORDS, BIT(JZ__READ_SEARCH) },
    [ARGUMENT_PROJECT] = { "project", FILTERED, 0 },
    [ARGUMENT_SOURCE] = { "source", FILTERED, 0 },
    [ARGUMENT_SINCE] = { "since", FILTERED, 0 },
    [ARGUMENT_UNTIL] = { "until", BIT(JZ__READ_TIMELINE), 0 },
    [ARGUMENT_LIMIT] = { "limit", FILTERED | BIT(JZ__READ_LATER), 0 },
    [ARGUMENT_INCLUDE_ORIGINAL] = { "include_original", BIT(JZ__READ_GET_ITEM),
                                    0 },
};

/* Append at most SHOWN_MOST characters on one line. Blanks stay as they are:
 * they may be what is wrong with the value. */
static void put_shown(struct jz__buf *out, const char *text, size_t length)
{
    size_t most = jz__utf8_prefix(text, length, SHOWN_MOST);
    size_t at = 0;

    while (at < most) {
        uint32_t point;
        size_t step = jz__utf8_next(&point, text + at, most - at);

        if (jz__utf8_is_control(point) || jz__utf8_is_bidi(point)) {
            point = ' ';
        }
        jz__utf8_put(out, point);
        at += step;
    }
}

/* Append a value as a message shows it: a text plain, all else as JSON. */
static void put_value(struct jz__buf *out, const cJSON *value)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    if (cJSON_IsString(value)) {
        put_shown(out, value->valuestring, strlen(value->valuestring));
        return;
    }
    jz__json_put_tree(&text, value);
    if (text.error == 0) {
        put_shown(out, text.data, text.length);
    }
}

/* "limit must be a whole number from 1, got '0'": the argument, what it has to
 * be and what came instead: a model needs no more to mend its call. */
static int fail_value(struct jz__error *error, const char *name,
                      const char *wanted, const cJSON *value)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;

    put_value(&shown, value);
    return jz__fail(error, JZ_EINVAL, "%s must be %s, got '%s'", name, wanted,
                    shown.data != NULL ? shown.data : "");
}

/* The names that the read does have stand behind it: the right one is mostly
 * among them. */
static int fail_unknown(struct jz__error *error, enum jz__read read,
                        const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf known = JZ__BUF_INIT;
    size_t i;

    put_shown(&shown, name, strlen(name));
    for (i = 0; i < JZ__LENGTH(arguments); i++) {
        if ((arguments[i].taken_by & BIT(read)) != 0) {
            jz__buf_printf(&known, "%s%s", known.length > 0 ? ", " : "",
                           arguments[i].name);
        }
    }
    return jz__fail(error, JZ_EINVAL, "unknown argument '%s' (%s takes %s)",
                    shown.data != NULL ? shown.data : "",
                    jz__arguments_read_name(read),
                    known.data != NULL ? known.data : "no argument");
}

/* Null as a value does not make an unknown name right: the mistake is the
 * name. */
static int check_names(enum jz__read read, const cJSON *object,
                       struct jz__error *error)
{
    const cJSON *member;

    cJSON_ArrayForEach(member, object)
    {
        bool is_known = false;
        size_t i;

        for (i = 0; i < JZ__LENGTH(arguments); i++) {
            is_known |= (arguments[i].taken_by & BIT(read)) != 0 &&
                        strcmp(arguments[i].name, member->string) == 0;
        }
        if (!is_known) {
            return fail_unknown(error, read, member->string);
        }
    }
    return JZ_OK;
}

static int take_text(const char **out, const char *name, const cJSON *value,
                     struct jz__error *error)
{
    if (!cJSON_IsString(value)) {
        return fail_value(error, name, "a string", value);
    }
    *out = value->valuestring;
    return JZ_OK;
}

static bool is_digits(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* As jz__json_whole(), but a number that is too large is held at INT64_MAX: a
 * limit is cut to the most anyway, and no item has such an id. */
static bool read_whole(int64_t *out, const cJSON *value)
{
    if (jz__json_whole(out, value)) {
        return true;
    }
    *out = INT64_MAX;
    if (cJSON_IsNumber(value)) {
        return value->valuedouble > EXACT_MOST;
    }
    return cJSON_IsString(value) && is_digits(value->valuestring);
}

static int take_whole(int64_t *out, const char *name, const cJSON *value,
                      struct jz__error *error)
{
    int64_t whole;

    if (!read_whole(&whole, value) || whole < 1) {
        return fail_value(error, name, "a whole number from 1", value);
    }
    *out = whole;
    return JZ_OK;
}

/* The words are taken as texts as well, for the models that quote every value;
 * 0 and 1 are not, which could be meant for another argument. */
static int take_flag(bool *out, const char *name, const cJSON *value,
                     struct jz__error *error)
{
    if (cJSON_IsBool(value)) {
        *out = cJSON_IsTrue(value);
        return JZ_OK;
    }
    if (cJSON_IsString(value) && strcmp(value->valuestring, "true") == 0) {
        *out = true;
        return JZ_OK;
    }
    if (cJSON_IsString(value) && strcmp(value->valuestring, "false") == 0) {
        *out = false;
        return JZ_OK;
    }
    return fail_value(error, name, "true or false", value);
}

/* since or until. The seconds that a date lacks to its last instant are added
 * by the caller, who knows which end it is. */
static int take_bound(int64_t *out, bool *has, bool *is_date, const char *name,
                      const cJSON *value, struct jz__error *error)
{
    if (!cJSON_IsString(value) ||
        !jz__time_parse_bound(out, is_date, jz__str_of(value->valuestring))) {
        return fail_value(error, name,
                          "an ISO 8601 date or datetime (2026-01-31 or "
                          "2026-01-31T09:00:00+02:00)",
                          value);
    }
    *has = true;
    return JZ_OK;
}

/* Read one value that is there into the field of its argument. */
static int take(struct jz__reads_arguments *out, enum argument argument,
                const cJSON *value, struct jz__error *error)
{
    const char *name = arguments[argument].name;
    bool is_date = false;
    int r = JZ_OK;

    switch (argument) {
    case ARGUMENT_ITEM_ID:
        return take_whole(&out->item_id, name, value, error);
    case ARGUMENT_QUERY:
        return take_text(&out->query, name, value, error);
    case ARGUMENT_PROJECT:
        return take_text(&out->project, name, value, error);
    case ARGUMENT_SOURCE:
        return take_text(&out->source, name, value, error);
    case ARGUMENT_SINCE:
        return take_bound(&out->since, &out->has_since, &is_date, name, value,
                          error);
    case ARGUMENT_UNTIL:
        r = take_bound(&out->until, &out->has_until, &is_date, name, value,
                       error);
        if (r == JZ_OK && is_date) {
            out->until += DAY_REST;
        }
        return r;
    case ARGUMENT_LIMIT:
        return take_whole(&out->limit, name, value, error);
    case ARGUMENT_INCLUDE_ORIGINAL:
        return take_flag(&out->include_original, name, value, error);
    }
    return r;
}

/* Null counts as left out, and so does "" where nothing is required. */
static bool is_absent(const cJSON *value, bool is_required)
{
    return value == NULL || cJSON_IsNull(value) ||
           (!is_required && cJSON_IsString(value) &&
            value->valuestring[0] == '\0');
}

const char *jz__arguments_read_name(enum jz__read read)
{
    static const char *const names[JZ__READ_COUNT] = {
        [JZ__READ_SEARCH] = "search",
        [JZ__READ_GET_ITEM] = "get_item",
        [JZ__READ_LATER] = "later",
        [JZ__READ_TIMELINE] = "timeline",
        [JZ__READ_LIST_SOURCES] = "list_sources",
    };

    assert(read < JZ__READ_COUNT);

    return names[read];
}

int jz__arguments_parse(struct jz__reads_arguments *out, enum jz__read read,
                        const cJSON *object, struct jz__error *error)
{
    size_t i;
    int r;

    assert(out != NULL && read < JZ__READ_COUNT);

    memset(out, 0, sizeof(*out));
    if (object != NULL && !cJSON_IsNull(object) && !cJSON_IsObject(object)) {
        return fail_value(error, "arguments", "an object", object);
    }
    r = check_names(read, object, error);
    for (i = 0; r == JZ_OK && i < JZ__LENGTH(arguments); i++) {
        bool is_required = (arguments[i].required_by & BIT(read)) != 0;
        const cJSON *value = jz__json_get(object, arguments[i].name);

        if ((arguments[i].taken_by & BIT(read)) == 0) {
            continue;
        }
        if (!is_absent(value, is_required)) {
            r = take(out, (enum argument)i, value, error);
        } else if (is_required) {
            r = jz__fail(error, JZ_EINVAL, "%s is required", arguments[i].name);
        }
    }
    return r;
}
