/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What anyone can send to the port of a server with TLS, before a key is asked
 * for. The first byte says in which pieces it arrives. A connection that has
 * failed must stay failed, and nothing may count as plain text that was not
 * encrypted.
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

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    require(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Of a certificate that is made now; it lives as long as the process. */
static struct jz__tls_server *make_server(void)
{
    char folder[] = "/tmp/jezero-fuzz-XXXXXX";
    struct tls_name name = { .common_name = "desk.example" };
    struct jz__tls_server *server = NULL;
    char cert[64];
    char key[64];

    require(mkdtemp(folder) != NULL);
    (void)snprintf(cert, sizeof(cert), "%s/cert.pem", folder);
    (void)snprintf(key, sizeof(key), "%s/key.pem", folder);
    tls_name_make(&name);
    write_file(cert, name.cert_pem);
    write_file(key, name.key_pem);
    require(jz__tls_server_new(&server, cert, key, NULL) == 0);
    tls_name_free(&name);
    (void)unlink(cert);
    (void)unlink(key);
    (void)rmdir(folder);
    return server;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct jz__tls_server *server;
    struct jz__buf plain = JZ__BUF_INIT;
    struct jz__buf wire = JZ__BUF_INIT;
    struct jz__error error;
    struct jz__tls *tls;
    bool has_failed = false;

    if (size == 0) {
        return 0;
    }
    if (server == NULL) {
        server = make_server();
    }
    tls = jz__tls_accept(server);
    require(tls != NULL);
    for (size_t at = 1, step = 1 + data[0]; at < size; at += step) {
        const struct jz__str piece = { (const char *)data + at,
                                       size - at < step ? size - at : step };
        int r = jz__tls_read(tls, piece, &plain, &wire, &error);

        require(!has_failed || r < 0);
        has_failed = r < 0;
    }
    require(plain.length == 0 && !jz__tls_is_ready(tls));
    jz__tls_free(tls);
    jz__buf_finish(&plain);
    jz__buf_finish(&wire);
    return 0;
}
