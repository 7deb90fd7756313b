/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "tap.h"

struct heard {
    int count;
    int level;
    char line[4096];
};

static void listen(void *userdata, int level, const char *message)
{
    struct heard *heard = userdata;

    heard->count++;
    heard->level = level;
    (void)snprintf(heard->line, sizeof(heard->line), "%s", message);
}

static void a_line_reaches_the_callback(void)
{
    struct heard heard = { 0 };
    struct jz__log log = { listen, &heard };

    jz__log_write(&log, JZ_LOG_WARNING, "skipped %d of %s", 3, "x.jsonl");
    CHECK_INT(heard.count, 1);
    CHECK_INT(heard.level, JZ_LOG_WARNING);
    CHECK_STR(heard.line, "skipped 3 of x.jsonl");
}

static void nobody_listening_is_no_fault(void)
{
    struct jz__log log = { NULL, NULL };

    jz__log_write(&log, JZ_LOG_INFO, "x");
    jz__log_write(NULL, JZ_LOG_INFO, "x");
    CHECK(true);
}

static void a_value_cannot_begin_a_line(void)
{
    struct heard heard = { 0 };
    struct jz__log log = { listen, &heard };

    jz__log_write(&log, JZ_LOG_INFO, "read %s",
                  "a\nERROR b\r\x1B[2J\u202E\xFF");
    CHECK_STR(heard.line, "read a\\u000aERROR b\\u000d\\u001b[2J\\u202e"
                          "\xEF\xBF\xBD");
}

static void a_line_is_at_most_1_kib_of_whole_characters(void)
{
    struct heard heard = { 0 };
    struct jz__log log = { listen, &heard };
    char text[3001];
    size_t i;

    for (i = 0; i < 3000; i += 3) {
        memcpy(text + i, "\xE2\x82\xAC", 3);
    }
    text[3000] = '\0';
    jz__log_write(&log, JZ_LOG_DEBUG, "%s", text);
    CHECK_INT(strlen(heard.line), 1023);
    CHECK(jz__utf8_is_clean(heard.line, strlen(heard.line)));
    for (i = 0; i < 3000; i += 4) {
        memcpy(text + i, "\xF0\x9F\x99\x82", 4);
    }
    jz__log_write(&log, JZ_LOG_DEBUG, "a%s", text);
    CHECK_INT(strlen(heard.line), 1021);
    memset(text, '\n', 3000);
    jz__log_write(&log, JZ_LOG_DEBUG, "%s", text);
    CHECK(strlen(heard.line) <= 1024);
}

int main(void)
{
    TAP_RUN(a_line_reaches_the_callback);
    TAP_RUN(nobody_listening_is_no_fault);
    TAP_RUN(a_value_cannot_begin_a_line);
    TAP_RUN(a_line_is_at_most_1_kib_of_whole_characters);
    return tap_done();
}
