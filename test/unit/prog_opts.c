/* SPDX-License-Identifier: Apache-2.0 */
#include "prog/opts.h"

#include <stdint.h>

#include "base/mem.h"
#include "tap.h"

static const char *ran; /* the command that ran */

static int run_search(const struct jz__opts *opts)
{
    (void)opts;
    ran = "search";
    return 7;
}

static const struct jz__opts_option search_options[] = {
    { "config", "F", "the configuration" },
    { "limit", "N", "at most so many" },
    { "json", NULL, "as JSON" },
    { NULL, NULL, NULL },
};
static const struct jz__opts_option no_options[] = { { NULL, NULL, NULL } };
static const struct jz__opts_command commands[] = {
    { "search", "QUERY", "Find items", "Words are joined by OR.",
      search_options, 1, 1, run_search },
    { "status", "", "Count", NULL, no_options, 0, 0, run_search },
    { "ingest", "[PATH…]", "Take in", NULL, search_options, 0, SIZE_MAX,
      run_search },
    { NULL, NULL, NULL, NULL, NULL, 0, 0, NULL },
};
static const struct jz__opts_program program = { "jezero-test", "a test",
                                                 "1.2.3", commands };

struct parsed {
    struct jz__opts opts;
    struct jz__buf text;
    enum jz__opts_outcome outcome;
};

/* Words are separated by one blank; "" is no word. */
static void parse(struct parsed *out, const char *line)
{
    static char words[512];
    static char *argv[32];
    int argc = 0;
    char *word = words;

    snprintf(words, sizeof(words), "/usr/bin/jezero-test%s%s",
             line[0] != '\0' ? " " : "", line);
    while (word != NULL) {
        argv[argc++] = word;
        word = strchr(word, ' ');
        if (word != NULL) {
            *word++ = '\0';
        }
    }
    memset(out, 0, sizeof(*out));
    out->outcome = jz__opts_parse(&out->opts, &program, argc, argv, &out->text);
}

static void finish(struct parsed *parsed)
{
    jz__opts_finish(&parsed->opts);
    jz__buf_finish(&parsed->text);
}

static void check_wrong(const char *line, const char *text)
{
    struct parsed p;

    parse(&p, line);
    CHECK_INT(p.outcome, JZ__OPTS_WRONG);
    CHECK_STR(p.text.data, text);
    finish(&p);
}

static void options_stand_anywhere(void)
{
    static const char *const lines[] = {
        "search --config=f --json word",    "search word --config f --json",
        "--config f search --json word",    "--json --config=f search word",
        "search --json --config f -- word",
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(lines); i++) {
        struct parsed p;

        parse(&p, lines[i]);
        if (!CHECK_INT(p.outcome, JZ__OPTS_RUN)) {
            printf("# %s: %s\n", lines[i], p.text.data);
            finish(&p);
            continue;
        }
        CHECK_STR(p.opts.command->name, "search");
        CHECK_STR(jz__opts_value(&p.opts, "config"), "f");
        CHECK(jz__opts_has(&p.opts, "json"));
        CHECK(!jz__opts_has(&p.opts, "limit"));
        CHECK_INT(p.opts.argument_count, 1);
        CHECK_STR(p.opts.arguments[0], "word");
        finish(&p);
    }
}

static void two_dashes_end_the_options(void)
{
    struct parsed p;

    parse(&p, "ingest -- --json -x -- -");
    CHECK_INT(p.outcome, JZ__OPTS_RUN);
    CHECK_INT(p.opts.argument_count, 4);
    CHECK_STR(p.opts.arguments[0], "--json");
    CHECK_STR(p.opts.arguments[2], "--");
    CHECK(!jz__opts_has(&p.opts, "json"));
    finish(&p);
}

static void an_option_that_comes_again_keeps_every_value(void)
{
    struct parsed p;

    parse(&p, "search w --limit 3 --json --limit=4");
    CHECK_STR(jz__opts_nth(&p.opts, "limit", 0), "3");
    CHECK_STR(jz__opts_nth(&p.opts, "limit", 1), "4");
    CHECK(jz__opts_nth(&p.opts, "limit", 2) == NULL);
    CHECK(jz__opts_nth(&p.opts, "config", 0) == NULL);
    finish(&p);
}

static void a_lone_dash_is_an_argument(void)
{
    struct parsed p;

    parse(&p, "search -");
    CHECK_INT(p.outcome, JZ__OPTS_RUN);
    CHECK_STR(p.opts.arguments[0], "-");
    finish(&p);
}

static void of_two_values_the_last_counts_and_may_be_empty(void)
{
    struct parsed p;

    parse(&p, "search w --limit 3 --limit=4 --config=");
    CHECK_INT(p.outcome, JZ__OPTS_RUN);
    CHECK_STR(jz__opts_value(&p.opts, "limit"), "4");
    CHECK_STR(jz__opts_value(&p.opts, "config"), "");
    finish(&p);
}

static void wrong_usage_says_what_and_names_the_nearest(void)
{
#define TRY_SEARCH "\nTry 'jezero-test search --help'.\n"
    check_wrong("serach x", "jezero-test: unknown command 'serach' (nearest: "
                            "search)\nTry 'jezero-test --help'.\n");
    check_wrong("search --jsn x", "jezero-test search: unknown option --jsn "
                                  "(nearest: --json)" TRY_SEARCH);
    check_wrong("search --confg=f x",
                "jezero-test search: unknown option --confg (nearest: "
                "--config)" TRY_SEARCH);
    check_wrong("search --hlp x", "jezero-test search: unknown option --hlp "
                                  "(nearest: --help)" TRY_SEARCH);
    check_wrong("search --json=1 x",
                "jezero-test search: --json takes no value" TRY_SEARCH);
    check_wrong("search x --limit",
                "jezero-test search: --limit needs a value: N" TRY_SEARCH);
    check_wrong("search -j x", "jezero-test search: unknown option -j (options "
                               "have long names)" TRY_SEARCH);
    check_wrong("search",
                "jezero-test search: an argument is missing: QUERY" TRY_SEARCH);
    check_wrong("search a b",
                "jezero-test search: unexpected argument 'b'" TRY_SEARCH);
    check_wrong("status --json", "jezero-test status: unknown option --json\n"
                                 "Try 'jezero-test status --help'.\n");
}

static void a_wrong_word_cannot_write_to_the_terminal(void)
{
    check_wrong("\x1b[2Jx", "jezero-test: unknown command 'x'\n"
                            "Try 'jezero-test --help'.\n");
}

static void no_command_is_wrong_usage_and_prints_the_help(void)
{
    struct parsed p;

    parse(&p, "");
    CHECK_INT(p.outcome, JZ__OPTS_WRONG);
    CHECK(strstr(p.text.data, "Commands:\n  search ") != NULL);
    finish(&p);
}

static void an_unknown_option_alone_is_named(void)
{
    check_wrong("--foo", "jezero-test: unknown option --foo\n"
                         "Try 'jezero-test --help'.\n");
    check_wrong("--foo=1", "jezero-test: unknown option --foo=1\n"
                           "Try 'jezero-test --help'.\n");
    check_wrong("-V", "jezero-test: unknown option -V (options have long "
                      "names)\nTry 'jezero-test --help'.\n");
}

static void help_is_taken_for_an_option(void)
{
    struct parsed p;

    parse(&p, "help");
    CHECK_INT(p.outcome, JZ__OPTS_TEXT);
    CHECK(strstr(p.text.data, "Commands:\n  search ") != NULL);
    finish(&p);
    parse(&p, "help search");
    CHECK_INT(p.outcome, JZ__OPTS_TEXT);
    CHECK(strstr(p.text.data, "Usage: jezero-test search ") == p.text.data);
    finish(&p);
    check_wrong("help serach", "jezero-test: unknown command 'serach' "
                               "(nearest: search)\nTry 'jezero-test "
                               "--help'.\n");
    check_wrong("hlpe", "jezero-test: unknown command 'hlpe'\n"
                        "Try 'jezero-test --help'.\n");
}

static void only_a_near_word_is_near(void)
{
    CHECK(jz__opts_is_near("prot", "port"));
    CHECK(jz__opts_is_near("serach", "search"));
    CHECK(!jz__opts_is_near("x", "host"));
    CHECK(!jz__opts_is_near("colour", "config"));
    CHECK(jz__opts_is_near("kye", "key"));
    CHECK(!jz__opts_is_near("", "ab"));
}

static void help_and_version_work_everywhere(void)
{
    static const char *const questions[] = { "--help", "-h", "--bad --help",
                                             "search x y z -h" };
    static const char *const versions[] = { "--version", "search --version",
                                            "nonsense --version" };
    struct parsed p;
    size_t i;

    for (i = 0; i < JZ__LENGTH(questions); i++) {
        parse(&p, questions[i]);
        CHECK_INT(p.outcome, JZ__OPTS_TEXT);
        CHECK(strstr(p.text.data, "Usage: jezero-test ") != NULL ||
              strstr(p.text.data, "Find items.") != NULL);
        finish(&p);
    }
    for (i = 0; i < JZ__LENGTH(versions); i++) {
        parse(&p, versions[i]);
        CHECK_INT(p.outcome, JZ__OPTS_TEXT);
        CHECK_STR(p.text.data, "jezero-test 1.2.3\n");
        finish(&p);
    }
    parse(&p, "search -- --help");
    CHECK_INT(p.outcome, JZ__OPTS_RUN);
    finish(&p);
}

static void a_command_explains_itself(void)
{
    struct parsed p;

    parse(&p, "search --help");
    CHECK_STR(p.text.data, "Usage: jezero-test search [OPTION…] QUERY\n\n"
                           "Find items.\n\n"
                           "Words are joined by OR.\n\n"
                           "Options:\n"
                           "  --config F              the configuration\n"
                           "  --limit N               at most so many\n"
                           "  --json                  as JSON\n"
                           "  -h, --help              print this help\n"
                           "  --version               print the version\n");
    finish(&p);
}

static void main_runs_the_command_and_returns_its_status(void)
{
    char name[] = "jezero";
    char command[] = "search";
    char word[] = "w";
    char *argv[] = { name, command, word, NULL };

    ran = NULL;
    CHECK_INT(jz__opts_main(&program, 3, argv), 7);
    CHECK_STR(ran, "search");
}

static void distance_counts_edits(void)
{
    char big[200];

    memset(big, 'x', sizeof(big));
    big[199] = '\0';
    CHECK_INT(jz__opts_distance("", ""), 0);
    CHECK_INT(jz__opts_distance("abc", ""), 3);
    CHECK_INT(jz__opts_distance("kitten", "sitting"), 3);
    CHECK_INT(jz__opts_distance("host", "hots"), 2);
    CHECK_INT(jz__opts_distance("port", "ports"), 1);
    CHECK_INT(jz__opts_distance(big, "x"), 199);
}

int main(void)
{
    TAP_RUN(options_stand_anywhere);
    TAP_RUN(two_dashes_end_the_options);
    TAP_RUN(an_option_that_comes_again_keeps_every_value);
    TAP_RUN(a_lone_dash_is_an_argument);
    TAP_RUN(of_two_values_the_last_counts_and_may_be_empty);
    TAP_RUN(wrong_usage_says_what_and_names_the_nearest);
    TAP_RUN(an_unknown_option_alone_is_named);
    TAP_RUN(help_is_taken_for_an_option);
    TAP_RUN(only_a_near_word_is_near);
    TAP_RUN(a_wrong_word_cannot_write_to_the_terminal);
    TAP_RUN(no_command_is_wrong_usage_and_prints_the_help);
    TAP_RUN(help_and_version_work_everywhere);
    TAP_RUN(a_command_explains_itself);
    TAP_RUN(main_runs_the_command_and_returns_its_status);
    TAP_RUN(distance_counts_edits);
    return tap_done();
}
