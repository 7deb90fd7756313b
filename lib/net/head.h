/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strict reading of a request's head. Each function returns 0 or the HTTP
 * status to refuse with, and then sets *reason to a static phrase.
 */
#ifndef JZ_NET_HEAD_H
#define JZ_NET_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "net/http.h"

bool jz__head_is_token(char c); /* may stand in a method or a header's name */
bool jz__head_is_text(char c);  /* may stand in a header's value */

/* Take "METHOD target HTTP/1.x" (without its line end) apart. The authority of
 * an absolute target becomes request->host, which is empty otherwise. */
int jz__head_read_line(struct jz__http_request *request, struct jz__str line,
                       const char **reason);

/* Take "name: value" apart. */
int jz__head_read_header(struct jz__http_header *out, struct jz__str line,
                         const char **reason);

/* Check what the headers say together and set host, framing and expectation
 * of the request, whose headers are in place. */
int jz__head_check(struct jz__http_request *request, const char **reason);

#endif
