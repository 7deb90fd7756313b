/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a device may be approved or revoked is decided here, by the clients
 * that the text has; clients_text.c writes.
 *
 * Two entries with one name or one key disable each other in the server, so
 * none is ever made. A revoked entry counts like any other: its key does not
 * come back under another name, and its name not without being asked for.
 *
 * The result is parsed again and its clients are compared with those that were
 * meant, so that a mistake costs an error and not a broken file: a server that
 * cannot read its clients any more goes on with the old ones, and a revoked key
 * would go on working.
 */
#include "clients_edit.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "clients_text.h"

struct edit {
    struct clients_text text;
    struct jz__error *error;
};

/* --- checks --- */

static int edit_begin(struct edit *e, struct jz__buf *out, struct jz__str text,
                      const struct config_origin *origin,
                      struct jz__error *error)
{
    jz__toml_edit_begin(&e->text.edit, out, text);
    e->error = error;
    return config_parse(&e->text.config, text, origin, error);
}

static void edit_finish(struct edit *e)
{
    config_finish(&e->text.config);
}

/* The first client of a name from a place in the list on, or NULL. */
static const struct config_client *find_name(const struct config *config,
                                             const char *name, size_t from)
{
    size_t i;

    for (i = from; i < config->client_count; i++) {
        if (strcmp(config->clients[i].name, name) == 0) {
            return &config->clients[i];
        }
    }
    return NULL;
}

static bool has_digest(const struct config_client *client, const char *digest)
{
    return client->token_sha256 != NULL &&
           strcasecmp(client->token_sha256, digest) == 0;
}

/* One key for two names would disable both. */
static int check_digest_is_free(const struct edit *e,
                                const struct clients_approval *approval)
{
    size_t i;

    for (i = 0; i < e->text.config.client_count; i++) {
        const struct config_client *client = &e->text.config.clients[i];

        if (has_digest(client, approval->digest) &&
            strcmp(client->name, approval->name) != 0) {
            return jz__fail(e->error, JZ_EINVAL,
                            "this key belongs to '%s'%s (line %d): a device "
                            "needs a key of its own",
                            client->name,
                            client->revoked ? ", which was revoked" : "",
                            clients_text_line(&e->text, client));
        }
    }
    return 0;
}

/* Its uploads and the connector's sessions would be one source. */
static int check_name_is_free(const struct edit *e, const char *name)
{
    const struct config_connector *connector =
        config_find_shared(&e->text.config, name);

    if (connector != NULL) {
        return jz__fail(e->error, JZ_EINVAL,
                        "a device named '%s' would read the sessions that "
                        "connector '%s' takes in on the server, as its own. "
                        "Choose another name",
                        name, connector->name);
    }
    return 0;
}

/* The name is there and not revoked. */
static int judge_approved(const struct edit *e,
                          const struct config_client *client,
                          const struct clients_approval *approval)
{
    if (!has_digest(client, approval->digest)) {
        return jz__fail(e->error, JZ_EINVAL,
                        "'%s' is there already (line %d), with another key. "
                        "Is it the same computer with a new one: `jezero "
                        "device revoke %s`, then approve it with --reuse. "
                        "Else choose another name",
                        client->name, clients_text_line(&e->text, client),
                        client->name);
    }
    if (client->upload == approval->is_read_only) {
        return jz__fail(e->error, JZ_EINVAL,
                        "'%s' is approved already and may %s: change upload in "
                        "its entry (line %d)",
                        client->name, client->upload ? "upload" : "only read",
                        clients_text_line(&e->text, client));
    }
    return CLIENTS_EDIT_SAME;
}

/* 0: the approval may be written; *out is the entry to take again, or NULL. */
static int judge_approval(const struct config_client **out,
                          const struct edit *e,
                          const struct clients_approval *approval)
{
    const struct config_client *client =
        find_name(&e->text.config, approval->name, 0);
    const struct config_client *second;
    int r = check_name_is_free(e, approval->name);

    *out = client;
    if (r < 0) {
        return r;
    }
    if (client == NULL) {
        return check_digest_is_free(e, approval);
    }
    second = find_name(&e->text.config, approval->name,
                       (size_t)(client - e->text.config.clients) + 1);
    if (second != NULL) {
        return jz__fail(e->error, JZ_EINVAL,
                        "'%s' stands there twice, in lines %d and %d, which "
                        "disables both: take one out by hand",
                        client->name, clients_text_line(&e->text, client),
                        clients_text_line(&e->text, second));
    }
    if (!client->revoked) {
        return judge_approved(e, client, approval);
    }
    if (!approval->may_reuse) {
        return jz__fail(e->error, JZ_EINVAL,
                        "'%s' was revoked (line %d): another device of this "
                        "name would read what that one sent. Choose another "
                        "name, or say --reuse",
                        client->name, clients_text_line(&e->text, client));
    }
    return check_digest_is_free(e, approval);
}

static bool is_same_list(const struct config_list *a,
                         const struct config_list *b)
{
    size_t i;

    for (i = 0; i < a->count && i < b->count; i++) {
        if (strcmp(a->items[i], b->items[i]) != 0) {
            return false;
        }
    }
    return a->count == b->count;
}

/* Either may be NULL. Of digests the case does not count, and of names of
 * variables nothing is ever changed here. */
static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcasecmp(a, b) == 0;
}

static bool is_same_client(const struct config_client *a,
                           const struct config_client *b)
{
    return strcmp(a->name, b->name) == 0 &&
           is_same_text(a->token_sha256, b->token_sha256) &&
           is_same_text(a->token_env, b->token_env) &&
           is_same_list(&a->sources, &b->sources) && a->upload == b->upload &&
           a->metrics == b->metrics && a->revoked == b->revoked;
}

/*
 * Read the new text and compare its clients with those that were meant: the
 * old ones, of which that named as `wanted` is now so, or, if there was none,
 * with one more at the end. A `wanted` without a digest means: revoked, and
 * otherwise as before.
 */
static int check_result(const struct edit *e,
                        const struct config_origin *origin,
                        const struct config_client *wanted)
{
    JZ_CLEANUP(config_finish) struct config config = { 0 };
    struct jz__str text = { e->text.edit.out->data, e->text.edit.out->length };
    struct jz__error why = { 0 };
    size_t old = e->text.config.client_count;
    bool is_new = find_name(&e->text.config, wanted->name, 0) == NULL;
    size_t i;
    bool is_right;

    if (e->text.edit.out->error != 0) {
        return jz__fail_memory(e->error);
    }
    is_right = config_parse(&config, text, origin, &why) == 0 &&
               config.client_count == old + is_new;
    for (i = 0; is_right && i < config.client_count; i++) {
        const struct config_client *client = &config.clients[i];
        struct config_client want = *wanted;

        if (i < old && strcmp(client->name, wanted->name) != 0) {
            want = e->text.config.clients[i];
        } else if (i < old && wanted->token_sha256 == NULL) {
            want = e->text.config.clients[i];
            want.revoked = true;
        }
        is_right = is_same_client(client, &want);
    }
    if (!is_right) {
        return jz__fail(e->error, JZ_EINTERNAL,
                        "the clients of %s are written in a way that cannot be "
                        "edited here; nothing was changed: please edit it by "
                        "hand",
                        origin->file);
    }
    return 0;
}

/* --- exported --- */

const char *clients_edit_check_name(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 ||
        strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                     "0123456789._-") != length) {
        return "must be of A-Z a-z 0-9 . _ -";
    }
    if (name[0] == '.') {
        return "must not begin with a dot";
    }
    return length <= 150 ? NULL : "must not be over 150 characters";
}

const char *clients_edit_check_digest(const char *digest)
{
    size_t length = strlen(digest);

    if (length == 64 && strspn(digest, "0123456789abcdefABCDEF") == 64) {
        return NULL;
    }
    /* 32 bytes in base64url: the form of the keys that clients make. */
    if (length == 43 &&
        strspn(digest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       "0123456789_-") == 43) {
        return "looks like the key itself, which belongs on its device alone: "
               "give the SHA-256 that `jezero-client init` showed. If it was "
               "sent to "
               "you, let the device make a new key";
    }
    return "must be 64 hexadecimal digits: `jezero-client init --url URL` "
           "makes a computer's key and shows them";
}

int clients_edit_approve(struct jz__buf *out, struct jz__str text,
                         const struct config_origin *origin,
                         const struct clients_approval *approval,
                         struct jz__error *error)
{
    JZ_CLEANUP(edit_finish) struct edit e = { 0 };
    const char *sources[] = { CLIENTS_TEXT_SOURCE };
    const struct config_client wanted = {
        .name = approval->name,
        .token_sha256 = approval->digest,
        .sources = { sources, 1 },
        .upload = !approval->is_read_only,
    };
    const struct config_client *reused = NULL;
    int r;

    assert(clients_edit_check_name(approval->name) == NULL);
    assert(clients_edit_check_digest(approval->digest) == NULL);
    r = edit_begin(&e, out, text, origin, error);
    if (r == 0) {
        r = judge_approval(&reused, &e, approval);
    }
    if (r != 0) {
        return r;
    }
    if (reused != NULL) {
        clients_text_reuse(&e.text, reused, approval);
    } else {
        clients_text_add(&e.text, approval);
    }
    jz__toml_edit_copy(&e.text.edit, text.length);
    return check_result(&e, origin, &wanted);
}

int clients_edit_revoke(struct jz__buf *out, struct jz__str text,
                        const struct config_origin *origin, const char *name,
                        struct jz__error *error)
{
    JZ_CLEANUP(edit_finish) struct edit e = { 0 };
    const struct config_client wanted = { .name = name };
    const struct config_client *client;
    size_t next;
    bool is_changed = false;
    int r = edit_begin(&e, out, text, origin, error);

    if (r < 0) {
        return r;
    }
    client = find_name(&e.text.config, name, 0);
    if (client == NULL) {
        return jz__fail(error, JZ_ENOTFOUND, "%s has no device '%s'",
                        origin->file, name);
    }
    /* Entries of one name are all revoked: whoever takes the others out later
     * must not let the key in again. */
    for (; client != NULL; client = find_name(&e.text.config, name, next)) {
        next = (size_t)(client - e.text.config.clients) + 1;
        if (!client->revoked) {
            clients_text_revoke(&e.text, client);
            is_changed = true;
        }
    }
    if (!is_changed) {
        return CLIENTS_EDIT_SAME;
    }
    jz__toml_edit_copy(&e.text.edit, text.length);
    return check_result(&e, origin, &wanted);
}
