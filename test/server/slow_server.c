/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server with short timeouts, and with calls that take as long as a test
 * wants: a message that holds "slow-call" does not return before it is
 * interrupted or SLOW_MS are over. The disk of uploads is as slow: disk_ms for
 * each stretch that is written. Linked with -Wl,--wrap for the functions that
 * this is about; what lies below them is the real thing.
 *
 *     slow_server LIBRARY [request_ms=N] [upload_ms=N] [idle_ms=N] [grace_ms=N]
 *                 [most=N] … [cert=FILE key=FILE]
 *                 [inbox=FOLDER client=DIGEST disk_ms=N]
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "auth.h"
#include "serve.h"
#include "upload_file.h"

#define SLOW_MS 1500
#define STEP_MS 10

int __real_jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                           const char *scope_json, const char *headers_json,
                           const char *request, size_t length);
void __real_jz_library_interrupt(jz_library *lib);
int __wrap_jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                           const char *scope_json, const char *headers_json,
                           const char *request, size_t length);
void __wrap_jz_library_interrupt(jz_library *lib);
void __real_upload_file_write(struct upload_file *file, struct jz__str data,
                              bool is_last);
void __wrap_upload_file_write(struct upload_file *file, struct jz__str data,
                              bool is_last);

/* Set before the server starts. */
static int disk_ms;

/* One for all handles: the tests interrupt one call at a time. */
static atomic_bool interrupted;

static void wait_slowly(void)
{
    const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };

    atomic_store(&interrupted, false);
    fprintf(stderr, "slow call begins\n");
    for (int ms = 0; ms < SLOW_MS; ms += STEP_MS) {
        if (atomic_load(&interrupted)) {
            fprintf(stderr, "slow call interrupted\n");
            return;
        }
        (void)nanosleep(&step, NULL);
    }
    fprintf(stderr, "slow call ends\n");
}

int __wrap_jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                           const char *scope_json, const char *headers_json,
                           const char *request, size_t length)
{
    if (length > 0 && memmem(request, length, "slow-call", 9) != NULL) {
        wait_slowly();
    }
    return __real_jz_mcp_dispatch(out, http_status, lib, scope_json,
                                  headers_json, request, length);
}

void __wrap_jz_library_interrupt(jz_library *lib)
{
    atomic_store(&interrupted, true);
    __real_jz_library_interrupt(lib);
}

void __wrap_upload_file_write(struct upload_file *file, struct jz__str data,
                              bool is_last)
{
    const struct timespec pause = { disk_ms / 1000, disk_ms % 1000 * 1000000L };

    (void)nanosleep(&pause, NULL);
    __real_upload_file_write(file, data, is_last);
}

static int background(void *userdata, struct serve_stop *stop)
{
    (void)userdata;
    while (!serve_stop_wait(stop, 60000)) {
    }
    fprintf(stderr, "background ended\n");
    return 0;
}

static int *find_option(struct serve_options *options, const char *name)
{
    static const char *const names[] = { "request_ms", "upload_ms", "idle_ms",
                                         "grace_ms",   "most",      "workers",
                                         "port",       "disk_ms" };
    int *const places[] = { &options->request_timeout_ms,
                            &options->upload_timeout_ms,
                            &options->idle_timeout_ms,
                            &options->grace_ms,
                            &options->max_connections,
                            &options->workers,
                            &options->port,
                            &disk_ms };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            return places[i];
        }
    }
    return NULL;
}

/* The one that may upload. */
static struct auth_table *approve(const char *digest)
{
    static const struct jz__log log = { NULL, NULL };
    const struct config_client client = { .name = "laptop",
                                          .token_sha256 = digest,
                                          .upload = true };
    struct auth_table *table = NULL;

    (void)auth_table_build(&table, &client, 1, auth_getenv, &log, NULL);
    return table;
}

/* What is no number. */
static bool take_text(struct serve_options *options, const char *name,
                      const char *value)
{
    if (strcmp(name, "cert") == 0) {
        options->tls_cert = value;
    } else if (strcmp(name, "key") == 0) {
        options->tls_key = value;
    } else if (strcmp(name, "inbox") == 0) {
        options->inbox_path = value;
    } else if (strcmp(name, "client") == 0) {
        options->clients = approve(value);
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct serve_options options = { .library_path = argc > 1 ? argv[1] : "",
                                     .upload_most = 64 << 20,
                                     .log_level = JZ_LOG_DEBUG,
                                     .background = background };

    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        int *place;

        if (value == NULL) {
            options.host = argv[i];
            continue;
        }
        *value++ = '\0';
        if (take_text(&options, argv[i], value)) {
            continue;
        }
        place = find_option(&options, argv[i]);
        if (place == NULL) {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
        *place = (int)strtol(value, NULL, 10);
    }
    return serve_run(&options);
}
