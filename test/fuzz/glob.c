/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern ends at the first NUL, the text follows. A match that took
 * exponential time would show as a time-out here. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/glob.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* A star at either end lets anything stand there. */
static void check_stars(const char *pattern, const char *text)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf wide = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf longer = JZ__BUF_INIT;

    jz__buf_printf(&wide, "*%s", pattern);
    jz__buf_printf(&longer, "x-%s", text);
    require(jz__glob_match(wide.data, longer.data));
    jz__buf_puts(&wide, "*");
    jz__buf_puts(&longer, "-x");
    /* Unless the star closed a set that had no end: "[" and "[*". */
    if (strchr(pattern, '[') == NULL) {
        require(jz__glob_match(wide.data, longer.data));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf input = JZ__BUF_INIT;
    const char *pattern;
    const char *text;
    bool matches;

    jz__buf_append(&input, data, size);
    jz__buf_append(&input, "", 1);
    pattern = input.data;
    text =
        strlen(pattern) + 1 < input.length ? pattern + strlen(pattern) + 1 : "";
    matches = jz__glob_match(pattern, text);
    if (strpbrk(pattern, "*?[") == NULL) {
        require(matches == (strcmp(pattern, text) == 0));
    }
    if (matches) {
        check_stars(pattern, text);
    }
    return 0;
}
