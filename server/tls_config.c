/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A certificate of today's authorities lasts for weeks, so it is exchanged under
 * a running server all the time, by a program that writes two files and sends a
 * signal. Between the two writes the pair does not fit: the old one is kept
 * then, and the next signal brings the new one.
 *
 * A certificate that is not valid now is served all the same. What clients say
 * about it is plain, while a server that refuses to start after a reboot leaves
 * them with a closed port.
 */
#include "tls_config.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"

/* Authorities renew a month before the end; in the last days of it something
 * has failed. */
#define SOON_S ((int64_t)7 * 24 * 60 * 60)

/* Files of a key and of certificates are shorter. */
#define KEY_MOST ((size_t)65536)
#define CERT_MOST ((size_t)1024 * 1024)

/* The chain goes out in one record, which mbedTLS does not split. */
#define CHAIN_MOST ((size_t)16384)

static void check_dates(const struct tls_config *config)
{
    char text[JZ__TIME_SIZE];
    int64_t now = (int64_t)time(NULL);
    int64_t from;
    int64_t until;

    jz__tls_server_validity(&from, &until, config->current);
    jz__time_format(text, now < from ? from : until);
    if (now < from) {
        jz__log_write(config->log, JZ_LOG_WARNING,
                      "the certificate %s is not valid before %s: clients "
                      "will refuse it, or this computer's clock is wrong",
                      config->cert_file, text);
    } else if (now > until) {
        jz__log_write(config->log, JZ_LOG_WARNING,
                      "the certificate %s has expired at %s: clients will "
                      "refuse it",
                      config->cert_file, text);
    } else if (until - now < SOON_S) {
        jz__log_write(config->log, JZ_LOG_WARNING,
                      "the certificate %s expires at %s", config->cert_file,
                      text);
    }
}

/* Readable by its group is how several services share one. */
static void check_mode(const struct tls_config *config)
{
    struct stat st;

    if (stat(config->key_file, &st) == 0 && (st.st_mode & S_IROTH) != 0) {
        jz__log_write(config->log, JZ_LOG_WARNING,
                      "the private key %s can be read by every user of this "
                      "computer: chmod 640 it, or 600",
                      config->key_file);
    }
}

/* Every key of this kind begins so, in PEM: RFC 8410's one form of it. */
static bool is_ed25519(const char *key_file)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    bool is_it = jz__file_read(&text, key_file, KEY_MOST, NULL) == 0 &&
                 text.length > 0 &&
                 strstr(text.data, "MC4CAQAwBQYDK2VwBCIEI") != NULL;

    if (text.data != NULL) {
        explicit_bzero(text.data, text.capacity);
    }
    return is_it;
}

/* Bytes of the message that shows the certificates of a PEM text: four base64
 * characters are three bytes, each certificate has a length and extensions, and
 * the list has a head. */
static size_t chain_length(const char *text)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                 "tuvwxyz0123456789+/";
    static const char head[] = "-----BEGIN CERTIFICATE-----";
    const char *at = strstr(text, head);
    size_t length = 8;

    while (at != NULL) {
        size_t characters = 0;

        for (at += strlen(head); *at != '\0' && *at != '-'; at++) {
            characters += strchr(base64, *at) != NULL;
        }
        length += characters * 3 / 4 + 5;
        at = strstr(at, head);
    }
    return length;
}

/* A bundle of all authorities in the place of the chain is read without a word,
 * and then no handshake ends. */
static int check_chain(const char *cert_file, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r = jz__file_read(&text, cert_file, CERT_MOST, error);
    size_t length = r == 0 && text.length > 0 ? chain_length(text.data) : 0;

    if (length > CHAIN_MOST) {
        return jz__fail(error, JZ_EINVAL,
                        "%s holds certificates of %zu bytes, and no more than "
                        "16 KiB can be sent: it needs the server's own and "
                        "those between it and the root, and no others",
                        cert_file, length);
    }
    return r;
}

/* What is wrong names a file; whoever reads it knows keys of a configuration. */
static int fail(const struct tls_config *config, int code,
                const struct jz__error *why, struct jz__error *error)
{
    bool is_cert = strstr(why->message, config->cert_file) != NULL;
    bool is_key = strstr(why->message, config->key_file) != NULL;

    if (code == JZ_EINVAL && is_ed25519(config->key_file)) {
        return jz__fail(error, code,
                        "tls_key: %s is an Ed25519 key, which this build of "
                        "mbedTLS cannot use: take a pair of RSA or ECDSA",
                        config->key_file);
    }
    return jz__fail(error, code, "%s%s%s: %s", is_cert ? "tls_cert" : "",
                    is_cert && is_key ? " and " : "",
                    is_key || !is_cert ? "tls_key" : "", why->message);
}

static int load(struct tls_config *config, struct jz__error *error)
{
    struct jz__tls_server *fresh;
    struct jz__error why = { 0 };
    int r = check_chain(config->cert_file, &why);

    if (r == 0) {
        r = jz__tls_server_new(&fresh, config->cert_file, config->key_file,
                               &why);
    }
    if (r < 0) {
        return fail(config, r, &why, error);
    }
    jz__tls_server_release(config->current);
    config->current = fresh;
    check_dates(config);
    check_mode(config);
    return 0;
}

int tls_config_open(struct tls_config *config, const char *cert_file,
                    const char *key_file, const struct jz__log *log,
                    struct jz__error *error)
{
    assert(config->current == NULL && cert_file != NULL && key_file != NULL);

    config->cert_file = cert_file;
    config->key_file = key_file;
    config->log = log;
    return load(config, error);
}

void tls_config_reload(struct tls_config *config)
{
    struct jz__error error = { 0 };

    if (config->current == NULL) {
        return;
    }
    if (load(config, &error) < 0) {
        jz__log_write(config->log, JZ_LOG_ERROR,
                      "the new certificate is not used, the one before stays: "
                      "%s",
                      error.message);
    } else {
        jz__log_write(config->log, JZ_LOG_INFO,
                      "certificate %s read again: new connections get it",
                      config->cert_file);
    }
}

void tls_config_close(struct tls_config *config)
{
    jz__tls_server_release(config->current);
    config->current = NULL;
    jz__buf_finish(&config->plain);
    jz__buf_finish(&config->wire);
}
