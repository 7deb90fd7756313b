/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zlib streams, for the one kind of text that is kept and rarely read. The
 * limit of inflate is part of the format's safety: a stream of 1 MB can hold
 * 1 GB, and the file may be anyone's. Sizes pass through zlib's 32-bit counters
 * in steps, so data of any size_t works.
 */
#include "base/zip.h"

/* zlib takes its input as const only if asked to. */
#define ZLIB_CONST

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <zlib.h>

#include "base/mem.h"
#include "jezero.h"

/* Bytes that zlib may write before the limit is looked at again: a refused
 * stream costs this much over its limit. */
#define STEP 65536

/* When zlib has used up what it got, give it the next part. */
static void give_input(z_stream *stream, const unsigned char **data,
                       size_t *left)
{
    uInt length = *left > UINT_MAX ? UINT_MAX : (uInt)*left;

    if (stream->avail_in == 0 && length > 0) {
        stream->next_in = *data;
        stream->avail_in = length;
        *data += length;
        *left -= length;
    }
}

static void end_deflate(z_stream *stream)
{
    (void)deflateEnd(stream);
}

static void end_inflate(z_stream *stream)
{
    (void)inflateEnd(stream);
}

/* Room for one step at the end of out; false: no memory. */
static bool give_room(z_stream *stream, struct jz__buf *out)
{
    char *end = jz__buf_reserve(out, STEP);

    stream->next_out = (Bytef *)end;
    stream->avail_out = STEP;
    return end != NULL;
}

/* Count what zlib wrote into the room. */
static void take_room(const z_stream *stream, struct jz__buf *out)
{
    out->length += STEP - stream->avail_out;
    out->data[out->length] = '\0';
}

int jz__zip_deflate(struct jz__buf *out, const void *data, size_t length)
{
    JZ_CLEANUP(end_deflate) z_stream stream = { 0 };
    const unsigned char *bytes = data;
    int r = Z_OK;

    assert(out != NULL && (data != NULL || length == 0));

    /* The only error on a fresh, zeroed stream is Z_MEM_ERROR. */
    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) {
        return JZ_ENOMEM;
    }
    while (r != Z_STREAM_END) {
        give_input(&stream, &bytes, &length);
        if (!give_room(&stream, out)) {
            return JZ_ENOMEM;
        }
        r = deflate(&stream, length == 0 ? Z_FINISH : Z_NO_FLUSH);
        assert(r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR);
        take_room(&stream, out);
    }
    return JZ_OK;
}

int jz__zip_inflate(struct jz__buf *out, const void *data, size_t length,
                    size_t most)
{
    JZ_CLEANUP(end_inflate) z_stream stream = { 0 };
    const unsigned char *bytes = data;
    size_t start = out->length;
    int r = Z_OK;

    assert(data != NULL || length == 0);

    if (inflateInit(&stream) != Z_OK) {
        return JZ_ENOMEM;
    }
    /* A stream that is cut ends in Z_BUF_ERROR, once no input is left. */
    while (r == Z_OK) {
        give_input(&stream, &bytes, &length);
        if (!give_room(&stream, out)) {
            return JZ_ENOMEM;
        }
        r = inflate(&stream, Z_NO_FLUSH);
        take_room(&stream, out);
        if (out->length - start > most) {
            jz__buf_truncate(out, start);
            return JZ_EINVAL;
        }
    }
    if (r == Z_STREAM_END && stream.avail_in == 0 && length == 0) {
        return JZ_OK;
    }
    jz__buf_truncate(out, start);
    return r == Z_MEM_ERROR ? JZ_ENOMEM : JZ_ECORRUPT;
}
