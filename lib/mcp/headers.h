/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP headers that MCP reads. Everywhere here `headers` is an object of
 * lower-case names with an array of values. */
#ifndef JZ_MCP_HEADERS_H
#define JZ_MCP_HEADERS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

enum jz__headers_count {
    JZ__HEADERS_NONE,
    JZ__HEADERS_ONE,
    JZ__HEADERS_MANY
};

/* The value without blanks at its ends. Of several *out is the first. */
enum jz__headers_count jz__headers_get(struct jz__str *out,
                                       const cJSON *headers, const char *name);

/* May the answer be application/json? Yes without an Accept header; no if the
 * header leaves JSON out or gives it q=0. */
bool jz__headers_accept_json(const cJSON *headers);

/* Append the text that the value of Mcp-Name stands for: itself, or what
 * =?base64?…?= holds. false: that is no padded base64 of UTF-8. */
bool jz__headers_decode_name(struct jz__buf *out, struct jz__str value);

#endif
