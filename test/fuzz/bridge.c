/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes are what an agent writes, cut into pieces of a length that the first
 * byte gives; each line of them is also taken for a server's body. What goes out
 * is whole lines of JSON-RPC, and header lines are what they say they are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "bridge_lines.h"
#include "bridge_message.h"
#include "bridge_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Every line of out is an object or an array of JSON. */
static size_t check_lines(const struct jz__buf *out)
{
    struct jz__str rest = { out->data, out->length };
    size_t count = 0;

    require(out->error == 0);
    require(out->length == 0 || out->data[out->length - 1] == '\n');
    while (rest.length > 0) {
        const char *end = memchr(rest.data, '\n', rest.length);
        size_t length = (size_t)(end - rest.data);
        JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;

        require(memchr(rest.data, '\r', length) == NULL);
        require(jz__json_parse(&tree, rest.data, length, NULL) == 0);
        require(cJSON_IsObject(tree) || cJSON_IsArray(tree));
        rest.data += length + 1;
        rest.length -= length + 1;
        count++;
    }
    return count;
}

/* At most three lines, each of a known name, without a byte that would end it. */
static void check_headers(const struct bridge_message *message)
{
    static const char *const names[] = { "MCP-Protocol-Version: ",
                                         "Mcp-Method: ", "Mcp-Name: " };
    struct jz__str rest = { message->headers.data, message->headers.length };
    struct jz__str line;
    size_t next = 0;

    require(message->is_modern || rest.length == 0);
    while (rest.length > 0) {
        size_t end = jz__str_find(rest, "\r\n");
        size_t i;

        require(end != SIZE_MAX);
        line = (struct jz__str){ rest.data, end };
        while (next < JZ__LENGTH(names) && !jz__str_starts(line, names[next])) {
            next++;
        }
        require(next++ < JZ__LENGTH(names));
        for (i = 0; i < line.length; i++) {
            require((unsigned char)line.data[i] >= ' ');
        }
        rest.data += end + 2;
        rest.length -= end + 2;
    }
}

static void check_body(struct jz__str body, struct jz__str id)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    enum bridge_reply_kind kind = bridge_reply_put(&out, body, id);

    require(check_lines(&out) == (kind != BRIDGE_REPLY_NONE));
    jz__buf_clear(&out);
    bridge_reply_put_status(&out, "https://j.example", 502, body);
    require(out.length > 0);
}

static void check_line(struct jz__buf *line)
{
    JZ_CLEANUP(bridge_message_finish) struct bridge_message message = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    size_t count;

    require(bridge_message_read_take(&message, line) == 0);
    require(bridge_reply_put_errors(&out, &message, BRIDGE_REPLY_FAILED,
                                    message.reason) == 0);
    count = check_lines(&out);
    switch (message.kind) {
    case BRIDGE_MESSAGE_BLANK:
    case BRIDGE_MESSAGE_NOTIFICATION:
    case BRIDGE_MESSAGE_RESPONSE:
        require(count == 0);
        break;
    case BRIDGE_MESSAGE_BROKEN:
    case BRIDGE_MESSAGE_REQUEST:
        require(count == 1);
        break;
    case BRIDGE_MESSAGE_OTHER:
        break;
    }
    check_headers(&message);
    check_body((struct jz__str){ message.text.data, message.text.length },
               JZ__STR("\"x\""));
    check_body((struct jz__str){ message.text.data, message.text.length },
               JZ__STR(""));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bridge_lines lines = { 0 };
    size_t step = size > 0 ? data[0] + 1u : 1;
    size_t at;

    for (at = 1; at < size; at += step) {
        struct jz__str rest = { (const char *)data + at,
                                size - at < step ? size - at : step };

        while (bridge_lines_next(&lines, &rest) == BRIDGE_LINES_LINE) {
            check_line(&lines.line);
        }
    }
    if (bridge_lines_end(&lines) == BRIDGE_LINES_LINE) {
        check_line(&lines.line);
    }
    bridge_lines_finish(&lines);
    return 0;
}
