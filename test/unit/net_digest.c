/* SPDX-License-Identifier: Apache-2.0 */
#include "net/digest.h"

#include "tap.h"

/* The digests of FIPS 180-4's examples, as the standard prints them. */
static void digests_are_those_of_the_standard(void)
{
    static const struct {
        const char *text;
        const char *digest;
    } cases[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85"
              "5" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2001"
                 "5ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jz__digest digest;
        char text[JZ__DIGEST_TEXT_SIZE];

        CHECK_INT(
            jz__digest_sha256(&digest, cases[i].text, strlen(cases[i].text)),
            0);
        jz__digest_format(text, &digest);
        CHECK_STR(text, cases[i].digest);
    }
}

static void nothing_has_a_digest_too(void)
{
    struct jz__digest a;
    struct jz__digest b;

    CHECK_INT(jz__digest_sha256(&a, NULL, 0), 0);
    CHECK_INT(jz__digest_sha256(&b, "", 0), 0);
    CHECK(jz__digest_equal(&a, &b));
}

static void digits_of_either_case_are_read(void)
{
    struct jz__digest lower;
    struct jz__digest upper;
    char text[JZ__DIGEST_TEXT_SIZE];

    CHECK(jz__digest_parse(&lower, JZ__STR("ba7816bf8f01cfea414140de5dae2223b00"
                                           "361a396177a9cb410ff61f20015ad")));
    CHECK(jz__digest_parse(&upper, JZ__STR("BA7816BF8F01CFEA414140DE5DAE2223B00"
                                           "361A396177A9CB410FF61F20015AD")));
    CHECK(jz__digest_equal(&lower, &upper));
    jz__digest_format(text, &upper);
    CHECK_STR(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2"
                    "0015ad");
}

static void what_is_no_64_digits_is_refused(void)
{
    static const char good[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9"
                               "cb410ff61f20015ad";
    static const char bad[] = "/:@GZ[`gz \t\n\x80\xff";
    struct jz__digest digest;
    char text[80];

    CHECK(!jz__digest_parse(&digest, JZ__STR("")));
    CHECK(!jz__digest_parse(&digest, (struct jz__str){ good, 63 }));
    (void)snprintf(text, sizeof(text), "%sa", good);
    CHECK(!jz__digest_parse(&digest, jz__str_of(text)));
    for (size_t place = 0; place < 64; place += 21) {
        for (size_t i = 0; i < sizeof(bad); i++) {
            memcpy(text, good, sizeof(good));
            text[place] = bad[i];
            CHECK(!jz__digest_parse(&digest, (struct jz__str){ text, 64 }));
        }
    }
}

static void every_bit_counts_in_a_comparison(void)
{
    struct jz__digest a;
    struct jz__digest b;

    CHECK_INT(jz__digest_sha256(&a, "key", 3), 0);
    b = a;
    CHECK(jz__digest_equal(&a, &b));
    for (size_t bit = 0; bit < 8 * sizeof(a.bytes); bit++) {
        b = a;
        b.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!CHECK(!jz__digest_equal(&a, &b))) {
            return;
        }
    }
}

static void random_bytes_differ(void)
{
    unsigned char a[1000] = { 0 };
    unsigned char b[1000] = { 0 };
    size_t zeros = 0;

    CHECK_INT(jz__digest_random(a, sizeof(a)), 0);
    CHECK_INT(jz__digest_random(b, sizeof(b)), 0);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
    for (size_t i = 0; i < sizeof(a); i++) {
        zeros += a[i] == 0;
    }
    /* Four are expected; fifty come once in more than 10^30 runs. */
    CHECK(zeros < 50);
    CHECK_INT(jz__digest_random(a, 0), 0);
}

int main(void)
{
    TAP_RUN(digests_are_those_of_the_standard);
    TAP_RUN(nothing_has_a_digest_too);
    TAP_RUN(digits_of_either_case_are_read);
    TAP_RUN(what_is_no_64_digits_is_refused);
    TAP_RUN(every_bit_counts_in_a_comparison);
    TAP_RUN(random_bytes_differ);
    return tap_done();
}
