/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate that new connections get, and how it is exchanged while the
 * server runs. */
#ifndef JEZERO_SERVER_TLS_CONFIG_H
#define JEZERO_SERVER_TLS_CONFIG_H

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "net/tls.h"

/* Made by its owner, zeroed: that is a server without TLS. */
struct tls_config {
    struct jz__tls_server *current; /* NULL: plain HTTP */
    const char *cert_file;          /* borrowed */
    const char *key_file;
    const struct jz__log *log;

    /* Of the one connection that the loop is at: what it received, and what it
     * is to send. Idle connections so hold no buffers of ours. */
    struct jz__buf plain;
    struct jz__buf wire;
};

/* Read certificate and key; the paths are borrowed for as long as it is open.
 * What is doubtful about them, but works, is logged. */
int tls_config_open(struct tls_config *config, const char *cert_file,
                    const char *key_file, const struct jz__log *log,
                    struct jz__error *error);

/*
 * Read the files again. Connections that are there keep what they have; new
 * ones get the new pair. If it cannot be used the old one stays, which is
 * logged. Does nothing for a server without TLS.
 */
void tls_config_reload(struct tls_config *config);

/* May be called twice. */
void tls_config_close(struct tls_config *config);

#endif
