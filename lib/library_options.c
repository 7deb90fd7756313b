/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options come as JSON from programs and bindings alike. A key that nobody
 * knows is an error: a misspelt option that is quietly ignored is found months
 * later.
 */
#include "library_options.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

/* One whole number or fraction of an object, with its range. */
struct number {
    const char *key;
    size_t offset; /* in the structure that is filled */
    bool is_whole;
    double least;
    double most;
};

static const struct number search_numbers[] = {
    { "candidate_pool", offsetof(struct jz__reads_options, candidate_pool),
      true, 1, 10000 },
    { "recency_weight", offsetof(struct jz__reads_options, recency_weight),
      false, 0, 1 },
    { "recency_half_life_days",
      offsetof(struct jz__reads_options, recency_half_life_days), false, 0.001,
      1e6 },
    { "limit", offsetof(struct jz__reads_options, limit), true, 1, 10000 },
    { "limit_max", offsetof(struct jz__reads_options, limit_max), true, 1,
      10000 },
    { "later_limit", offsetof(struct jz__reads_options, later_limit), true, 1,
      10000 },
    { "later_limit_max", offsetof(struct jz__reads_options, later_limit_max),
      true, 1, 10000 },
    { "timeline_limit", offsetof(struct jz__reads_options, timeline_limit),
      true, 1, 10000 },
    { "timeline_limit_max",
      offsetof(struct jz__reads_options, timeline_limit_max), true, 1, 10000 },
};

/* Is every key of the object in the list (NULL at its end)? */
static int check_keys(const cJSON *object, const char *where,
                      const char *const *known, struct jz__error *error)
{
    const cJSON *member;

    cJSON_ArrayForEach(member, object)
    {
        size_t i;

        for (i = 0; known[i] != NULL; i++) {
            if (strcmp(known[i], member->string) == 0) {
                break;
            }
        }
        if (known[i] == NULL) {
            return jz__fail(error, JZ_EINVAL, "unknown option '%s%s%.60s'",
                            where, where[0] != '\0' ? "." : "", member->string);
        }
    }
    return JZ_OK;
}

static int take_number(void *out, const struct number *number,
                       const cJSON *value, struct jz__error *error)
{
    int64_t whole = 0;

    if (!cJSON_IsNumber(value) || value->valuedouble < number->least ||
        value->valuedouble > number->most ||
        (number->is_whole && !jz__json_whole(&whole, value))) {
        return jz__fail(error, JZ_EINVAL, "%s must be a %snumber from %g to %g",
                        number->key, number->is_whole ? "whole " : "",
                        number->least, number->most);
    }
    if (number->is_whole) {
        memcpy((char *)out + number->offset, &whole, sizeof(whole));
    } else {
        memcpy((char *)out + number->offset, &value->valuedouble,
               sizeof(double));
    }
    return JZ_OK;
}

static int take_search(struct jz__reads_options *out, const cJSON *object,
                       struct jz__error *error)
{
    static const char *const known[] = { "candidate_pool",
                                         "recency_weight",
                                         "recency_half_life_days",
                                         "limit",
                                         "limit_max",
                                         "later_limit",
                                         "later_limit_max",
                                         "timeline_limit",
                                         "timeline_limit_max",
                                         "tokenizer",
                                         NULL };
    const char *tokenizer = jz__json_text(object, "tokenizer", NULL);
    size_t i;
    int r = check_keys(object, "search", known, error);

    if (r == 0 && tokenizer != NULL &&
        strcmp(tokenizer, "trigram remove_diacritics 1") != 0) {
        return jz__fail(error, JZ_EINVAL,
                        "tokenizer must be 'trigram remove_diacritics 1', got "
                        "'%.60s'",
                        tokenizer);
    }
    for (i = 0; i < JZ__LENGTH(search_numbers) && r == 0; i++) {
        const cJSON *value = jz__json_get(object, search_numbers[i].key);

        if (value != NULL) {
            r = take_number(out, &search_numbers[i], value, error);
        }
    }
    return r;
}

static int take_segment(struct jz__segment_options *out, const cJSON *object,
                        struct jz__error *error)
{
    static const char *const known[] = { "segment_pause_minutes",
                                         "segment_chars", NULL };
    static const struct number numbers[] = {
        { "segment_pause_minutes", 0, true, 1, 525600 },
        { "segment_chars", sizeof(int64_t), true, 1000, 1e9 },
    };
    int64_t values[2] = { 0, 0 };
    size_t i;
    int r = check_keys(object, "ingest", known, error);

    for (i = 0; i < JZ__LENGTH(numbers) && r == 0; i++) {
        const cJSON *value = jz__json_get(object, numbers[i].key);

        if (value != NULL) {
            r = take_number(values, &numbers[i], value, error);
        }
    }
    out->pause_ms = values[0] * 60000;
    out->most_characters = (size_t)values[1];
    return r;
}

int jz__library_options_redact(struct jz__redact_options *out,
                               const char ***extra, const cJSON *tree,
                               struct jz__error *error)
{
    static const char *const known[] = { "enabled", "extra", NULL };
    const cJSON *list = jz__json_get(tree, "extra");
    const cJSON *text;
    int r = check_keys(tree, "redaction", known, error);

    *extra = NULL;
    out->is_disabled = !jz__json_flag(tree, "enabled", true);
    if (r < 0 || list == NULL) {
        return r;
    }
    if (!cJSON_IsArray(list)) {
        return jz__fail(error, JZ_EINVAL, "extra must be an array of strings");
    }
    *extra = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(**extra));
    if (*extra == NULL) {
        return jz__fail_memory(error);
    }
    cJSON_ArrayForEach(text, list)
    {
        if (!cJSON_IsString(text) || text->valuestring[0] == '\0') {
            return jz__fail(error, JZ_EINVAL,
                            "extra must hold strings that are not empty");
        }
        (*extra)[out->extra_count++] = text->valuestring;
    }
    out->extra = *extra;
    return JZ_OK;
}

static int take_store(struct jz__store_options *out, const cJSON *tree,
                      struct jz__error *error)
{
    static const struct number timeout = { "busy_timeout_ms", 0, true, 0,
                                           3600000 };
    const cJSON *value = jz__json_get(tree, "busy_timeout_ms");
    int64_t timeout_ms = 5000;
    int r = JZ_OK;

    if (value != NULL) {
        r = take_number(&timeout_ms, &timeout, value, error);
    }
    out->create = jz__json_flag(tree, "create", true);
    out->read_only = jz__json_flag(tree, "read_only", false);
    out->busy_timeout_ms = (int)timeout_ms;
    return r;
}

/* An empty object stands for what was not given. */
static int parse_tree(cJSON **out, const char *json, struct jz__error *error)
{
    static const char *const known[] = {
        "create",          "read_only", "home",      "search", "projects",
        "busy_timeout_ms", "ingest",    "redaction", NULL
    };
    int r;

    if (json == NULL || json[0] == '\0') {
        json = "{}";
    }
    r = jz__json_parse(out, json, strlen(json), error);
    if (r == 0 && !cJSON_IsObject(*out)) {
        return jz__fail(error, JZ_EINVAL, "options must be a JSON object");
    }
    return r == 0 ? check_keys(*out, "", known, error) : r;
}

int jz__library_options_parse(struct jz__library_options *out, const char *json,
                              struct jz__error *error)
{
    static const struct jz__reads_options defaults = JZ__READS_OPTIONS_INIT;
    int r;

    assert(out != NULL);

    memset(out, 0, sizeof(*out));
    out->reads = defaults;
    r = parse_tree(&out->tree, json, error);
    if (r == 0) {
        r = take_store(&out->store, out->tree, error);
    }
    if (r == 0) {
        r = take_search(&out->reads, jz__json_get(out->tree, "search"), error);
    }
    if (r == 0) {
        r = take_segment(&out->segment, jz__json_get(out->tree, "ingest"),
                         error);
    }
    if (r == 0) {
        r = jz__library_options_redact(&out->redact, &out->extra,
                                       jz__json_get(out->tree, "redaction"),
                                       error);
    }
    if (r == 0) {
        r = jz__rules_parse(&out->rules, jz__json_get(out->tree, "projects"),
                            jz__json_text(out->tree, "home", NULL), error);
    }
    return r;
}

void jz__library_options_finish(struct jz__library_options *options)
{
    jz__rules_finish(&options->rules);
    free(options->extra);
    cJSON_Delete(options->tree);
    memset(options, 0, sizeof(*options));
}
