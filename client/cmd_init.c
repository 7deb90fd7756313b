/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init: the key and client.json. Run again it keeps the key, and of client.json
 * everything that the command line says nothing of, also what a newer version
 * put there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands.h"
#include "home.h"
#include "net/key.h"
#include "net/url.h"
#include "prog/command.h"

/* As the server takes a name. */
#define DEVICE_MOST 150

/* --- what was asked for --- */

/* The part of the address that is not as it should be, in words. */
static const char *find_fault(const char *text, const struct jz__url *url)
{
    static const char mcp[] = "/mcp";

    for (const char *c = text; *c != '\0'; c++) {
        if (*c <= ' ' || *c > '~') {
            return "holds a blank or a character that has to be encoded";
        }
    }
    if (memchr(url->path.data, '?', url->path.length) != NULL ||
        memchr(url->path.data, '#', url->path.length) != NULL) {
        return "holds a ? or #";
    }
    if (jz__str_ends(jz__str_trim(url->path), mcp) ||
        jz__str_ends(url->path, "/mcp/")) {
        return "ends in /mcp: leave that out, agents' MCP calls get it";
    }
    return NULL;
}

static int check_url(const char *text, bool is_insecure,
                     struct jz__error *error)
{
    struct jz__url url;
    const char *fault;

    if (!jz__url_parse(&url, jz__str_of(text))) {
        return jz__fail(error, JZ_EINVAL,
                        "--url must be https://HOST or https://HOST:PORT, "
                        "without a user or password in it, got '%s'",
                        strchr(text, '@') != NULL ? "…@…" : text);
    }
    fault = find_fault(text, &url);
    if (fault != NULL) {
        return jz__fail(error, JZ_EINVAL, "--url %s, got '%s'", fault, text);
    }
    if (jz__str_is_nocase(url.scheme, "https") || is_insecure ||
        jz__url_is_loopback(url.host)) {
        return 0;
    }
    return jz__fail(error, JZ_EINVAL,
                    "--url is http: the key and every session would travel "
                    "readable. Use https, or --insecure if nobody can listen "
                    "on the way");
}

static bool is_device_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

static bool is_device_name(const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++) {
        if (!is_device_char(name[i])) {
            return false;
        }
    }
    return length > 0 && length <= DEVICE_MOST && name[0] != '.' &&
           name[0] != '-';
}

/* What the computer calls itself, as far as the server takes it. */
static void find_host_name(char out[DEVICE_MOST + 1])
{
    if (gethostname(out, DEVICE_MOST + 1) < 0) {
        out[0] = '\0';
    }
    out[DEVICE_MOST] = '\0';
    for (char *c = out; *c != '\0'; c++) {
        if (!is_device_char(*c)) {
            *c = '-';
        }
    }
    if (!is_device_name(out)) {
        strcpy(out, "computer");
    }
}

/* --- client.json --- */

static int set(cJSON *config, const char *key, cJSON *value)
{
    if (value == NULL) {
        return JZ_ENOMEM;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(config, key);
    if (!cJSON_AddItemToObject(config, key, value)) {
        cJSON_Delete(value);
        return JZ_ENOMEM;
    }
    return 0;
}

/* A damaged one was refused when the home was opened. */
static int read_config(cJSON **out, const char *path, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r = jz__file_read(&text, path, 262144, error);

    if (r == 0 && text.length > 0) {
        return jz__json_parse(out, text.data, text.length, error);
    }
    if (r < 0 && r != JZ_ENOTFOUND) {
        return r;
    }
    *out = cJSON_CreateObject();
    return *out != NULL ? 0 : jz__fail_memory(error);
}

static int change_config(cJSON *config, const struct jz__opts *opts,
                         struct jz__error *error)
{
    const char *url = jz__opts_value(opts, "url");
    const char *device = jz__opts_value(opts, "device");
    char host[DEVICE_MOST + 1];
    int r = 0;

    if (url != NULL) {
        r = set(config, "url", cJSON_CreateString(url));
    }
    if (device == NULL && jz__json_text(config, "device", NULL) == NULL) {
        find_host_name(host);
        device = host;
    }
    if (r == 0 && device != NULL) {
        r = set(config, "device", cJSON_CreateString(device));
    }
    /* With a URL the computer is set up anew, and sends unless it is told not to;
     * without one this is a look at the line, and changes nothing. */
    if (r == 0 && (url != NULL || jz__opts_has(opts, "no-upload"))) {
        r = set(config, "upload",
                cJSON_CreateBool(!jz__opts_has(opts, "no-upload")));
    }
    return r < 0 ? jz__fail_memory(error) : 0;
}

static int write_config(const struct home *home, const struct jz__opts *opts,
                        struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char *path = home_file(home, "client.json");
    JZ_CLEANUP(jz__json_freep) cJSON *config = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    char *printed;
    int r;

    if (path == NULL) {
        return jz__fail_memory(error);
    }
    r = read_config(&config, path, error);
    if (r == 0) {
        r = change_config(config, opts, error);
    }
    if (r < 0) {
        return r;
    }
    printed = cJSON_Print(config);
    jz__buf_puts(&text, printed != NULL ? printed : "");
    jz__buf_putc(&text, '\n');
    cJSON_free(printed);
    return printed == NULL || text.error != 0
               ? jz__fail_memory(error)
               : jz__file_write(path, text.data, text.length, error);
}

/* --- the key --- */

/* Made by this call or not at all: of two that run at once one makes the key,
 * and both show its digest. */
static int write_key(const char *path, struct jz__error *error)
{
    char key[JZ__KEY_SIZE];
    int fd;
    int r = jz__key_make(key, error);

    if (r < 0) {
        return r;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno == EEXIST
                   ? 0
                   : jz__fail_errno(error, errno, "cannot make", path);
    }
    /* Without a line end: the digest of the file is that of the key. */
    if (write(fd, key, JZ__KEY_SIZE - 1) != JZ__KEY_SIZE - 1 || fsync(fd) < 0) {
        r = jz__fail_errno(error, errno, "cannot write", path);
        (void)unlink(path);
    }
    (void)close(fd);
    explicit_bzero(key, sizeof(key));
    return r;
}

static int make_key(const struct home *home, struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char *path = home_file(home, "token");
    struct jz__file_state state;

    if (path == NULL) {
        return jz__fail_memory(error);
    }
    /* Nothing in it is no key: as if it were not there. */
    if (jz__file_stat(&state, path, NULL) == 0 && state.size == 0 &&
        unlink(path) < 0) {
        return jz__fail_errno(error, errno, "cannot replace", path);
    }
    return write_key(path, error);
}

static void print_next(const struct home *home, const char *digest, bool is_new,
                       bool did_upload)
{
    printf("Device key %s. The key stays in %s; the server only keeps its "
           "SHA-256 fingerprint.\n"
           "Ask the Jezero admin to approve it with:\n"
           "\n"
           "  jezero device approve %s %s%s\n",
           is_new ? "created" : "kept", home->path, home->device, digest,
           home->may_upload ? "" : " --read-only");
    if (!is_new && home->may_upload != did_upload) {
        printf("\nThis computer %s.\n", home->may_upload
                                            ? "sends its sessions from now on"
                                            : "sends nothing from now on");
    }
}

static int set_up(struct home *home, const struct jz__opts *opts,
                  struct jz__error *error)
{
    char text[JZ__DIGEST_TEXT_SIZE];
    bool is_new = home->key == NULL;
    bool did_upload = home->may_upload;
    struct jz__digest digest;
    int r = home_make(home->path, error);

    if (r == 0 && is_new) {
        r = make_key(home, error);
    }
    if (r == 0) {
        r = write_config(home, opts, error);
    }
    if (r < 0) {
        return r;
    }
    home_finish(home);
    r = home_open(home, NULL, error);
    if (r == 0) {
        r = jz__key_digest(&digest, jz__str_of(home->key), error);
    }
    if (r == 0) {
        jz__digest_format(text, &digest);
        print_next(home, text, is_new, did_upload);
    }
    return r;
}

int cmd_init_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(home_finish) struct home home = { 0 };
    const char *url = jz__opts_value(opts, "url");
    const char *device = jz__opts_value(opts, "device");
    struct jz__error error = { 0 };

    if (device != NULL && !is_device_name(device)) {
        return jz__command_wrong(opts,
                                 "--device must be of A-Z a-z 0-9 . _ -, at "
                                 "most 150 characters, and "
                                 "begin with a letter, a digit or _, got '%s'",
                                 device);
    }
    if (url != NULL &&
        check_url(url, jz__opts_has(opts, "insecure"), &error) < 0) {
        return jz__command_wrong(opts, "%s", error.message);
    }
    if (home_open(&home, NULL, &error) < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    if (url == NULL && home.url == NULL) {
        return jz__command_wrong(opts, "which server? Give --url https://HOST");
    }
    return set_up(&home, opts, &error) < 0
               ? jz__command_fail(opts, "%s", error.message)
               : EXIT_SUCCESS;
}
