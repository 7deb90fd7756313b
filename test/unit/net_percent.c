/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "jezero.h"
#include "net/percent.h"
#include "tap.h"

static const struct {
    const char *text;
    const char *want; /* NULL: refused */
} cases[] = {
    { "", "" },
    { "billing", "billing" },
    { "caf%C3%A9", "caf\xC3\xA9" },
    { "caf%c3%a9", "caf\xC3\xA9" },
    { "a%20b c", "a b c" },
    { "100%25+1", "100%+1" },
    { "%E5%B8%B3%E7%A5%A8", "\xE5\xB8\xB3\xE7\xA5\xA8" },
    { "%", NULL },
    { "a%2", NULL },
    { "%zz", NULL },
    { "%2g", NULL },
    { "%%41", NULL },
    { "%C3", NULL },       /* half a character */
    { "%ff", NULL },       /* no UTF-8 */
    { "%c0%ae", NULL },    /* a dot, spelt too long */
    { "%ed%a0%80", NULL }, /* half of a pair */
    { "a%00", NULL },      /* control characters */
    { "a%0d%0aX-Evil:1", NULL },
    { "%7f", NULL },
    { "%C2%85", NULL },
    { "%E2%80%A8", NULL },   /* a line separator */
    { "caf\xC3\xA9", NULL }, /* not encoded */
    { "a\tb", NULL },
};

static void only_plain_utf8_is_decoded(void)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        int r;

        jz__buf_puts(&out, "=");
        r = jz__percent_decode(&out, jz__str_of(cases[i].text), 200);
        if (cases[i].want == NULL) {
            CHECK_INT(r, JZ_EINVAL);
            CHECK_STR(out.data, "=");
        } else {
            CHECK_INT(r, 0);
            CHECK_STR(out.data + 1, cases[i].want);
        }
    }
}

static void the_limit_counts_decoded_bytes(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct jz__str whole;
    size_t i;

    for (i = 0; i < 100; i++) {
        jz__buf_puts(&text, "%C3%A9");
    }
    whole = (struct jz__str){ text.data, text.length };
    CHECK_INT(jz__percent_decode(&out, whole, 200), 0);
    CHECK_INT(out.length, 200);
    CHECK_INT(jz__percent_decode(&out, whole, 199), JZ_EINVAL);
    CHECK_INT(out.length, 200);
}

static void what_is_encoded_is_decoded_to_the_same(void)
{
    static const char *const texts[][2] = {
        { "", "" },
        { "billing-2.0_x~", "billing-2.0_x~" },
        { "caf\xC3\xA9 100%+/", "caf%C3%A9%20100%25%2B%2F" },
        { "\xE5\xB8\xB3", "%E5%B8%B3" },
    };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf back = JZ__BUF_INIT;

        jz__buf_puts(&out, "");
        jz__buf_puts(&back, "");
        jz__percent_encode(&out, jz__str_of(texts[i][0]));
        CHECK_STR(out.data, texts[i][1]);
        CHECK_INT(jz__percent_decode(
                      &back, (struct jz__str){ out.data, out.length }, 200),
                  0);
        CHECK_STR(back.data, texts[i][0]);
    }
}

int main(void)
{
    TAP_RUN(only_plain_utf8_is_decoded);
    TAP_RUN(the_limit_counts_decoded_bytes);
    TAP_RUN(what_is_encoded_is_decoded_to_the_same);
    return tap_done();
}
