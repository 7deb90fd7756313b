/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zlib streams, for the one kind of text that is kept and rarely read. The
 * limit of inflate is part of the format's safety: a stream of 1 MB can hold
 * 1 GB, and the file may be anyone's. Sizes pass through zlib's 32-bit counters
 * in steps, so data of any size_t works.
 *
 * gzip streams come from other computers in pieces of any size. There the
 * caller gives the room for the output, so it is the caller who counts and
 * stops; a step never costs more than that room. The other way a piece of any
 * size is taken whole, and what it packs to is the caller's to send on.
 */
#include "base/zip.h"

/* zlib takes its input as const only if asked to. */
#define ZLIB_CONST

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "jezero.h"

/* Bytes that zlib may write before the limit is looked at again: a refused
 * stream costs this much over its limit. */
#define STEP 65536

/* inflateInit2(): the largest window, and a gzip header and no other. */
#define GZIP_WINDOW (MAX_WBITS + 16)

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

/* --- gzip in pieces --- */

struct jz__zip_reader {
    z_stream stream;
    bool is_inside; /* a member has begun and not ended */
    bool has_ended; /* a member has */
    int error;      /* it is over */
};

int jz__zip_reader_open(struct jz__zip_reader **out)
{
    struct jz__zip_reader *reader = calloc(1, sizeof(*reader));

    *out = NULL;
    if (reader == NULL) {
        return JZ_ENOMEM;
    }
    if (inflateInit2(&reader->stream, GZIP_WINDOW) != Z_OK) {
        free(reader);
        return JZ_ENOMEM;
    }
    *out = reader;
    return JZ_OK;
}

void jz__zip_reader_close(struct jz__zip_reader *reader)
{
    if (reader != NULL) {
        end_inflate(&reader->stream);
        free(reader);
    }
}

/* One call of zlib. Bytes behind a member begin the next one, which makes
 * anything else there a wrong header. Z_BUF_ERROR is no error: there was
 * nothing to do. */
static int inflate_step(struct jz__zip_reader *reader)
{
    z_stream *stream = &reader->stream;
    int r;

    if (!reader->is_inside) {
        if (stream->avail_in == 0) {
            return JZ_OK;
        }
        (void)inflateReset(stream);
        reader->is_inside = true;
    }
    r = inflate(stream, Z_NO_FLUSH);
    if (r == Z_STREAM_END) {
        reader->is_inside = false;
        reader->has_ended = true;
        return JZ_OK;
    }
    if (r == Z_OK || r == Z_BUF_ERROR) {
        return JZ_OK;
    }
    return r == Z_MEM_ERROR ? JZ_ENOMEM : JZ_ECORRUPT;
}

int jz__zip_reader_next(size_t *length, struct jz__zip_reader *reader,
                        struct jz__str *in, char *out, size_t room)
{
    z_stream *stream = &reader->stream;
    const unsigned char *bytes = (const unsigned char *)in->data;
    size_t left = in->length;

    assert(room > 0 && room <= UINT_MAX && stream->avail_in == 0);

    stream->next_out = (Bytef *)out;
    stream->avail_out = (uInt)room;
    /* The last turn is for output that zlib holds back, without any input. */
    do {
        give_input(stream, &bytes, &left);
        if (reader->error == 0) {
            reader->error = inflate_step(reader);
        }
    } while (reader->error == 0 && stream->avail_out > 0 &&
             (stream->avail_in > 0 || left > 0));
    *length = room - stream->avail_out;
    in->data += in->length - left - stream->avail_in;
    in->length = left + stream->avail_in;
    stream->avail_in = 0;
    return reader->error;
}

bool jz__zip_reader_is_complete(const struct jz__zip_reader *reader)
{
    return reader->error == 0 && reader->has_ended && !reader->is_inside;
}

/* --- making gzip in pieces --- */

struct jz__zip_writer {
    z_stream stream;
};

int jz__zip_writer_open(struct jz__zip_writer **out)
{
    struct jz__zip_writer *writer = calloc(1, sizeof(*writer));

    *out = NULL;
    if (writer == NULL) {
        return JZ_ENOMEM;
    }
    if (deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                     GZIP_WINDOW, MAX_MEM_LEVEL - 1,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(writer);
        return JZ_ENOMEM;
    }
    *out = writer;
    return JZ_OK;
}

void jz__zip_writer_close(struct jz__zip_writer *writer)
{
    if (writer != NULL) {
        end_deflate(&writer->stream);
        free(writer);
    }
}

/* Until zlib has taken all of its input and, at the end, given all of its
 * output. Room that it did not fill tells that it has nothing more to give. */
static int deflate_all(struct jz__buf *out, z_stream *stream,
                       struct jz__str bytes, int flush)
{
    const unsigned char *data = (const unsigned char *)bytes.data;
    size_t left = bytes.length;
    int r;

    do {
        give_input(stream, &data, &left);
        if (!give_room(stream, out)) {
            return JZ_ENOMEM;
        }
        r = deflate(stream, left == 0 ? flush : Z_NO_FLUSH);
        assert(r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR);
        take_room(stream, out);
    } while (r != Z_STREAM_END && (stream->avail_out == 0 || left > 0));
    return JZ_OK;
}

int jz__zip_writer_put(struct jz__buf *out, struct jz__zip_writer *writer,
                       struct jz__str bytes)
{
    assert(out != NULL && (bytes.data != NULL || bytes.length == 0));

    return bytes.length == 0
               ? JZ_OK
               : deflate_all(out, &writer->stream, bytes, Z_NO_FLUSH);
}

int jz__zip_writer_end(struct jz__buf *out, struct jz__zip_writer *writer)
{
    int r = deflate_all(out, &writer->stream, JZ__STR(""), Z_FINISH);

    (void)deflateReset(&writer->stream);
    return r;
}
