/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries and questions of small sessions that were made up. */
#include "base/utf8.h"
#include "segment_of.h"
#include "tap.h"

static const struct line session[] = {
    { 'u', "Why do exported invoices show broken accents in spreadsheets?",
      NULL },
    { 'a', "Let me look at the exporter.", NULL },
    { '$', "grep -rn 'encode' src", "src/export.c:3: encode" },
    { 'a',
      "The root cause is in `export_csv()`: it writes UTF-8 without a byte "
      "order mark, so spreadsheets take it for Latin-1.",
      NULL },
    { 'u', "ok, write the mark then. can you also add a test?", NULL },
    { '$', "make test", "ok" },
    { 'a',
      "Done. `export_csv()` now writes the byte order mark, and "
      "`test_export.c` checks the first three bytes.\n\nIf you want, I can "
      "commit it to `main` as well.",
      NULL },
    { 'u', "commit", NULL },
    { '$', "git commit -m \"Write invoices with a byte order mark\"", "" },
    { 'a', "Committed.", NULL },
};

static bool holds(struct jz__str text, const char *part)
{
    bool found = jz__str_find(text, part) != SIZE_MAX;

    if (!found) {
        printf("# no '%s' in: %s\n", part, text.data);
    }
    return found;
}

static void summary_has_request_outcome_and_cause(void)
{
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, session, JZ__LENGTH(session), "", 0), 0);
    CHECK(holds(item.summary, "Why do exported invoices show broken accents"));
    CHECK(holds(item.summary, "now writes the byte order mark"));
    CHECK(holds(item.summary, "The root cause is in export_csv()"));
    CHECK(jz__str_find(item.summary, "Let me") == SIZE_MAX);
    CHECK(jz__str_find(item.summary, "If you want") == SIZE_MAX);
    CHECK(jz__str_find(item.summary, "`") == SIZE_MAX);
    jz__extract_finish(&item);
}

static void outcome_stands_in_what_a_list_shows(void)
{
    struct jz__extract item;
    size_t at;

    CHECK_INT(segment_extract(&item, session, JZ__LENGTH(session), "", 0), 0);
    at = jz__str_find(item.summary, "now writes the byte order mark");
    CHECK(at < 350);
    jz__extract_finish(&item);
}

static void session_that_stops_in_the_middle_ends_with_its_last_report(void)
{
    static const struct line lines[] = {
        { 'u', "make the price import faster", NULL },
        { 'a', "`import_prices()` now reads in batches of 500 rows.", NULL },
        { 'u', "open a pull request", NULL },
        { 'a', "The working tree is clean but for the importer's files.",
          NULL },
        { '$', "git push", "" },
    };
    static const struct line only[] = {
        { 'u', "make the price import faster", NULL },
        { 'a', "The importer opens a transaction for every single row.", NULL },
        { '$', "make test", "ok" },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, JZ__LENGTH(lines), "", 0), 0);
    CHECK(jz__str_starts(item.summary,
                         "make the price import faster. import_prices() now "
                         "reads in batches of 500 rows."));
    jz__extract_finish(&item);
    CHECK_INT(segment_extract(&item, only, JZ__LENGTH(only), "", 0), 0);
    CHECK_STR(item.summary.data,
              "make the price import faster. The importer opens a transaction "
              "for every single row.");
    jz__extract_finish(&item);
}

static void questions_are_what_people_asked(void)
{
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, session, JZ__LENGTH(session), "", 0), 0);
    CHECK(item.question_count >= 1);
    CHECK_STR(item.questions[0].data,
              "Why do exported invoices show broken accents in spreadsheets?");
    CHECK(item.question_count <= 2);
    jz__extract_finish(&item);
}

static void same_segment_gives_the_same_item(void)
{
    struct jz__extract a;
    struct jz__extract b;
    size_t i;

    CHECK_INT(segment_extract(&a, session, JZ__LENGTH(session), "", 0), 0);
    CHECK_INT(segment_extract(&b, session, JZ__LENGTH(session), "", 0), 0);
    CHECK_STR(a.summary.data, b.summary.data);
    CHECK_INT(a.atom_count, b.atom_count);
    for (i = 0; i < a.atom_count; i++) {
        CHECK_STR(a.atoms[i].text.data, b.atoms[i].text.data);
    }
    jz__extract_finish(&a);
    jz__extract_finish(&b);
}

static void summary_keeps_to_its_length(void)
{
    static char texts[20][300];
    struct line lines[41];
    struct jz__extract item;
    size_t count = 0;
    int i;

    for (i = 0; i < 20; i++) {
        snprintf(texts[i], sizeof(texts[i]),
                 "Fixed the größe%d of field%d in `table%d.c`, because "
                 "importer%d writes values%d over limit%d for shop%d.",
                 i, i, i, i, i, i, i);
        lines[count++] = (struct line){ 'u', "and the next field too", NULL };
        lines[count++] = (struct line){ 'a', texts[i], NULL };
    }
    CHECK_INT(segment_extract(&item, lines, count, "", 0), 0);
    CHECK(jz__utf8_count(item.summary.data, item.summary.length) <=
          JZ__EXTRACT_SUMMARY_MOST);
    CHECK(item.summary.length > 500);
    jz__extract_finish(&item);
}

static void check_summary(const struct line *lines, size_t count,
                          const char *want)
{
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, count, "", 0), 0);
    CHECK_STR(item.summary.data, want);
    jz__extract_finish(&item);
}

static void items_of_a_list_are_one_sentence(void)
{
    static const struct line lines[] = {
        { 'u', "teach the importer about shops without a currency", NULL },
        { 'a',
          "Added `shop_rules()` with three cases:\n"
          "- euro shops keep their rounding\n"
          "- foreign shops round to whole cents\n"
          "- unknown shops are rejected\n",
          NULL },
    };

    check_summary(lines, 2,
                  "teach the importer about shops without a currency. Added "
                  "shop_rules() with three cases: euro shops keep their "
                  "rounding; foreign shops round to whole cents; unknown shops "
                  "are rejected.");
}

/* The sentence is shorter than the outcome's room and longer than what stands
 * whole, so nothing of it is cut. */
static void long_first_sentence_stands_whole(void)
{
    static char text[420] = "Fixed the rounding of";
    static char want[480] = "repair the rounding. ";
    struct line lines[] = { { 'u', "repair the rounding", NULL },
                            { 'a', text, NULL } };
    int i;

    for (i = 0; i < 24; i++) {
        sprintf(text + strlen(text), " shop%d_price", i);
    }
    strcat(want, text);
    strcat(want, ".");
    check_summary(lines, 2, want);
}

static void announcement_without_its_list_is_dropped(void)
{
    static char text[700] = "Repaired `shop_rules()` in the importer. Fixed "
                            "the rounding of prices by setting:\n- ";
    struct line lines[] = { { 'u', "repair the rounding", NULL },
                            { 'a', text, NULL } };
    struct jz__extract item;
    int i;

    for (i = 0; i < 40; i++) {
        sprintf(text + strlen(text), "limit%d_x ", i);
    }
    CHECK_INT(segment_extract(&item, lines, 2, "", 0), 0);
    CHECK(holds(item.summary, "Repaired shop_rules()"));
    CHECK(jz__str_find(item.summary, "setting") == SIZE_MAX);
    jz__extract_finish(&item);
}

static void what_was_done_goes_before_what_was_explained(void)
{
    static const struct line lines[] = {
        { 'u', "round the prices of `shop_rules()` to cents", NULL },
        { 'a',
          "Added `round_price()` to `import.c`, the importer of all shops.",
          NULL },
        { 'u', "what does a bank's rounding do?", NULL },
        { 'a',
          "A half goes to the even neighbour, so that sums of many halves "
          "stay near the true total of the column.",
          NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 4, "", 0), 0);
    CHECK(jz__str_find(item.summary, "Added round_price()") <
          jz__str_find(item.summary, "A half goes"));
    jz__extract_finish(&item);
}

static void offered_choices_are_left_out(void)
{
    static const struct line lines[] = {
        { 'u', "where should the price cache of the shops live?", NULL },
        { 'a',
          "A. A table of `shops.db` keeps the price cache near the shops.\n\n"
          "B. A folder of files keeps the price cache out of the database.",
          NULL },
        { 'u', "the first", NULL },
        { 'a', "Added the table `price_cache` to `shops.db`.", NULL },
    };

    check_summary(lines, 4,
                  "where should the price cache of the shops live? Added the "
                  "table price_cache to shops.db.");
}

static void greeting_alone_is_summed_up_by_itself(void)
{
    static const struct line lines[] = {
        { 'u', "hello", NULL },
        { '$', "echo good morning", "good morning" },
        { 'a', "All done.", NULL },
    };

    check_summary(lines, 3, "hello. All done.");
}

static void statement_is_no_question(void)
{
    static const struct line lines[] = {
        { 'u', "send the price list of every shop at night", NULL },
        { 'u', "the warehouse feed is called NightFeed, I read the manual",
          NULL },
        { 'u', "the warehouse feed is missing its currency column", NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 3, "", 0), 0);
    CHECK_INT(item.question_count, 2);
    CHECK(holds(item.questions[1], "missing its currency"));
    jz__extract_finish(&item);
}

static void nothing_said_gives_an_empty_item(void)
{
    static const struct line lines[] = {
        { '$', "make", "ok" },
        { 'u', "", NULL },
        { 'a', "", NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 3, "", 0), 0);
    CHECK_STR(item.summary.data, "");
    CHECK_INT(item.question_count, 0);
    CHECK_INT(item.atom_count, 1);
    jz__extract_finish(&item);
    jz__extract_finish(&item);
    jz__extract_finish(NULL);
}

int main(void)
{
    TAP_RUN(summary_has_request_outcome_and_cause);
    TAP_RUN(outcome_stands_in_what_a_list_shows);
    TAP_RUN(session_that_stops_in_the_middle_ends_with_its_last_report);
    TAP_RUN(questions_are_what_people_asked);
    TAP_RUN(same_segment_gives_the_same_item);
    TAP_RUN(summary_keeps_to_its_length);
    TAP_RUN(items_of_a_list_are_one_sentence);
    TAP_RUN(long_first_sentence_stands_whole);
    TAP_RUN(announcement_without_its_list_is_dropped);
    TAP_RUN(what_was_done_goes_before_what_was_explained);
    TAP_RUN(offered_choices_are_left_out);
    TAP_RUN(greeting_alone_is_summed_up_by_itself);
    TAP_RUN(statement_is_no_question);
    TAP_RUN(nothing_said_gives_an_empty_item);
    return tap_done();
}
