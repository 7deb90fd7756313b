/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "tap.h"

static void a_failure_keeps_code_and_message(void)
{
    struct jz__error error = { 0 };

    CHECK_INT(jz__fail(&error, JZ_EINVAL, "limit must be from %d", 1),
              JZ_EINVAL);
    CHECK_INT(error.code, JZ_EINVAL);
    CHECK_STR(error.message, "limit must be from 1");
}

static void nobody_asking_is_no_fault(void)
{
    CHECK_INT(jz__fail(NULL, JZ_EIO, "x"), JZ_EIO);
    CHECK_INT(jz__fail_memory(NULL), JZ_ENOMEM);
    CHECK_INT(jz__fail_errno(NULL, EACCES, "cannot open", "/x"), JZ_EIO);
}

static void errno_values_become_codes(void)
{
    struct jz__error error = { 0 };

    CHECK_INT(jz__fail_errno(&error, ENOENT, "cannot open", "/a/b"),
              JZ_ENOTFOUND);
    CHECK_STR(error.message, "cannot open /a/b: No such file or directory");
    CHECK_INT(jz__fail_errno(&error, ENOMEM, "cannot open", "/a"), JZ_ENOMEM);
    CHECK_INT(jz__fail_errno(&error, ENOSPC, "cannot write", "/a"), JZ_EIO);
    CHECK_INT(jz__fail_errno(&error, 99999, "cannot write", "/a"), JZ_EIO);
}

static void a_message_is_one_line_whatever_the_value(void)
{
    struct jz__error error = { 0 };

    (void)jz__fail(&error, JZ_EINVAL, "got '%s'", "a\nb\xFF\x1B");
    CHECK_STR(error.message, "got 'a\\u000ab\xEF\xBF\xBD\\u001b'");
}

static void a_long_message_is_cut_between_characters(void)
{
    struct jz__error error = { 0 };
    char text[4001];
    size_t shift;
    size_t i;

    for (i = 0; i < 4000; i += 4) {
        memcpy(text + i, "\xF0\x9F\x99\x82", 4);
    }
    text[4000] = '\0';
    for (shift = 0; shift < 4; shift++) {
        (void)jz__fail(&error, JZ_EINVAL, "%.*s%s", (int)shift, "abc", text);
        CHECK(strlen(error.message) > 1016);
        CHECK(jz__utf8_is_clean(error.message, strlen(error.message)));
        CHECK(strstr(error.message, "\xEF\xBF\xBD") == NULL);
    }
}

int main(void)
{
    TAP_RUN(a_failure_keeps_code_and_message);
    TAP_RUN(nobody_asking_is_no_fault);
    TAP_RUN(errno_values_become_codes);
    TAP_RUN(a_message_is_one_line_whatever_the_value);
    TAP_RUN(a_long_message_is_cut_between_characters);
    return tap_done();
}
