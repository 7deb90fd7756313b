/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever bytes come: what leaves is valid UTF-8, within its limit, and a
 * second pass changes nothing. The first byte is the limit. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fold.h"
#include "base/mem.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool same(const struct jz__buf *a, const struct jz__buf *b)
{
    return a->length == b->length &&
           (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

static void check_clean(const struct jz__buf *clean)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf again = JZ__BUF_INIT;

    require(jz__utf8_is_clean(clean->data, clean->length));
    jz__utf8_clean(&again, clean->data, clean->length);
    require(same(clean, &again));
}

static void check_cut(const struct jz__buf *clean, size_t points)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cut = JZ__BUF_INIT;
    size_t prefix = jz__utf8_prefix(clean->data, clean->length, points);

    require(prefix <= clean->length);
    require(jz__utf8_is_valid(clean->data, prefix));
    require(jz__utf8_count(clean->data, prefix) <= points);
    jz__utf8_cut(&cut, clean->data, clean->length, points);
    require(jz__utf8_is_valid(cut.data, cut.length));
    require(jz__utf8_count(cut.data, cut.length) <= points);
}

static void check_one_line(const struct jz__buf *clean)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    size_t at = 0;

    jz__utf8_one_line(&line, clean->data, clean->length);
    while (at < line.length) {
        uint32_t point;

        at += jz__utf8_next(&point, line.data + at, line.length - at);
        require(!jz__utf8_is_control(point) && !jz__utf8_is_bidi(point));
        require(!jz__utf8_is_white(point) || point == ' ');
    }
    require(line.length == 0 || line.data[line.length - 1] != ' ');
}

static void check_fold(const struct jz__buf *clean)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folded = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf again = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf cased = JZ__BUF_INIT;

    jz__fold_text(&folded, clean->data, clean->length);
    require(jz__utf8_is_valid(folded.data, folded.length));
    jz__fold_text(&again, folded.data, folded.length);
    require(same(&folded, &again));
    jz__fold_case(&cased, clean->data, clean->length);
    require(jz__utf8_is_valid(cased.data, cased.length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;
    char shown[40];
    size_t points = size > 0 ? data[0] : 0;

    jz__buf_append(&clean, "", 0);
    if (size > 1) {
        jz__utf8_clean(&clean, (const char *)data + 1, size - 1);
    }
    check_clean(&clean);
    check_cut(&clean, points);
    check_one_line(&clean);
    check_fold(&clean);
    jz__utf8_show(shown, sizeof(shown), clean.data);
    require(jz__utf8_is_clean(shown, strlen(shown)));
    return 0;
}
