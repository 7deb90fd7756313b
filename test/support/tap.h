/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions that print TAP. A test program is a list of functions named after
 * what they assert:
 *
 *     static void empty_query_finds_nothing(void) { CHECK_INT(n, 0); }
 *     int main(void) { TAP_RUN(empty_query_finds_nothing); return tap_done(); }
 *
 * A failed check is printed with its place and values on stderr, which meson
 * shows, and the test goes on.
 */
#ifndef JZ_TEST_TAP_H
#define JZ_TEST_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count;
static int tap_failed_tests;
static bool tap_failed;

static inline bool tap_check(bool ok, const char *file, int line,
                             const char *what)
{
    if (!ok) {
        tap_failed = true;
        fprintf(stderr, "# %s:%d: %s\n", file, line, what);
    }
    return ok;
}

static inline bool tap_check_int(int64_t got, int64_t want, const char *file,
                                 int line, const char *what)
{
    if (got != want) {
        tap_failed = true;
        fprintf(stderr, "# %s:%d: %s is %lld, want %lld\n", file, line, what,
                (long long)got, (long long)want);
    }
    return got == want;
}

static inline bool tap_check_str(const char *got, const char *want,
                                 const char *file, int line, const char *what)
{
    bool ok =
        got != NULL && want != NULL ? strcmp(got, want) == 0 : got == want;

    if (!ok) {
        tap_failed = true;
        fprintf(stderr, "# %s:%d: %s\n#   is   %s\n#   want %s\n", file, line,
                what, got != NULL ? got : "(null)",
                want != NULL ? want : "(null)");
    }
    return ok;
}

static inline void tap_run(void (*test)(void), const char *name)
{
    tap_failed = false;
    test();
    tap_count++;
    tap_failed_tests += tap_failed;
    printf("%s %d - %s\n", tap_failed ? "not ok" : "ok", tap_count, name);
    fflush(stdout);
}

static inline void tap_skip(const char *name, const char *reason)
{
    tap_count++;
    printf("ok %d - %s # SKIP %s\n", tap_count, name, reason);
}

static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed_tests > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define CHECK(condition) tap_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_INT(got, want)                                                   \
    tap_check_int((int64_t)(got), (int64_t)(want), __FILE__, __LINE__, #got)
#define CHECK_STR(got, want)                                                   \
    tap_check_str((got), (want), __FILE__, __LINE__, #got)
#define TAP_RUN(test) tap_run((test), #test)

#endif
