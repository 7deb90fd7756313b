/* SPDX-License-Identifier: Apache-2.0 */
/* JSON with comments, edited in place: tables of texts before and after. Each
 * addition is taken out again, which has to give the text of before. */
#include "jsonc_edit.h"

#include "base/mem.h"
#include "tap.h"

struct edited {
    const char *before;
    const char *after;
};

static const char *const member[] = { "m", "j", NULL };
static const char *const array[] = { "h", "s", NULL };

static int put(struct jsonc *doc, struct jz__error *error)
{
    return jsonc_edit_put(doc, member, "{\"c\":\"x\",\"a\":[1,2],\"e\":{}}",
                          error);
}

static int append(struct jsonc *doc, struct jz__error *error)
{
    return jsonc_edit_append(doc, array, "{\"k\":7}", error);
}

static size_t added(const struct jsonc *doc, bool is_array)
{
    size_t found = jsonc_get(doc, is_array ? array : member);
    size_t last = found;

    if (is_array) {
        for (size_t i = jz__scan_first(&doc->scan, found); i != 0;
             i = jz__scan_after(&doc->scan, found, i)) {
            last = i;
        }
    }
    return last;
}

static void check_edited(const struct edited *edited, bool is_array,
                         bool is_exact)
{
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    struct jz__error error = { 0 };

    CHECK_INT(jsonc_read(&doc, edited->before, strlen(edited->before), &error),
              0);
    CHECK_INT(is_array ? append(&doc, &error) : put(&doc, &error), 0);
    CHECK_STR(doc.text.data, edited->after);
    if (is_exact) {
        CHECK_INT(jsonc_edit_remove(&doc, added(&doc, is_array), &error), 0);
        CHECK_STR(doc.text.data, edited->before);
    }
}

static void a_member_goes_in_as_the_file_is_laid_out(void)
{
    static const struct edited cases[] = {
        { "{\n  \"a\": 1\n}\n",
          "{\n  \"a\": 1,\n  \"m\": {\n    \"j\": {\n      \"c\": \"x\",\n"
          "      \"a\": [\n        1,\n        2\n      ],\n      \"e\": {}\n"
          "    }\n  }\n}\n" },
        { "{\"a\":1}",
          "{\"a\":1, \"m\": { \"j\": { \"c\": \"x\", \"a\": [ 1, 2 ], "
          "\"e\": {} } }}" },
        { "{\r\n\t\"m\": {\r\n\t\t\"o\": {}, // last\r\n\t}\r\n}",
          "{\r\n\t\"m\": {\r\n\t\t\"o\": {}, // last\r\n\t\t\"j\": {\r\n"
          "\t\t\t\"c\": \"x\",\r\n\t\t\t\"a\": [\r\n\t\t\t\t1,\r\n\t\t\t\t2\r\n"
          "\t\t\t],\r\n\t\t\t\"e\": {}\r\n\t\t},\r\n\t}\r\n}" },
        { "\xEF\xBB\xBF{\n \"m\": { }\n}",
          "\xEF\xBB\xBF{\n \"m\": {\"j\": { \"c\": \"x\", \"a\": [ 1, 2 ], "
          "\"e\": {} } }\n}" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        check_edited(&cases[i], false, true);
    }
}

static void an_element_goes_in_behind_the_others(void)
{
    static const struct edited cases[] = {
        { "{\n  \"h\": {\n    \"s\": [\n      { \"k\": 1 }, // other, }\n    "
          "],\n"
          "  },\n}",
          "{\n  \"h\": {\n    \"s\": [\n      { \"k\": 1 }, // other, }\n"
          "      {\n        \"k\": 7\n      },\n    ],\n  },\n}" },
        { "{\"h\":{\"s\":[1 /* one */ ]}}",
          "{\"h\":{\"s\":[1, { \"k\": 7 } /* one */ ]}}" },
        { "{ \"h\": { \"s\": [1,] } }",
          "{ \"h\": { \"s\": [1, { \"k\": 7 },] } }" },
        { "{\"h\":{\"s\":[ // none\n]}}",
          "{\"h\":{\"s\":[ // none\n  {\n    \"k\": 7\n  }\n]}}" },
        { "{\"h\":{\"s\":[/* none */]}}",
          "{\"h\":{\"s\":[/* none */ { \"k\": 7 }]}}" },
        { "{\n  \"x\": 1 // } \"\n  ,\n}",
          "{\n  \"x\": 1 // } \"\n  ,\n  \"h\": {\n    \"s\": [\n      {\n"
          "        \"k\": 7\n      }\n    ]\n  },\n}" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        check_edited(&cases[i], true, true);
    }
}

static void a_file_without_a_value_gets_a_root(void)
{
    static const struct edited cases[] = {
        { "",
          "{\n  \"h\": {\n    \"s\": [\n      {\n        \"k\": 7\n      }\n"
          "    ]\n  }\n}\n" },
        { "// mine", "// mine\n{\n  \"h\": {\n    \"s\": [\n      {\n        "
                     "\"k\": 7\n      }\n    ]\n  }\n}\n" },
        { "{ }\n", "{\n  \"h\": {\n    \"s\": [\n      {\n        \"k\": 7\n"
                   "      }\n    ]\n  }\n}\n" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        check_edited(&cases[i], true, false);
    }
}

/* Remove the member m from each. */
static void what_others_wrote_stays_when_a_member_goes(void)
{
    static const char *const path[] = { "m", NULL };
    static const struct edited cases[] = {
        { "{\"m\":1}", "{}" },
        { "{ \"m\": 1, \"b\": 2 }", "{ \"b\": 2 }" },
        { "{ \"a\": 1, \"m\": 2 }", "{ \"a\": 1 }" },
        { "{\n  \"m\": 1, \"b\": 2\n}", "{\n  \"b\": 2\n}" },
        { "{\n  // of m\n  \"m\": 1, // behind\n  \"b\": 2\n}",
          "{\n  // of m\n  // behind\n  \"b\": 2\n}" },
        { "{\n  \"a\": 1, // of a\n  \"m\": 2\n}", "{\n  \"a\": 1 // of a\n}" },
        { "{\n  \"m\": 1 /* x */ ,\n  \"b\": 2\n}",
          "{\n  /* x */ \n  \"b\": 2\n}" },
        { "{ // none\n \"m\": 1 }", "{ // none\n }" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(
            jsonc_read(&doc, cases[i].before, strlen(cases[i].before), &error),
            0);
        CHECK_INT(jsonc_edit_remove(&doc, jsonc_get(&doc, path), &error), 0);
        CHECK_STR(doc.text.data, cases[i].after);
    }
}

static void a_replaced_value_leaves_its_neighbours(void)
{
    static const char *const path[] = { "m", "j", NULL };
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    struct jz__error error = { 0 };
    const char *text = "{\"m\": {\"j\": \"old\", /* k */ \"z\": 1}, }";

    CHECK_INT(jsonc_read(&doc, text, strlen(text), &error), 0);
    CHECK_INT(jsonc_edit_put(&doc, path, "\"new\"", &error), 0);
    CHECK_STR(doc.text.data, "{\"m\": {\"j\": \"new\", /* k */ \"z\": 1}, }");
}

static void what_is_no_object_is_not_replaced_by_one(void)
{
    static const char *const texts[] = { "[]", "7", "{\"m\": null}",
                                         "{\"m\": [1]}" };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(jsonc_read(&doc, texts[i], strlen(texts[i]), &error), 0);
        CHECK_INT(put(&doc, &error), JZ_EINVAL);
        CHECK(strstr(error.message, "is no object") != NULL);
        CHECK_STR(doc.text.data, texts[i]);
    }
}

static void what_is_no_json_is_refused_with_its_line(void)
{
    static const struct edited cases[] = {
        { "{\n\"a\": }", "line 2: " },
        { "{ /* \n\n", "line 1: " },
        { "{\"a\": 1,,}", "line 1: " },
        { "[,]", "line 1: " },
        { "{\n\"a\": 1\n\"b\"", "line 3: " },
        { "{}\n{}", "line 2: " },
        { "{'a': 1}", "line 1: " },
        { "{\"a\": \"x\n\"}", "line 1: " },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(
            jsonc_read(&doc, cases[i].before, strlen(cases[i].before), &error),
            JZ_EINVAL);
        if (!CHECK(strstr(error.message, cases[i].after) == error.message)) {
            fprintf(stderr, "# %s: %s\n", cases[i].before, error.message);
        }
    }
}

static void comments_and_commas_inside_strings_are_text(void)
{
    static const char *const path[] = { "a", NULL };
    JZ_CLEANUP(jsonc_finish) struct jsonc doc = JSONC_INIT;
    struct jz__error error = { 0 };
    const char *text = "{\"a\": \"// \\\" /* ,] */\"}";

    CHECK_INT(jsonc_read(&doc, text, strlen(text), &error), 0);
    CHECK(doc.is_strict);
    CHECK(jz__scan_is(&doc.scan, jsonc_get(&doc, path), "// \" /* ,] */"));
}

int main(void)
{
    TAP_RUN(a_member_goes_in_as_the_file_is_laid_out);
    TAP_RUN(an_element_goes_in_behind_the_others);
    TAP_RUN(a_file_without_a_value_gets_a_root);
    TAP_RUN(what_others_wrote_stays_when_a_member_goes);
    TAP_RUN(a_replaced_value_leaves_its_neighbours);
    TAP_RUN(what_is_no_object_is_not_replaced_by_one);
    TAP_RUN(what_is_no_json_is_refused_with_its_line);
    TAP_RUN(comments_and_commas_inside_strings_are_text);
    return tap_done();
}
