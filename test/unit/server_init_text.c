/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jezero.toml that init writes and the page about the configuration,
 * against the keys that the program reads: all of them stand there, with the
 * default that they have, and with an example that loads.
 */
#include "init_text.h"

#include "base/file.h"
#include "config.h"
#include "config_keys.h"
#include "tap.h"

static const struct {
    const char *name; /* as the page's heading has it */
    const struct config_key *keys;
} tables[] = {
    { "[server]", config_keys_server },
    { "[library]", config_keys_library },
    { "[search]", config_keys_search },
    { "[projects]", config_keys_projects },
    { "[inbox]", config_keys_inbox },
    { "[ingest]", config_keys_ingest },
    { "[redaction]", config_keys_redaction },
    { "[summarizer]", config_keys_summarizer },
    { "[[connectors]]", config_keys_connector },
    { "[[clients]]", config_keys_client },
};

/* Those of which the text shows an example, because they have no default. */
static const char *const examples[] = {
    "public_url", "tls_cert",    "tls_key", "base_url",
    "model",      "api_key_env", "command",
};

static const struct config_origin origin = { "jezero.toml", "/etc/jezero",
                                             "/root" };

/* The text, or what is left of it when the examples go. */
static void put_text(struct jz__buf *out)
{
    init_text_put(out, "data/jezero.db", "data/inbox");
}

static bool is_example(struct jz__str line)
{
    for (size_t i = 0; i < JZ__LENGTH(examples); i++) {
        if (jz__str_starts(line, "#") &&
            jz__str_starts((struct jz__str){ line.data + 1, line.length - 1 },
                           examples[i])) {
            return true;
        }
    }
    return false;
}

/* Without the # in front of keys and headers. A comment for people has a blank
 * behind it. `has_examples`: also those of keys without a default. */
static void uncomment(struct jz__buf *out, struct jz__str text,
                      bool has_examples)
{
    struct jz__str line;

    while (jz__str_line(&line, &text)) {
        bool is_key =
            line.length > 1 && line.data[0] == '#' && line.data[1] != ' ';

        if (!has_examples && jz__str_starts(line, "#[[")) {
            return;
        }
        if (!has_examples && is_example(line)) {
            continue;
        }
        jz__buf_append(out, line.data + is_key, line.length - is_key);
        jz__buf_putc(out, '\n');
    }
}

static bool load(struct config *out, const struct jz__buf *text)
{
    struct jz__error error = { 0 };
    int r = config_parse(out, (struct jz__str){ text->data, text->length },
                         &origin, &error);

    if (!CHECK_INT(r, 0)) {
        fprintf(stderr, "# %s\n", error.message);
    }
    return r == 0;
}

/* By the lists of keys, so that a new one is compared as well. */
static void check_table(const void *a, const void *b,
                        const struct config_key *keys)
{
    for (; keys->name != NULL; keys++) {
        const char *one = (const char *)a + keys->offset;
        const char *other = (const char *)b + keys->offset;
        bool is_same = false;

        switch (keys->kind) {
        case CONFIG_TEXT:
        case CONFIG_PATH: {
            const char *const *x = (const void *)one;
            const char *const *y = (const void *)other;

            is_same = *x == NULL || *y == NULL ? *x == *y : strcmp(*x, *y) == 0;
            break;
        }
        case CONFIG_WHOLE:
            is_same = memcmp(one, other, sizeof(int64_t)) == 0;
            break;
        case CONFIG_REAL:
            is_same = memcmp(one, other, sizeof(double)) == 0;
            break;
        case CONFIG_FLAG:
            is_same = *one == *other;
            break;
        case CONFIG_LIST:
            is_same = ((const struct config_list *)(const void *)one)->count ==
                      ((const struct config_list *)(const void *)other)->count;
            break;
        case CONFIG_PAIRS:
            is_same = ((const struct config_pairs *)(const void *)one)->count ==
                      ((const struct config_pairs *)(const void *)other)->count;
            break;
        }
        if (!CHECK(is_same)) {
            fprintf(stderr, "# of %s\n", keys->name);
        }
    }
}

static void check_configs(const struct config *a, const struct config *b)
{
    check_table(&a->server, &b->server, config_keys_server);
    check_table(&a->search, &b->search, config_keys_search);
    check_table(&a->projects, &b->projects, config_keys_projects);
    check_table(&a->inbox, &b->inbox, config_keys_inbox);
    check_table(&a->ingest, &b->ingest, config_keys_ingest);
    check_table(&a->redaction, &b->redaction, config_keys_redaction);
    check_table(&a->summarizer, &b->summarizer, config_keys_summarizer);
    CHECK_STR(a->library_path, b->library_path);
    CHECK_INT(a->client_count, b->client_count);
    CHECK_INT(a->connector_count, b->connector_count);
}

static void the_text_loads_and_is_the_default_configuration(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__buf nothing = JZ__BUF_INIT;
    struct config config = { 0 };
    struct config defaults = { 0 };

    put_text(&text);
    jz__buf_puts(&nothing, "\n");
    if (load(&config, &text) && load(&defaults, &nothing)) {
        check_configs(&config, &defaults);
    }
    config_finish(&config);
    config_finish(&defaults);
    jz__buf_finish(&text);
    jz__buf_finish(&nothing);
}

static void what_is_commented_out_is_each_default(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__buf plain = JZ__BUF_INIT;
    struct jz__buf nothing = JZ__BUF_INIT;
    struct config config = { 0 };
    struct config defaults = { 0 };

    put_text(&text);
    uncomment(&plain, (struct jz__str){ text.data, text.length }, false);
    jz__buf_puts(&nothing, "\n");
    if (load(&config, &plain) && load(&defaults, &nothing)) {
        check_configs(&config, &defaults);
    }
    config_finish(&config);
    config_finish(&defaults);
    jz__buf_finish(&text);
    jz__buf_finish(&plain);
    jz__buf_finish(&nothing);
}

/* The table of this name; of [[name]] any of its elements that has the key. */
static bool has_key(const struct config *config, const char *name,
                    const char *key)
{
    char bare[32];
    const struct jz__toml_value *table;

    (void)snprintf(bare, sizeof(bare), "%.*s",
                   (int)strcspn(name + strspn(name, "["), "]"),
                   name + strspn(name, "["));
    table = jz__toml_get(config->document.root, bare);
    if (table != NULL && table->type == JZ__TOML_ARRAY) {
        for (table = table->first;
             table != NULL && jz__toml_get(table, key) == NULL;
             table = table->next) {
        }
    }
    return jz__toml_get(table, key) != NULL;
}

static void check_all_keys(const struct config *config)
{
    for (size_t i = 0; i < JZ__LENGTH(tables); i++) {
        const struct config_key *key = tables[i].keys;

        for (; key->name != NULL; key++) {
            if (!CHECK(has_key(config, tables[i].name, key->name))) {
                fprintf(stderr, "# %s %s\n", tables[i].name, key->name);
            }
        }
    }
}

static void every_key_stands_in_it(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__buf plain = JZ__BUF_INIT;
    struct config config = { 0 };

    put_text(&text);
    uncomment(&plain, (struct jz__str){ text.data, text.length }, true);
    if (load(&config, &plain)) {
        check_all_keys(&config);
    }
    for (size_t i = 0; config_table_names[i] != NULL; i++) {
        if (!CHECK(jz__toml_get(config.document.root, config_table_names[i]) !=
                   NULL)) {
            fprintf(stderr, "# %s\n", config_table_names[i]);
        }
    }
    config_finish(&config);
    jz__buf_finish(&text);
    jz__buf_finish(&plain);
}

static void paths_are_written_as_strings(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct config config = { 0 };

    init_text_put(&text, "/a \"b\"\\c\x01\x7f\n/x.db", "/in");
    if (load(&config, &text)) {
        CHECK_STR(config.library_path, "/a \"b\"\\c\x01\x7f\n/x.db");
        CHECK_STR(config.inbox.path, "/in");
    }
    config_finish(&config);
    jz__buf_finish(&text);
}

/* --- the page --- */

static bool read_page(struct jz__buf *out)
{
    struct jz__error error = { 0 };
    int r = jz__file_read(out, JZ_TEST_DATA "/../../doc/configuration.md",
                          1000000, &error);

    if (!CHECK_INT(r, 0)) {
        fprintf(stderr, "# %s\n", error.message);
    }
    return r == 0;
}

/* The part of the page below the heading of a table, up to the next one. */
static struct jz__str section(const struct jz__buf *page, const char *name)
{
    struct jz__str text = { page->data, page->length };
    char heading[40];
    size_t at;

    (void)snprintf(heading, sizeof(heading), "\n## %s\n", name);
    at = jz__str_find(text, heading);
    if (at == SIZE_MAX) {
        return JZ__STR("");
    }
    at += strlen(heading);
    text = (struct jz__str){ page->data + at, page->length - at };
    at = jz__str_find(text, "\n## ");
    text.length = at != SIZE_MAX ? at : text.length;
    return text;
}

/* What is between two marks behind a place in the text. */
static struct jz__str between(struct jz__str text, const char *start,
                              const char *end)
{
    size_t at = jz__str_find(text, start);
    struct jz__str found;

    if (at == SIZE_MAX) {
        return JZ__STR("");
    }
    at += strlen(start);
    found = (struct jz__str){ text.data + at, text.length - at };
    at = jz__str_find(found, end);
    found.length = at != SIZE_MAX ? at : 0;
    return found;
}

/* Its row is "| `port` | `8765` | …"; in place of a default may stand a word
 * that is not in backticks. What is in backticks is what the text of init has
 * commented out, or for the paths as it writes them. */
static void check_row(struct jz__str part, struct jz__str text,
                      const struct config_key *key)
{
    char start[64];
    char pair[64];
    struct jz__str cell;
    struct jz__str want;

    (void)snprintf(start, sizeof(start), "\n| `%s` | ", key->name);
    cell = between(part, start, " |");
    if (!CHECK(cell.length > 0)) {
        fprintf(stderr, "# no row of %s\n", key->name);
        return;
    }
    if (cell.data[0] != '`') {
        return;
    }
    (void)snprintf(pair, sizeof(pair), "\n#%s = ", key->name);
    want = between(text, pair, "\n");
    if (want.length == 0) {
        (void)snprintf(pair, sizeof(pair), "\n%s = ", key->name);
        want = between(text, pair, "\n");
    }
    cell = (struct jz__str){ cell.data + 1, cell.length - 2 };
    if (!CHECK(jz__str_equal(cell, want))) {
        fprintf(stderr, "# %s: page %.*s, program %.*s\n", key->name,
                (int)cell.length, cell.data, (int)want.length, want.data);
    }
}

/* The part of init's text from the header of a table to the next header. */
static struct jz__str table_text(const struct jz__buf *text, const char *name)
{
    struct jz__str whole = { text->data, text->length };
    char header[40];
    size_t at;

    (void)snprintf(header, sizeof(header), "\n%s\n", name);
    at = jz__str_find(whole, header);
    if (at == SIZE_MAX) {
        return whole;
    }
    at += strlen(header) - 1;
    whole = (struct jz__str){ text->data + at, text->length - at };
    at = jz__str_find(whole, "\n[");
    whole.length = at != SIZE_MAX ? at : whole.length;
    return whole;
}

static void the_page_has_every_key_with_its_default(void)
{
    struct jz__buf page = JZ__BUF_INIT;
    struct jz__buf text = JZ__BUF_INIT;

    put_text(&text);
    for (size_t i = 0; read_page(&page) && i < JZ__LENGTH(tables); i++) {
        struct jz__str part = section(&page, tables[i].name);
        const struct config_key *key = tables[i].keys;

        if (!CHECK(part.length > 0)) {
            fprintf(stderr, "# no section of %s\n", tables[i].name);
        }
        for (; key->name != NULL; key++) {
            check_row(part, table_text(&text, tables[i].name), key);
        }
        jz__buf_clear(&page);
    }
    jz__buf_finish(&page);
    jz__buf_finish(&text);
}

/* The examples of all sections are one file that loads and has every key. */
static void the_examples_of_the_page_have_every_key(void)
{
    struct jz__buf page = JZ__BUF_INIT;
    struct jz__buf all = JZ__BUF_INIT;
    struct config config = { 0 };

    if (!read_page(&page)) {
        return;
    }
    for (size_t i = 0; i < JZ__LENGTH(tables); i++) {
        struct jz__str example =
            between(section(&page, tables[i].name), "\n```toml\n", "\n```\n");

        if (!CHECK(example.length > 0)) {
            fprintf(stderr, "# no example of %s\n", tables[i].name);
        }
        jz__buf_append(&all, example.data, example.length);
        jz__buf_putc(&all, '\n');
    }
    if (load(&config, &all)) {
        check_all_keys(&config);
    }
    config_finish(&config);
    jz__buf_finish(&all);
    jz__buf_finish(&page);
}

int main(void)
{
    TAP_RUN(the_text_loads_and_is_the_default_configuration);
    TAP_RUN(what_is_commented_out_is_each_default);
    TAP_RUN(every_key_stands_in_it);
    TAP_RUN(paths_are_written_as_strings);
    TAP_RUN(the_page_has_every_key_with_its_default);
    TAP_RUN(the_examples_of_the_page_have_every_key);
    return tap_done();
}
