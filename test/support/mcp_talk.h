/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talks to jz__mcp_answer() with reads that answer what the test sets: what is
 * tested with this is the protocol and not the library behind it.
 *
 *     talk_http("{}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
 *     CHECK_INT(talk.status, 200);
 *     CHECK_STR(talk_at("id"), "1");
 */
#ifndef JZ_TEST_MCP_TALK_H
#define JZ_TEST_MCP_TALK_H

#include "base/buf.h"
#include "base/json.h"
#include "base/utf8.h"
#include "fake_reads.h"
#include "mcp/mcp.h"
#include "tap.h"

/* The last answer. */
static struct {
    struct jz__buf text; /* empty: none was due */
    int status;
    cJSON *tree; /* NULL: none, or it was no JSON */
} talk;

static inline void talk_finish(void)
{
    jz__buf_finish(&talk.text);
    cJSON_Delete(talk.tree);
    talk.tree = NULL;
}

static inline void talk_bytes(const cJSON *headers, const char *body,
                              size_t length)
{
    talk_finish();
    fake.calls = 0;
    talk.status = 0;
    CHECK_INT(jz__mcp_answer(&talk.text, &talk.status, &fake_reads, headers,
                             body, length),
              JZ_OK);
    if (talk.text.length > 0) {
        CHECK_INT(
            jz__json_parse(&talk.tree, talk.text.data, talk.text.length, NULL),
            JZ_OK);
        CHECK(jz__utf8_is_valid(talk.text.data, talk.text.length));
        CHECK(memchr(talk.text.data, '\n', talk.text.length) == NULL);
        CHECK_STR(jz__json_text(talk.tree, "jsonrpc", ""), "2.0");
    }
}

static inline void talk_stdio(const char *line)
{
    talk_bytes(NULL, line, strlen(line));
}

/* headers is written as {"mcp-method":["tools/list"]}. */
static inline void talk_http(const char *headers, const char *body)
{
    cJSON *tree = NULL;

    CHECK_INT(jz__json_parse(&tree, headers, strlen(headers), NULL), JZ_OK);
    talk_bytes(tree, body, strlen(body));
    cJSON_Delete(tree);
}

/* The value at a path of keys and indexes ("result.tools.0.name"); NULL: there
 * is none. A key with dots is written in brackets: "result._meta.[a.b/c]". */
static inline const cJSON *talk_node(const char *path)
{
    const cJSON *at = talk.tree;

    while (at != NULL && *path != '\0') {
        char key[128];
        size_t length = strcspn(path, ".");

        if (path[0] == '[') {
            path++;
            length = strcspn(path, "]");
        }
        (void)snprintf(key, sizeof(key), "%.*s", (int)length, path);
        at = cJSON_IsArray(at) ? cJSON_GetArrayItem(at, atoi(key))
                               : jz__json_get(at, key);
        path += length + (path[length] == ']');
        path += *path == '.';
    }
    return at;
}

/* The same as compact JSON, in memory that the next call takes again. */
static inline const char *talk_at(const char *path)
{
    static struct jz__buf shown;
    const cJSON *node = talk_node(path);

    if (node == NULL) {
        return NULL;
    }
    jz__buf_clear(&shown);
    jz__json_put_tree(&shown, node);
    return shown.data;
}

/* The text there, "" if there is none. */
static inline const char *talk_text(const char *path)
{
    const cJSON *node = talk_node(path);

    return cJSON_IsString(node) ? node->valuestring : "";
}

/* Checks that the last answer is an error of this status, code and id. */
static inline void talk_check_error(int status, const char *code,
                                    const char *id, int line)
{
    tap_check_int(talk.status, status, __FILE__, line, "status");
    tap_check_str(talk_at("error.code"), code, __FILE__, line, "code");
    tap_check_str(talk_at("id"), id, __FILE__, line, "id");
    tap_check(talk_node("result") == NULL, __FILE__, line, "no result");
}

#define CHECK_ERROR(status, code, id)                                          \
    talk_check_error((status), (code), (id), __LINE__)

#endif
