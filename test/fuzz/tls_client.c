/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server, or whoever sits in its place, can send to a client. The first
 * byte says in which pieces it arrives, the second what comes: the bytes as they
 * are; or a ServerHello of the kind that the client takes and in front of them
 * the headers of the message that carries certificates, so that chains are met
 * with; or a file of trusted certificates.
 *
 * Nobody can end a handshake without the key of a certificate: nothing may count
 * as ready or as plain text, and what has failed must stay failed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/tls.h"
#include "tls_peer.h"

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void write_file(const char *path, const void *text, size_t length)
{
    FILE *file = fopen(path, "w");

    require(file != NULL && fwrite(text, 1, length, file) == length &&
            fclose(file) == 0);
}

/* A client that trusts what stands in the text; NULL: there is nothing. */
static struct jz__tls_client *make_client(const void *text, size_t length)
{
    char path[] = "/tmp/jezero-fuzz-XXXXXX";
    struct jz__tls_client *client = NULL;
    int file = mkstemp(path);
    int r;

    require(file >= 0);
    (void)close(file);
    write_file(path, text, length);
    r = jz__tls_client_new(&client, path, NULL);
    require((r == 0) == (client != NULL));
    (void)unlink(path);
    return client;
}

/* Trusts a root that is made now. */
static struct jz__tls_client *make_trusting(void)
{
    struct tls_name root = { .common_name = "Example Root" };
    struct jz__tls_client *client;

    tls_name_make(&root);
    client = make_client(root.cert_pem, strlen(root.cert_pem));
    require(client != NULL);
    tls_name_free(&root);
    return client;
}

static void put_length(unsigned char *out, size_t length, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (unsigned char)(length >> 8 * (bytes - 1 - i));
    }
}

/* TLS 1.2, ECDHE with ECDSA, no extensions; then a chain of one certificate. */
static void put_chain(struct jz__buf *out, const uint8_t *data, size_t size)
{
    unsigned char hello[5 + 4 + 38] = { 22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3 };
    unsigned char head[5 + 4 + 3 + 3] = { 22, 3, 3, 0, 0, 11 };

    hello[5 + 4 + 35] = 0xc0;
    hello[5 + 4 + 36] = 0x2b;
    size = size < 16000 ? size : 16000;
    put_length(head + 3, size + 10, 2);
    put_length(head + 6, size + 6, 3);
    put_length(head + 9, size + 3, 3);
    put_length(head + 12, size, 3);
    jz__buf_append(out, hello, sizeof(hello));
    jz__buf_append(out, head, sizeof(head));
    jz__buf_append(out, data, size);
}

static void talk(struct jz__tls_client *client, const struct jz__buf *bytes,
                 size_t step, const char *host)
{
    struct jz__buf plain = JZ__BUF_INIT;
    struct jz__buf wire = JZ__BUF_INIT;
    struct jz__error error;
    struct jz__tls *tls = NULL;
    bool has_failed = false;

    require(jz__tls_connect(&tls, client, host, NULL) == 0);
    require(jz__tls_read(tls, (struct jz__str){ NULL, 0 }, &plain, &wire,
                         &error) == 0);
    for (size_t at = 0; at < bytes->length; at += step) {
        const struct jz__str piece = { bytes->data + at,
                                       bytes->length - at < step
                                           ? bytes->length - at
                                           : step };
        int r = jz__tls_read(tls, piece, &plain, &wire, &error);

        require(r <= 0 && (!has_failed || r < 0));
        has_failed = r < 0;
    }
    require(plain.length == 0 && !jz__tls_is_ready(tls));
    jz__tls_free(tls);
    jz__buf_finish(&plain);
    jz__buf_finish(&wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct jz__tls_client *client;
    struct jz__buf bytes = JZ__BUF_INIT;
    bool is_chain;

    if (size < 2) {
        return 0;
    }
    if (data[1] % 3 == 2) {
        jz__tls_client_release(make_client(data + 2, size - 2));
        return 0;
    }
    if (client == NULL) {
        client = make_trusting();
    }
    is_chain = data[1] % 3 == 1;
    if (is_chain) {
        put_chain(&bytes, data + 2, size - 2);
    } else {
        jz__buf_append(&bytes, data + 2, size - 2);
    }
    talk(client, &bytes, 1 + (size_t)data[0] * (is_chain ? 64 : 1),
         data[1] >= 128 ? "10.0.0.1" : "desk.example");
    jz__buf_finish(&bytes);
    return 0;
}
