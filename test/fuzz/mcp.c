/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes with a NUL are an HTTP request: "name: value" lines up to the NUL, the
 * body behind it. Without one they are a line of stdio. Whatever comes in, what
 * goes out is nothing or one line of JSON that is an answer.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fake_reads.h"
#include "mcp/mcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Add one line to the object of headers. */
static void add_header(cJSON *headers, struct jz__str line)
{
    JZ_CLEANUP(jz__mem_freep) char *name = NULL;
    JZ_CLEANUP(jz__mem_freep) char *value = NULL;
    size_t colon = jz__str_find(line, ":");
    cJSON *values;

    if (colon == SIZE_MAX) {
        return;
    }
    name = jz__mem_copy(line.data, colon);
    value = jz__mem_copy(line.data + colon + 1, line.length - colon - 1);
    require(name != NULL && value != NULL);
    values = cJSON_GetObjectItemCaseSensitive(headers, name);
    if (values == NULL) {
        values = cJSON_AddArrayToObject(headers, name);
    }
    require(cJSON_AddItemToArray(values, cJSON_CreateString(value)));
}

static void check_answer(const struct jz__buf *out, int status, bool is_stdio)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;

    require(status == 200 || status == 202 || status == 400 || status == 404 ||
            status == 406);
    require((out->length == 0) == (status == 202));
    require(!is_stdio || status != 406);
    if (out->length == 0) {
        return;
    }
    require(jz__json_parse(&tree, out->data, out->length, NULL) == JZ_OK);
    require(memchr(out->data, '\n', out->length) == NULL);
    require(strcmp(jz__json_text(tree, "jsonrpc", ""), "2.0") == 0);
    require(jz__json_get(tree, "id") != NULL);
    require((jz__json_get(tree, "result") == NULL) !=
            (jz__json_get(tree, "error") == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf input = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *headers = NULL;
    struct jz__str body;
    int status = 0;

    jz__buf_append(&input, data, size);
    jz__buf_append(&input, "", 1);
    body = (struct jz__str){ input.data, size };
    if (strlen(input.data) < size) {
        struct jz__str rest = { input.data, strlen(input.data) };
        struct jz__str line;

        headers = cJSON_CreateObject();
        require(headers != NULL);
        while (jz__str_line(&line, &rest)) {
            add_header(headers, line);
        }
        body.data += strlen(input.data) + 1;
        body.length -= strlen(input.data) + 1;
    }
    require(jz__mcp_answer(&out, &status, &fake_reads, headers, body.data,
                           body.length) == JZ_OK);
    check_answer(&out, status, headers == NULL);
    return 0;
}
