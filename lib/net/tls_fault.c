/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client says when there is no connection: a phrase that begins with the
 * host, or names it, for people who do not know what an alert is. What is wrong
 * with a certificate is the first to be told, whatever else is wrong: the rest
 * follows from it.
 *
 * mbedTLS says that there was an alert but not which, and of bytes that are no
 * TLS only that they are no record. So the connection has kept the first bytes
 * and the last, as long as nothing is encrypted.
 */
#include <mbedtls/error.h>
#include <string.h>

#include "base/mem.h"
#include "net/tls_private.h"

/* What a server means by the number of its alert, of those that people meet. */
static const char *alert_meaning(unsigned number)
{
    static const struct {
        unsigned number;
        const char *meaning;
    } alerts[] = {
        { MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE,
          "it has no way of encryption in common with this client" },
        { MBEDTLS_SSL_ALERT_MSG_INSUFFICIENT_SECURITY,
          "it has no way of encryption in common with this client" },
        { MBEDTLS_SSL_ALERT_MSG_PROTOCOL_VERSION,
          "it does not speak TLS 1.2 or newer" },
        { MBEDTLS_SSL_ALERT_MSG_INTERNAL_ERROR,
          "it has an internal error, or no certificate for this host" },
        { MBEDTLS_SSL_ALERT_MSG_UNRECOGNIZED_NAME,
          "it knows no host of this name" },
        { MBEDTLS_SSL_ALERT_MSG_NO_APPLICATION_PROTOCOL,
          "it does not speak HTTP/1.1" },
        { MBEDTLS_SSL_ALERT_MSG_ACCESS_DENIED, "access denied" },
        { 116, "it asks for a certificate of the client's" },
    };

    for (size_t i = 0; i < JZ__LENGTH(alerts); i++) {
        if (alerts[i].number == number) {
            return alerts[i].meaning;
        }
    }
    return NULL;
}

static int fail_alert(const struct jz__tls *tls, int r, struct jz__error *error)
{
    static const unsigned char begin[] = { MBEDTLS_SSL_MSG_ALERT,
                                           MBEDTLS_SSL_MAJOR_VERSION_3 };
    unsigned number = tls->last[6];
    const char *meaning;

    /* Once it is encrypted nothing is to be seen of it. */
    if (r == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY || tls->is_ready ||
        memcmp(tls->last, begin, sizeof(begin)) != 0 || tls->last[3] != 0 ||
        tls->last[4] != 2) {
        return jz__fail(error, JZ_EINVAL, "%s ended the TLS connection",
                        tls->host);
    }
    meaning = alert_meaning(number);
    if (number == MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE &&
        tls->verdict.is_checked) {
        /* It chose the encryption and showed its certificate before. */
        meaning = "perhaps it asks for a certificate of the client's";
    }
    if (meaning != NULL) {
        return jz__fail(error, JZ_EINVAL, "%s refused the TLS connection: %s",
                        tls->host, meaning);
    }
    return jz__fail(error, JZ_EINVAL,
                    "%s refused the TLS connection (alert %u)", tls->host,
                    number);
}

/* The types of records are numbers from 20 to 23, the version begins with 3. */
static bool is_record(const struct jz__tls *tls)
{
    return tls->first_count < 2 ||
           (tls->first[0] >= MBEDTLS_SSL_MSG_CHANGE_CIPHER_SPEC &&
            tls->first[0] <= MBEDTLS_SSL_MSG_APPLICATION_DATA &&
            tls->first[1] == MBEDTLS_SSL_MAJOR_VERSION_3);
}

static int fail_handshake(const struct jz__tls *tls, int r,
                          struct jz__error *error)
{
    char reason[160];

    if (!is_record(tls)) {
        return jz__fail(error, JZ_EINVAL,
                        memcmp(tls->first, "HTTP/", 5) == 0
                            ? "%s speaks HTTP without TLS on this port"
                            : "%s does not speak TLS on this port",
                        tls->host);
    }
    if (jz__tls_mbedtls_is_version(r)) {
        return jz__fail(error, JZ_EINVAL, "%s does not speak TLS 1.2 or newer",
                        tls->host);
    }
    mbedtls_strerror(r, reason, sizeof(reason));
    return jz__fail(error, JZ_EINVAL, "the TLS handshake with %s failed: %s",
                    tls->host, reason);
}

int jz__tls_fault_fail(const struct jz__tls *tls, int r,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    char reason[160];

    jz__tls_verify_put(&text, tls);
    if (text.error != 0) {
        return jz__fail_memory(error);
    }
    if (text.length > 0) {
        return jz__fail(error, JZ_EINVAL, "%s", text.data);
    }
    if (r == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE ||
        r == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) {
        return fail_alert(tls, r, error);
    }
    if (!tls->is_ready) {
        return fail_handshake(tls, r, error);
    }
    mbedtls_strerror(r, reason, sizeof(reason));
    return jz__fail(error, JZ_EINVAL, "the TLS connection to %s broke: %s",
                    tls->host, reason);
}
