/* SPDX-License-Identifier: Apache-2.0 */
/* Which found items are related: words, scores, the session's own. */
#include "related.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

struct result {
    int id; /* 0 ends a list */
    double score;
    const char *title;
    const char *more; /* further members, or NULL */
};

static cJSON *make_answer(const struct result *results)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    cJSON *answer = NULL;

    jz__buf_puts(&text, "{\"results\":[");
    for (; results->id != 0; results++) {
        jz__json_put_comma(&text);
        jz__buf_printf(&text, "{\"id\":%d,\"score\":%.4f,\"title\":\"%s\"%s%s}",
                       results->id, results->score, results->title,
                       results->more != NULL ? "," : "",
                       results->more != NULL ? results->more : "");
    }
    jz__buf_puts(&text, "]}");
    CHECK_INT(jz__json_parse(&answer, text.data, text.length, NULL), 0);
    return answer;
}

static void check_ids(const struct related *related, const char *want)
{
    char ids[64] = "";
    size_t at = 0;

    for (size_t i = 0; i < related->count; i++) {
        at += (size_t)snprintf(ids + at, sizeof(ids) - at, "%d ",
                               (int)related->items[i].id);
    }
    CHECK_STR(ids, want);
}

/* want: the ids that are related, "1 2 3 ". shown: an array as JSON. */
static void check_related(const char *prompt, const char *session,
                          const char *shown, const struct result *results,
                          const char *want)
{
    JZ_CLEANUP(words_finish) struct words words = { 0 };
    JZ_CLEANUP(jz__json_freep) cJSON *answer = make_answer(results);
    JZ_CLEANUP(jz__json_freep) cJSON *list = NULL;
    struct related related = { .words = &words, .session = session };

    CHECK_INT(words_find(&words, prompt, strlen(prompt)), 0);
    CHECK_INT(jz__json_parse(&list, shown, strlen(shown), NULL), 0);
    related.shown = list;
    CHECK_INT(related_add(&related, answer), 0);
    check_ids(&related, want);
}

static void two_words_are_needed(void)
{
    static const struct result results[] = {
        { 1, 0.5, "Invoice EXPORTS", NULL },
        { 2, 0.5, "invoice paid", NULL },
        { 3, 0.5, "nothing", NULL },
        { 0, 0, NULL, NULL },
    };

    check_related("invoice export broken", "", "[]", results, "1 ");
}

static void one_word_is_enough_for_a_prompt_of_one(void)
{
    static const struct result results[] = {
        { 1, 0.5, "my invoices", NULL },
        { 0, 0, NULL, NULL },
    };

    check_related("the invoice", "", "[]", results, "1 ");
}

static void words_may_stand_in_any_text_but_the_project(void)
{
    static const struct result results[] = {
        { 1, 0.5, "facturacion", "\"summary\":\"Exporté\"" },
        { 2, 0.5, "x", "\"questions\":[\"facturacion?\",5,\"export?\"]" },
        { 3, 0.5, "x",
          "\"atoms\":[{\"kind\":\"fact\",\"text\":\"export\"},"
          "{\"text\":\"FACTURACIO\\u0301N\"}]" },
        { 4, 0.5, "export", "\"project\":\"facturacion\"" },
        { 0, 0, NULL, NULL },
    };

    check_related("Facturación export", "", "[]", results, "1 2 3 ");
}

static void half_of_the_best_score_is_needed(void)
{
    static const struct result results[] = {
        { 1, 0.8, "invoice export", NULL },
        { 2, 0.4, "invoice export", NULL },
        { 3, 0.3999, "invoice export", NULL },
        { 0, 0, NULL, NULL },
    };

    check_related("invoice export", "", "[]", results, "1 2 ");
}

static void three_are_enough(void)
{
    static const struct result results[] = {
        { 1, 0.8, "invoice export", NULL },
        { 2, 0.8, "invoice export", NULL },
        { 3, 0.8, "invoice export", NULL },
        { 4, 0.8, "invoice export", NULL },
        { 0, 0, NULL, NULL },
    };

    check_related("invoice export", "", "[]", results, "1 2 3 ");
}

/* What was shown is still the measure for the rest. */
static void shown_items_do_not_come_again(void)
{
    static const struct result results[] = {
        { 1, 0.8, "invoice export", NULL },
        { 2, 0.5, "invoice export", NULL },
        { 3, 0.3, "invoice export", NULL },
        { 0, 0, NULL, NULL },
    };

    check_related("invoice export", "", "[1,9]", results, "2 ");
}

/* The session's own work says nothing about how well others fit. */
static void own_items_do_not_count(void)
{
    static const struct result results[] = {
        { 1, 0.9, "invoice export", "\"external_id\":\"s-1#0\"" },
        { 2, 0.9, "invoice export", "\"original_ref\":\"codex:s-1\"" },
        { 3, 0.3, "invoice export", "\"external_id\":\"s-12#0\"" },
        { 4, 0.3, "invoice export",
          "\"external_id\":null,\"original_ref\":\"codex:as-1\"" },
        { 0, 0, NULL, NULL },
    };

    check_related("invoice export", "s-1", "[]", results, "3 4 ");
    check_related("invoice export", "", "[]", results, "1 2 ");
}

static void project_search_and_the_other_go_together(void)
{
    static const struct result in_project[] = {
        { 1, 0.2, "invoice export", NULL },
        { 0, 0, NULL, NULL },
    };
    static const struct result everywhere[] = {
        { 2, 0.9, "invoice export", NULL },
        { 1, 0.2, "invoice export", NULL },
        { 0, 0, NULL, NULL },
    };
    JZ_CLEANUP(words_finish) struct words words = { 0 };
    JZ_CLEANUP(jz__json_freep) cJSON *first = make_answer(in_project);
    JZ_CLEANUP(jz__json_freep) cJSON *second = make_answer(everywhere);
    struct related related = { .words = &words, .session = "" };

    CHECK_INT(words_find(&words, "invoice export", 14), 0);
    CHECK_INT(related_add(&related, first), 0);
    CHECK_INT(related_add(&related, second), 0);
    check_ids(&related, "1 2 ");
}

static void answers_of_another_shape_give_nothing(void)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"results\":5}",
        "{\"results\":[5,null,{\"title\":\"invoice export\"}]}",
        "{\"results\":[{\"id\":\"x\",\"title\":7,\"score\":\"y\"}]}",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        JZ_CLEANUP(words_finish) struct words words = { 0 };
        JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
        struct related related = { .words = &words, .session = "" };

        CHECK_INT(words_find(&words, "invoice export", 14), 0);
        CHECK_INT(jz__json_parse(&answer, texts[i], strlen(texts[i]), NULL), 0);
        CHECK_INT(related_add(&related, answer), 0);
        CHECK_INT(related_add(&related, NULL), 0);
        CHECK_INT(related.count, 0);
    }
}

int main(void)
{
    TAP_RUN(two_words_are_needed);
    TAP_RUN(one_word_is_enough_for_a_prompt_of_one);
    TAP_RUN(words_may_stand_in_any_text_but_the_project);
    TAP_RUN(half_of_the_best_score_is_needed);
    TAP_RUN(three_are_enough);
    TAP_RUN(shown_items_do_not_come_again);
    TAP_RUN(own_items_do_not_count);
    TAP_RUN(project_search_and_the_other_go_together);
    TAP_RUN(answers_of_another_shape_give_nothing);
    return tap_done();
}
