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

#include "base/mem.h"
#include "base/time.h"

/* Authorities renew a month before the end; in the last days of it something
 * has failed. */
#define SOON_S ((int64_t)7 * 24 * 60 * 60)

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

static int load(struct tls_config *config, struct jz__error *error)
{
    struct jz__tls_server *fresh;
    int r =
        jz__tls_server_new(&fresh, config->cert_file, config->key_file, error);

    if (r < 0) {
        return r;
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
