/* SPDX-License-Identifier: Apache-2.0 */
#include "net/key.h"

#include "tap.h"

static void check_digest(struct jz__str key, struct jz__str plain)
{
    struct jz__error error = { 0 };
    struct jz__digest got;
    struct jz__digest want;

    if (!CHECK_INT(jz__key_digest(&got, key, &error), 0)) {
        fprintf(stderr, "# %s\n", error.message);
        return;
    }
    CHECK_INT(jz__digest_sha256(&want, plain.data, plain.length), 0);
    CHECK(jz__digest_equal(&got, &want));
}

static void check_refused(struct jz__str key, const char *message)
{
    struct jz__error error = { 0 };
    struct jz__digest digest;

    CHECK_INT(jz__key_digest(&digest, key, &error), JZ_EINVAL);
    CHECK_STR(error.message, message);
}

static void a_made_key_is_43_characters_of_base64url(void)
{
    char key[JZ__KEY_SIZE];
    char other[JZ__KEY_SIZE];
    struct jz__error error = { 0 };

    CHECK_INT(jz__key_make(key, &error), 0);
    CHECK_INT(strlen(key), 43);
    CHECK_INT(strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                          "0123456789-_"),
              43);
    CHECK_INT(jz__key_make(other, &error), 0);
    CHECK(strcmp(key, other) != 0);
    check_digest(jz__str_of(key), jz__str_of(key));
}

/* All 64 characters come up in a few keys, and the last one, of four bits, is
 * always one of sixteen. */
static void made_keys_use_the_whole_alphabet(void)
{
    bool seen[256] = { false };
    bool seen_last[256] = { false };
    size_t count = 0;
    size_t last = 0;

    for (int i = 0; i < 500; i++) {
        char key[JZ__KEY_SIZE];

        CHECK_INT(jz__key_make(key, NULL), 0);
        for (size_t k = 0; key[k] != '\0'; k++) {
            count += !seen[(unsigned char)key[k]];
            seen[(unsigned char)key[k]] = true;
        }
        CHECK(strchr("AEIMQUYcgkosw048", key[42]) != NULL);
        last += !seen_last[(unsigned char)key[42]];
        seen_last[(unsigned char)key[42]] = true;
    }
    CHECK_INT(count, 64);
    CHECK_INT(last, 16);
}

static void white_space_around_a_key_is_taken_off(void)
{
    check_digest(JZ__STR("key-one\n"), JZ__STR("key-one"));
    check_digest(JZ__STR("\t \r\n key-one\r\n\v\f "), JZ__STR("key-one"));
    check_digest(JZ__STR("key one"), JZ__STR("key one"));
    check_digest(JZ__STR("!~\"'\\"), JZ__STR("!~\"'\\"));
}

static void an_empty_key_is_refused(void)
{
    check_refused(JZ__STR(""), "the key is empty");
    check_refused(JZ__STR(" \r\n\t"), "the key is empty");
}

static void control_and_foreign_characters_inside_are_refused(void)
{
    for (int c = 0; c < 256; c++) {
        char key[] = { 'k', (char)c, 'y' };
        struct jz__str text = { key, sizeof(key) };

        if (c < 0x20 || c == 0x7F) {
            check_refused(text, "the key holds a control character");
        } else if (c > 0x7F) {
            check_refused(text, "the key holds a character that is not ASCII");
        } else {
            check_digest(text, text);
        }
    }
    check_refused(JZ__STR("\xC2\xA0key"),
                  "the key holds a character that is not ASCII");
}

int main(void)
{
    TAP_RUN(a_made_key_is_43_characters_of_base64url);
    TAP_RUN(made_keys_use_the_whole_alphabet);
    TAP_RUN(white_space_around_a_key_is_taken_off);
    TAP_RUN(an_empty_key_is_refused);
    TAP_RUN(control_and_foreign_characters_inside_are_refused);
    return tap_done();
}
