/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What another library exported, or what a tool made by itself. Every text goes
 * through the redactor, as everything does before it is stored; what would
 * change the meaning of an item (a kind that does not exist, a date that is
 * none, a field nobody knows) is refused by name.
 */
#include "ingest/item_import.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"

#define NAME_MOST 300 /* characters of source and external_id */

/* Ids that follow must stay below 2^53, where JSON's readers begin to round. */
#define ID_MOST ((int64_t)1 << 52)

struct import {
    struct jz__item *item;
    const cJSON *object;
    const struct jz__redact_options *redact;
    struct jz__error *error;
};

void jz__item_import_project(struct jz__buf *out, const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    size_t kept = 0;
    size_t i;

    jz__utf8_one_line(&line, name, strlen(name));
    for (i = 0; i < line.length; i++) {
        if (line.data[i] != '`') {
            line.data[kept++] = line.data[i];
        }
    }
    if (kept > 0) {
        jz__utf8_cut(out, line.data, kept, JZ__ITEM_PROJECT_MOST);
    }
    if (line.error != 0) {
        out->error = line.error;
    }
}

/* Redacted copy of a text in the item's arena. */
static int keep(const char **out, struct import *import, const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;

    jz__redact_text(&clean, NULL, jz__str_of(text), import->redact);
    if (clean.error == 0) {
        *out =
            jz__arena_copy(&import->item->arena,
                           clean.data != NULL ? clean.data : "", clean.length);
    }
    return clean.error == 0 && *out != NULL ? JZ_OK
                                            : jz__fail_memory(import->error);
}

/* An optional text: absent and null are NULL. */
static int take_text(const char **out, struct import *import, const char *key)
{
    const cJSON *value = jz__json_get(import->object, key);

    *out = NULL;
    if (value == NULL || cJSON_IsNull(value)) {
        return JZ_OK;
    }
    if (!cJSON_IsString(value)) {
        return jz__fail(import->error, JZ_EINVAL, "%s must be a string", key);
    }
    return keep(out, import, value->valuestring);
}

bool jz__item_import_is_name(const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    size_t length = strlen(name);

    jz__utf8_one_line(&line, name, length);
    return line.error == 0 && line.length > 0 && strcmp(line.data, name) == 0 &&
           jz__utf8_count(name, length) <= NAME_MOST;
}

/* A required name: one line, not empty. */
static int take_name(const char **out, struct import *import, const char *key)
{
    int r = take_text(out, import, key);

    if (r < 0) {
        return r;
    }
    if (*out == NULL || **out == '\0') {
        return jz__fail(import->error, JZ_EINVAL, "%s is required", key);
    }
    if (!jz__item_import_is_name(*out)) {
        return jz__fail(import->error, JZ_EINVAL,
                        "%s must be one line of 1 to %d characters without "
                        "control characters",
                        key, NAME_MOST);
    }
    return JZ_OK;
}

static int take_title(struct import *import)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;
    int r = take_text(&import->item->title, import, "title");

    if (r < 0) {
        return r;
    }
    if (import->item->title == NULL) {
        return jz__fail(import->error, JZ_EINVAL, "title is required");
    }
    jz__utf8_one_line(&line, import->item->title, strlen(import->item->title));
    jz__utf8_cut(&cut, line.data != NULL ? line.data : "", line.length,
                 JZ__ITEM_TITLE_MOST);
    if (line.error == 0 && cut.error == 0) {
        import->item->title = jz__arena_copy(
            &import->item->arena, cut.data != NULL ? cut.data : "", cut.length);
    }
    return line.error == 0 && cut.error == 0 && import->item->title != NULL
               ? JZ_OK
               : jz__fail_memory(import->error);
}

static int take_project(struct import *import)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    int r = take_text(&import->item->project, import, "project");

    if (r < 0 || import->item->project == NULL) {
        return r;
    }
    jz__item_import_project(&name, import->item->project);
    if (name.error != 0) {
        return jz__fail_memory(import->error);
    }
    if (name.length == 0) {
        import->item->project = NULL;
        return JZ_OK;
    }
    import->item->project =
        jz__arena_copy(&import->item->arena, name.data, name.length);
    return import->item->project != NULL ? JZ_OK
                                         : jz__fail_memory(import->error);
}

static int take_time(struct import *import)
{
    const char *text = jz__json_text(import->object, "occurred_at", NULL);
    bool is_date;

    if (text == NULL || !jz__time_parse_bound(&import->item->occurred_at,
                                              &is_date, jz__str_of(text))) {
        return jz__fail(import->error, JZ_EINVAL,
                        "occurred_at must be an ISO 8601 date or datetime "
                        "(2026-01-31T09:00:00+00:00), got '%.60s'",
                        text != NULL ? text : "");
    }
    return JZ_OK;
}

/* The array of a key; NULL with *count 0 if it is absent or null. */
static int take_array(const cJSON **out, size_t *count, struct import *import,
                      const char *key)
{
    const cJSON *value = jz__json_get(import->object, key);

    *out = NULL;
    *count = 0;
    if (value == NULL || cJSON_IsNull(value)) {
        return JZ_OK;
    }
    if (!cJSON_IsArray(value)) {
        return jz__fail(import->error, JZ_EINVAL, "%s must be an array", key);
    }
    *out = value;
    *count = (size_t)cJSON_GetArraySize(value);
    return JZ_OK;
}

static int take_questions(struct import *import)
{
    struct jz__item *item = import->item;
    const cJSON *array;
    const cJSON *element;
    size_t count;
    int r = take_array(&array, &count, import, "questions");

    if (r < 0) {
        return r;
    }
    item->questions =
        jz__arena_alloc(&item->arena, (count + 1) * sizeof(*item->questions));
    if (item->questions == NULL) {
        return jz__fail_memory(import->error);
    }
    cJSON_ArrayForEach(element, array)
    {
        if (!cJSON_IsString(element)) {
            return jz__fail(import->error, JZ_EINVAL,
                            "questions must be strings");
        }
        r = keep(&item->questions[item->question_count], import,
                 element->valuestring);
        if (r < 0) {
            return r;
        }
        item->question_count++;
    }
    return JZ_OK;
}

static const char *find_kind(const char *name)
{
    size_t i;

    for (i = 0; jz__item_kinds[i] != NULL; i++) {
        if (name != NULL && strcmp(jz__item_kinds[i], name) == 0) {
            return jz__item_kinds[i];
        }
    }
    return NULL;
}

static int take_atom(struct import *import, const cJSON *element)
{
    struct jz__item_atom *atom = &import->item->atoms[import->item->atom_count];
    const char *kind = jz__json_text(element, "kind", NULL);
    const char *text = jz__json_text(element, "text", NULL);

    if (kind == NULL || text == NULL || cJSON_GetArraySize(element) != 2) {
        return jz__fail(import->error, JZ_EINVAL,
                        "atoms must be objects with kind and text");
    }
    atom->kind = find_kind(kind);
    if (atom->kind == NULL) {
        return jz__fail(import->error, JZ_EINVAL,
                        "atoms have no kind '%.60s' (decision, rationale, fix, "
                        "error, command, fact, risk)",
                        kind);
    }
    import->item->atom_count++;
    return keep(&atom->text, import, text);
}

static int take_atoms(struct import *import)
{
    struct jz__item *item = import->item;
    const cJSON *array;
    const cJSON *element;
    size_t count;
    int r = take_array(&array, &count, import, "atoms");

    if (r < 0) {
        return r;
    }
    item->atoms =
        jz__arena_alloc(&item->arena, (count + 1) * sizeof(*item->atoms));
    if (item->atoms == NULL) {
        return jz__fail_memory(import->error);
    }
    cJSON_ArrayForEach(element, array)
    {
        r = take_atom(import, element);
        if (r < 0) {
            return r;
        }
    }
    return JZ_OK;
}

static int take_trust(struct import *import)
{
    const cJSON *value = jz__json_get(import->object, "trust");

    if (value == NULL || cJSON_IsNull(value)) {
        import->item->trust = "own";
        return JZ_OK;
    }
    if (cJSON_IsString(value) && strcmp(value->valuestring, "own") == 0) {
        import->item->trust = "own";
    } else if (cJSON_IsString(value) &&
               strcmp(value->valuestring, "external") == 0) {
        import->item->trust = "external";
    } else {
        return jz__fail(import->error, JZ_EINVAL,
                        "trust must be own or external");
    }
    return JZ_OK;
}

static int take_id(struct import *import)
{
    const cJSON *value = jz__json_get(import->object, "id");

    if (value == NULL || cJSON_IsNull(value)) {
        return JZ_OK;
    }
    if (!cJSON_IsNumber(value) || !jz__json_whole(&import->item->id, value) ||
        import->item->id < 1 || import->item->id > ID_MOST) {
        return jz__fail(import->error, JZ_EINVAL,
                        "id must be a whole number from 1 to %lld",
                        (long long)ID_MOST);
    }
    return JZ_OK;
}

static int check_fields(struct import *import)
{
    static const char *const known[] = {
        "id",           "source",    "external_id", "occurred_at", "title",
        "summary",      "questions", "atoms",       "project",     "account",
        "original_ref", "trust",     "original",    "score",       "trimmed",
    };
    const cJSON *member;

    cJSON_ArrayForEach(member, import->object)
    {
        size_t i;

        for (i = 0; i < JZ__LENGTH(known); i++) {
            if (strcmp(known[i], member->string) == 0) {
                break;
            }
        }
        if (i == JZ__LENGTH(known)) {
            return jz__fail(import->error, JZ_EINVAL, "unknown field '%.60s'",
                            member->string);
        }
    }
    return JZ_OK;
}

static int take_texts(struct import *import)
{
    struct jz__item *item = import->item;
    int r = take_text(&item->summary, import, "summary");

    if (r == 0 && item->summary == NULL) {
        item->summary = "";
    }
    if (r == 0) {
        r = take_text(&item->account, import, "account");
    }
    if (r == 0) {
        r = take_text(&item->original_ref, import, "original_ref");
    }
    if (r == 0) {
        r = take_text(&item->original, import, "original");
        item->has_original = item->original != NULL;
    }
    return r;
}

int jz__item_import(struct jz__item *out, struct jz__str json,
                    const struct jz__redact_options *redact,
                    struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;
    struct import import = { out, NULL, redact, error };
    int (*const steps[])(struct import *) = {
        check_fields,   take_id,    take_time,    take_title, take_texts,
        take_questions, take_atoms, take_project, take_trust,
    };
    size_t i;
    int r;

    assert(json.data != NULL);

    jz__utf8_clean(&clean, json.data, json.length);
    if (clean.error != 0) {
        return jz__fail_memory(error);
    }
    r = jz__json_parse(&tree, clean.data != NULL ? clean.data : "",
                       clean.length, error);
    if (r < 0) {
        return r;
    }
    if (!cJSON_IsObject(tree)) {
        return jz__fail(error, JZ_EINVAL, "an item must be a JSON object");
    }
    import.object = tree;
    r = take_name(&out->source, &import, "source");
    if (r == 0) {
        r = take_name(&out->external_id, &import, "external_id");
    }
    for (i = 0; i < JZ__LENGTH(steps) && r == 0; i++) {
        r = steps[i](&import);
    }
    return r;
}
