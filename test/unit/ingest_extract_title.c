/* SPDX-License-Identifier: Apache-2.0 */
/* Titles: a table of what people and agents wrote, and the title of it. */
#include "segment_of.h"
#include "tap.h"

static void check_title(const struct line *lines, size_t count,
                        const char *own_title, int number, const char *want)
{
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, count, own_title, number), 0);
    CHECK_STR(item.title.data, want);
    jz__extract_finish(&item);
}

static void first_request_becomes_the_title(void)
{
    static const struct {
        const char *message;
        const char *title;
    } cases[] = {
        { "Can you please add a CSV export to the invoice page?",
          "Add a CSV export to the invoice page" },
        { "Hello! I'd like you to rename the billing module to invoices.",
          "Rename the billing module to invoices" },
        { "ok, let's move the worker queue to its own process",
          "Move the worker queue to its own process" },
        { "hola, por favor arregla la exportación de facturas en PDF",
          "Arregla la exportación de facturas en PDF" },
        { "buenas tardes, exporta los clientes a CSV con separador ';'",
          "Exporta los clientes a CSV con separador ';'" },
        { "Traceback (most recent call last):\n  File \"a.py\", line 3\n"
          "    main()\nKeyError: 'PRICE_DB'\n\nthis happens when the worker "
          "starts on staging",
          "This happens when the worker starts on staging" },
        { "The nightly backup job writes empty archives since Tuesday.\n\n"
          "2026-03-01 02:00:01 INFO backup started\n"
          "2026-03-01 02:00:02 ERROR tar: nothing to do\n",
          "The nightly backup job writes empty archives since Tuesday" },
        { "Implement the following plan:\n\n# Rate limits for the public "
          "API\n\n"
          "## Context\n\nEvery caller can send as much as it likes.\n",
          "Rate limits for the public API" },
        { "I wonder if there's a way to share the cache between shops",
          "Share the cache between shops" },
        { "We should add the shop's name to every log line",
          "Add the shop's name to every log line" },
        { "/review the parser changes of the config loader",
          "The parser changes of the config loader" },
        { "look at https://github.com/example/shop/pull/12 and write release "
          "notes for customers",
          "Look at example/shop/pull/12 and write release notes for "
          "customers" },
        { "B) store sessions in `redis-cluster` instead of memory",
          "Store sessions in redis-cluster instead of memory" },
        { "# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n"
          "## My request for Codex:\nput the diagram into docs/network.md\n",
          "Put the diagram into docs/network.md" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct line lines[] = { { 'u', cases[i].message, NULL } };

        check_title(lines, 1, "", 0, cases[i].title);
    }
}

static void what_is_no_request_is_passed_over(void)
{
    static const struct line lines[] = {
        { 'u', "hello", NULL },
        { 'a', "Hello! How can I help?", NULL },
        { 'u', "/clear", NULL },
        { 'u', "[Request interrupted by user]", NULL },
        { 'u', "/home/ana/projects/shop", NULL },
        { 'u', "yes", NULL },
        { 'u', "go ahead", NULL },
        { 'u', "cache the product list for ten minutes", NULL },
    };

    check_title(lines, JZ__LENGTH(lines), "", 0,
                "Cache the product list for ten minutes");
}

static void vague_request_is_followed_by_what_came_of_it(void)
{
    static const struct line commit[] = {
        { 'u', "ship it", NULL },
        { '$', "git add -A && git commit -m \"Drop the legacy price table\"",
          "" },
        { 'a', "Committed and pushed.", NULL },
    };
    static const struct line report[] = {
        { 'u', "fix tests", NULL },
        { 'a', "Let me run them.", NULL },
        { '!', "make test", "FAILED" },
        { 'a',
          "Fixed `parse_price()`: it rounded half cents down, and the "
          "tests expect banker's rounding.",
          NULL },
    };

    check_title(commit, JZ__LENGTH(commit), "", 0,
                "Ship it: Drop the legacy price table");
    check_title(report, JZ__LENGTH(report), "", 0,
                "Fix tests: Fixed parse_price(): it rounded half cents down, "
                "and the tests expect banker's rounding");
}

static void own_title_is_taken_for_the_first_segment(void)
{
    static const struct line lines[] = {
        { 'u', "add dark mode to the settings page", NULL },
    };

    check_title(lines, 1, "  Dark mode\nfor settings ", 0,
                "Dark mode for settings");
    check_title(lines, 1, "Dark mode for settings", 1,
                "Add dark mode to the settings page");
}

static void vague_own_title_is_followed_by_what_came_of_it(void)
{
    static const struct line lines[] = {
        { 'u', "please look at issue 6", NULL },
        { '$', "git commit -m \"fix(shop): Round prices to cents\"", "" },
        { 'a', "Committed.", NULL },
    };

    check_title(lines, 3, "Fix issue 6", 0,
                "Fix issue 6: Round prices to cents");
    check_title(lines, 1, "Fix issue 6", 0, "Fix issue 6");
}

static void without_a_request_it_is_what_happened(void)
{
    static const struct line report[] = {
        { 'u', "/review", NULL },
        { 'a',
          "# Review of `price_rounding`\n\n## Overview\n\nAdded a cache for "
          "the prices of `shop_rules()`.\n",
          NULL },
    };
    static const struct line command[] = {
        { 'u', "hello", NULL },
        { '$', "echo good morning", "good morning" },
        { 'a', "All done.", NULL },
    };
    static const struct line done[] = {
        { 'u', "write a page on geese", NULL },
        { 'a', "Done - wrote `docs/geese.md` with three kinds of geese.",
          NULL },
    };

    check_title(report, 2, "", 0, "Review of price_rounding");
    check_title(command, 3, "", 0, "Ran echo good morning");
    check_title(done, 2, "", 0,
                "Write a page on geese: wrote docs/geese.md with three kinds "
                "of geese");
}

static void later_segment_without_a_request_keeps_the_own_title(void)
{
    static const struct line lines[] = {
        { 'u', "continue", NULL },
        { 'a', "Added the toggle to `SettingsPage.tsx`.", NULL },
    };

    check_title(lines, 2, "Dark mode for settings", 1,
                "Dark mode for settings");
    check_title(lines, 2, "", 1, "Added the toggle to SettingsPage.tsx");
}

static void long_request_is_cut_at_a_clause(void)
{
    static const struct line lines[] = {
        { 'u',
          "migrate the customer table to the new address format with a "
          "separate street number, and keep the old columns for one release "
          "so that the importer still works",
          NULL },
    };
    static const struct line word[] = {
        { 'u',
          "replace every place where the scheduler computes the next "
          "execution time of a recurring appointment series by hand with one "
          "function",
          NULL },
    };

    check_title(lines, 1, "", 0,
                "Migrate the customer table to the new address format with a "
                "separate street number");
    check_title(word, 1, "", 0,
                "Replace every place where the scheduler computes the next "
                "execution time of a recurring appointment…");
}

static void empty_segment_has_a_title(void)
{
    check_title(NULL, 0, "", 0, "Session without a request");
}

int main(void)
{
    TAP_RUN(first_request_becomes_the_title);
    TAP_RUN(what_is_no_request_is_passed_over);
    TAP_RUN(vague_request_is_followed_by_what_came_of_it);
    TAP_RUN(own_title_is_taken_for_the_first_segment);
    TAP_RUN(vague_own_title_is_followed_by_what_came_of_it);
    TAP_RUN(without_a_request_it_is_what_happened);
    TAP_RUN(later_segment_without_a_request_keeps_the_own_title);
    TAP_RUN(long_request_is_cut_at_a_clause);
    TAP_RUN(empty_segment_has_a_title);
    return tap_done();
}
