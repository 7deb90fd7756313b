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

int main(void)
{
    TAP_RUN(what_is_deflated_comes_back);
    TAP_RUN(both_append);
    TAP_RUN(a_stream_that_holds_too_much_is_refused);
    TAP_RUN(damage_is_seen);
    return tap_done();
}
