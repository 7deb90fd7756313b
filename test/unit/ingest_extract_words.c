/* SPDX-License-Identifier: Apache-2.0 */
/* Words, marks and the tables that they are looked up in. */
#include "ingest/extract_internal.h"
#include "tap.h"

static void tables_are_sorted(void)
{
    CHECK(jz__extract_common_is_sorted());
    CHECK(jz__extract_cues_are_sorted());
    CHECK(jz__extract_error_line_is_sorted());
}

static void names_are_one_word(void)
{
    struct jz__str rest =
        jz__str_of("see lib/base/str.h:12 and don't (foo_bar), v1.2 — ñandú.");
    static const char *const want[] = { "see",   "lib/base/str.h:12", "and",
                                        "don't", "foo_bar",           "v1.2",
                                        "ñandú" };
    struct jz__extract_word word;
    size_t i;

    for (i = 0; i < JZ__LENGTH(want); i++) {
        if (CHECK(jz__extract_words_next(&word, &rest))) {
            CHECK(jz__str_is(word.text, want[i]));
        }
    }
    CHECK(!jz__extract_words_next(&word, &rest));
}

static void marks_are_names_of_things(void)
{
    static const struct {
        const char *text;
        bool is_mark;
    } cases[] = {
        { "jezero.toml", true }, { "parse_price", true }, { "E0433", true },
        { "HookType", true },    { "a/b", true },         { "price", false },
        { "README", false },     { "low-risk", false },   { "2026", false },
        { "don't", false },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct jz__str rest = jz__str_of(cases[i].text);
        struct jz__extract_word word;

        CHECK(jz__extract_words_next(&word, &rest));
        if (!CHECK_INT(word.is_mark, cases[i].is_mark)) {
            printf("# %s\n", cases[i].text);
        }
    }
}

static void empty_and_generic_words_are_known(void)
{
    static const struct {
        const char *text;
        bool is_stop;
        bool is_generic;
    } cases[] = {
        { "the", true, false },   { "THE", true, false },
        { "para", true, false },  { "test", false, true },
        { "Tests", false, true }, { "branches", false, false },
        { "fixed", false, true }, { "invoice", false, false },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct jz__str rest = jz__str_of(cases[i].text);
        struct jz__extract_word word;

        CHECK(jz__extract_words_next(&word, &rest));
        CHECK_INT(word.is_stop, cases[i].is_stop);
        CHECK_INT(word.is_generic, cases[i].is_generic);
    }
}

static void key_ignores_case_and_punctuation(void)
{
    uint64_t key = jz__extract_words_key(jz__str_of("Use the price cache."));

    CHECK(key == jz__extract_words_key(jz__str_of("use the *price* caches")));
    CHECK(key != jz__extract_words_key(jz__str_of("use the cache price")));
}

static void weigh(struct jz__extract_sentence *sentence, const char *text,
                  uint32_t flags)
{
    uint16_t index[26 * JZ__EXTRACT_SECONDS + 1];

    memset(sentence, 0, sizeof(*sentence));
    sentence->text = jz__str_of(text);
    sentence->flags = flags;
    jz__extract_cues_index(index);
    jz__extract_cues_scan(sentence, index);
}

static void cues_tell_kinds_apart(void)
{
    static const struct {
        const char *text;
        enum jz__extract_cue_kind kind;
        bool is_there;
    } cases[] = {
        { "We decided to keep prices in cents.", JZ__CUE_DECISION, true },
        { "Decidimos guardar los precios en céntimos.", JZ__CUE_DECISION,
          true },
        { "I'll keep the old column.", JZ__CUE_DECISION, true },
        { "Fixed the rounding.", JZ__CUE_FIX, true },
        { "A fixed price stays.", JZ__CUE_FIX, false },
        { "The branch is fix/rounding.", JZ__CUE_FIX, false },
        { "Corregido el redondeo.", JZ__CUE_FIX, true },
        { "It is null because the row is missing.", JZ__CUE_RATIONALE, true },
        { "Falla porque falta la fila.", JZ__CUE_RATIONALE, true },
        { "Run it with --since 3.", JZ__CUE_RATIONALE, false },
        { "This could break the importer.", JZ__CUE_RISK, true },
        { "It is a low-risk change.", JZ__CUE_RISK, false },
        { "Cuidado: el importador es viejo.", JZ__CUE_RISK, true },
        { "Let me look at the importer.", JZ__CUE_PLAN, true },
        { "Voy a mirar el importador.", JZ__CUE_PLAN, true },
        { "Want me to open a pull request?", JZ__CUE_OFFER, true },
        { "¿Quieres que lo suba?", JZ__CUE_OFFER, true },
        { "We could use the red one.", JZ__CUE_HEDGE, true },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct jz__extract_sentence sentence;

        weigh(&sentence, cases[i].text, 0);
        if (!CHECK_INT(sentence.cues[cases[i].kind] > 0, cases[i].is_there)) {
            printf("# %s\n", cases[i].text);
        }
    }
}

static void some_cues_are_a_persons_only(void)
{
    struct jz__extract_sentence sentence;

    weigh(&sentence, "don't touch the importer", JZ__SENTENCE_USER);
    CHECK(sentence.cues[JZ__CUE_DECISION] > 0);
    weigh(&sentence, "don't touch the importer", 0);
    CHECK_INT(sentence.cues[JZ__CUE_DECISION], 0);
}

int main(void)
{
    TAP_RUN(tables_are_sorted);
    TAP_RUN(names_are_one_word);
    TAP_RUN(marks_are_names_of_things);
    TAP_RUN(empty_and_generic_words_are_known);
    TAP_RUN(key_ignores_case_and_punctuation);
    TAP_RUN(cues_tell_kinds_apart);
    TAP_RUN(some_cues_are_a_persons_only);
    return tap_done();
}
