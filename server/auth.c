/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of clients is read twice: once as people wrote it, to find out whose
 * key counts, and then copied into a table that holds the digests of those
 * alone. What is doubtful counts for nobody: of two entries with one name or
 * one key nobody can say which one was meant, and to take the first would turn
 * a slip of the clipboard into a client that reads as another one. A revoked
 * entry takes part in this, so that a key that was revoked does not come back
 * under another name.
 *
 * Lines of the log name clients and variables. They never show a key, and of a
 * digest at most the first eight digits.
 */
#include "auth.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "inbox_path.h"
#include "net/digest.h"
#include "net/key.h"

/* A client whose key counts. */
struct entry {
    struct auth_client client;
    struct jz__digest digest;
};

/* The text is the table's own: a configuration does not outlive its reading. */
struct auth_table {
    struct jz__arena arena; /* names and scopes */
    struct entry *entries;
    size_t count;
};

/* An entry of the file on its way into the table. */
struct candidate {
    const struct config_client *client;
    struct jz__digest digest;
    bool has_digest; /* revoked ones too, if they have one at all */
    const struct candidate *same_name;
    const struct candidate *same_key;
    bool is_name_told; /* by another entry of the name */
};

const char *auth_getenv(const char *name)
{
    return getenv(name);
}

/* --- whose key counts --- */

/* A revoked client needs no key any more, so nothing is said of it. */
static void tell(const struct candidate *of, const struct jz__log *log,
                 int level, const char *reason)
{
    if (!of->client->revoked) {
        jz__log_write(log, level, "client '%s' is disabled: %s",
                      of->client->name, reason);
    }
}

/* A key that stands by mistake where the name of its variable belongs would be
 * logged with it. Names are in capitals by custom, and random keys never are. */
static const char *shown_variable(const char *name)
{
    bool is_usual =
        name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';

    return is_usual ? name : "of its token_env";
}

static void read_variable(struct candidate *out, auth_getenv_fn get_variable,
                          const struct jz__log *log)
{
    const char *name = shown_variable(out->client->token_env);
    const char *key = get_variable(out->client->token_env);
    char reason[256];
    struct jz__error error = { 0 };

    if (key == NULL) {
        (void)snprintf(reason, sizeof(reason), "the variable %s is not set",
                       name);
        tell(out, log, JZ_LOG_WARNING, reason);
    } else if (jz__key_digest(&out->digest, jz__str_of(key), &error) < 0) {
        (void)snprintf(reason, sizeof(reason), "in the variable %.100s %.100s",
                       name, error.message);
        tell(out, log, JZ_LOG_ERROR, reason);
    } else {
        out->has_digest = true;
    }
}

/* The configuration has checked the digits already; a list that comes from
 * elsewhere is not trusted to be as good. */
static void read_key(struct candidate *out, auth_getenv_fn get_variable,
                     const struct jz__log *log)
{
    if (out->client->token_sha256 == NULL) {
        read_variable(out, get_variable, log);
    } else if (jz__digest_parse(&out->digest,
                                jz__str_of(out->client->token_sha256))) {
        out->has_digest = true;
    } else {
        tell(out, log, JZ_LOG_ERROR,
             "token_sha256 is no 64 hexadecimal digits");
    }
}

/* With case: so are the names of sources. */
static int by_name(const void *a, const void *b)
{
    const struct candidate *const *one = a;
    const struct candidate *const *other = b;

    return strcmp((*one)->client->name, (*other)->client->name);
}

/* Those without a digest come last. */
static int by_digest(const void *a, const void *b)
{
    const struct candidate *const *one = a;
    const struct candidate *const *other = b;

    if (!(*one)->has_digest || !(*other)->has_digest) {
        return (int)(*other)->has_digest - (int)(*one)->has_digest;
    }
    return memcmp((*one)->digest.bytes, (*other)->digest.bytes,
                  sizeof((*one)->digest.bytes));
}

/* Equal ones stand beside each other once they are sorted, so a file of ten
 * thousand clients is no work of a hundred million comparisons. */
static void find_same(struct candidate **sorted, size_t count)
{
    bool is_told = false; /* an entry of this name is there that tells it */

    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 1; i < count; i++) {
        if (by_name(&sorted[i - 1], &sorted[i]) != 0) {
            is_told = false;
            continue;
        }
        sorted[i - 1]->same_name = sorted[i];
        sorted[i]->same_name = sorted[i - 1];
        is_told = is_told || !sorted[i - 1]->client->revoked;
        sorted[i]->is_name_told = is_told;
    }
    qsort(sorted, count, sizeof(*sorted), by_digest);
    for (size_t i = 1; i < count && sorted[i]->has_digest; i++) {
        if (by_digest(&sorted[i - 1], &sorted[i]) == 0) {
            sorted[i - 1]->same_key = sorted[i];
            sorted[i]->same_key = sorted[i - 1];
        }
    }
}

/* Of two names both are told, each in its line: whoever looks for one of them
 * finds it. One name is told once. */
static void tell_same(const struct candidate *of, const struct jz__log *log)
{
    const struct candidate *other = of->same_key;
    char reason[512];

    if (of->same_name != NULL && !of->is_name_told) {
        tell(of, log, JZ_LOG_ERROR,
             of->same_name->client->revoked
                 ? "a revoked client has the same name"
                 : "another client has the same name");
    }
    if (other != NULL) {
        (void)snprintf(reason, sizeof(reason),
                       "%s '%s' has the same key (digest %02x%02x%02x%02x…)",
                       other->client->revoked ? "the revoked client" : "client",
                       other->client->name, of->digest.bytes[0],
                       of->digest.bytes[1], of->digest.bytes[2],
                       of->digest.bytes[3]);
        tell(of, log, JZ_LOG_ERROR, reason);
    }
}

/* A client without a key that can be compared, one that is revoked and one that
 * may be meant for another are the same to a request: unknown. */
static bool is_usable(const struct candidate *candidate)
{
    return candidate->has_digest && !candidate->client->revoked &&
           candidate->same_name == NULL && candidate->same_key == NULL;
}

/* Fill candidates in the order of the file, which is that of the log's lines
 * too. */
static int judge(struct candidate *candidates,
                 const struct config_client *clients, size_t count,
                 auth_getenv_fn get_variable, const struct jz__log *log)
{
    JZ_CLEANUP(jz__mem_freep)
    struct candidate **sorted = calloc(count + 1, sizeof(struct candidate *));

    if (sorted == NULL) {
        return JZ_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        candidates[i].client = &clients[i];
        read_key(&candidates[i], get_variable, log);
        sorted[i] = &candidates[i];
    }
    find_same(sorted, count);
    for (size_t i = 0; i < count; i++) {
        tell_same(&candidates[i], log);
    }
    return 0;
}

/* --- the table --- */

/* The name of a client is of A-Z a-z 0-9 . _ - alone, and so a glob that
 * matches nothing but itself: "exactly agent-<known agent>-<its name>". The
 * configuration takes no connector of such a name. */
static void put_scope(struct jz__buf *out, const struct config_client *client)
{
    jz__buf_putc(out, '[');
    for (size_t i = 0; i < client->sources.count; i++) {
        jz__json_put_comma(out);
        jz__json_put_str(out, client->sources.items[i]);
    }
    for (size_t i = 0; inbox_agents[i] != NULL; i++) {
        jz__json_put_comma(out);
        jz__buf_printf(out, "\"agent-%s-%s\"", inbox_agents[i], client->name);
    }
    jz__buf_putc(out, ']');
}

/* The place for it is there: the table has one for each entry of the file. */
static int add(struct auth_table *table, const struct candidate *candidate)
{
    const struct config_client *client = candidate->client;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf scope = JZ__BUF_INIT;
    struct entry *entry = &table->entries[table->count];

    put_scope(&scope, client);
    if (scope.error != 0) {
        return JZ_ENOMEM;
    }
    *entry = (struct entry){
        .client = { .name = jz__arena_copy(&table->arena, client->name,
                                           strlen(client->name)),
                    .scope_json =
                        jz__arena_copy(&table->arena, scope.data, scope.length),
                    .may_upload = client->upload,
                    .may_see_metrics = client->metrics },
        .digest = candidate->digest,
    };
    if (entry->client.name == NULL || entry->client.scope_json == NULL) {
        return JZ_ENOMEM;
    }
    table->count++;
    return 0;
}

int auth_table_build(struct auth_table **out,
                     const struct config_client *clients, size_t count,
                     auth_getenv_fn get_variable, const struct jz__log *log,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep)
    struct candidate *candidates = calloc(count + 1, sizeof(*candidates));
    struct auth_table *table = calloc(1, sizeof(*table));
    int r = 0;

    assert(out != NULL && (clients != NULL || count == 0));

    *out = NULL;
    if (table != NULL) {
        table->entries = calloc(count + 1, sizeof(*table->entries));
    }
    if (candidates == NULL || table == NULL || table->entries == NULL) {
        auth_table_free(table);
        return jz__fail_memory(error);
    }
    r = judge(candidates, clients, count, get_variable, log);
    for (size_t i = 0; i < count && r == 0; i++) {
        if (is_usable(&candidates[i])) {
            r = add(table, &candidates[i]);
        }
    }
    if (r < 0) {
        auth_table_free(table);
        return jz__fail_memory(error);
    }
    *out = table;
    return 0;
}

void auth_table_free(struct auth_table *table)
{
    if (table != NULL) {
        jz__arena_finish(&table->arena);
        free(table->entries);
        free(table);
    }
}

size_t auth_table_count(const struct auth_table *table)
{
    return table != NULL ? table->count : 0;
}

const struct auth_client *auth_find_name(const struct auth_table *table,
                                         const char *name)
{
    for (size_t i = 0; i < auth_table_count(table); i++) {
        if (strcmp(table->entries[i].client.name, name) == 0) {
            return &table->entries[i].client;
        }
    }
    return NULL;
}

/* --- a request --- */

/* The key behind "Bearer" and at least one blank; false: it is not there. */
static bool take_key(struct jz__str *out, struct jz__str authorization)
{
    static const char scheme[] = "Bearer";
    const size_t length = sizeof(scheme) - 1;

    if (!jz__str_starts_nocase(authorization, scheme) ||
        authorization.length == length ||
        (authorization.data[length] != ' ' &&
         authorization.data[length] != '\t')) {
        return false;
    }
    *out = (struct jz__str){ authorization.data + length,
                             authorization.length - length };
    return true;
}

/* No way out of the loop: how long it takes tells neither whether a digest was
 * found nor how far down the list, nor how much of one was right. */
const struct auth_client *auth_find(const struct auth_table *table,
                                    struct jz__str authorization)
{
    const struct auth_client *found = NULL;
    struct jz__digest digest;
    struct jz__str key;

    if (table == NULL || !take_key(&key, authorization) ||
        jz__key_digest(&digest, key, NULL) < 0) {
        return NULL;
    }
    for (size_t i = 0; i < table->count; i++) {
        if (jz__digest_equal(&table->entries[i].digest, &digest)) {
            found = &table->entries[i].client;
        }
    }
    return found;
}
