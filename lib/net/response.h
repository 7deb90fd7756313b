/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 answers: bytes in, events out, for one answer a struct. No socket,
 * no clock.
 *
 *     while ((event = jz__response_read(&piece, response, &data, &length)) !=
 *            JZ__RESPONSE_MORE) { … }
 */
#ifndef JZ_NET_RESPONSE_H
#define JZ_NET_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "net/chunk.h"

/* Status lines and headers, those of 1xx answers too. */
#define JZ__RESPONSE_HEAD_MOST 65536

enum jz__response_event {
    JZ__RESPONSE_MORE, /* all bytes are used, or the answer is complete */
    JZ__RESPONSE_HEAD, /* the head of an answer that is no 1xx is complete */
    JZ__RESPONSE_BODY, /* *piece, borrowed from the bytes given */
    JZ__RESPONSE_END,  /* the answer is complete: further bytes are left */
    JZ__RESPONSE_BAD   /* response->reason says why; nothing more is read */
};

enum jz__response_phase {
    JZ__RESPONSE_AT_HEAD,
    JZ__RESPONSE_AT_BODY, /* with a length */
    JZ__RESPONSE_AT_CHUNKS,
    JZ__RESPONSE_AT_REST, /* all bytes until the connection ends */
    JZ__RESPONSE_AT_END,  /* complete, the event is still to be told */
    JZ__RESPONSE_AT_NOTHING
};

struct jz__response {
    int status;          /* from HEAD on */
    struct jz__buf head; /* then: header lines, each with its CRLF; a caller may
                            take it */
    bool has_length;
    uint64_t length;       /* of the whole body, if has_length */
    bool keep_alive;       /* may another request follow on the connection? */
    const char *reason;    /* static, a phrase */
    bool is_out_of_memory; /* behind BAD: that was the reason */

    /* private */
    enum jz__response_phase phase;
    bool is_bodiless;
    struct jz__buf line;
    size_t head_length;
    int minor; /* -1 before the status line */
    size_t length_count;
    size_t coding_count;
    bool is_coding_known;
    bool says_close;
    bool says_keep;
    uint64_t left;
    struct jz__chunk chunk;
};

/* bodiless: the answer to HEAD, or to CONNECT. */
void jz__response_init(struct jz__response *response, bool is_bodiless);
void jz__response_finish(struct jz__response *response);

/* The next event out of *length bytes at *data, both moved on. */
enum jz__response_event jz__response_read(struct jz__str *piece,
                                          struct jz__response *response,
                                          const char **data, size_t *length);

/* No more bytes come: END, if that is how this body ends or it had ended, else
 * BAD. */
enum jz__response_event jz__response_close(struct jz__response *response);

/* Has any byte come? */
bool jz__response_has_begun(const struct jz__response *response);

#endif
