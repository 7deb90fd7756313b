/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device approved, revoked and approved again in any text that is a
 * configuration. The new text must be one as well and differ in that client
 * alone: in the tree, and for what only goes in also byte by byte.
 */
#include "clients_edit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/toml.h"

#define DIGEST                                                                 \
    "5555555555555555555555555555555555555555555555555555555555555555"

static const struct config_origin origin = { "f", "/f", "/h" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
    if (!ok) {
        abort();
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): the reader bounds the depth. */
static bool is_same(const struct jz__toml_value *a,
                    const struct jz__toml_value *b)
{
    const struct jz__toml_value *one;
    const struct jz__toml_value *other;

    if (a->type != b->type || a->count != b->count ||
        !jz__str_equal(a->key, b->key)) {
        return false;
    }
    if ((a->type == JZ__TOML_STRING || a->type == JZ__TOML_DATE) &&
        !jz__str_equal(a->text, b->text)) {
        return false;
    }
    if (a->integer != b->integer || a->boolean != b->boolean ||
        memcmp(&a->real, &b->real, sizeof(a->real)) != 0) {
        return false;
    }
    for (one = a->first, other = b->first; one != NULL;
         one = one->next, other = other->next) {
        if (!is_same(one, other)) {
            return false;
        }
    }
    return true;
}

/* All tables but the clients are equal, and all clients but those of a name.
 * The new text has `more` clients than the old one. */
static void check_trees(const struct config *old, const struct config *new,
                        const char *name, size_t more)
{
    const struct jz__toml_value *a = old->document.root->first;
    const struct jz__toml_value *b = new->document.root->first;
    size_t i = 0;

    while (a != NULL || b != NULL) {
        if (a != NULL && jz__str_is(a->key, "clients")) {
            a = a->next;
        } else if (b != NULL && jz__str_is(b->key, "clients")) {
            b = b->next;
        } else {
            need(a != NULL && b != NULL && is_same(a, b));
            a = a->next;
            b = b->next;
        }
    }
    need(new->client_count == old->client_count + more);
    a = jz__toml_get(old->document.root, "clients");
    b = jz__toml_get(new->document.root, "clients");
    a = a != NULL ? a->first : NULL;
    b = b != NULL ? b->first : NULL;
    for (; a != NULL; a = a->next, b = b->next, i++) {
        need(strcmp(old->clients[i].name, new->clients[i].name) == 0);
        need(strcmp(old->clients[i].name, name) == 0 || is_same(a, b));
    }
}

/* Are the bytes of the old text all in the new one, in their order? */
static bool is_kept(struct jz__str old, struct jz__str new)
{
    size_t at = 0;

    for (size_t i = 0; i < new.length &&at < old.length; i++) {
        at += old.data[at] == new.data[i];
    }
    return at == old.length;
}

static const struct config_client *find(const struct config *config,
                                        const char *name)
{
    for (size_t i = 0; i < config->client_count; i++) {
        if (strcmp(config->clients[i].name, name) == 0) {
            return &config->clients[i];
        }
    }
    return NULL;
}

/* The text after one edit, into next; false: it was refused, or says so
 * already. */
static bool edit(struct jz__buf *next, struct jz__str text, const char *name,
                 const struct clients_approval *approval)
{
    struct config old = { 0 };
    struct config new = { 0 };
    struct jz__error error = { 0 };
    const struct config_client *before;
    const struct config_client *after;
    int r = approval != NULL
                ? clients_edit_approve(next, text, &origin, approval, &error)
                : clients_edit_revoke(next, text, &origin, name, &error);

    need(r == 0 || r == CLIENTS_EDIT_SAME || r == JZ_EINVAL ||
         r == JZ_ENOTFOUND);
    if (r != 0) {
        return false;
    }
    struct jz__str made = { next->data, next->length };
    need(config_parse(&old, text, &origin, &error) == 0);
    need(config_parse(&new, made, &origin, &error) == 0);
    before = find(&old, name);
    after = find(&new, name);
    need(after != NULL && after->revoked == (approval == NULL));
    check_trees(&old, &new, name, before == NULL);
    if (before == NULL) {
        need(is_kept(text, made));
    }
    if (approval != NULL) {
        need(after->upload == !approval->is_read_only && !after->metrics);
        need(strcmp(after->token_sha256, DIGEST) == 0);
        need(after->sources.count == 1 &&
             strcmp(after->sources.items[0], "agent-*") == 0);
    }
    config_finish(&old);
    config_finish(&new);
    return true;
}

/* A name that is not there, one that is, and that one once more. */
static void edit_all(struct jz__str text, const char *taken, bool is_read_only)
{
    const struct clients_approval approvals[] = {
        { "fuzz-new", DIGEST, is_read_only, false },
        { taken, DIGEST, is_read_only, true },
    };
    struct jz__buf first = JZ__BUF_INIT;
    struct jz__buf second = JZ__BUF_INIT;

    if (edit(&first, text, "fuzz-new", &approvals[0])) {
        struct jz__str made = { first.data, first.length };

        need(edit(&second, made, "fuzz-new", NULL));
    }
    jz__buf_clear(&first);
    jz__buf_clear(&second);
    if (taken != NULL && edit(&first, text, taken, NULL)) {
        struct jz__str made = { first.data, first.length };

        (void)edit(&second, made, taken, &approvals[1]);
    }
    jz__buf_finish(&first);
    jz__buf_finish(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__str text = { (const char *)data, size };
    struct config config = { 0 };
    struct jz__error error = { 0 };

    if (config_parse(&config, text, &origin, &error) == 0) {
        const char *taken = NULL;

        if (config.client_count > 0) {
            taken = config.clients[size % config.client_count].name;
        }
        edit_all(text, taken, size % 2 == 0);
    }
    config_finish(&config);
    return 0;
}
