/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings with comments, edited in place: what was there is there afterwards
 * with the same value, one thing is new, a second edit changes nothing, and
 * taking it out gives the bytes of before.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "jsonc.h"
#include "jsonc_edit.h"

static const char *const member[] = { "a", "b", NULL };
static const char *const array[] = { "h", "s", NULL };

static void check(bool is_right)
{
    if (!is_right) {
        __builtin_trap();
    }
}

static bool is_same_raw(const struct jsonc *a, size_t i, const struct jsonc *b,
                        size_t j)
{
    struct jz__str left = jz__scan_raw(&a->scan, i);

    return a->scan.tokens[i].type == b->scan.tokens[j].type &&
           jz__str_equal(left, jz__scan_raw(&b->scan, j));
}

/* Is b the same as a, but for children at the ends, which are counted? */
static bool is_kept(const struct jsonc *a, size_t i, const struct jsonc *b,
                    size_t j, int *more)
{
    bool is_object = a->scan.tokens[i].type == JZ__SCAN_OBJECT;

    if (!is_object && a->scan.tokens[i].type != JZ__SCAN_ARRAY) {
        return is_same_raw(a, i, b, j);
    }
    if (a->scan.tokens[i].type != b->scan.tokens[j].type) {
        return false;
    }
    size_t x = jz__scan_first(&a->scan, i);
    size_t y = jz__scan_first(&b->scan, j);

    while (x != 0 && y != 0) {
        if (is_object && !is_same_raw(a, x, b, y)) {
            return false;
        }
        if (!is_kept(a, x + is_object, b, y + is_object, more)) {
            return false;
        }
        x = jz__scan_after(&a->scan, i, x);
        y = jz__scan_after(&b->scan, j, y);
    }
    for (; y != 0; y = jz__scan_after(&b->scan, j, y)) {
        ++*more;
    }
    return x == 0;
}

/* White space in an empty root is not kept. */
static bool is_exact(const struct jsonc *doc)
{
    size_t i;

    if (doc->scan.count != 1) {
        return doc->scan.count > 1;
    }
    for (i = jsonc_start(doc, 0) + 1; i < jsonc_end(doc, 0) - 1; i++) {
        if (strchr(" \t\r\n", doc->text.data[i]) == NULL) {
            return true;
        }
    }
    return doc->scan.tokens[0].length == 2;
}

static bool is_same_text(const struct jsonc *a, const struct jsonc *b)
{
    return a->text.length == b->text.length &&
           memcmp(a->text.data, b->text.data, a->text.length) == 0;
}

/* Add the one or the other, look, and take it out again. */
static void try_edit(const char *text, size_t length, bool is_array)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc old = JSONC_INIT;
    JZ_CLEANUP(jsonc_finish) struct jsonc new = JSONC_INIT;
    const char *const *path = is_array ? array : member;
    struct jz__error error = { 0 };
    size_t before;
    size_t found;
    int more = 0;
    int r;

    if (jsonc_read(&old, text, length, &error) < 0 ||
        jsonc_read(&new, text, length, &error) < 0) {
        return;
    }
    before = jsonc_get(&old, path);
    if (before != 0 && !is_array) {
        return;
    }
    r = is_array ? jsonc_edit_append(&new, path, "{\"x\":[1,{}]}", &error)
                 : jsonc_edit_put(&new, path, "{\"x\":[1,{}]}", &error);
    if (r < 0) {
        /* An object where there is none, or nested too deep. */
        check(r == JZ_EINVAL || strstr(error.message, "too deep") != NULL ||
              strstr(error.message, "nested") != NULL);
        return;
    }
    if (old.scan.count > 0) {
        check(is_kept(&old, 0, &new, 0, &more));
        check(more == 1);
    }
    found = jsonc_get(&new, path);
    check(found != 0);
    if (is_array) {
        size_t last = 0;

        for (size_t i = jz__scan_first(&new.scan, found); i != 0;
             i = jz__scan_after(&new.scan, found, i)) {
            last = i;
        }
        found = last;
    }
    check(jsonc_edit_remove(&new, found, &error) == 0);
    check(!is_exact(&old) || is_same_text(&old, &new));
}

/* Everything goes, one after the other, and it stays JSON. */
static void try_remove(const char *text, size_t length, size_t pick)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    struct jz__error error = { 0 };

    if (jsonc_read(&doc, text, length, &error) < 0) {
        return;
    }
    for (int i = 0; i < 20 && doc.scan.count > 1; i++) {
        size_t token = 1 + pick % (doc.scan.count - 1);
        size_t parent = jsonc_parent(&doc, token);

        /* A key's value lies behind it: count the parity within its object. */
        if (doc.scan.tokens[parent].type == JZ__SCAN_OBJECT) {
            size_t at;

            for (at = jz__scan_first(&doc.scan, parent); at != token && at != 0;
                 at = jz__scan_after(&doc.scan, parent, at)) {
            }
            token += at == token;
        }
        check(jsonc_edit_remove(&doc, token, &error) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__mem_freep) char *text = NULL;

    if (size < 1) {
        return 0;
    }
    text = jz__mem_copy((const char *)data + 1, size - 1);
    if (text == NULL) {
        return 0;
    }
    try_edit(text, size - 1, false);
    try_edit(text, size - 1, true);
    try_remove(text, size - 1, data[0]);
    return 0;
}
