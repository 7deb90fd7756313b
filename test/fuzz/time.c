/* SPDX-License-Identifier: Apache-2.0 */
/* What is read as a time prints as the same instant, and a bound is also a time
 * stamp. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_format(int64_t seconds)
{
    char text[JZ__TIME_SIZE];
    char minute[17];
    int64_t again;
    bool is_date;

    jz__time_format(text, seconds);
    jz__time_format_minute(minute, seconds);
    require(strlen(text) == JZ__TIME_SIZE - 1);
    require(strlen(minute) == sizeof(minute) - 1);
    /* The year 0 is printed and not read. */
    if (strncmp(text, "0000", 4) != 0 && strncmp(text, "9999", 4) != 0) {
        require(jz__time_parse_bound(&again, &is_date, jz__str_of(text)));
        require(again == seconds && !is_date);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__str text = { (const char *)data, size };
    int64_t seconds = 0;
    int64_t ms = 0;
    bool is_date;

    if (jz__time_parse_bound(&seconds, &is_date, text)) {
        require(is_date == (size == 10));
        require(jz__time_parse_stamp(&ms, text));
        require(ms >= seconds * 1000 && ms < seconds * 1000 + 1000);
        check_format(seconds);
    } else if (jz__time_parse_stamp(&ms, text)) {
        require(ms >= 0);
        check_format(ms / 1000);
    }
    /* Any number can be printed, whoever made it. */
    if (size >= sizeof(seconds)) {
        memcpy(&seconds, data, sizeof(seconds));
        check_format(seconds);
    }
    return 0;
}
