/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event streams. The first byte chooses how the rest is cut into pieces;
 * whatever the cut, the events must be the same, and no event is over the limit.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/sse.h"

#define MOST 64

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void tell(struct jz__buf *told, const char *bytes, size_t length,
                 size_t step)
{
    struct jz__sse sse = { .most = MOST };

    for (size_t at = 0; at < length; at += step) {
        const char *data = bytes + at;
        size_t left = length - at < step ? length - at : step;
        const char *end = data + left;
        enum jz__sse_event event;
        struct jz__str out;

        while ((event = jz__sse_read(&out, &sse, &data, &left)) !=
               JZ__SSE_MORE) {
            require(data + left == end || left == 0);
            if (event == JZ__SSE_DATA) {
                require(out.length > 0 && out.length < MOST);
                jz__buf_append(told, out.data, out.length);
            }
            jz__buf_printf(told, "<%d>", (int)event);
        }
        require(left == 0);
    }
    jz__sse_finish(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__buf whole = JZ__BUF_INIT;
    struct jz__buf pieces = JZ__BUF_INIT;

    if (size > 1) {
        const char *bytes = (const char *)data + 1;
        size_t step = (size_t)data[0] % 16 + 1;

        tell(&whole, bytes, size - 1, size - 1);
        tell(&pieces, bytes, size - 1, step);
        require(whole.length == pieces.length);
        require(whole.length == 0 ||
                memcmp(whole.data, pieces.data, whole.length) == 0);
    }
    jz__buf_finish(&whole);
    jz__buf_finish(&pieces);
    return 0;
}
