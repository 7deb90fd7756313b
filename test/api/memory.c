/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory: every call of the API with the n-th allocation failing, for
 * n = 1, 2, 3 … until it succeeds. It must end with an error or a result, never
 * with a crash, and the library must pass its check afterwards.
 *
 * The allocator of this program stands in front of the C library's for every
 * library that is loaded, SQLite and cJSON included. The sanitizers bring
 * allocators of their own, so there the test is skipped.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jezero.h"
#include "tap.h"
#include "tmpdir.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif
#ifndef HAS_OWN_ALLOCATOR
#define HAS_OWN_ALLOCATOR 0
#endif

/* Allocations until one fails; 0: none fails. */
static long countdown;
static long used;

#if !HAS_OWN_ALLOCATOR

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static bool is_refused(void)
{
    used++;
    return countdown > 0 && --countdown == 0;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(memory, size);
}

#endif

static struct tmpdir folder;
static char library[512];
static char transcript[512];
static char copy[512];

static const char item[] =
    "{\"source\":\"notes\",\"external_id\":\"a#0\",\"occurred_at\":"
    "\"2026-01-31T09:00:00+00:00\",\"title\":\"Invoice export\",\"summary\":"
    "\"Facturaci\\u00f3n as UTF-8\",\"questions\":[\"why?\"],\"atoms\":"
    "[{\"kind\":\"decision\",\"text\":\"plain UTF-8\"}],\"project\":"
    "\"billing\",\"original\":\"[2026-01-31 09:00] user: hello\"}";

static const char records[] =
    "{\"type\":\"user\",\"uuid\":\"1\",\"sessionId\":\"s\",\"cwd\":"
    "\"/home/dana/work/billing\",\"timestamp\":\"2026-03-02T09:00:00Z\","
    "\"message\":{\"role\":\"user\",\"content\":\"The export fails with code "
    "17, please find out why\"}}\n"
    "{\"type\":\"assistant\",\"uuid\":\"2\",\"sessionId\":\"s\","
    "\"timestamp\":\"2026-03-02T09:01:00Z\",\"message\":{\"role\":"
    "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Decision: delete "
    "the stale lock on start. password=hunter2secret\"}]}}\n";

/* One call on an open handle; its result is freed. */
typedef int (*call_fn)(jz_library *lib);

static int take(int r, char *out)
{
    jz_free(out);
    return r;
}

static int call_put(jz_library *lib)
{
    char *out = NULL;
    int r = jz_put_item(&out, lib, item, sizeof(item) - 1);

    return take(r, out);
}

static int call_import(jz_library *lib)
{
    char *out = NULL;
    int r = jz_import(&out, lib, item, sizeof(item) - 1);

    return take(r, out);
}

static int call_ingest(jz_library *lib)
{
    char *out = NULL;
    int r = jz_ingest(&out, lib,
                      "{\"type\":\"claude-code\",\"name\":\"agent-x\","
                      "\"again\":true}",
                      transcript);

    return take(r, out);
}

static int call_search(jz_library *lib)
{
    char *out = NULL;
    int r = jz_search(&out, lib, "[\"*\"]",
                      "{\"query\":\"facturacion \\\"utf-8\\\" export\","
                      "\"project\":\"BILLING\",\"source\":\"n*\"}");

    return take(r, out);
}

static int call_later(jz_library *lib)
{
    char *out = NULL;
    int r = jz_later(&out, lib, NULL, "{\"item_id\":1}");

    return take(r, out);
}

static int call_timeline(jz_library *lib)
{
    char *out = NULL;
    int r = jz_timeline(&out, lib, NULL, "{\"since\":\"2020-01-01\"}");

    return take(r, out);
}

static int call_get_item(jz_library *lib)
{
    char *out = NULL;
    int r = jz_get_item(&out, lib, NULL,
                        "{\"item_id\":1,\"include_original\":true}");

    return take(r, out);
}

static int call_status(jz_library *lib)
{
    char *out = NULL;
    int r = jz_status(&out, lib);

    return take(r, out);
}

static int call_export(jz_library *lib)
{
    char *out = NULL;
    int r = jz_export(&out, lib, 0, 10);

    return take(r, out);
}

static int call_dispatch(jz_library *lib)
{
    static const char request[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
        "{\"name\":\"search\",\"arguments\":{\"query\":\"export\"}}}";
    char *out = NULL;
    int status = 0;
    int r = jz_mcp_dispatch(&out, &status, lib, NULL, NULL, request,
                            sizeof(request) - 1);

    return take(r, out);
}

static int call_check(jz_library *lib)
{
    char *out = NULL;
    int r = jz_check(&out, lib, "{\"repair\":true}");

    return take(r, out);
}

static int call_backup(jz_library *lib)
{
    int r = jz_backup(lib, copy, NULL, NULL);

    if (r < 0) {
        CHECK(access(copy, F_OK) != 0);
    }
    (void)unlink(copy);
    return r;
}

static int call_maintain(jz_library *lib)
{
    int more = 0;

    return jz_maintain(&more, lib);
}

static void check_library(void)
{
    jz_library *lib = NULL;
    char *out = NULL;

    countdown = 0;
    CHECK_INT(jz_library_open(&lib, library, NULL), 0);
    CHECK_INT(jz_check(&out, lib, NULL), 0);
    CHECK_STR(out, "{\"ok\":true,\"problems\":[]}");
    jz_free(out);
    jz_library_close(lib);
}

/* Fail the n-th allocation of the call, n growing, until it succeeds. */
static void fail_each(call_fn call)
{
    long n = 1;
    int r;

    do {
        jz_library *lib = NULL;

        countdown = 0;
        if (!CHECK_INT(jz_library_open(&lib, library, NULL), 0)) {
            jz_library_close(lib);
            return;
        }
        countdown = n;
        r = call(lib);
        if (countdown == 0 && r < 0) {
            CHECK(jz_library_errmsg(lib)[0] != '\0');
        }
        n = countdown > 0 ? 0 : n + (n < 200 ? 1 : 7);
        countdown = 0;
        jz_library_close(lib);
    } while (n > 0 && n < 100000);
    CHECK_INT(n, 0);
    CHECK_INT(r, 0);
    check_library();
}

static void opening_survives(void)
{
    long n;

    for (n = 1; n < 100000; n++) {
        jz_library *lib = NULL;

        countdown = n;
        (void)jz_library_open(&lib, library,
                              "{\"projects\":{\"roots\":[\"work\"]},"
                              "\"redaction\":{\"extra\":[\"x\"]}}");
        jz_library_close(lib);
        if (countdown > 0) {
            break;
        }
    }
    countdown = 0;
    CHECK(n > 1 && n < 100000);
    check_library();
}

#define SURVIVES(name)                                                         \
    static void name##_survives(void)                                          \
    {                                                                          \
        fail_each(call_##name);                                                \
    }

SURVIVES(put)
SURVIVES(import)
SURVIVES(ingest)
SURVIVES(search)
SURVIVES(later)
SURVIVES(timeline)
SURVIVES(get_item)
SURVIVES(status)
SURVIVES(export)
SURVIVES(dispatch)
SURVIVES(check)
SURVIVES(backup)
SURVIVES(maintain)

int main(void)
{
    if (HAS_OWN_ALLOCATOR) {
        tap_skip("out_of_memory", "the sanitizer has its own allocator");
        return tap_done();
    }
    tmpdir_make(&folder);
    snprintf(library, sizeof(library), "%s",
             tmpdir_path(&folder, "library.db"));
    snprintf(copy, sizeof(copy), "%s", tmpdir_path(&folder, "copy.db"));
    tmpdir_write(&folder, "s.jsonl", records, sizeof(records) - 1);
    snprintf(transcript, sizeof(transcript), "%s",
             tmpdir_path(&folder, "s.jsonl"));
    TAP_RUN(opening_survives);
    TAP_RUN(put_survives);
    TAP_RUN(import_survives);
    TAP_RUN(ingest_survives);
    TAP_RUN(search_survives);
    TAP_RUN(later_survives);
    TAP_RUN(timeline_survives);
    TAP_RUN(get_item_survives);
    TAP_RUN(status_survives);
    TAP_RUN(export_survives);
    TAP_RUN(dispatch_survives);
    TAP_RUN(check_survives);
    TAP_RUN(backup_survives);
    TAP_RUN(maintain_survives);
    tmpdir_remove(&folder);
    printf("# %ld allocations\n", used);
    return tap_done();
}
