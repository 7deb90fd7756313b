/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbedTLS knows no certificates of its own, so a file must be found. What the
 * user set counts alone: a server of a private authority must not be reached
 * because some public one vouches for another in its place.
 */
#include "trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "repository.h"

/* Keychains hold some 170 roots of 2 kB. */
#define EXPORT_MOST ((size_t)16 * 1024 * 1024)

/* Where Debian, Fedora, SUSE, Alpine, FreeBSD, macOS and Homebrew keep it. */
static const char *const bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
    "/opt/homebrew/etc/ca-certificates/cert.pem",
};

/* A repository can set the variable for the agents that work in it: a file of
 * its own must not make its server a trusted one. */
static int judge(const char *name, const char *path, struct jz__error *error)
{
    struct stat st;

    if (path[0] != '/') {
        return jz__fail(error, JZ_EINVAL,
                        "%s must be an absolute path, got '%s'", name, path);
    }
    if (stat(path, &st) < 0) {
        return jz__fail(error, errno == ENOENT ? JZ_ENOTFOUND : JZ_EIO,
                        "cannot read %s %s: %s", name, path, strerror(errno));
    }
    if ((st.st_uid != geteuid() && st.st_uid != 0) ||
        (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return jz__fail(error, JZ_EINVAL, "%s may be written by others: %s",
                        name, path);
    }
    if (repository_holds(path)) {
        return jz__fail(error, JZ_EINVAL,
                        "%s lies in a repository, which could have put it "
                        "there: %s. Copy it to ca.pem in the client home",
                        name, path);
    }
    return 0;
}

static int take(struct trust *out, const char *path, const char *origin,
                struct jz__error *error)
{
    jz__buf_puts(&out->file, path);
    out->origin = origin;
    return out->file.error != 0 ? jz__fail_memory(error) : 0;
}

int trust_find(struct trust *out, const struct home *home,
               struct jz__error *error)
{
    const char *set = getenv("JEZERO_CA_FILE");
    const char *standard = getenv("SSL_CERT_FILE");
    JZ_CLEANUP(jz__mem_freep) char *own = home_file(home, "ca.pem");

    memset(out, 0, sizeof(*out));
    if (own == NULL) {
        return jz__fail_memory(error);
    }
    if (set != NULL && set[0] != '\0') {
        int r = judge("JEZERO_CA_FILE", set, error);

        return r < 0 ? r : take(out, set, "JEZERO_CA_FILE", error);
    }
    if (access(own, F_OK) == 0) {
        return take(out, own, "ca.pem of the client home", error);
    }
    if (standard != NULL && standard[0] == '/') {
        int r = judge("SSL_CERT_FILE", standard, error);

        return r < 0 ? r : take(out, standard, "SSL_CERT_FILE", error);
    }
    for (size_t i = 0; i < JZ__LENGTH(bundles); i++) {
        if (access(bundles[i], R_OK) == 0) {
            return take(out, bundles[i],
                        "the system's certificates; for an authority of your "
                        "own write ca.pem in the client home, or set "
                        "JEZERO_CA_FILE",
                        error);
        }
    }
    return jz__fail(error, JZ_ENOTFOUND,
                    "no trusted certificates on this computer: install its "
                    "ca-certificates, or set JEZERO_CA_FILE to a PEM file");
}

void trust_finish(struct trust *trust)
{
    jz__buf_finish(&trust->file);
}

/* --- macOS --- */

static void close_stream(FILE **stream)
{
    if (*stream != NULL) {
        (void)fclose(*stream);
    }
}

/* The child's standard input and errors are nobody's: an agent may own ours. */
static int start(pid_t *pid, FILE **out, const char *program)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0) {
        return -1;
    }
    *pid = fork();
    if (*pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        if (null >= 0 && dup2(null, 0) >= 0 && dup2(ends[1], 1) >= 0 &&
            dup2(null, 2) >= 0) {
            execl(program, program, "find-certificate", "-a", "-p",
                  "/System/Library/Keychains/SystemRootCertificates.keychain",
                  "/Library/Keychains/System.keychain", (char *)NULL);
        }
        _exit(127);
    }
    (void)close(ends[1]);
    *out = *pid > 0 ? fdopen(ends[0], "r") : NULL;
    if (*out == NULL) {
        (void)close(ends[0]);
    }
    return *out != NULL ? 0 : -1;
}

static int read_all(struct jz__buf *out, FILE *stream)
{
    char piece[16384];
    size_t n;

    while ((n = fread(piece, 1, sizeof(piece), stream)) > 0) {
        if (out->length + n > EXPORT_MOST) {
            return -1;
        }
        jz__buf_append(out, piece, n);
    }
    return out->error != 0 || ferror(stream) ? -1 : 0;
}

int trust_export(const struct home *home, const char *program,
                 struct jz__error *error)
{
    JZ_CLEANUP(close_stream) FILE *stream = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) char *path = home_file(home, "ca.pem");
    pid_t pid = -1;
    int status = -1;
    int r;

    if (path == NULL) {
        return jz__fail_memory(error);
    }
    r = start(&pid, &stream, program) == 0 ? read_all(&text, stream) : -1;
    if (pid > 0 && waitpid(pid, &status, 0) < 0) {
        status = -1;
    }
    if (r < 0 || status != 0 ||
        jz__str_find((struct jz__str){ text.data, text.length },
                     "-----BEGIN CERTIFICATE-----") == SIZE_MAX) {
        return jz__fail(error, JZ_EIO,
                        "%s gave no certificates of the keychains", program);
    }
    return jz__file_write(path, text.data, text.length, error);
}
