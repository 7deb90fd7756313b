/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client and a server of ours that talk through buffers.
 *
 *     talk_open(&talk, client, server, "desk.example");
 *     talk_shake(&talk);                    0, or the client's error
 *     talk_say(&talk, talk.client, "text");
 */
#ifndef JZ_TEST_TLS_TALK_H
#define JZ_TEST_TLS_TALK_H

#include "net/tls.h"
#include "tap.h"

struct talk {
    struct jz__tls *client;
    struct jz__tls *server;
    struct jz__buf to_client; /* on the way */
    struct jz__buf to_server;
    struct jz__buf client_got; /* plain text */
    struct jz__buf server_got;
    struct jz__error error; /* of the client */
    size_t step;            /* bytes that the client takes at once; 0: all */
    size_t total;           /* bytes that it has taken */
};

static inline void talk_open(struct talk *talk, struct jz__tls_client *client,
                             struct jz__tls_server *server, const char *host)
{
    memset(talk, 0, sizeof(*talk));
    if (jz__tls_connect(&talk->client, client, host, &talk->error) < 0) {
        printf("Bail out! %s\n", talk->error.message);
        exit(EXIT_FAILURE);
    }
    if (server != NULL) {
        talk->server = jz__tls_accept(server);
    }
}

static inline void talk_close(struct talk *talk)
{
    jz__tls_free(talk->client);
    jz__tls_free(talk->server);
    jz__buf_finish(&talk->to_client);
    jz__buf_finish(&talk->to_server);
    jz__buf_finish(&talk->client_got);
    jz__buf_finish(&talk->server_got);
}

/* Hand the client what is on the way to it. */
static inline int talk_feed_client(struct talk *talk)
{
    struct jz__buf *in = &talk->to_client;
    size_t step = talk->step != 0 ? talk->step : in->length;
    int r = 0;

    for (size_t at = 0; at < in->length && r == 0; at += step) {
        struct jz__str bytes = { in->data + at, in->length - at };

        bytes.length = bytes.length < step ? bytes.length : step;
        talk->total += bytes.length;
        r = jz__tls_read(talk->client, bytes, &talk->client_got,
                         &talk->to_server, &talk->error);
    }
    jz__buf_clear(in);
    return r;
}

static inline int talk_feed_server(struct talk *talk)
{
    struct jz__buf *in = &talk->to_server;
    int r = jz__tls_read(talk->server, (struct jz__str){ in->data, in->length },
                         &talk->server_got, &talk->to_client, NULL);

    jz__buf_clear(in);
    return r;
}

/* What the client says first. */
static inline int talk_begin(struct talk *talk)
{
    return jz__tls_read(talk->client, (struct jz__str){ NULL, 0 },
                        &talk->client_got, &talk->to_server, &talk->error);
}

/* The client's result, once nothing is on the way. */
static inline int talk_shake(struct talk *talk)
{
    int r = talk_begin(talk);

    for (int round = 0; round < 10 && r == 0; round++) {
        (void)talk_feed_server(talk);
        r = talk_feed_client(talk);
        if (talk->to_server.length == 0) {
            break;
        }
    }
    return r;
}

#endif
