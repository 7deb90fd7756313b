/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the certificate to be trusted? mbedTLS builds the chain and decides; here
 * is what it leaves out, the addresses of 2.28, and the sentence about what is
 * wrong.
 *
 * mbedTLS goes through the chain from its end to the server's own certificate
 * and forgets it when the handshake fails, so the words are found on the way:
 * those about the server's own certificate, which may be wrong in several ways,
 * and the one about the chain. They become one sentence at the end.
 *
 * Nothing here makes a certificate good: flags are added, never taken away.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/time.h"
#include "net/tls_private.h"

/* "2026-10-01" and more than any year takes. */
#define DATE_SIZE 16

/* The day alone: nobody needs the second at which it was. */
static const char *show_date(char out[DATE_SIZE], const mbedtls_x509_time *at)
{
    (void)snprintf(out, DATE_SIZE, "%04d-%02d-%02d", at->year, at->mon,
                   at->day);
    return out;
}

/* "has expired (on …)", "is not valid before …". */
static void put_validity(struct jz__buf *out, const mbedtls_x509_crt *cert)
{
    char date[DATE_SIZE];
    char now[JZ__TIME_SIZE];

    if (mbedtls_x509_time_is_past(&cert->valid_to)) {
        jz__buf_printf(out, "has expired (on %s)",
                       show_date(date, &cert->valid_to));
        return;
    }
    jz__time_format(now, (int64_t)time(NULL));
    jz__buf_printf(out,
                   "is not valid before %s (the clock of this computer says "
                   "%.10s)",
                   show_date(date, &cert->valid_from), now);
}

/* --- who vouches for it --- */

static bool is_same(const mbedtls_x509_buf *a, const mbedtls_x509_buf *b)
{
    return a->len == b->len && a->p != NULL && b->p != NULL &&
           memcmp(a->p, b->p, a->len) == 0;
}

/* The first of a list that has this subject. */
static const mbedtls_x509_crt *find(const mbedtls_x509_crt *list,
                                    const mbedtls_x509_buf *subject)
{
    while (list != NULL && !is_same(&list->subject_raw, subject)) {
        list = list->next;
    }
    return list;
}

/* Nobody trusted has issued this certificate, with which the chain ends. The
 * issuer is what people have to look for; that it is in the file and still does
 * not count has to be said, or they would not believe the rest. */
static void put_end(struct jz__buf *out, const struct jz__tls *tls,
                    const mbedtls_x509_crt *cert, int depth)
{
    const struct jz__tls_client *client = tls->client;
    const mbedtls_x509_crt *stale = find(&client->stale, &cert->issuer_raw);
    bool is_own = depth == 0 && is_same(&cert->issuer_raw, &cert->subject_raw);

    if (is_own) {
        jz__buf_puts(out, "it was signed by itself");
    } else {
        jz__buf_puts(out,
                     depth == 0 ? "it was issued by " : "its chain leads to ");
        jz__tls_names_put_subject(out, &cert->issuer);
    }
    if (find(&client->anchors, &cert->issuer_raw) != NULL) {
        jz__buf_printf(out, ", and that of the same name in %s is another one",
                       client->file);
    } else if (stale != NULL) {
        jz__buf_printf(out,
                       is_own ? ", and that of the same name in %s "
                              : ", which in %s ",
                       client->file);
        put_validity(out, stale);
    } else {
        jz__buf_printf(out,
                       is_own ? " and is not in %s" : ", which is not in %s",
                       client->file);
    }
}

/* mbedTLS notes a missing issuer at the last certificate that it has, and dates
 * at each. */
static void judge_chain(struct jz__tls *tls, const mbedtls_x509_crt *cert,
                        int depth, uint32_t flags)
{
    struct jz__buf *out = &tls->verdict.chain;
    const mbedtls_x509_crt *stale = NULL;

    if (depth == 0) {
        stale = find(&tls->client->stale, &cert->subject_raw);
    }
    if (stale != NULL && is_same(&stale->raw, &cert->raw)) {
        /* Trusted itself, and what is wrong with it is that it has expired. */
        return;
    }
    if ((flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED) != 0) {
        put_end(out, tls, cert, depth);
    } else if (depth > 0 && (flags & (MBEDTLS_X509_BADCERT_EXPIRED |
                                      MBEDTLS_X509_BADCERT_FUTURE)) != 0) {
        jz__tls_names_put_subject(out, &cert->subject);
        jz__buf_puts(out, ", which vouches for it, ");
        put_validity(out, cert);
    }
    tls->verdict.is_untrusted |= out->length > 0 || out->error != 0;
}

int jz__tls_verify(void *context, mbedtls_x509_crt *cert, int depth,
                   uint32_t *flags)
{
    struct jz__tls *tls = context;
    struct jz__buf *own = &tls->verdict.own;

    tls->verdict.is_checked = true;
    if (depth == 0 && tls->has_address &&
        !jz__tls_names_has_address(cert, &tls->address)) {
        *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
    }
    /* The first that is wrong is the nearest to the end, and explains most. */
    if (tls->verdict.chain.length == 0) {
        judge_chain(tls, cert, depth, *flags);
    }
    if (depth == 0 && (*flags & (MBEDTLS_X509_BADCERT_EXPIRED |
                                 MBEDTLS_X509_BADCERT_FUTURE)) != 0) {
        put_validity(own, cert);
        jz__buf_putc(own, '\n');
    }
    if (depth == 0 && (*flags & MBEDTLS_X509_BADCERT_CN_MISMATCH) != 0) {
        jz__tls_names_put_mismatch(own, tls, cert);
        jz__buf_putc(own, '\n');
    }
    return 0;
}

/* --- the sentence --- */

/* What mbedTLS finds without telling of which certificate, or after the last
 * call of jz__tls_verify(). */
static void put_rest(struct jz__buf *out, const struct jz__tls *tls)
{
    static const struct {
        uint32_t flags;
        const char *text;
    } faults[] = {
        { MBEDTLS_X509_BADCERT_KEY_USAGE | MBEDTLS_X509_BADCERT_EXT_KEY_USAGE |
              MBEDTLS_X509_BADCERT_NS_CERT_TYPE,
          "is not one for servers\n" },
        { MBEDTLS_X509_BADCERT_BAD_MD | MBEDTLS_X509_BADCERT_BAD_PK,
          "is signed in a way that is no longer safe\n" },
        { MBEDTLS_X509_BADCERT_BAD_KEY,
          "has a key that is too weak, or not known here\n" },
    };
    uint32_t flags = mbedtls_ssl_get_verify_result(&tls->ssl);

    /* All bits are set before there is a result. */
    if (!tls->verdict.is_checked || flags == UINT32_MAX) {
        return;
    }
    for (size_t i = 0; i < JZ__LENGTH(faults); i++) {
        if ((flags & faults[i].flags) != 0) {
            jz__buf_puts(out, faults[i].text);
        }
    }
}

void jz__tls_verify_put(struct jz__buf *out, const struct jz__tls *tls)
{
    const struct jz__tls_verdict *verdict = &tls->verdict;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf faults = JZ__BUF_INIT;
    struct jz__str rest;
    struct jz__str line;

    if (verdict->own.length > 0) {
        jz__buf_append(&faults, verdict->own.data, verdict->own.length);
    }
    put_rest(&faults, tls);
    /* Last, because it has most to say. */
    if (verdict->chain.length > 0) {
        jz__buf_printf(&faults, "is not trusted: %s\n", verdict->chain.data);
    }
    if (faults.error != 0 || verdict->own.error != 0 ||
        verdict->chain.error != 0) {
        out->error = JZ_ENOMEM;
        return;
    }
    rest = (struct jz__str){ faults.data, faults.length };
    for (bool is_first = true; jz__str_line(&line, &rest); is_first = false) {
        if (is_first) {
            jz__buf_printf(out, "the certificate of %s ", tls->host);
        } else {
            jz__buf_puts(out, rest.length > 0 ? ", " : " and ");
        }
        jz__buf_append(out, line.data, line.length);
    }
}

void jz__tls_verdict_finish(struct jz__tls_verdict *verdict)
{
    jz__buf_finish(&verdict->own);
    jz__buf_finish(&verdict->chain);
}
