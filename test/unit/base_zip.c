/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/zip.h"
#include "jezero.h"
#include "tap.h"

/* Text that does not compress to nothing: a small generator's digits. */
static void make_text(struct jz__buf *out, size_t length)
{
    uint32_t state = 12345;
    char *end = jz__buf_reserve(out, length);
    size_t i;

    for (i = 0; i < length && end != NULL; i++) {
        state = state * 1103515245U + 12345U;
        end[i] = (char)('a' + (state >> 24) % 16);
    }
    out->length += length;
}

static void what_is_deflated_comes_back(void)
{
    static const size_t lengths[] = { 0, 1, 65535, 65536, 300000 };
    size_t i;

    for (i = 0; i < JZ__LENGTH(lengths); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;

        make_text(&text, lengths[i]);
        CHECK_INT(jz__zip_deflate(&packed, text.data, text.length), 0);
        CHECK_INT(
            jz__zip_inflate(&back, packed.data, packed.length, text.length), 0);
        CHECK_INT(back.length, text.length);
        CHECK(text.length == 0 ||
              memcmp(back.data, text.data, text.length) == 0);
    }
}

static void both_append(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;

    jz__buf_puts(&packed, "##");
    CHECK_INT(jz__zip_deflate(&packed, "text", 4), 0);
    jz__buf_puts(&back, "my ");
    CHECK_INT(jz__zip_inflate(&back, packed.data + 2, packed.length - 2, 4), 0);
    CHECK_STR(back.data, "my text");
}

static void a_stream_that_holds_too_much_is_refused(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;
    size_t i;

    for (i = 0; i < 100000; i++) {
        jz__buf_puts(&text, "0123456789");
    }
    CHECK_INT(jz__zip_deflate(&packed, text.data, text.length), 0);
    CHECK(packed.length < 10000);
    CHECK_INT(jz__zip_inflate(&back, packed.data, packed.length, 999999),
              JZ_EINVAL);
    CHECK_INT(back.length, 0);
    /* What was taken before it was refused is bounded by the limit. */
    CHECK_INT(jz__zip_inflate(&back, packed.data, packed.length, 10),
              JZ_EINVAL);
    CHECK_INT(jz__zip_inflate(&back, packed.data, packed.length, 1000000), 0);
}

static void damage_is_seen(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;
    const char *text = "some text of a conversation";
    size_t i;

    CHECK_INT(jz__zip_deflate(&packed, text, strlen(text)), 0);
    /* Cut anywhere. */
    for (i = 0; i < packed.length; i++) {
        CHECK_INT(jz__zip_inflate(&back, packed.data, i, 100), JZ_ECORRUPT);
    }
    /* One bit changed anywhere is seen, or it was one that pads a byte. */
    for (i = 0; i < packed.length * 8; i++) {
        packed.data[i / 8] ^= (char)(1 << i % 8);
        CHECK(jz__zip_inflate(&back, packed.data, packed.length, 100) < 0 ||
              strcmp(back.data, text) == 0);
        jz__buf_clear(&back);
        packed.data[i / 8] ^= (char)(1 << i % 8);
    }
    /* Bytes behind the end, and bytes that never were a stream. */
    jz__buf_putc(&packed, 'x');
    CHECK_INT(jz__zip_inflate(&back, packed.data, packed.length, 100),
              JZ_ECORRUPT);
    CHECK_INT(jz__zip_inflate(&back, "plain text", 10, 100), JZ_ECORRUPT);
    CHECK_INT(jz__zip_inflate(&back, NULL, 0, 100), JZ_ECORRUPT);
    CHECK_INT(back.length, 0);
}

/* --- gzip in pieces --- */

/* One member each, made by gzip: "{\"a\":1}\n" with a name and a time, and "". */
static const char first[] =
    "\x1f\x8b\x08\x08\x00\xf1\x53\x65\x02\xff\x61\x00\xab\x56\x4a\x54"
    "\xb2\x32\xac\xe5\x02\x00\x46\xa3\xe8\x74\x08\x00\x00\x00";
static const char empty[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x03\x00"
                            "\x00\x00\x00\x00\x00\x00\x00\x00";

/* All of data through a reader, `step` bytes in and `room` bytes out at a time:
 * JZ_OK for a complete stream, JZ_EINVAL for a cut one. */
static int gunzip(struct jz__buf *out, struct jz__str data, size_t step,
                  size_t room)
{
    struct jz__zip_reader *reader;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf piece = JZ__BUF_INIT;
    int r = jz__zip_reader_open(&reader);

    while (r == 0 && data.length > 0) {
        struct jz__str in = { data.data,
                              data.length < step ? data.length : step };
        size_t length = room;

        data.data += in.length;
        data.length -= in.length;
        while (r == 0 && (in.length > 0 || length == room)) {
            char *end = jz__buf_reserve(&piece, room);

            r = jz__zip_reader_next(&length, reader, &in, end, room);
            CHECK(length <= room);
            CHECK(r != 0 || length == room || in.length == 0);
            jz__buf_append(out, end, length);
        }
    }
    if (r == 0 && !jz__zip_reader_is_complete(reader)) {
        r = JZ_EINVAL;
    }
    jz__zip_reader_close(reader);
    return r;
}

static void members_are_read_in_full_in_pieces_of_any_size(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf all = JZ__BUF_INIT;
    size_t step;
    size_t room;

    jz__buf_append(&all, first, sizeof(first) - 1);
    jz__buf_append(&all, empty, sizeof(empty) - 1);
    jz__buf_append(&all, first, sizeof(first) - 1);
    for (step = 1; step <= all.length; step++) {
        for (room = 1; room < 20; room++) {
            JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

            CHECK_INT(gunzip(&out, (struct jz__str){ all.data, all.length },
                             step, room),
                      0);
            CHECK_STR(out.data, "{\"a\":1}\n{\"a\":1}\n");
        }
    }
}

static void a_cut_or_damaged_member_is_seen(void)
{
    char copy[sizeof(first) + 4];
    size_t length = sizeof(first) - 1;
    size_t i;

    for (i = 0; i < length; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        CHECK_INT(gunzip(&out, (struct jz__str){ first, i }, 7, 5), JZ_EINVAL);
    }
    /* One bit changed is seen, or it was one that pads a byte. */
    for (i = 16; i < length; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        memcpy(copy, first, length);
        copy[i] ^= 0x10;
        CHECK(gunzip(&out, (struct jz__str){ copy, length }, 7, 5) < 0 ||
              strcmp(out.data, "{\"a\":1}\n") == 0);
    }
}

static void what_stands_behind_the_last_member_must_be_one(void)
{
    static const char *const tails[] = { "JUNK", "\x1f", "x", "\x1f\x8b\x07" };
    char copy[sizeof(first) + 4];
    size_t length = sizeof(first) - 1;
    size_t i;

    for (i = 0; i < JZ__LENGTH(tails); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        memcpy(copy, first, length);
        memcpy(copy + length, tails[i], strlen(tails[i]));
        CHECK(gunzip(&out, (struct jz__str){ copy, length + strlen(tails[i]) },
                     100, 100) < 0);
    }
    /* Zeros as well: blocks of a tape are nothing that a computer sends. */
    {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        memcpy(copy, first, length);
        memset(copy + length, 0, 4);
        CHECK(gunzip(&out, (struct jz__str){ copy, length + 4 }, 100, 100) < 0);
    }
}

static void only_gzip_is_gzip(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    CHECK_INT(jz__zip_deflate(&packed, "text", 4), 0);
    CHECK_INT(
        gunzip(&out, (struct jz__str){ packed.data, packed.length }, 9, 9),
        JZ_ECORRUPT);
    CHECK_INT(gunzip(&out, JZ__STR("{\"type\":\"user\"}\n"), 9, 9),
              JZ_ECORRUPT);
    CHECK_INT(gunzip(&out, JZ__STR(""), 9, 9), JZ_EINVAL);
}

/* A stream of 1 MB can hold 1 GB: no step costs more than its room. */
static void a_reader_gives_no_more_than_the_room(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
    struct jz__zip_reader *reader;
    struct jz__str in;
    char out[1000];
    size_t length;
    size_t steps = 0;

    /* A zlib stream is a gzip stream but for its head and its end, which is
     * not reached here. */
    {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf zeros = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf zlib = JZ__BUF_INIT;

        memset(jz__buf_reserve(&zeros, 1000000), 'x', 1000000);
        zeros.length = 1000000;
        CHECK_INT(jz__zip_deflate(&zlib, zeros.data, zeros.length), 0);
        jz__buf_append(&packed, empty, 10);
        jz__buf_append(&packed, zlib.data + 2, zlib.length - 2);
    }
    in = (struct jz__str){ packed.data, packed.length };
    CHECK_INT(jz__zip_reader_open(&reader), 0);
    do {
        if (jz__zip_reader_next(&length, reader, &in, out, sizeof(out)) < 0) {
            break;
        }
        CHECK(length == 0 || out[length - 1] == 'x');
        steps++;
    } while (length == sizeof(out));
    CHECK(steps >= 999);
    jz__zip_reader_close(reader);
    jz__zip_reader_close(NULL);
}

/* `zstd --check` over forty times "a line of a session\n". */
static const unsigned char frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0xDD,
                                       0x00, 0x00, 0xA0, 0x61, 0x20, 0x6C, 0x69,
                                       0x6E, 0x65, 0x20, 0x6F, 0x66, 0x20, 0x61,
                                       0x20, 0x73, 0x65, 0x73, 0x73, 0x69, 0x6F,
                                       0x6E, 0x0A, 0x01, 0x00, 0x12, 0x5E, 0x35,
                                       0x99, 0xE6, 0x3B, 0xC4, 0x42 };

/* Unpack, with out of so many bytes and in of one byte at a time. */
static int unzstd(struct jz__buf *out, bool *is_complete, const void *data,
                  size_t length, size_t room)
{
    struct jz__zip_zstd *zstd = NULL;
    const char *bytes = data;
    char piece[64];
    size_t n;
    int r = jz__zip_zstd_open(&zstd);

    for (size_t i = 0; i < length && r == 0; i++) {
        struct jz__str in = { bytes + i, 1 };

        do {
            r = jz__zip_zstd_next(&n, zstd, &in, piece, room);
            jz__buf_append(out, piece, n);
        } while (r == 0 && (in.length > 0 || n == room));
    }
    *is_complete = zstd != NULL && jz__zip_zstd_is_complete(zstd);
    jz__zip_zstd_close(zstd);
    return r;
}

static void zstd_frames_are_read_in_pieces_of_any_size(void)
{
    static const size_t rooms[] = { 1, 7, 64 };

    for (size_t i = 0; i < JZ__LENGTH(rooms); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf twice = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        bool is_complete;

        jz__buf_append(&twice, frame, sizeof(frame));
        jz__buf_append(&twice, frame, sizeof(frame));
        CHECK_INT(
            unzstd(&text, &is_complete, twice.data, twice.length, rooms[i]), 0);
        CHECK(is_complete);
        CHECK_INT(text.length, 2 * 40 * 20);
        CHECK(memcmp(text.data + 1580, "a line of a session\n", 20) == 0);
    }
}

static void a_cut_or_damaged_zstd_frame_is_seen(void)
{
    unsigned char damaged[sizeof(frame)];

    for (size_t i = 1; i < sizeof(frame); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        bool is_complete;

        CHECK_INT(unzstd(&text, &is_complete, frame, i, 64), 0);
        CHECK(!is_complete);
    }
    for (size_t i = 0; i < sizeof(frame); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        bool is_complete;

        memcpy(damaged, frame, sizeof(frame));
        damaged[i] ^= 0x41;
        /* Some bits of a header change nothing. */
        CHECK(unzstd(&text, &is_complete, damaged, sizeof(frame), 64) ==
                  JZ_ECORRUPT ||
              !is_complete || text.length == 40 * 20);
    }
}

static bool has_zstd(void)
{
    struct jz__zip_zstd *zstd = NULL;
    int r = jz__zip_zstd_open(&zstd);

    jz__zip_zstd_close(zstd);
    return r != JZ_EINVAL;
}

/* Of pieces of all sizes, and two streams with one writer. */
static void what_is_written_in_pieces_is_read(void)
{
    static const size_t steps[] = { 1, 777, 65536, 400000 };
    struct jz__zip_writer *writer;

    CHECK_INT(jz__zip_writer_open(&writer), 0);
    for (size_t i = 0; i < JZ__LENGTH(steps); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;

        make_text(&text, 300000);
        for (size_t at = 0; at < text.length; at += steps[i]) {
            size_t left = text.length - at;
            struct jz__str piece = { text.data + at,
                                     left < steps[i] ? left : steps[i] };

            CHECK_INT(jz__zip_writer_put(&packed, writer, piece), 0);
        }
        CHECK_INT(jz__zip_writer_end(&packed, writer), 0);
        CHECK_INT(gunzip(&back, (struct jz__str){ packed.data, packed.length },
                         1000, 1000),
                  0);
        CHECK(back.length == text.length &&
              memcmp(back.data, text.data, text.length) == 0);
    }
    jz__zip_writer_close(writer);
    jz__zip_writer_close(NULL);
}

static void nothing_is_a_stream_too(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf packed = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;
    struct jz__zip_writer *writer;

    CHECK_INT(jz__zip_writer_open(&writer), 0);
    CHECK_INT(jz__zip_writer_put(&packed, writer, JZ__STR("")), 0);
    CHECK_INT(jz__zip_writer_end(&packed, writer), 0);
    CHECK_INT(
        gunzip(&back, (struct jz__str){ packed.data, packed.length }, 9, 9), 0);
    CHECK_INT(back.length, 0);
    jz__zip_writer_close(writer);
}

int main(void)
{
    TAP_RUN(what_is_deflated_comes_back);
    TAP_RUN(both_append);
    TAP_RUN(a_stream_that_holds_too_much_is_refused);
    TAP_RUN(damage_is_seen);
    TAP_RUN(members_are_read_in_full_in_pieces_of_any_size);
    TAP_RUN(a_cut_or_damaged_member_is_seen);
    TAP_RUN(what_stands_behind_the_last_member_must_be_one);
    TAP_RUN(only_gzip_is_gzip);
    TAP_RUN(a_reader_gives_no_more_than_the_room);
    TAP_RUN(what_is_written_in_pieces_is_read);
    TAP_RUN(nothing_is_a_stream_too);
    if (has_zstd()) {
        TAP_RUN(zstd_frames_are_read_in_pieces_of_any_size);
        TAP_RUN(a_cut_or_damaged_zstd_frame_is_seen);
    } else {
        tap_skip("zstd", "this build has no libzstd");
    }
    return tap_done();
}
