/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "tap.h"
#include "upload_text.h"

static const struct {
    const char *text;
    size_t length;
    bool is_fine;
} cases[] = {
#define CASE(literal, is_fine)                                                 \
    {                                                                          \
        literal, sizeof(literal) - 1, is_fine                                  \
    }
    CASE("", true),
    CASE("{\"type\":\"user\"}\n", true),
    CASE("caf\xC3\xA9 \xE5\xB8\xB3 \xF0\x9F\x98\x80", true),
    /* A half line, cut inside a character. */
    CASE("caf\xC3", true),
    CASE("\xE5\xB8", true),
    CASE("\xE5", true),
    CASE("\xF0\x9F\x98", true),
    CASE("\xF4\x8F\xBF", true),
    /* Cut inside what is none. */
    CASE("x\xC0", false),
    CASE("x\xF5", false),
    CASE("x\xFF", false),
    CASE("\xE0\x80", false),
    CASE("\xED\xA0", false),
    CASE("\xF4\x90", false),
    CASE("\x80", false),
    /* In the middle nothing is excused. */
    CASE("caf\xC3 au lait", false),
    CASE("\xE5\xB8\n", false),
    CASE("a\0b", false),
    CASE("\0", false),
    CASE("\x1F\x8B\x08", false),
    CASE("\xFF\xFE{\0}\0", false),
    CASE("\xED\xA0\x80\xED\xB0\x80", false),
    CASE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x80", false),
#undef CASE
};

/* However it is cut into pieces, the verdict is the same. */
static void only_utf8_without_nul_is_text(void)
{
    size_t i;
    size_t step;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        for (step = 1; step <= cases[i].length + 1; step++) {
            struct upload_text text = { .cut_length = 0 };
            size_t at;

            for (at = 0; at < cases[i].length; at += step) {
                size_t left = cases[i].length - at;

                upload_text_feed(&text,
                                 (struct jz__str){ cases[i].text + at,
                                                   left < step ? left : step });
            }
            if (!CHECK_INT(upload_text_is_fine(&text), cases[i].is_fine)) {
                fprintf(stderr, "#   case %zu, step %zu\n", i, step);
            }
        }
    }
}

static void what_is_broken_stays_broken(void)
{
    struct upload_text text = { .cut_length = 0 };

    upload_text_feed(&text, JZ__STR("\xFF"));
    upload_text_feed(&text, JZ__STR("plain\n"));
    CHECK(!upload_text_is_fine(&text));
}

int main(void)
{
    TAP_RUN(only_utf8_without_nul_is_text);
    TAP_RUN(what_is_broken_stays_broken);
    return tap_done();
}
