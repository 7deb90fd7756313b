/* SPDX-License-Identifier: Apache-2.0 */
/* A word in a list of YAML: texts with and without it, and those that are left
 * alone. */
#include "yaml_list.h"

#include "base/mem.h"
#include "tap.h"

static const struct yaml_list list = { "plugins", "enabled", "jezero" };

struct edited {
    const char *without;
    const char *with;
};

static void check_text(int (*edit)(struct jz__buf *, struct jz__str,
                                   const struct yaml_list *,
                                   struct jz__error *),
                       const char *before, const char *after)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
    struct jz__error error = { 0 };

    CHECK_INT(edit(&out, jz__str_of(before), &list, &error), 0);
    if (!CHECK_STR(out.length > 0 ? out.data : "", after)) {
        fprintf(stderr, "# of:\n%s\n# %s\n", before, error.message);
    }
}

static void a_word_goes_in_and_out_again(void)
{
    static const struct edited cases[] = {
        { "", "plugins:\n  enabled:\n    - jezero\n" },
        { "model: x\n", "model: x\nplugins:\n  enabled:\n    - jezero\n" },
        { "model: x", "model: x\nplugins:\n  enabled:\n    - jezero" },
        { "a: 1\r\n", "a: 1\r\nplugins:\r\n  enabled:\r\n    - jezero\r\n" },
        { "plugins:\n  enabled:\n    - other # mine\nz: 1\n",
          "plugins:\n  enabled:\n    - other # mine\n    - jezero\nz: 1\n" },
        { "plugins:\n    enabled:\n    - \"other\"\n    # end\n",
          "plugins:\n    enabled:\n    - \"other\"\n    - jezero\n    # "
          "end\n" },
        { "plugins:\n   timeout: 3\nz: 1",
          "plugins:\n   enabled:\n     - jezero\n   timeout: 3\nz: 1" },
        { "\"plugins\":\n  enabled: [a]\n",
          "\"plugins\":\n  enabled: [a, jezero]\n" },
        { "plugins :\n  'enabled' : [a]\n",
          "plugins :\n  'enabled' : [a, jezero]\n" },
        { "plugins:\n  enabled: []\n", "plugins:\n  enabled: [jezero]\n" },
        { "plugins:\n  enabled: [a, 'b' ] # two\n",
          "plugins:\n  enabled: [a, 'b', jezero ] # two\n" },
        { "---\n# hi\nhooks:\n- x: {a: 1}\ntext: |\n  - jezero\n",
          "---\n# hi\nhooks:\n- x: {a: 1}\ntext: |\n  - jezero\nplugins:\n"
          "  enabled:\n    - jezero\n" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        check_text(yaml_list_add, cases[i].without, cases[i].with);
        check_text(yaml_list_remove, cases[i].with, cases[i].without);
    }
}

static void a_word_that_is_there_is_not_added_again(void)
{
    static const char *const texts[] = {
        "plugins:\n  enabled:\n  - jezero\n",
        "plugins:\n  enabled:\n    - a\n    - \"jezero\" # ours\n",
        "plugins:\n  enabled: [ 'jezero' ]\n",
    };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(yaml_list_add(&out, jz__str_of(texts[i]), &list, &error),
                  YAML_LIST_SAME);
        CHECK_INT(out.length, 0);
    }
}

static void a_word_that_is_not_there_is_not_removed(void)
{
    static const char *const texts[] = { "", "a: 1\n",
                                         "plugins:\n  enabled: [a]\n" };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        CHECK_INT(yaml_list_remove(&out, jz__str_of(texts[i]), &list, NULL),
                  YAML_LIST_SAME);
    }
}

static void what_is_not_simple_is_left_alone(void)
{
    static const char *const texts[] = {
        "{plugins: {enabled: []}}\n",
        "plugins: {enabled: [a]}\n",
        "plugins: &x\n  enabled: [a]\n",
        "plugins:\n  enabled: *x\n",
        "plugins:\n  enabled:\n    - {name: a}\n",
        "plugins:\n  enabled:\n    - a b\n",
        "plugins:\n  enabled:\n    a: 1\n",
        "plugins:\n  enabled: [a,\n    b]\n",
        "plugins:\n- a\n",
        "plugins:\n  disabled: [jezero]\n",
        "plugins:\n  disabled:\n    - jezero\n  enabled:\n    - a\n",
        "plugins:\n  a: 1\nplugins:\n  b: 1\n",
        "a: 1\n---\nb: 1\n",
        "a: 1\n...\n",
        "a: \"x\ny\"\n",
        "a: 'x\nplugins:\n  b: 1'\n",
        "- plugins\n",
        "---\n  a: 1\n",
        "\tplugins:\n",
        "plugins:\n\tenabled:\n",
        "? a\n: b\n",
        "'plugins': {enabled: [a]}\n",
        "\xEF\xBB\xBFplugins:\n  enabled: [a]\n",
        "a: \xFF\xFE\n",
    };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };

        if (!CHECK_INT(yaml_list_add(&out, jz__str_of(texts[i]), &list, &error),
                       JZ_EINVAL)) {
            fprintf(stderr, "# %s", texts[i]);
        }
        CHECK_INT(out.length, 0);
    }
}

int main(void)
{
    TAP_RUN(a_word_goes_in_and_out_again);
    TAP_RUN(a_word_that_is_there_is_not_added_again);
    TAP_RUN(a_word_that_is_not_there_is_not_removed);
    TAP_RUN(what_is_not_simple_is_left_alone);
    return tap_done();
}
