/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 requests: bytes in, events out. No socket, no loop, no clock.
 *
 *     while ((event = jz__http_read(&step, http, &data, &length)) !=
 *            JZ__HTTP_MORE) { … }
 *
 * Each call uses up some of the bytes and returns one event. A connection
 * without a request costs no more than the struct.
 */
#ifndef JZ_NET_HTTP_H
#define JZ_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Request line and headers; also the trailers of a chunked body. */
#define JZ__HTTP_HEAD_MOST 16384

enum jz__http_method {
    JZ__HTTP_GET,
    JZ__HTTP_HEAD,
    JZ__HTTP_POST,
    JZ__HTTP_PUT,
    JZ__HTTP_DELETE,
    JZ__HTTP_OPTIONS,
    JZ__HTTP_OTHER /* any other token: no route takes it */
};

struct jz__http_header {
    struct jz__str name;  /* as written */
    struct jz__str value; /* without blanks around it */
};

/* One request. Its slices hold until the next request is begun. */
struct jz__http_request {
    enum jz__http_method method;
    struct jz__str method_name;
    struct jz__str path; /* from the slash to the query, not decoded */
    bool has_query;
    struct jz__str host; /* the one Host header; never checked here */
    int minor;           /* HTTP/1.minor: 0 or 1 */
    const struct jz__http_header *headers;
    size_t header_count;
    bool is_chunked;
    uint64_t content_length; /* 0 if chunked */
    bool wants_continue;     /* waits for 100 before it sends its body */
    bool keep_alive;
};

enum jz__http_event {
    JZ__HTTP_MORE,    /* all bytes are used, nothing is due */
    JZ__HTTP_REQUEST, /* the head is complete: jz__http_request() */
    JZ__HTTP_BODY,    /* step.data, borrowed from the bytes given */
    JZ__HTTP_END,     /* the request is complete */
    JZ__HTTP_BAD      /* answer step.status and close; nothing more is read */
};

struct jz__http_step {
    struct jz__str data;
    int status;
    const char *reason; /* static, a phrase */
};

struct jz__http;

/* NULL when out of memory. */
struct jz__http *jz__http_new(void);
void jz__http_free(struct jz__http *http);

/* The next event out of *length bytes at *data, both moved on. */
enum jz__http_event jz__http_read(struct jz__http_step *out,
                                  struct jz__http *http, const char **data,
                                  size_t *length);

/* Between REQUEST and the first byte after END. */
const struct jz__http_request *jz__http_request(const struct jz__http *http);

/* Has a request begun that is not complete? */
bool jz__http_is_inside(const struct jz__http *http);

/* Bytes that the body of this request may have; more are BAD with 413. There
 * is no limit before this call. */
void jz__http_limit_body(struct jz__http *http, uint64_t most);

/* The only value of a header, compared without case: false if it is not there
 * or comes more than once (*out is then empty). */
bool jz__http_header(struct jz__str *out,
                     const struct jz__http_request *request, const char *name);

/* How often the header comes. */
size_t jz__http_header_count(const struct jz__http_request *request,
                             const char *name);

#endif
