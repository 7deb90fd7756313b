/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that name a project. Client and server share them, so that a
 * session has the same project whichever of the two resolved it; the server
 * applies to a folder that an upload named only what can be told from the text.
 *
 * A folder is known by two paths: as it was written, and, where the file system
 * may be asked, with its symbolic links resolved. Both count, because a
 * transcript holds either. A folder that is gone is resolved as far as it still
 * exists.
 */
#include "project/rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "project/git.h"

/* What the data model allows for a project. A longer name is cut without a
 * mark: an ellipsis would be one more thing that two names can differ in. */
#define NAME_CHARACTERS 80

/* --- the settings --- */

/* Also of a list that was filled in part. */
static void free_pairs(struct jz__rules_pair *pairs, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        free(pairs[i].from);
        free(pairs[i].to);
    }
    free(pairs);
}

void jz__rules_finish(struct jz__rules *rules)
{
    size_t i;

    for (i = 0; i < rules->root_count; i++) {
        free(rules->roots[i]);
    }
    free(rules->roots);
    free_pairs(rules->paths, rules->path_count);
    free_pairs(rules->aliases, rules->alias_count);
    free(rules->home);
    free(rules->temp);
    memset(rules, 0, sizeof(*rules));
}

/* The text of a setting. An empty one is refused: it would name nothing. */
static int take_text(char **out, const cJSON *value, const char *what,
                     struct jz__error *error)
{
    if (!cJSON_IsString(value) || value->valuestring[0] == '\0') {
        return jz__fail(error, JZ_EINVAL,
                        "%s must hold texts that are not empty", what);
    }
    *out = jz__mem_copy(value->valuestring, strlen(value->valuestring));
    return *out != NULL ? JZ_OK : jz__fail_memory(error);
}

/* {"from": "to", …}. What was taken before a fault is in *out, for the caller to
 * free: *count says how much. */
static int take_pairs(struct jz__rules_pair **out, size_t *count,
                      const cJSON *object, const char *what,
                      struct jz__error *error)
{
    const cJSON *value;
    int size = cJSON_GetArraySize(object);

    if (!cJSON_IsObject(object)) {
        return jz__fail(error, JZ_EINVAL, "%s must be an object of texts",
                        what);
    }
    *out = calloc((size_t)size + 1, sizeof(**out));
    if (*out == NULL) {
        return jz__fail_memory(error);
    }
    cJSON_ArrayForEach(value, object)
    {
        struct jz__rules_pair *pair = *out + *count;
        int r = take_text(&pair->to, value, what, error);

        if (r == 0 && value->string[0] == '\0') {
            r = jz__fail(error, JZ_EINVAL, "%s has an empty name", what);
        }
        if (r < 0) {
            free(pair->to);
            return r;
        }
        *count += 1; /* from here on the caller frees it */
        pair->from = jz__mem_copy(value->string, strlen(value->string));
        if (pair->from == NULL) {
            return jz__fail_memory(error);
        }
    }
    return JZ_OK;
}

/* Names of single folders. A path here is a misunderstanding (it belongs into
 * paths), and would never match without a word. */
static int take_roots(struct jz__rules *out, const cJSON *array,
                      struct jz__error *error)
{
    const cJSON *value;
    int size = cJSON_GetArraySize(array);

    if (!cJSON_IsArray(array)) {
        return jz__fail(error, JZ_EINVAL, "projects.roots must be an array");
    }
    out->roots = calloc((size_t)size + 1, sizeof(*out->roots));
    if (out->roots == NULL) {
        return jz__fail_memory(error);
    }
    cJSON_ArrayForEach(value, array)
    {
        char **root = &out->roots[out->root_count];
        int r = take_text(root, value, "projects.roots", error);

        if (r < 0) {
            return r;
        }
        assert(*root != NULL);
        out->root_count++;
        if (strchr(*root, '/') != NULL) {
            return jz__fail(error, JZ_EINVAL,
                            "projects.roots holds names of folders, got '%s'",
                            *root);
        }
    }
    return JZ_OK;
}

/* A path of the settings in place: ~ expanded, normalized. One that has a ~
 * and no home to put there stays as it is, and matches nothing. */
static int tidy_path(char **path, const char *home)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf expanded = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf tidy = JZ__BUF_INIT;

    if (home[0] != '\0') {
        jz__path_expand(&expanded, *path, home);
    } else {
        jz__buf_puts(&expanded, *path);
    }
    if (expanded.error == 0) {
        jz__path_normalize(&tidy, expanded.data);
    }
    if (expanded.error != 0 || tidy.error != 0) {
        return JZ_ENOMEM;
    }
    free(*path);
    return jz__buf_take(path, &tidy);
}

/* Once, so that every question afterwards is a comparison of texts. */
static int tidy_paths(struct jz__rules *out, struct jz__error *error)
{
    size_t i;

    for (i = 0; i < out->path_count; i++) {
        struct jz__rules_pair *pair = &out->paths[i];

        assert(pair->from != NULL);
        if (pair->from[0] != '/' && pair->from[0] != '~') {
            return jz__fail(error, JZ_EINVAL,
                            "projects.paths needs paths from / or ~, got '%s'",
                            pair->from);
        }
        if (tidy_path(&pair->from, out->home) < 0) {
            return jz__fail_memory(error);
        }
    }
    return JZ_OK;
}

/* home and temp, normalized; "" if unknown or no absolute path. */
static int take_place(char **out, const cJSON *value, const char *fallback,
                      const char *what, struct jz__error *error)
{
    const char *text = fallback != NULL ? fallback : "";

    if (value != NULL && !cJSON_IsNull(value)) {
        if (!cJSON_IsString(value)) {
            return jz__fail(error, JZ_EINVAL, "projects.%s must be a text",
                            what);
        }
        text = value->valuestring;
    }
    if (text[0] != '/') {
        text = "";
    }
    *out = jz__mem_copy(text, strlen(text));
    if (*out == NULL || (text[0] != '\0' && tidy_path(out, "") < 0)) {
        return jz__fail_memory(error);
    }
    return JZ_OK;
}

/* One member of the object. A second one of a name is refused as unknown: which
 * of the two was meant, nobody can tell. */
static int take_setting(struct jz__rules *out, const cJSON *value,
                        struct jz__error *error)
{
    const char *name = value->string;

    if (strcmp(name, "home") == 0 || strcmp(name, "temp") == 0) {
        return JZ_OK; /* taken before all others */
    }
    if (strcmp(name, "paths") == 0 && out->paths == NULL) {
        return take_pairs(&out->paths, &out->path_count, value,
                          "projects.paths", error);
    }
    if (strcmp(name, "aliases") == 0 && out->aliases == NULL) {
        return take_pairs(&out->aliases, &out->alias_count, value,
                          "projects.aliases", error);
    }
    if (strcmp(name, "roots") == 0 && out->roots == NULL) {
        return take_roots(out, value, error);
    }
    return jz__fail(error, JZ_EINVAL, "projects has no setting '%s'", name);
}

int jz__rules_parse(struct jz__rules *out, const cJSON *projects,
                    const char *home, struct jz__error *error)
{
    const cJSON *value;
    int r;

    assert(out != NULL);

    memset(out, 0, sizeof(*out));
    if (projects != NULL && !cJSON_IsObject(projects)) {
        return jz__fail(error, JZ_EINVAL, "projects must be an object");
    }
    /* First, because ~ in the paths needs it. */
    r = take_place(&out->home, jz__json_get(projects, "home"), home, "home",
                   error);
    if (r == 0) {
        r = take_place(&out->temp, jz__json_get(projects, "temp"), NULL, "temp",
                       error);
    }
    if (r < 0 || projects == NULL) {
        return r;
    }
    cJSON_ArrayForEach(value, projects)
    {
        r = take_setting(out, value, error);
        if (r < 0) {
            return r;
        }
    }
    return tidy_paths(out, error);
}

/* --- paths --- */

/* A folder by its two paths, both normalized and absolute. .real is NULL where
 * nothing may be looked at. */
struct place {
    char *text;
    char *real;
};

static void place_finish(struct place *place)
{
    free(place->text);
    free(place->real);
}

/*
 * The path with its links resolved. Where its end is gone, the part that is
 * still there is resolved, and the rest put behind it.
 */
static int real_path(char **out, const char *path)
{
    JZ_CLEANUP(jz__mem_freep) char *head = jz__mem_copy(path, strlen(path));
    JZ_CLEANUP(jz__mem_freep) char *real = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf whole = JZ__BUF_INIT;
    size_t length = strlen(path);

    if (head == NULL) {
        return JZ_ENOMEM;
    }
    while ((real = realpath(head, NULL)) == NULL && length > 1) {
        length = jz__path_parent(head).length;
        head[length] = '\0';
    }
    if (real == NULL) {
        return (*out = jz__mem_copy(path, strlen(path))) != NULL ? JZ_OK
                                                                 : JZ_ENOMEM;
    }
    jz__buf_puts(&whole, real);
    path += length;
    path += strspn(path, "/");
    if (path[0] != '\0') {
        jz__buf_puts(&whole, whole.length > 1 ? "/" : "");
        jz__buf_puts(&whole, path);
    }
    return jz__buf_take(out, &whole);
}

/* By text ".." is dropped together with the part in front of it, before links
 * are followed: an agent's folder is the text of its shell, which does the same. */
static int place_init(struct place *out, const char *path, bool may_look)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf tidy = JZ__BUF_INIT;
    int r;

    jz__path_normalize(&tidy, path);
    r = jz__buf_take(&out->text, &tidy);
    return r == 0 && may_look ? real_path(&out->real, out->text) : r;
}

/* Is the place this folder, by one of its paths? */
/* The configured folder may be a link itself: /tmp is one on some systems. */
static int is_folder(bool *out, const struct place *place, const char *folder)
{
    JZ_CLEANUP(jz__mem_freep) char *real = NULL;
    int r;

    *out =
        folder != NULL && folder[0] != '\0' && strcmp(place->text, folder) == 0;
    if (*out || place->real == NULL || folder == NULL || folder[0] == '\0') {
        return JZ_OK;
    }
    r = real_path(&real, folder);
    *out = r == 0 && strcmp(place->real, real) == 0;
    return r;
}

/* Is it the home folder, / or a temporary folder? Agents are started there by
 * accident, or for a question; what they do there is no project's work. */
static int is_never(bool *out, const struct jz__rules *rules,
                    const struct place *place)
{
    const char *const folders[] = { rules->home, rules->temp, "/", "/tmp",
                                    "/var/tmp" };
    size_t i;
    int r = JZ_OK;

    *out = false;
    for (i = 0; r == 0 && !*out && i < JZ__LENGTH(folders); i++) {
        r = is_folder(out, place, folders[i]);
    }
    return r;
}

/* --- the rules, each appends a name or nothing --- */

/* The length of the configured path if the place is in it, else 0. Of its two
 * lengths, by text and by real path, the longer one counts. */
static int path_match(size_t *out, const struct place *place, const char *path)
{
    JZ_CLEANUP(jz__mem_freep) char *real = NULL;
    int r = JZ_OK;

    *out = path[0] == '/' && jz__path_is_below(place->text, path) ? strlen(path)
                                                                  : 0;
    if (path[0] == '/' && place->real != NULL) {
        r = real_path(&real, path);
        if (r == 0 && jz__path_is_below(place->real, real) &&
            strlen(real) > *out) {
            *out = strlen(real);
        }
    }
    return r;
}

/* "Longest" is that of the path that matched: a short name may be a link to a
 * place deep in the tree. */
static int by_paths(struct jz__buf *out, const struct jz__rules *rules,
                    const struct place *place)
{
    const char *name = "";
    size_t best = 0;
    size_t i;

    for (i = 0; i < rules->path_count; i++) {
        size_t length;
        int r = path_match(&length, place, rules->paths[i].from);

        if (r < 0) {
            return r;
        }
        if (length > best) {
            best = length;
            name = rules->paths[i].to;
        }
    }
    jz__buf_puts(out, name);
    return out->error;
}

/* Only of a folder that may be looked at, by its real path: above a link there
 * is another repository than above what it leads to. */
static int by_git(struct jz__buf *out, const struct jz__rules *rules,
                  const struct place *place)
{
    JZ_CLEANUP(jz__git_finish) struct jz__git git = { 0 };
    struct place root = { NULL, NULL };
    bool is_none = false;
    int r;

    if (place->real == NULL) {
        return JZ_OK;
    }
    r = jz__git_find(&git, place->real);
    if (r < 0 || git.common == NULL) {
        return r;
    }
    /* Who keeps the settings in the home folder in git has not made everything
     * below it one project. */
    root.text = git.folder;
    root.real = git.folder;
    r = is_never(&is_none, rules, &root);
    return r < 0 || is_none ? r : jz__git_name(out, &git);
}

/* With case, as names of folders have it. */
static bool is_root(const struct jz__rules *rules, struct jz__str part)
{
    size_t i;

    for (i = 0; i < rules->root_count; i++) {
        if (jz__str_is(part, rules->roots[i])) {
            return true;
        }
    }
    return false;
}

/* Append the last part of path[0 .. end), unless that folder is one that is
 * never a project: /home/dana, with a root "home". */
static int put_part(struct jz__buf *out, const struct jz__rules *rules,
                    const char *path, size_t end)
{
    JZ_CLEANUP(jz__mem_freep) char *folder = jz__mem_copy(path, end);
    struct place place = { folder, NULL };
    struct jz__str name;
    bool is_none;
    int r;

    if (folder == NULL) {
        return JZ_ENOMEM;
    }
    r = is_never(&is_none, rules, &place);
    if (r == 0 && !is_none) {
        name = jz__path_name(folder);
        jz__buf_append(out, name.data, name.length);
    }
    return r < 0 ? r : out->error;
}

/* The part behind the first root, at path[from] or later. */
static int by_root_from(struct jz__buf *out, const struct jz__rules *rules,
                        const char *path, size_t from)
{
    size_t start = out->length;
    size_t at = from;
    int r = JZ_OK;

    while (r == 0 && out->length == start && path[at] == '/') {
        struct jz__str part = { path + at + 1, strcspn(path + at + 1, "/") };
        size_t next = at + 1 + part.length;

        if (path[next] == '/' && is_root(rules, part)) {
            r = put_part(out, rules, path,
                         next + 1 + strcspn(path + next + 1, "/"));
        }
        at = next;
    }
    return r;
}

/* Below the home folder its own parts are no roots, unless no other is. */
static int by_root(struct jz__buf *out, const struct jz__rules *rules,
                   const char *path)
{
    const char *home = rules->home != NULL ? rules->home : "";
    size_t start = out->length;
    int r = JZ_OK;

    if (path == NULL) {
        return JZ_OK;
    }
    if (home[0] != '\0' && home[1] != '\0' && jz__path_is_below(path, home)) {
        r = by_root_from(out, rules, path, strlen(home));
    }
    return r == 0 && out->length == start ? by_root_from(out, rules, path, 0)
                                          : r;
}

/* As written first: ~/work/billing is billing also where it is a link to
 * somewhere else. */
static int by_roots(struct jz__buf *out, const struct jz__rules *rules,
                    const struct place *place)
{
    size_t start = out->length;
    int r = by_root(out, rules, place->text);

    return r == 0 && out->length == start ? by_root(out, rules, place->real)
                                          : r;
}

/* --- the outcome --- */

/* Append name as it may be shown everywhere: it goes into prompts of agents and
 * onto terminals, and folders and remotes are named by strangers. */
static int put_name(struct jz__buf *out, const char *name, size_t length)
{
    /* Folders are bytes: what is no UTF-8 is repaired before it is cut. */
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    struct jz__str text;
    size_t i;
    size_t kept = 0;

    jz__utf8_clean(&clean, name, length);
    for (i = 0; clean.error == 0 && i < clean.length; i++) {
        if (clean.data[i] != '`') {
            clean.data[kept++] = clean.data[i];
        }
    }
    jz__utf8_one_line(&line, clean.data, kept);
    if (clean.error != 0 || line.error != 0) {
        return JZ_ENOMEM;
    }
    text.data = line.data;
    text.length = jz__utf8_prefix(line.data, line.length, NAME_CHARACTERS);
    if (line.length > 0) {
        text = jz__str_trim(text);
        jz__buf_append(out, text.data, text.length);
    }
    return out->error;
}

/* Are two names one project? Case does not tell them apart, accents do. */
static int is_same(bool *out, const char *a, const char *b)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf first = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf second = JZ__BUF_INIT;

    jz__fold_case(&first, a, strlen(a));
    jz__fold_case(&second, b, strlen(b));
    *out = first.length == second.length &&
           (first.length == 0 ||
            memcmp(first.data, second.data, first.length) == 0);
    return first.error != 0 ? first.error : second.error;
}

/* Append name, or what the first alias that fits makes of it. Once: with
 * {"a": "b", "b": "a"} each has the name of the other. */
static int put_alias(struct jz__buf *out, const struct jz__rules *rules,
                     const char *name)
{
    size_t i;

    for (i = 0; i < rules->alias_count; i++) {
        bool is_this;
        int r = is_same(&is_this, rules->aliases[i].from, name);

        if (r < 0) {
            return r;
        }
        if (is_this) {
            return put_name(out, rules->aliases[i].to,
                            strlen(rules->aliases[i].to));
        }
    }
    jz__buf_puts(out, name);
    return out->error;
}

/* Ask one rule. *name stays empty if it has no answer that can be shown: a
 * folder called "``" leaves the question to the next rule. */
static int ask(struct jz__buf *name,
               int (*rule)(struct jz__buf *, const struct jz__rules *,
                           const struct place *),
               const struct jz__rules *rules, const struct place *place)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf raw = JZ__BUF_INIT;
    int r = rule(&raw, rules, place);

    if (r < 0 || raw.length == 0) {
        return r;
    }
    return put_name(name, raw.data, raw.length);
}

/* Ask the rules in their order; the first name that is left decides. */
static int resolve(struct jz__buf *out, const char **rule,
                   const struct jz__rules *rules, const struct place *place)
{
    static const struct {
        const char *name;
        int (*ask)(struct jz__buf *, const struct jz__rules *,
                   const struct place *);
    } all[] = { { "paths", by_paths },
                { "git", by_git },
                { "roots", by_roots } };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    bool is_none;
    size_t i;
    int r = is_never(&is_none, rules, place);

    for (i = 0; r == 0 && !is_none && i < JZ__LENGTH(all); i++) {
        r = ask(&name, all[i].ask, rules, place);
        if (r == 0 && name.length > 0) {
            *rule = all[i].name;
            return put_alias(out, rules, name.data);
        }
    }
    return r;
}

int jz__rules_resolve(struct jz__buf *out, const char **rule,
                      const struct jz__rules *rules, const char *folder,
                      bool may_look, struct jz__error *error)
{
    JZ_CLEANUP(place_finish) struct place place = { NULL, NULL };
    int r;

    assert(out != NULL && rule != NULL && rules != NULL && folder != NULL);

    *rule = "none";
    /* A relative folder would be one below the working folder of whoever asks,
     * which is none of the transcript's. */
    if (folder[0] != '/') {
        return JZ_OK;
    }
    r = place_init(&place, folder, may_look);
    if (r == 0) {
        r = resolve(out, rule, rules, &place);
    }
    return r < 0 ? jz__fail_memory(error) : out->error;
}
