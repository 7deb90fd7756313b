/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to one server over blocking sockets, http or https, direct or through
 * a proxy, with one deadline over everything: looking the name up, connecting,
 * TLS, sending, and the whole answer. The connection is kept for the next
 * request. Redirects are never followed: a login page is no success, and a key
 * must not travel to another host.
 *
 * A fetch is used by one thread at a time; several fetches may be used by
 * several threads.
 */
#ifndef JZ_NET_FETCH_H
#define JZ_NET_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct jz__fetch;

struct jz__fetch_options {
    const char *url; /* http:// or https://, without user information; its path
                          is put in front of every request's */
    const char *proxy; /* what jz__proxy_find() gave; NULL or "": direct */
    /* For https: a PEM file of trusted certificates, read at the first handshake
     * (it takes 8 ms for a system's bundle); and how it was chosen or what else
     * could be set, which stands in brackets behind the message about a
     * certificate that is not trusted ("JEZERO_CA_FILE"). */
    const char *ca_file;
    const char *ca_origin;
};

/* Copies what it keeps. JZ_EINVAL: not such a URL or proxy. */
int jz__fetch_new(struct jz__fetch **out,
                  const struct jz__fetch_options *options,
                  struct jz__error *error);
void jz__fetch_free(struct jz__fetch *fetch);

/* Monotonic milliseconds: what deadlines are reckoned in. */
int64_t jz__fetch_now_ms(void);

/* Appends the next piece of a body, nothing at its end: 0, or a negative error,
 * which ends the request. */
typedef int (*jz__fetch_read_fn)(struct jz__buf *out, void *userdata,
                                 struct jz__error *error);

/* Takes a piece of an answer's body as it comes, the head being there: 0 goes
 * on; 1: that was all the caller wants, the answer counts as complete and the
 * connection is closed; negative ends the request with it. */
struct jz__fetch_answer;
typedef int (*jz__fetch_write_fn)(void *userdata,
                                  const struct jz__fetch_answer *answer,
                                  struct jz__str piece);

struct jz__fetch_request {
    const char *method;  /* "POST" */
    const char *path;    /* from its slash, encoded */
    const char *headers; /* NULL, or whole lines with their CRLF; Host, framing
                            and User-Agent are added */
    struct jz__str body; /* sent with Content-Length, unless read is set */
    jz__fetch_read_fn read; /* the body in pieces, chunked */
    void *read_data;
    jz__fetch_write_fn write; /* NULL: the answer's body is collected */
    void *write_data;
    size_t most;         /* bytes of a collected body; more is JZ_EIO */
    int64_t deadline_ms; /* by jz__fetch_now_ms() */
    /* NULL, or a descriptor that ends the request, with JZ_EIO, once something
     * can be read from it: another thread has lost interest in the answer. It is
     * looked at while a connection is used, not while it is made. */
    const int *cancel_fd;
    /* May be sent once more, on a new connection, when a kept one turns out to be
     * closed before a byte of the answer came. Not with read. */
    bool may_repeat;
};

struct jz__fetch_answer {
    int status; /* 200 to 599 */
    struct jz__buf
        head; /* header lines behind the status line, each with CRLF */
    struct jz__buf body;
};

void jz__fetch_answer_finish(struct jz__fetch_answer *answer);

/* The value of a header, without blanks around it; the first if it comes more
 * than once. false: it is not there. */
bool jz__fetch_header(struct jz__str *out,
                      const struct jz__fetch_answer *answer, const char *name);

/*
 * Send and wait for the whole answer. An answer that comes before the body was
 * sent ends the sending. JZ_EIO: no whole answer came; the message is a phrase
 * that says why and names the place: "cannot find HOST: …", "cannot connect to
 * HOST port N: connection refused", "no answer within 2 s", "the certificate of
 * HOST …", "the proxy HOST port N answered HTTP 407". JZ_EINVAL: the path cannot
 * stand in a request. JZ_ENOMEM. The error is not NULL; the answer is finished by
 * the caller in every case.
 */
int jz__fetch_send(struct jz__fetch_answer *out, struct jz__fetch *fetch,
                   const struct jz__fetch_request *request,
                   struct jz__error *error);

/* Connect, with TLS, if no connection is kept. JZ_EIO as above. */
int jz__fetch_connect(struct jz__fetch *fetch, int64_t deadline_ms,
                      struct jz__error *error);

/* Did the last failure come from a certificate that is not trusted? */
bool jz__fetch_is_untrusted(const struct jz__fetch *fetch);

#endif
