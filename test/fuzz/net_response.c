/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer codec. The first byte says whether the answer may have a body and
 * how the rest is cut into pieces; whatever the cut, the events, the body and
 * what is left over must be the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/response.h"

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void tell_event(struct jz__buf *told, struct jz__response *response,
                       enum jz__response_event event, struct jz__str piece)
{
    switch (event) {
    case JZ__RESPONSE_HEAD:
        require(response->status >= 200 && response->status <= 599);
        jz__buf_printf(told, "%d%s ", response->status,
                       response->keep_alive ? " keep" : "");
        jz__buf_append(told, response->head.data, response->head.length);
        break;
    case JZ__RESPONSE_BODY:
        require(piece.length > 0);
        jz__buf_append(told, piece.data, piece.length);
        break;
    case JZ__RESPONSE_END:
        jz__buf_puts(told, " end");
        break;
    default:
        require(event == JZ__RESPONSE_BAD && response->reason != NULL);
        jz__buf_puts(told, response->reason);
        break;
    }
}

static void tell(struct jz__buf *told, const char *bytes, size_t length,
                 size_t step, bool is_bodiless)
{
    struct jz__response response;
    size_t used = 0;
    bool is_over = false;

    jz__response_init(&response, is_bodiless);
    for (size_t at = 0; at < length && !is_over; at += step) {
        const char *data = bytes + at;
        size_t left = length - at < step ? length - at : step;
        const char *end = data + left;
        enum jz__response_event event;
        struct jz__str piece;

        while (!is_over &&
               (event = jz__response_read(&piece, &response, &data, &left)) !=
                   JZ__RESPONSE_MORE) {
            require(data + left == end);
            tell_event(told, &response, event, piece);
            is_over = event == JZ__RESPONSE_END || event == JZ__RESPONSE_BAD;
        }
        require(is_over || left == 0);
        used = (size_t)(data - bytes);
    }
    if (!is_over) {
        tell_event(told, &response, jz__response_close(&response),
                   (struct jz__str){ "", 0 });
    } else if (response.reason == NULL) {
        jz__buf_printf(told, " %zu", used);
    }
    jz__response_finish(&response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__buf whole = JZ__BUF_INIT;
    struct jz__buf pieces = JZ__BUF_INIT;

    if (size > 1) {
        const char *bytes = (const char *)data + 1;
        size_t step = (size_t)data[0] % 16 + 1;
        bool is_bodiless = (data[0] & 0x80) != 0;

        tell(&whole, bytes, size - 1, size - 1, is_bodiless);
        tell(&pieces, bytes, size - 1, step, is_bodiless);
        require(whole.length == pieces.length);
        require(whole.length == 0 ||
                memcmp(whole.data, pieces.data, whole.length) == 0);
    }
    jz__buf_finish(&whole);
    jz__buf_finish(&pieces);
    return 0;
}
