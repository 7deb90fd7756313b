/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TOML reader on any bytes. What it accepts must be a tree whose lines, bytes
 * and counts hold together; what it refuses must name a line.
 */
#include "base/toml.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NOLINTNEXTLINE(misc-no-recursion): the reader bounds the depth. */
static void walk(const struct jz__toml_value *value, int depth, size_t size)
{
    const struct jz__toml_value *child;
    size_t count = 0;

    /* A dotted key of 64 parts at each of 64 levels is the deepest tree. */
    if (depth > JZ__TOML_DEPTH * (JZ__TOML_DEPTH + 1)) {
        abort();
    }
    for (child = value->first; child != NULL; child = child->next) {
        if (child->parent != value || child->line < 1 ||
            child->key.data[child->key.length] != '\0') {
            abort();
        }
        if (child->key_at > child->at || child->at > child->end ||
            child->end > size) {
            abort();
        }
        walk(child, depth + 1, size);
        count++;
    }
    if (count != value->count) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__toml toml = JZ__TOML_INIT;
    struct jz__error error = { 0 };
    int r = jz__toml_parse(&toml, (const char *)data, size, &error);

    if (r == 0) {
        walk(toml.root, 0, size);
    } else if (strncmp(error.message, "line ", 5) != 0) {
        abort();
    }
    jz__toml_finish(&toml);
    return 0;
}
