/* SPDX-License-Identifier: Apache-2.0 */
#include "search/arguments.h"

#include "base/mem.h"
#include "tap.h"

/* The last parse. Texts are borrowed from the tree, so it is kept. */
static struct jz__reads_arguments got;
static struct jz__error error;
static cJSON *tree;

static int parse(enum jz__read read, const char *json)
{
    cJSON_Delete(tree);
    tree = NULL;
    error = (struct jz__error){ 0, "" };
    if (json != NULL &&
        !CHECK_INT(jz__json_parse(&tree, json, strlen(json), &error), JZ_OK)) {
        return JZ_EINTERNAL;
    }
    return jz__arguments_parse(&got, read, tree, &error);
}

static void check_taken(enum jz__read read, const char *json)
{
    if (!CHECK_INT(parse(read, json), JZ_OK)) {
        printf("# for %s: %s\n", json != NULL ? json : "nothing",
               error.message);
    }
}

static void check_refused(enum jz__read read, const char *json,
                          const char *message)
{
    CHECK_INT(parse(read, json), JZ_EINVAL);
    CHECK_INT(error.code, JZ_EINVAL);
    CHECK_STR(error.message, message);
}

static void every_argument_of_search_is_taken(void)
{
    check_taken(JZ__READ_SEARCH,
                "{\"query\":\"csv \\\"a b\\\"\",\"project\":\"billing\","
                "\"source\":\"agent-*\",\"since\":\"2026-01-31\",\"limit\":7}");
    CHECK_STR(got.query, "csv \"a b\"");
    CHECK_STR(got.project, "billing");
    CHECK_STR(got.source, "agent-*");
    CHECK(got.has_since && !got.has_until);
    CHECK_INT(got.since, 1769817600);
    CHECK_INT(got.limit, 7);
}

static void what_is_left_out_has_its_default(void)
{
    check_taken(JZ__READ_SEARCH, "{\"query\":\"x\"}");
    CHECK(got.project == NULL && got.source == NULL);
    CHECK(!got.has_since && !got.has_until);
    CHECK_INT(got.limit, 0);
    check_taken(JZ__READ_GET_ITEM, "{\"item_id\":3}");
    CHECK_INT(got.item_id, 3);
    CHECK(!got.include_original);
    check_taken(JZ__READ_LATER, "{\"item_id\":3}");
    CHECK(got.query == NULL);
}

static void no_object_at_all_is_an_empty_one(void)
{
    check_taken(JZ__READ_LIST_SOURCES, NULL);
    check_taken(JZ__READ_LIST_SOURCES, "null");
    check_taken(JZ__READ_TIMELINE, NULL);
}

static void null_is_absent(void)
{
    check_taken(JZ__READ_TIMELINE,
                "{\"project\":null,\"source\":null,\"since\":null,"
                "\"until\":null,\"limit\":null}");
    CHECK(got.project == NULL && got.source == NULL);
    CHECK(!got.has_since && !got.has_until);
    CHECK_INT(got.limit, 0);
    check_taken(JZ__READ_GET_ITEM, "{\"item_id\":1,\"include_original\":null}");
    check_refused(JZ__READ_SEARCH, "{\"query\":null}", "query is required");
    check_refused(JZ__READ_LATER, "{\"item_id\":null}", "item_id is required");
}

static void an_empty_text_for_an_optional_argument_is_absent(void)
{
    check_taken(JZ__READ_TIMELINE,
                "{\"project\":\"\",\"source\":\"\",\"since\":\"\","
                "\"until\":\"\",\"limit\":\"\"}");
    CHECK(got.project == NULL && got.source == NULL);
    CHECK(!got.has_since && !got.has_until);
    CHECK_INT(got.limit, 0);
    check_taken(JZ__READ_LATER, "{\"item_id\":1,\"query\":\"\"}");
    CHECK(got.query == NULL);
}

static void an_empty_query_is_a_query(void)
{
    check_taken(JZ__READ_SEARCH, "{\"query\":\"\"}");
    CHECK_STR(got.query, "");
}

static void a_required_argument_must_be_there(void)
{
    check_refused(JZ__READ_SEARCH, "{}", "query is required");
    check_refused(JZ__READ_SEARCH, NULL, "query is required");
    check_refused(JZ__READ_GET_ITEM, "{}", "item_id is required");
    check_refused(JZ__READ_LATER, "{\"query\":\"x\"}", "item_id is required");
    check_refused(JZ__READ_GET_ITEM, "{\"item_id\":\"\"}",
                  "item_id must be a whole number from 1, got ''");
}

static void whole_numbers_may_be_texts_or_have_a_zero_fraction(void)
{
    static const char *const same[] = { "5", "5.0", "\"5\"", "5e0", "50e-1" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(same); i++) {
        char json[64];

        (void)snprintf(json, sizeof(json), "{\"limit\":%s}", same[i]);
        check_taken(JZ__READ_TIMELINE, json);
        CHECK_INT(got.limit, 5);
        (void)snprintf(json, sizeof(json), "{\"item_id\":%s}", same[i]);
        check_taken(JZ__READ_GET_ITEM, json);
        CHECK_INT(got.item_id, 5);
    }
}

static void a_huge_limit_is_still_a_limit(void)
{
    check_taken(JZ__READ_TIMELINE, "{\"limit\":1000000}");
    CHECK_INT(got.limit, 1000000);
    check_taken(JZ__READ_TIMELINE, "{\"limit\":1e300}");
    CHECK_INT(got.limit, INT64_MAX);
    check_taken(JZ__READ_TIMELINE, "{\"limit\":\"99999999999999999999\"}");
    CHECK_INT(got.limit, INT64_MAX);
}

static void no_whole_number_from_1_is_refused(void)
{
    static const char *const wrong[][2] = {
        { "0", "0" },
        { "-1", "-1" },
        { "5.5", "5.5" },
        { "true", "true" },
        { "false", "false" },
        { "[5]", "[5]" },
        { "{\"a\":1}", "{\"a\":1}" },
        { "\"many\"", "many" },
        { "\"5.0\"", "5.0" },
        { "\" 5\"", " 5" },
        { "\"-99\"", "-99" },
        { "-1e300", NULL },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(wrong); i++) {
        char json[64];
        char message[128];

        (void)snprintf(json, sizeof(json), "{\"limit\":%s}", wrong[i][0]);
        (void)snprintf(message, sizeof(message),
                       "limit must be a whole number from 1, got '%s'",
                       wrong[i][1] != NULL ? wrong[i][1] : "");
        CHECK_INT(parse(JZ__READ_TIMELINE, json), JZ_EINVAL);
        if (wrong[i][1] != NULL) {
            CHECK_STR(error.message, message);
        }
        (void)snprintf(json, sizeof(json), "{\"item_id\":%s}", wrong[i][0]);
        CHECK_INT(parse(JZ__READ_LATER, json), JZ_EINVAL);
        CHECK(strncmp(error.message, "item_id must be", 15) == 0);
    }
}

static void texts_are_strings(void)
{
    check_refused(JZ__READ_SEARCH, "{\"query\":5}",
                  "query must be a string, got '5'");
    check_refused(JZ__READ_SEARCH, "{\"query\":[\"a\"]}",
                  "query must be a string, got '[\"a\"]'");
    check_refused(JZ__READ_SEARCH, "{\"query\":\"x\",\"project\":true}",
                  "project must be a string, got 'true'");
    check_refused(JZ__READ_TIMELINE, "{\"source\":{}}",
                  "source must be a string, got '{}'");
    check_refused(JZ__READ_LATER, "{\"item_id\":1,\"query\":1.5}",
                  "query must be a string, got '1.5'");
}

static void include_original_is_true_or_false(void)
{
    check_taken(JZ__READ_GET_ITEM, "{\"item_id\":1,\"include_original\":true}");
    CHECK(got.include_original);
    check_taken(JZ__READ_GET_ITEM,
                "{\"item_id\":1,\"include_original\":\"true\"}");
    CHECK(got.include_original);
    check_taken(JZ__READ_GET_ITEM,
                "{\"item_id\":1,\"include_original\":\"false\"}");
    CHECK(!got.include_original);
    check_refused(JZ__READ_GET_ITEM, "{\"item_id\":1,\"include_original\":1}",
                  "include_original must be true or false, got '1'");
    check_refused(JZ__READ_GET_ITEM,
                  "{\"item_id\":1,\"include_original\":\"maybe\"}",
                  "include_original must be true or false, got 'maybe'");
}

static void since_is_the_first_instant_of_a_date(void)
{
    check_taken(JZ__READ_TIMELINE, "{\"since\":\"2026-10-09\"}");
    CHECK_INT(got.since, 1791504000);
    check_taken(JZ__READ_TIMELINE, "{\"since\":\"2026-10-09T02:00+02:00\"}");
    CHECK_INT(got.since, 1791504000);
}

static void until_a_date_includes_the_whole_day(void)
{
    check_taken(JZ__READ_TIMELINE, "{\"until\":\"2026-10-09\"}");
    CHECK(got.has_until && !got.has_since);
    CHECK_INT(got.until, 1791504000 + 86399);
    check_taken(JZ__READ_TIMELINE, "{\"until\":\"2026-10-09 00:00\"}");
    CHECK_INT(got.until, 1791504000);
    check_taken(JZ__READ_TIMELINE, "{\"until\":\"2026-10-09T00:00:07.9Z\"}");
    CHECK_INT(got.until, 1791504007);
}

static void a_wrong_bound_says_how_to_write_one(void)
{
#define BOUND                                                                  \
    " must be an ISO 8601 date or datetime (2026-01-31 or "                    \
    "2026-01-31T09:00:00+02:00), got "
    check_refused(JZ__READ_TIMELINE, "{\"since\":\"yesterday\"}",
                  "since" BOUND "'yesterday'");
    check_refused(JZ__READ_TIMELINE, "{\"until\":\"2026-02-30\"}",
                  "until" BOUND "'2026-02-30'");
    check_refused(JZ__READ_TIMELINE, "{\"until\":20260131}",
                  "until" BOUND "'20260131'");
    check_refused(JZ__READ_TIMELINE, "{\"since\":\"2026-01-31 \"}",
                  "since" BOUND "'2026-01-31 '");
    check_refused(JZ__READ_SEARCH, "{\"query\":\"x\",\"since\":false}",
                  "since" BOUND "'false'");
}

static void a_value_is_repeated_up_to_60_characters(void)
{
    char json[400] = "{\"since\":\"";
    const char *shown;
    size_t i;

    for (i = 0; i < 61; i++) {
        strcat(json, "é");
    }
    strcat(json, "\"}");
    CHECK_INT(parse(JZ__READ_TIMELINE, json), JZ_EINVAL);
    shown = strstr(error.message, "got '");
    CHECK_INT(strlen(shown), strlen("got '") + (60 * strlen("é")) + 1);
}

static void a_repeated_value_stays_on_one_line(void)
{
    check_refused(JZ__READ_TIMELINE, "{\"limit\":\"1\\n2\\u001b[0m\\u202e3\"}",
                  "limit must be a whole number from 1, got '1 2 [0m 3'");
}

static void an_unknown_argument_is_refused_by_name(void)
{
    check_refused(JZ__READ_SEARCH, "{\"query\":\"x\",\"foo\":1}",
                  "unknown argument 'foo' (search takes query, project, "
                  "source, since, limit)");
    check_refused(JZ__READ_SEARCH, "{\"query\":\"x\",\"until\":null}",
                  "unknown argument 'until' (search takes query, project, "
                  "source, since, limit)");
    check_refused(JZ__READ_GET_ITEM, "{\"item_id\":1,\"limit\":1}",
                  "unknown argument 'limit' (get_item takes item_id, "
                  "include_original)");
    check_refused(JZ__READ_LATER, "{\"item_id\":1,\"since\":1}",
                  "unknown argument 'since' (later takes item_id, query, "
                  "limit)");
    check_refused(JZ__READ_TIMELINE, "{\"query\":\"x\"}",
                  "unknown argument 'query' (timeline takes project, source, "
                  "since, until, limit)");
    check_refused(JZ__READ_LIST_SOURCES, "{\"x\":1}",
                  "unknown argument 'x' (list_sources takes no argument)");
}

static void names_are_compared_with_case(void)
{
    check_refused(JZ__READ_SEARCH, "{\"Query\":\"x\"}",
                  "unknown argument 'Query' (search takes query, project, "
                  "source, since, limit)");
}

static void the_last_of_equal_names_counts(void)
{
    check_taken(JZ__READ_SEARCH, "{\"query\":\"a\",\"query\":\"b\"}");
    CHECK_STR(got.query, "b");
}

static void arguments_are_an_object(void)
{
    check_refused(JZ__READ_SEARCH, "[1,2]",
                  "arguments must be an object, got '[1,2]'");
    check_refused(JZ__READ_SEARCH, "\"x\"",
                  "arguments must be an object, got 'x'");
}

int main(void)
{
    TAP_RUN(every_argument_of_search_is_taken);
    TAP_RUN(what_is_left_out_has_its_default);
    TAP_RUN(no_object_at_all_is_an_empty_one);
    TAP_RUN(null_is_absent);
    TAP_RUN(an_empty_text_for_an_optional_argument_is_absent);
    TAP_RUN(an_empty_query_is_a_query);
    TAP_RUN(a_required_argument_must_be_there);
    TAP_RUN(whole_numbers_may_be_texts_or_have_a_zero_fraction);
    TAP_RUN(a_huge_limit_is_still_a_limit);
    TAP_RUN(no_whole_number_from_1_is_refused);
    TAP_RUN(texts_are_strings);
    TAP_RUN(include_original_is_true_or_false);
    TAP_RUN(since_is_the_first_instant_of_a_date);
    TAP_RUN(until_a_date_includes_the_whole_day);
    TAP_RUN(a_wrong_bound_says_how_to_write_one);
    TAP_RUN(a_value_is_repeated_up_to_60_characters);
    TAP_RUN(a_repeated_value_stays_on_one_line);
    TAP_RUN(an_unknown_argument_is_refused_by_name);
    TAP_RUN(names_are_compared_with_case);
    TAP_RUN(the_last_of_equal_names_counts);
    TAP_RUN(arguments_are_an_object);
    cJSON_Delete(tree);
    return tap_done();
}
