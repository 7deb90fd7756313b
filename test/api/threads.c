/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles in threads: readers, a writer, backups and checks, each with a handle
 * of its own on one file, and one thread that interrupts. What the thread
 * sanitizer has to say shows here.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jezero.h"
#include "tap.h"
#include "tmpdir.h"

#define READERS 6
#define WRITES 150

static struct tmpdir folder;
static char library[512];
static char copy[512];
static atomic_bool is_over;
static atomic_int answers;
static atomic_int failures;
static atomic_int interrupted;

static void expect(jz_library *lib, int r)
{
    if (r == 0) {
        atomic_fetch_add(&answers, 1);
    } else if (r == JZ_EBUSY &&
               strcmp(jz_library_errmsg(lib), "interrupted") == 0) {
        atomic_fetch_add(&interrupted, 1);
    } else {
        atomic_fetch_add(&failures, 1);
        printf("# %d %s\n", r, jz_library_errmsg(lib));
    }
}

static jz_library *open_library(void)
{
    jz_library *lib = NULL;

    expect(lib, jz_library_open(&lib, library, "{\"busy_timeout_ms\":60000}"));
    return lib;
}

static void dispatch(jz_library *lib, const char *call)
{
    char request[512];
    char *out = NULL;
    int status = 0;

    snprintf(request, sizeof(request),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":%s}",
             call);
    expect(lib, jz_mcp_dispatch(&out, &status, lib, "[\"agent-*\",\"n*\"]",
                                NULL, request, strlen(request)));
    jz_free(out);
}

static void *read_all(void *unused)
{
    jz_library *lib = open_library();

    (void)unused;
    while (!atomic_load(&is_over)) {
        dispatch(lib, "{\"name\":\"search\",\"arguments\":"
                      "{\"query\":\"invoice export\"}}");
        dispatch(lib, "{\"name\":\"later\",\"arguments\":{\"item_id\":1}}");
        dispatch(lib, "{\"name\":\"get_item\",\"arguments\":{\"item_id\":3}}");
        dispatch(lib, "{\"name\":\"list_sources\"}");
        dispatch(lib, "{\"name\":\"timeline\"}");
    }
    jz_library_close(lib);
    return NULL;
}

static void *back_up(void *unused)
{
    jz_library *lib = open_library();

    (void)unused;
    while (!atomic_load(&is_over)) {
        char *out = NULL;

        expect(lib, jz_backup(lib, copy, NULL, NULL));
        expect(lib, jz_check(&out, lib, NULL));
        jz_free(out);
    }
    jz_library_close(lib);
    return NULL;
}

/* A reader that is interrupted all the time by another thread. */
static void *interrupt(void *shared)
{
    while (!atomic_load(&is_over)) {
        jz_library_interrupt(shared);
        (void)sched_yield();
    }
    return NULL;
}

static void write_items(void)
{
    jz_library *lib = open_library();
    int i;

    for (i = 0; i < WRITES; i++) {
        char item[512];
        char *out = NULL;
        int more = 1;

        snprintf(item, sizeof(item),
                 "{\"source\":\"%s\",\"external_id\":\"%d#0\","
                 "\"occurred_at\":\"2026-01-31T09:00:00+00:00\","
                 "\"title\":\"Invoice export %d\",\"summary\":\"as UTF-8\","
                 "\"project\":\"billing\"}",
                 i % 2 ? "agent-codex-desk" : "notes", i % 100, i);
        expect(lib, jz_put_item(&out, lib, item, strlen(item)));
        jz_free(out);
        if (i % 10 == 0) {
            expect(lib, jz_maintain(&more, lib));
        }
    }
    jz_library_close(lib);
}

static void handles_on_one_file_are_independent(void)
{
    pthread_t threads[READERS + 2];
    jz_library *shared = open_library();
    char *out = NULL;
    int i;

    for (i = 0; i < READERS; i++) {
        CHECK_INT(pthread_create(&threads[i], NULL, read_all, NULL), 0);
    }
    CHECK_INT(pthread_create(&threads[READERS], NULL, back_up, NULL), 0);
    CHECK_INT(pthread_create(&threads[READERS + 1], NULL, interrupt, shared),
              0);
    write_items();
    for (i = 0; i < 200; i++) {
        char *found = NULL;

        expect(shared, jz_search(&found, shared, NULL,
                                 "{\"query\":\"invoice utf-8\"}"));
        jz_free(found);
    }
    atomic_store(&is_over, true);
    for (i = 0; i < READERS + 2; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    }
    CHECK_INT(atomic_load(&failures), 0);
    CHECK(atomic_load(&answers) > WRITES);
    CHECK_INT(jz_check(&out, shared, NULL), 0);
    CHECK_STR(out, "{\"ok\":true,\"problems\":[]}");
    jz_free(out);
    jz_library_close(shared);
}

int main(void)
{
    tmpdir_make(&folder);
    snprintf(library, sizeof(library), "%s", tmpdir_path(&folder, "l.db"));
    snprintf(copy, sizeof(copy), "%s", tmpdir_path(&folder, "copy.db"));
    TAP_RUN(handles_on_one_file_are_independent);
    printf("# %d answers, %d interrupted\n", atomic_load(&answers),
           atomic_load(&interrupted));
    tmpdir_remove(&folder);
    return tap_done();
}
