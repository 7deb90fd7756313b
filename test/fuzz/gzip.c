/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gzip body, as uploads bring it. The first byte says in which pieces it
 * arrives and how much room there is for what it holds; whatever that is, the
 * same text has to come out, and the same verdict.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/zip.h"
#include "jezero.h"

/* A few hundred bytes can hold a gigabyte of the same letter. */
#define OUTPUT_MOST ((size_t)1 << 16)

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Decompress in pieces of `step` bytes with room for `room`: 1 a whole stream,
 * 0 a cut one, negative a bad one. */
static int inflate_pieces(struct jz__buf *out, struct jz__str input,
                          size_t step, size_t room)
{
    struct jz__zip_reader *reader = NULL;
    char *text = malloc(room);
    int r = 0;

    require(text != NULL && jz__zip_reader_open(&reader) == 0);
    while (r == 0 && input.length > 0 && out->length < OUTPUT_MOST) {
        struct jz__str piece = { input.data,
                                 input.length < step ? input.length : step };
        size_t length;

        input.data += piece.length;
        input.length -= piece.length;
        do {
            length = 0;
            r = jz__zip_reader_next(&length, reader, &piece, text, room);
            require(length <= room);
            jz__buf_append(out, text, length);
        } while (r == 0 && (piece.length > 0 || length == room) &&
                 out->length < OUTPUT_MOST);
    }
    require(r <= 0 && (r == 0 || r == JZ_ECORRUPT));
    if (r == 0) {
        r = jz__zip_reader_is_complete(reader);
    }
    jz__zip_reader_close(reader);
    free(text);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__buf whole = JZ__BUF_INIT;
    struct jz__buf parts = JZ__BUF_INIT;
    struct jz__str input = { (const char *)data + 1, size - 1 };
    int r;

    if (size == 0) {
        return 0;
    }
    r = inflate_pieces(&whole, input, input.length + 1, 65536);
    if (whole.length < OUTPUT_MOST) {
        require(inflate_pieces(&parts, input, 1 + data[0] % 16,
                               1 + data[0] / 16) == r);
        require(parts.length == whole.length &&
                (parts.length == 0 ||
                 memcmp(parts.data, whole.data, parts.length) == 0));
    }
    jz__buf_finish(&whole);
    jz__buf_finish(&parts);
    return 0;
}
