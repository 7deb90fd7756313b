/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line that scans still scans when it was shrunk, with the same structure and
 * no string over the limit; and it does not matter in how many pieces it came.
 * Since no fuzzer finds 64 KiB by itself, a byte 01 stands for a run of letters
 * that ends near the limit, by the byte that follows.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/shrink.h"
#include "base/utf8.h"

#define INPUT_MOST (8 * JZ__SHRINK_STRING_MOST)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void expand(struct jz__buf *out, const uint8_t *data, size_t size)
{
    size_t i;

    jz__buf_append(out, "", 0);
    for (i = 0; i < size && out->length < INPUT_MOST; i++) {
        if (data[i] == 1 && i + 1 < size) {
            size_t length = JZ__SHRINK_STRING_MOST - (data[++i] & 31);
            char *end = jz__buf_reserve(out, length);

            require(end != NULL);
            memset(end, 'a', length);
            out->length += length;
            out->data[out->length] = '\0';
        } else {
            jz__buf_append(out, &data[i], 1);
        }
    }
}

static void check_scans(const struct jz__buf *line, const struct jz__buf *small)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan before = JZ__SCAN_INIT;
    JZ_CLEANUP(jz__scan_finish) struct jz__scan after = JZ__SCAN_INIT;
    size_t i;

    if (jz__scan_parse(&before, line->data, line->length) < 0 ||
        !jz__scan_is_whole(&before, line->length)) {
        return;
    }
    require(jz__scan_parse(&after, small->data, small->length) == 0);
    require(jz__scan_is_whole(&after, small->length));
    require(before.count == after.count);
    for (i = 0; i < after.count; i++) {
        require(before.tokens[i].type == after.tokens[i].type);
        require(after.tokens[i].type != JZ__SCAN_STRING ||
                after.tokens[i].length <= JZ__SHRINK_STRING_MOST);
    }
    require(!jz__utf8_is_valid(line->data, line->length) ||
            jz__utf8_is_valid(small->data, small->length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf whole = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf pieces = JZ__BUF_INIT;
    struct jz__shrink state = JZ__SHRINK_INIT;
    size_t step = size > 0 ? data[size - 1] + 1U : 1;
    size_t at;

    expand(&line, data, size);
    jz__buf_append(&whole, "", 0);
    jz__shrink_feed(&whole, &state, line.data, line.length);
    require(whole.length <= line.length);

    memset(&state, 0, sizeof(state));
    jz__buf_append(&pieces, "", 0);
    for (at = 0; at < line.length; at += step) {
        size_t left = line.length - at;

        jz__shrink_feed(&pieces, &state, line.data + at,
                        left < step ? left : step);
    }
    require(whole.length == pieces.length &&
            memcmp(whole.data, pieces.data, whole.length) == 0);
    check_scans(&line, &whole);
    return 0;
}
