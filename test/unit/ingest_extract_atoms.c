/* SPDX-License-Identifier: Apache-2.0 */
/* Which sentences become atoms, of which kind, and which never do. */
#include "base/utf8.h"
#include "segment_of.h"
#include "tap.h"

/* One message of the agent behind a request, and the kind of its atom. */
static void agents_sentences_have_their_kinds(void)
{
    static const struct {
        const char *text;
        const char *kind; /* NULL: it becomes none */
    } cases[] = {
        { "We decided to keep invoice amounts in cents.", "decision" },
        { "Going with PostgreSQL advisory locks for the importer.",
          "decision" },
        { "I'll keep `legacy_price` instead of renaming it.", "decision" },
        { "Decidimos usar colas separadas para las facturas.", "decision" },
        { "I decided to look at the importer first.", NULL },
        { "Let me check the importer settings now.", NULL },
        { "Now I'll add the retry logic to `import_prices()`.", NULL },
        { "I think we should maybe use Redis for the sessions.", NULL },
        { "Want me to use Redis for the sessions?", NULL },
        { "We could use Redis instead of `sessions.db` here.", NULL },
        { "The fix is to close the cursor in `import_prices()`.", "fix" },
        { "Corregido el redondeo en `parse_price()`.", "fix" },
        { "The import fails because the currency column is empty.",
          "rationale" },
        { "Falla porque la columna de moneda llega vacía.", "rationale" },
        { "Dropping the column could break the nightly importer.", "risk" },
        { "Cuidado: borrar la columna afecta al importador nocturno.", "risk" },
        { "`import_prices()` requires PostgreSQL 14 or newer.", "fact" },
        { "Added a retry to `import_prices()`.", "fact" },
        { "Done.", NULL },
        { "The importer and `shop.toml` stay untouched, leaving them alone.",
          NULL },
        { "I'll keep `notes.txt` out of the commit.", NULL },
        { "I kept mixing `price_a` with `price_b` in the importer.", NULL },
        { "I'll leave them exactly as the importer wrote them.", NULL },
        { "PriceStart, PriceEnd (just added), PriceAbort", NULL },
        { "They require `libprice.so` in the search path.", NULL },
        { "Both need it because the currency column is empty.", NULL },
        { "…will fail because the currency column is empty.", NULL },
        { "Also, the import fails because the currency column is empty.",
          "rationale" },
        { "This is a race because `import_prices()` shares one cursor.",
          "rationale" },
        { "The rule is fixed.", NULL },
        { "Returns the price of `shop_rules()` by default.", NULL },
        { "I'd suggest `shop_rules()`, since the naming is odd.", NULL },
        { "Currently untracked: `prices.csv` and the old importer.", NULL },
        { "`price_step` is enabled or disabled", NULL },
        { "Recommendation: use the resolved currency instead of the raw one.",
          NULL },
        { "`import_prices()` no longer reads the currency column.", "fact" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct line lines[] = {
            { 'u', "make the nightly price import more robust", NULL },
            { 'a', cases[i].text, NULL },
        };
        struct jz__extract item;

        CHECK_INT(segment_extract(&item, lines, 2, "", 0), 0);
        CHECK_INT(item.atom_count, cases[i].kind != NULL);
        if (cases[i].kind != NULL && item.atom_count == 1) {
            CHECK_STR(item.atoms[0].kind, cases[i].kind);
        } else if (item.atom_count != (cases[i].kind != NULL)) {
            printf("# %s\n", cases[i].text);
        }
        jz__extract_finish(&item);
    }
}

static void persons_word_is_a_decision(void)
{
    static const struct line lines[] = {
        { 'u', "store the import log somewhere", NULL },
        { 'a', "Should it go into the database or into a file?", NULL },
        { 'u', "let's use a rotating file, not the database", NULL },
        { 'u', "don't log customer names in it", NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 4, "", 0), 0);
    CHECK(segment_atom(&item, "decision", "rotating file") != NULL);
    CHECK(segment_atom(&item, "decision", "customer names") != NULL);
    jz__extract_finish(&item);
}

static void wish_about_the_work_is_no_decision(void)
{
    static const struct line lines[] = {
        { 'u', "rework the price import of all shops", NULL },
        { 'u', "let's not leave the price checks to the very end", NULL },
        { 'u', "keep each commit of the importer small and working", NULL },
        { 'u', "I think we should split the currency kinds for clarity", NULL },
        { 'u', "so for example it should print the shop's currency", NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, JZ__LENGTH(lines), "", 0), 0);
    CHECK(segment_atom(&item, "decision", "") == NULL);
    jz__extract_finish(&item);
}

static void picked_answers_are_decisions(void)
{
    static const struct line lines[] = {
        { 'u', "cache the prices of all shops", NULL },
        { 'u',
          "\"Which cache?\"=\"Redis cluster (Recommended)\", \"How long are "
          "prices kept?\"=\"One hour, then again\".",
          NULL },
        { 'u', "\"Which cache?\"=\"", NULL },
        { 'u', "\"Which shop?\"=\"\", \"=\"", NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, JZ__LENGTH(lines), "", 0), 0);
    CHECK_STR(segment_atom(&item, "decision", "Redis"),
              "Which cache? Redis cluster");
    CHECK_STR(segment_atom(&item, "decision", "hour"),
              "How long are prices kept? One hour, then again");
    CHECK_INT(item.question_count, 1);
    jz__extract_finish(&item);
}

static void pasted_page_and_tool_output_decide_nothing(void)
{
    static const struct line lines[] = {
        { 'u',
          "summarize this post:\n\nWe decided to use MongoDB for invoices. The "
          "fix is to restart it because it leaks.\n",
          NULL },
        { '$', "curl https://example.com/post",
          "We decided to use Cassandra because it scales.\n" },
        { 'u',
          "# Team handbook\n\nWe decided to use Oracle for all invoices.\n",
          NULL },
        { 'a', "```\nWe decided to use DB2 for invoices.\n```", NULL },
        { 'a', "> We decided to use SQLite for invoices.", NULL },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, JZ__LENGTH(lines), "", 0), 0);
    CHECK(segment_atom(&item, "decision", "") == NULL);
    CHECK(segment_atom(&item, "fix", "") == NULL);
    CHECK(segment_atom(&item, "rationale", "") == NULL);
    jz__extract_finish(&item);
}

static void kinds_take_turns_up_to_the_most(void)
{
    static char texts[40][120];
    struct line lines[62];
    struct jz__extract item;
    size_t count = 0;
    int i;

    lines[count++] =
        (struct line){ 'u', "rework the price import of all shops", NULL };
    for (i = 0; i < 20; i++) {
        snprintf(texts[i], sizeof(texts[i]),
                 "We decided to move table%d_%c to schema%d_%c.", i, 'a' + i, i,
                 'z' - i);
        lines[count++] = (struct line){ 'a', texts[i], NULL };
        snprintf(texts[20 + i], sizeof(texts[0]), "make target%d", i);
        lines[count++] = (struct line){ '$', texts[20 + i], "" };
    }
    lines[count++] =
        (struct line){ 'a', "Dropping target7 could break the importer.",
                       NULL };
    CHECK_INT(segment_extract(&item, lines, count, "", 0), 0);
    CHECK(item.atom_count <= JZ__EXTRACT_ATOMS_MOST);
    CHECK_STR(item.atoms[0].kind, "decision");
    CHECK_STR(item.atoms[1].kind, "command");
    CHECK_STR(item.atoms[2].kind, "risk");
    jz__extract_finish(&item);
}

static void atoms_keep_to_their_length(void)
{
    char text[1200] = "We decided to keep ";
    struct line lines[] = { { 'u', "decide about the price tables", NULL },
                            { 'a', text, NULL } };
    struct jz__extract item;
    size_t i;

    for (i = 0; i < 90; i++) {
        strcat(text, "tábla_x, ");
    }
    CHECK_INT(segment_extract(&item, lines, 2, "", 0), 0);
    CHECK_INT(item.atom_count, 1);
    if (item.atom_count == 1) {
        CHECK(jz__utf8_count(item.atoms[0].text.data,
                             item.atoms[0].text.length) <=
              JZ__EXTRACT_ATOM_MOST);
    }
    jz__extract_finish(&item);
}

static void commands_are_those_that_succeeded(void)
{
    static const struct line lines[] = {
        { 'u', "build and test the price service", NULL },
        { '$', "cd /srv/shop && make test 2>&1 | tail -5", "ok" },
        { '!', "make deploy", "make: *** No rule to make target 'deploy'." },
        { '$', "ls -la", "total 0" },
        { '$', "make test", "ok" },
    };
    struct jz__extract item;

    CHECK_INT(segment_extract(&item, lines, 5, "", 0), 0);
    CHECK_STR(segment_atom(&item, "command", "make"), "make test");
    CHECK(segment_atom(&item, "command", "deploy") == NULL);
    CHECK(segment_atom(&item, "error", "No rule to make target") != NULL);
    CHECK(segment_atom(&item, "command", "ls") == NULL);
    CHECK_INT(item.atom_count, 2);
    jz__extract_finish(&item);
}

int main(void)
{
    TAP_RUN(agents_sentences_have_their_kinds);
    TAP_RUN(persons_word_is_a_decision);
    TAP_RUN(wish_about_the_work_is_no_decision);
    TAP_RUN(picked_answers_are_decisions);
    TAP_RUN(pasted_page_and_tool_output_decide_nothing);
    TAP_RUN(kinds_take_turns_up_to_the_most);
    TAP_RUN(atoms_keep_to_their_length);
    TAP_RUN(commands_are_those_that_succeeded);
    return tap_done();
}
