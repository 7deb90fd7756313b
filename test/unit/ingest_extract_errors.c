/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are errors and lines that only look like them. */
#include "ingest/extract_internal.h"
#include "segment_of.h"
#include "tap.h"

static void lines_of_these_shapes_are_errors(void)
{
    static const char *const lines[] = {
        "error: cannot open 'prices.csv'",
        "error[E0433]: failed to resolve: use of undeclared type `Price`",
        "fatal: not a git repository (or any of the parent directories): .git",
        "TypeError: Cannot read properties of undefined (reading 'price')",
        "E   AssertionError: assert 3 == 4",
        "panic: runtime error: index out of range [4] with length 4",
        "src/price.c:41:9: error: 'cents' undeclared (first use here)",
        "price_test.go:17: expected 3, got 4",
        "bash: line 1: ffprobe: command not found",
        "npm ERR! missing script: build",
        "psql: error: server at \"localhost\" failed: Connection refused",
        "java.lang.IllegalStateException: price list is empty",
        "ModuleNotFoundError: No module named 'pricing'",
        "make: *** No rule to make target 'prices'.  Stop.",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(lines); i++) {
        if (!CHECK(jz__extract_error_line_score(jz__str_of(lines[i]), true) >=
                   6)) {
            printf("# %s\n", lines[i]);
        }
    }
}

static void lines_of_these_shapes_are_none(void)
{
    static const char *const lines[] = {
        "--- PASS: TestParse/ERROR_lowercase (0.00s)",
        "=== RUN   TestErrorsAreKept",
        "    return fmt.Errorf(\"failed to read input: %w\", err)",
        "lib/price.go:12:\treturn errors.New(\"empty price\")",
        "   184→    console.error('failed to load');",
        "func parsePrice(text string) (int, error) {",
        "2026-03-01 10:00:00 INFO  retry after error: timed out",
        "0 errors, 0 warnings",
        "Exit code 1",
        "[lint] ERROR task failed",
        "    at Object.parse (/srv/shop/price.js:12:7)",
        "  File \"/srv/shop/price.py\", line 12, in parse",
        "goroutine 36 [running]:",
        "README.md",
        "- [x] errors are shown to the user",
        "// error: this branch is never taken",
        "{\"error\": \"not found\", \"status\": 404}",
        "Every price has a currency and an amount.",
        "The user doesn't want to proceed with this tool use.",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(lines); i++) {
        if (!CHECK_INT(jz__extract_error_line_score(jz__str_of(lines[i]), true),
                       0)) {
            printf("# %s\n", lines[i]);
        }
    }
}

static void error_stands_word_for_word(void)
{
    static const struct line lines[] = {
        { 'u', "why does the price import fail on the staging server", NULL },
        { '!', "python3 import_prices.py --all",
          "Exit code 1\nTraceback (most recent call last):\n"
          "  File \"import_prices.py\", line 9, in <module>\n"
          "    load(path)\n"
          "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in "
          "position 12\n" },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 2, "", 0), 0);
    CHECK_STR(segment_atom(&item, "error", "Unicode"),
              "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in "
              "position 12");
    CHECK(segment_atom(&item, "error", "File") == NULL);
    CHECK(segment_atom(&item, "command", "import") == NULL);
    jz__extract_finish(&item);
}

static void output_of_readers_gives_no_error(void)
{
    static const struct line lines[] = {
        { 'u', "find where the price errors are raised in the import", NULL },
        { '$', "grep -rn 'error' src",
          "src/a.c:3:error: cannot open the price list\n" },
        { '!', "cat notes.txt", "error: cannot read the old price list\n" },
        { '$', "echo done", "fatal: this is only printed\n" },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 4, "", 0), 0);
    CHECK(segment_atom(&item, "error", "") == NULL);
    jz__extract_finish(&item);
}

static void same_error_is_told_once(void)
{
    static const struct line lines[] = {
        { 'u', "make the price service build with the new compiler", NULL },
        { '!', "make",
          "src/a.c:3:1: error: unknown type name 'price_t'\n"
          "src/b.c:9:1: error: unknown type name 'price_t'\n" },
        { '!', "make", "src/a.c:4:1: error: unknown type name 'price_t'\n" },
    };
    struct jz__extract item;
    size_t errors = 0;
    size_t i;

    CHECK_INT(segment_extract(&item, lines, 3, "", 0), 0);
    for (i = 0; i < item.atom_count; i++) {
        errors += strcmp(item.atoms[i].kind, "error") == 0;
    }
    CHECK_INT(errors, 1);
    jz__extract_finish(&item);
}

static void short_complaint_of_a_failed_command_counts(void)
{
    static const struct line lines[] = {
        { 'u', "open a pull request for the price cache branch", NULL },
        { '!', "gh pr merge 12",
          "Exit code 1\nno open pull request on branch price-cache\n" },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 2, "", 0), 0);
    CHECK_STR(segment_atom(&item, "error", "no open"),
              "no open pull request on branch price-cache");
    jz__extract_finish(&item);
}

int main(void)
{
    TAP_RUN(lines_of_these_shapes_are_errors);
    TAP_RUN(lines_of_these_shapes_are_none);
    TAP_RUN(error_stands_word_for_word);
    TAP_RUN(output_of_readers_gives_no_error);
    TAP_RUN(same_error_is_told_once);
    TAP_RUN(short_complaint_of_a_failed_command_counts);
    return tap_done();
}
