/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as JSON. What the scan takes, cJSON takes too, and what is written
 * from the tree is read again to the same text; its strings are valid UTF-8.
 */
#include "base/json.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) {
        abort();
    }
}

static void check_tokens(const char *text, size_t length)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    size_t i;

    if (jz__scan_parse(&scan, text, length) < 0) {
        require(scan.error_at <= length && scan.reason != NULL);
        return;
    }
    require(scan.end <= length && scan.count > 0);
    for (i = 0; i < scan.count; i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf value = JZ__BUF_INIT;
        struct jz__str raw = jz__scan_raw(&scan, i);
        int64_t whole;

        require(scan.tokens[i].next > i && scan.tokens[i].next <= scan.count);
        require(raw.data + raw.length <= text + length);
        jz__scan_text(&value, &scan, i);
        require(value.length == 0 ||
                jz__utf8_is_clean(value.data, value.length));
        (void)jz__scan_int(&whole, &scan, i);
        (void)jz__scan_get(&scan, i, "a");
        (void)jz__scan_is(&scan, i, "a");
    }
}

/* The laid out text is the same JSON. */
static void check_indented(const struct jz__buf *compact, const char *text)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf plain = JZ__BUF_INIT;

    require(jz__json_parse(&tree, text, strlen(text), NULL) == 0);
    jz__json_put_tree(&plain, tree);
    require(strcmp(plain.data, compact->data) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__json_freep) cJSON *again = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf first = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf second = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf pretty = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep)
    char *text = jz__mem_copy((const char *)data, size);
    struct jz__error error = { .message = "" };

    require(text != NULL);
    check_tokens(text, size);
    if (jz__json_parse(&tree, text, size, &error) < 0) {
        require(error.code == JZ_EINVAL && error.message[0] != '\0');
        return 0;
    }
    jz__json_put_tree(&first, tree);
    require(jz__json_parse(&again, first.data, first.length, &error) == 0);
    jz__json_put_tree(&second, again);
    require(strcmp(first.data, second.data) == 0);
    cJSON_Delete(again);
    again = NULL;
    jz__json_put_indented(&pretty, first.data, first.length);
    require(jz__json_parse(&again, pretty.data, pretty.length, &error) == 0);
    require(cJSON_IsString(again));
    check_indented(&first, again->valuestring);
    return 0;
}
