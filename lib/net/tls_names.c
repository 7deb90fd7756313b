/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a certificate is for. mbedTLS compares names; 2.28 knows nothing of
 * addresses, so they are compared here, with 3.x too. An address must stand in
 * the subjectAltName as an address: neither a name that reads like one nor the
 * subject's common name will do.
 *
 * What others wrote into a certificate is put on one line, without control and
 * bidi characters, and cut: it may come from whoever answered on the port.
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "net/tls_private.h"

/* Characters of a name in a sentence, and names of a list. */
#define NAME_MOST 64
#define NAMES_MOST 4

/* Entries of a subjectAltName by their tags: a name, and 4 or 16 bytes. mbedTLS
 * has checked their lengths against the whole, but not those of addresses. */
#define TAG_NAME 0x82
#define TAG_ADDRESS 0x87

static void put_name(struct jz__buf *out, const unsigned char *text,
                     size_t length)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;

    if (length > 0) {
        jz__utf8_one_line(&line, (const char *)text, length);
    }
    if (line.error != 0) {
        out->error = line.error;
    } else if (line.length > 0) {
        jz__utf8_cut(out, line.data, line.length, NAME_MOST);
    } else {
        jz__buf_puts(out, "(no name)");
    }
}

/* The common name; NULL: there is none. */
static const mbedtls_x509_buf *common_name(const mbedtls_x509_name *name)
{
    static const unsigned char kind[] = { 0x55, 0x04, 0x03 };

    for (; name != NULL; name = name->next) {
        if (name->oid.len == sizeof(kind) &&
            memcmp(name->oid.p, kind, sizeof(kind)) == 0) {
            return &name->val;
        }
    }
    return NULL;
}

/* The common name of an authority, or the last part of what it has instead. */
void jz__tls_names_put_subject(struct jz__buf *out,
                               const mbedtls_x509_name *name)
{
    const mbedtls_x509_buf *shown = common_name(name);

    for (; shown == NULL && name != NULL; name = name->next) {
        if (name->next == NULL) {
            shown = &name->val;
        }
    }
    jz__buf_putc(out, '\'');
    put_name(out, shown != NULL ? shown->p : NULL,
             shown != NULL ? shown->len : 0);
    jz__buf_putc(out, '\'');
}

/* Byte by byte: an entry of another length is another kind of address, or none
 * at all. */
bool jz__tls_names_has_address(const mbedtls_x509_crt *cert,
                               const struct jz__address *address)
{
    const mbedtls_x509_sequence *one = &cert->subject_alt_names;
    size_t length = address->is_v6 ? 16 : 4;

    for (; one != NULL; one = one->next) {
        if (one->buf.tag == TAG_ADDRESS && one->buf.len == length &&
            memcmp(one->buf.p, address->bytes, length) == 0) {
            return true;
        }
    }
    return false;
}

/* As mbedTLS compares it, but for the case, which addresses do not have. */
static bool is_host(const mbedtls_x509_buf *name, const char *host)
{
    return name != NULL && name->len == strlen(host) &&
           memcmp(name->p, host, name->len) == 0;
}

/* A certificate for an address, as many are made, that has it as a name. */
static bool names_address_as_name(const mbedtls_x509_crt *cert,
                                  const char *host)
{
    const mbedtls_x509_sequence *one = &cert->subject_alt_names;

    for (; one != NULL; one = one->next) {
        if (one->buf.tag == TAG_NAME && is_host(&one->buf, host)) {
            return true;
        }
    }
    return is_host(common_name(&cert->subject), host);
}

/* A name or an address of the subjectAltName; false: it is something else, as
 * mail addresses are. */
static bool put_entry(struct jz__buf *out, const mbedtls_x509_buf *entry)
{
    char text[INET6_ADDRSTRLEN];

    if (entry->tag == TAG_NAME) {
        put_name(out, entry->p, entry->len);
        return true;
    }
    if (entry->tag != TAG_ADDRESS || (entry->len != 4 && entry->len != 16)) {
        return false;
    }
    jz__buf_puts(out, inet_ntop(entry->len == 4 ? AF_INET : AF_INET6, entry->p,
                                text, sizeof(text)));
    return true;
}

/* "a.example, 10.0.0.1 and 3 more"; the common name counts if there is no
 * subjectAltName. Nothing: it is for no host at all. */
static void put_hosts(struct jz__buf *out, const mbedtls_x509_crt *cert)
{
    const mbedtls_x509_sequence *one = &cert->subject_alt_names;
    const mbedtls_x509_buf *common = common_name(&cert->subject);
    int count = 0;

    for (; one != NULL; one = one->next) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf host = JZ__BUF_INIT;

        if (one->buf.p == NULL || !put_entry(&host, &one->buf)) {
            continue;
        }
        if (host.error != 0) {
            out->error = host.error;
        } else if (++count <= NAMES_MOST) {
            jz__buf_printf(out, "%s%s", count > 1 ? ", " : "", host.data);
        }
    }
    if (count > NAMES_MOST) {
        jz__buf_printf(out, " and %d more", count - NAMES_MOST);
    }
    if (cert->subject_alt_names.buf.p == NULL && common != NULL) {
        put_name(out, common->p, common->len);
    }
}

void jz__tls_names_put_mismatch(struct jz__buf *out, const struct jz__tls *tls,
                                const mbedtls_x509_crt *cert)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf hosts = JZ__BUF_INIT;

    if (tls->has_address && names_address_as_name(cert, tls->host)) {
        jz__buf_printf(out,
                       "has %s as a name alone, not as an address "
                       "(subjectAltName IP:%s)",
                       tls->host, tls->host);
        return;
    }
    put_hosts(&hosts, cert);
    if (hosts.error != 0) {
        out->error = hosts.error;
    } else if (hosts.length > 0) {
        jz__buf_printf(out, "is not for %s but for %s", tls->host, hosts.data);
    } else {
        jz__buf_printf(out, "is not for %s nor any other host", tls->host);
    }
}
