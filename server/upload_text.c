/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces end anywhere, also inside a character. What such a character has so
 * far is kept, at most three bytes, and looked at again with what follows; all
 * between is checked where it lies.
 */
#include "upload_text.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The most bytes of a character. */
#define CHARACTER_MOST 4

/* How long a character is by its first byte; 1 for what begins none, so that it
 * is not waited for: 0xC0, 0xC1 and those from 0xF5 do not occur. */
static size_t length_by(char first)
{
    unsigned char c = (unsigned char)first;

    if (c < 0xC2 || c > 0xF4) {
        return 1;
    }
    if (c < 0xE0) {
        return 2;
    }
    return c < 0xF0 ? 3 : 4;
}

/* Bytes at the end that begin a character and do not end it. */
static size_t cut_at_end(struct jz__str data)
{
    size_t most =
        data.length < CHARACTER_MOST - 1 ? data.length : CHARACTER_MOST - 1;
    size_t back;

    for (back = 1; back <= most; back++) {
        char c = data.data[data.length - back];

        if (((unsigned char)c & 0xC0) != 0x80) {
            return length_by(c) > back ? back : 0;
        }
    }
    return 0;
}

/* Complete the character that was cut with the first bytes of data. */
static void complete(struct upload_text *text, struct jz__str *data)
{
    size_t need = length_by(text->cut[0]);

    while (text->cut_length < need && data->length > 0) {
        text->cut[text->cut_length++] = data->data[0];
        data->data++;
        data->length--;
    }
    if (text->cut_length == need) {
        text->is_broken = !jz__utf8_is_clean(text->cut, need);
        text->cut_length = 0;
    }
}

void upload_text_feed(struct upload_text *text, struct jz__str data)
{
    size_t cut;

    assert(text->cut_length < CHARACTER_MOST);

    if (text->cut_length > 0 && !text->is_broken) {
        complete(text, &data);
    }
    if (text->is_broken || data.length == 0) {
        return;
    }
    cut = cut_at_end(data);
    text->is_broken = !jz__utf8_is_clean(data.data, data.length - cut);
    memcpy(text->cut, data.data + data.length - cut, cut);
    text->cut_length = cut;
}

bool upload_text_is_fine(const struct upload_text *text)
{
    uint32_t point;

    /* Of a broken character only a part counts as its invalid prefix. */
    return !text->is_broken &&
           (text->cut_length == 0 ||
            jz__utf8_next(&point, text->cut, text->cut_length) ==
                text->cut_length);
}
