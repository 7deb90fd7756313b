/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "home.h"
#include "tap.h"
#include "tmpdir.h"
#include "trust.h"

static struct tmpdir dir;
static struct home home;

static void begin(void)
{
    tmpdir_make(&dir);
    home = (struct home){ .path = dir.path };
    (void)unsetenv("JEZERO_CA_FILE");
    (void)unsetenv("SSL_CERT_FILE");
}

static void check_file(const char *want, const char *origin)
{
    JZ_CLEANUP(trust_finish) struct trust trust;

    CHECK_INT(trust_find(&trust, &home, NULL), 0);
    CHECK_STR(trust.file.data, want);
    CHECK_STR(trust.origin, origin);
}

static void what_the_user_set_comes_first(void)
{
    begin();
    (void)setenv("SSL_CERT_FILE", tmpdir_write(&dir, "own.pem", "x", 1), 1);
    CHECK_INT(chmod(getenv("SSL_CERT_FILE"), 0644), 0);
    check_file(getenv("SSL_CERT_FILE"), "SSL_CERT_FILE");
    (void)tmpdir_write(&dir, "ca.pem", "x", 1);
    check_file(tmpdir_path(&dir, "ca.pem"), "ca.pem of the client home");
    (void)setenv("JEZERO_CA_FILE", tmpdir_write(&dir, "set.pem", "x", 1), 1);
    CHECK_INT(chmod(getenv("JEZERO_CA_FILE"), 0644), 0);
    check_file(getenv("JEZERO_CA_FILE"), "JEZERO_CA_FILE");
    tmpdir_remove(&dir);
}

static void check_refused(const char *value, int code, const char *part)
{
    JZ_CLEANUP(trust_finish) struct trust trust;
    struct jz__error error = { 0 };

    (void)setenv("JEZERO_CA_FILE", value, 1);
    CHECK_INT(trust_find(&trust, &home, &error), code);
    CHECK(strstr(error.message, part) != NULL);
}

static void a_file_that_others_could_have_put_there_is_refused(void)
{
    const char *path;

    begin();
    check_refused("ca.pem", JZ_EINVAL, "absolute");
    check_refused(tmpdir_path(&dir, "none.pem"), JZ_ENOTFOUND, "none.pem");
    path = tmpdir_write(&dir, "set.pem", "x", 1);
    CHECK_INT(chmod(path, 0664), 0);
    check_refused(path, JZ_EINVAL, "written by others");
    CHECK_INT(chmod(path, 0644), 0);
    (void)tmpdir_mkdir(&dir, ".git");
    check_refused(path, JZ_EINVAL, "repository");
    (void)setenv("HOME", dir.path, 1); /* a user who keeps it in git */
    check_file(path, "JEZERO_CA_FILE");
    tmpdir_remove(&dir);
}

static void export_with(const char *script, int want)
{
    const char *program =
        tmpdir_write(&dir, "security", script, strlen(script));

    CHECK_INT(chmod(program, 0700), 0);
    CHECK_INT(trust_export(&home, program, NULL), want);
}

static void certificates_of_keychains_become_ca_pem(void)
{
    struct stat info;

    begin();
    CHECK_INT(trust_export(&home, "/does/not/exist", NULL), JZ_EIO);
    export_with("#!/bin/sh\necho nothing\n", JZ_EIO);
    export_with("#!/bin/sh\necho -----BEGIN CERTIFICATE-----\nexit 1\n",
                JZ_EIO);
    CHECK(access(tmpdir_path(&dir, "ca.pem"), F_OK) != 0);
    export_with("#!/bin/sh\n[ \"$1 $2 $3\" = 'find-certificate -a -p' ] && "
                "echo -----BEGIN CERTIFICATE-----\n",
                0);
    CHECK_INT(stat(tmpdir_path(&dir, "ca.pem"), &info), 0);
    CHECK(info.st_size > 0);
    tmpdir_remove(&dir);
}

int main(void)
{
    TAP_RUN(what_the_user_set_comes_first);
    TAP_RUN(a_file_that_others_could_have_put_there_is_refused);
    TAP_RUN(certificates_of_keychains_become_ca_pem);
    return tap_done();
}
