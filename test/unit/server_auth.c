/* SPDX-License-Identifier: Apache-2.0 */
/* Whose key counts, and what is said of those whose key does not. */
#include "auth.h"

#include "base/mem.h"
#include "net/digest.h"
#include "tap.h"

/* --- a list of clients, the environment and the log --- */

static char lines[4096];

static void on_log(void *userdata, int level, const char *message)
{
    static const char *const levels[] = { "error", "warning", "info", "debug" };
    size_t length = strlen(lines);

    (void)userdata;
    (void)snprintf(lines + length, sizeof(lines) - length, "%s %s\n",
                   levels[level], message);
}

static const struct jz__log to_lines = { on_log, NULL };

static const char *get_variable(const char *name)
{
    static const char *const variables[][2] = {
        { "ONE", "key-one" },     { "ONE_AGAIN", " key-one\n" },
        { "TWO", "key-two" },     { "EMPTY", "" },
        { "BROKEN", "key\x01x" }, { "FOREIGN", "cl\xC3\xA9" },
    };

    for (size_t i = 0; i < JZ__LENGTH(variables); i++) {
        if (strcmp(variables[i][0], name) == 0) {
            return variables[i][1];
        }
    }
    return NULL;
}

static char digest_texts[8][JZ__DIGEST_TEXT_SIZE];
static size_t digest_text_count;

/* The digest of a key as a configuration has it. */
static const char *sha256(const char *key)
{
    char *text = digest_texts[digest_text_count++ % 8];
    struct jz__digest digest;

    CHECK_INT(jz__digest_sha256(&digest, key, strlen(key)), 0);
    jz__digest_format(text, &digest);
    return text;
}

static struct auth_table *build(const struct config_client *clients,
                                size_t count)
{
    struct auth_table *table = NULL;
    struct jz__error error = { 0 };

    lines[0] = '\0';
    CHECK_INT(auth_table_build(&table, clients, count, get_variable, &to_lines,
                               &error),
              0);
    return table;
}

/* Whose key it is; "" for nobody's. */
static const char *name_of(const struct auth_table *table, const char *header)
{
    const struct auth_client *client = auth_find(table, jz__str_of(header));

    return client != NULL ? client->name : "";
}

/* --- tests --- */

static void a_key_is_found_by_its_digest(void)
{
    const struct config_client clients[] = {
        { .name = "laptop", .token_sha256 = sha256("key-one") },
        { .name = "desk", .token_env = "TWO", .upload = true },
        { .name = "probe", .token_sha256 = sha256("3"), .metrics = true },
    };
    struct auth_table *table = build(clients, 3);
    const struct auth_client *client;

    CHECK_INT(auth_table_count(table), 3);
    CHECK_STR(lines, "");
    CHECK_STR(name_of(table, "Bearer key-one"), "laptop");
    CHECK_STR(name_of(table, "Bearer key-two"), "desk");
    CHECK_STR(name_of(table, "Bearer 3"), "probe");
    client = auth_find(table, JZ__STR("Bearer key-one"));
    CHECK(!client->may_upload && !client->may_see_metrics);
    client = auth_find(table, JZ__STR("Bearer key-two"));
    CHECK(client->may_upload && !client->may_see_metrics);
    client = auth_find(table, JZ__STR("Bearer 3"));
    CHECK(!client->may_upload && client->may_see_metrics);
    auth_table_free(table);
}

static void what_is_no_key_of_the_list_is_nobodys(void)
{
    const struct config_client client = { .name = "laptop",
                                          .token_sha256 = sha256("key-one") };
    static const char *const headers[] = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer  \t ",
        "Bearerkey-one",
        "key-one",
        "Basic key-one",
        "Bearer key-on",
        "Bearer key-one1",
        "Bearer KEY-ONE",
        "Bearer Bearer key-one",
        "Bearer key-one, Bearer key-one",
        "Bearer \"key-one\"",
        "Bearer key-one\x01",
        "Bearer \xC2\xA0key-one",
        " Bearer key-one",
    };
    struct auth_table *table = build(&client, 1);

    for (size_t i = 0; i < JZ__LENGTH(headers); i++) {
        if (!CHECK_STR(name_of(table, headers[i]), "")) {
            fprintf(stderr, "# of %s\n", headers[i]);
        }
    }
    /* Nor is the digest, which is no secret where the file is read. */
    {
        char header[128];

        (void)snprintf(header, sizeof(header), "Bearer %s", sha256("key-one"));
        CHECK_STR(name_of(table, header), "");
    }
    auth_table_free(table);
}

static void the_scheme_and_blanks_do_not_matter(void)
{
    const struct config_client client = { .name = "laptop",
                                          .token_sha256 = sha256("key-one") };
    struct auth_table *table = build(&client, 1);

    CHECK_STR(name_of(table, "bearer key-one"), "laptop");
    CHECK_STR(name_of(table, "BEARER   key-one"), "laptop");
    CHECK_STR(name_of(table, "bEARER\tkey-one \t"), "laptop");
    auth_table_free(table);
}

static void digits_of_a_digest_may_be_upper_case(void)
{
    struct config_client client = {
        .name = "laptop",
        .token_sha256 =
            "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
    };
    struct auth_table *table = build(&client, 1);

    CHECK_STR(name_of(table, "Bearer abc"), "laptop");
    auth_table_free(table);
}

static void a_variable_that_is_not_set_disables_with_a_warning(void)
{
    const struct config_client clients[] = {
        { .name = "laptop", .token_env = "MISSING" },
        { .name = "desk", .token_env = "TWO" },
    };
    struct auth_table *table = build(clients, 2);

    CHECK_INT(auth_table_count(table), 1);
    CHECK_STR(lines, "warning client 'laptop' is disabled: the variable "
                     "MISSING is not set\n");
    CHECK_STR(name_of(table, "Bearer key-two"), "desk");
    auth_table_free(table);
}

static void a_key_in_the_place_of_its_variable_is_not_shown(void)
{
    const struct config_client client = {
        .name = "laptop",
        .token_env = "q9ZrXm3vLt8sRwK7known1YbNcTgH2eVxA4uPfoJd6i"
    };
    struct auth_table *table = build(&client, 1);

    CHECK_STR(lines, "warning client 'laptop' is disabled: the variable of its "
                     "token_env is not set\n");
    auth_table_free(table);
}

static void a_variable_that_holds_no_key_disables_with_an_error(void)
{
    const struct config_client clients[] = {
        { .name = "a", .token_env = "EMPTY" },
        { .name = "b", .token_env = "BROKEN" },
        { .name = "c", .token_env = "FOREIGN" },
    };
    struct auth_table *table = build(clients, 3);

    CHECK_INT(auth_table_count(table), 0);
    CHECK_STR(lines, "error client 'a' is disabled: in the variable EMPTY the "
                     "key is empty\n"
                     "error client 'b' is disabled: in the variable BROKEN the "
                     "key holds a control character\n"
                     "error client 'c' is disabled: in the variable FOREIGN "
                     "the key holds a character that is not ASCII\n");
    auth_table_free(table);
}

static void two_variables_with_one_key_disable_both(void)
{
    const struct config_client clients[] = {
        { .name = "a", .token_env = "ONE" },
        { .name = "b", .token_env = "TWO" },
        { .name = "c", .token_env = "ONE_AGAIN" },
    };
    struct auth_table *table = build(clients, 3);

    CHECK_INT(auth_table_count(table), 1);
    CHECK_STR(name_of(table, "Bearer key-one"), "");
    CHECK_STR(name_of(table, "Bearer key-two"), "b");
    CHECK(strstr(lines, "error client 'a' is disabled: client 'c' has the same "
                        "key (digest ") != NULL);
    CHECK(strstr(lines, "error client 'c' is disabled: client 'a' has the same "
                        "key (digest ") != NULL);
    auth_table_free(table);
}

static void a_digest_and_a_variable_may_be_the_same_key(void)
{
    const struct config_client clients[] = {
        { .name = "a", .token_sha256 = sha256("key-one") },
        { .name = "b", .token_env = "ONE" },
        { .name = "c", .token_sha256 = sha256("key-one") },
    };
    struct auth_table *table = build(clients, 3);

    CHECK_INT(auth_table_count(table), 0);
    CHECK(strstr(lines, "client 'a' is disabled") != NULL);
    CHECK(strstr(lines, "client 'b' is disabled") != NULL);
    CHECK(strstr(lines, "client 'c' is disabled") != NULL);
    auth_table_free(table);
}

static void two_entries_with_one_name_are_both_disabled(void)
{
    const struct config_client clients[] = {
        { .name = "laptop", .token_sha256 = sha256("key-one") },
        { .name = "Laptop", .token_sha256 = sha256("key-3") },
        { .name = "laptop", .token_env = "TWO" },
    };
    struct auth_table *table = build(clients, 3);

    CHECK_INT(auth_table_count(table), 1);
    CHECK_STR(lines, "error client 'laptop' is disabled: another client has "
                     "the same name\n");
    CHECK_STR(name_of(table, "Bearer key-3"), "Laptop");
    auth_table_free(table);
}

static void a_revoked_client_cannot_be_used_and_is_not_told(void)
{
    const struct config_client clients[] = {
        { .name = "a", .token_sha256 = sha256("key-one"), .revoked = true },
        { .name = "b", .token_env = "MISSING", .revoked = true },
        { .name = "c", .token_env = "TWO" },
    };
    struct auth_table *table = build(clients, 3);

    CHECK_INT(auth_table_count(table), 1);
    CHECK_STR(lines, "");
    CHECK_STR(name_of(table, "Bearer key-one"), "");
    auth_table_free(table);
}

/* Whoever has a revoked key must not get in by its copy under another name. */
static void a_revoked_key_or_name_does_not_come_back(void)
{
    const struct config_client clients[] = {
        { .name = "a", .token_sha256 = sha256("key-one"), .revoked = true },
        { .name = "b", .token_env = "ONE" },
        { .name = "c", .token_sha256 = sha256("key-3"), .revoked = true },
        { .name = "c", .token_env = "TWO" },
    };
    struct auth_table *table = build(clients, 4);

    CHECK_INT(auth_table_count(table), 0);
    CHECK(strstr(lines, "error client 'b' is disabled: the revoked client 'a' "
                        "has the same key") != NULL);
    CHECK(strstr(lines, "error client 'c' is disabled: a revoked client has "
                        "the same name") != NULL);
    CHECK(strstr(lines, "client 'a' is disabled") == NULL);
    auth_table_free(table);
}

static void no_line_shows_a_key_or_a_whole_digest(void)
{
    const struct config_client clients[] = {
        { .name = "a", .token_env = "ONE" },
        { .name = "b", .token_env = "ONE_AGAIN" },
        { .name = "c", .token_env = "BROKEN" },
    };
    struct auth_table *table = build(clients, 3);
    char part[10] = "";

    CHECK(strstr(lines, "key-one") == NULL);
    CHECK(strstr(lines, "key\\u0001x") == NULL);
    memcpy(part, sha256("key-one"), 8);
    CHECK(strstr(lines, part) != NULL);
    memcpy(part, sha256("key-one"), 9);
    CHECK(strstr(lines, part) == NULL);
    auth_table_free(table);
}

static void the_scope_is_the_patterns_and_the_clients_own_sources(void)
{
    static const char *patterns[] = { "agent-*", "mail \"x\"" };
    const struct config_client clients[] = {
        { .name = "work-mac", .token_env = "ONE", .sources = { patterns, 2 } },
        { .name = "b.c", .token_env = "TWO" },
    };
    struct auth_table *table = build(clients, 2);

    CHECK_STR(auth_find(table, JZ__STR("Bearer key-one"))->scope_json,
              "[\"agent-*\",\"mail \\\"x\\\"\",\"agent-claude-code-work-mac\","
              "\"agent-codex-work-mac\",\"agent-antigravity-work-mac\","
              "\"agent-opencode-work-mac\",\"agent-hermes-work-mac\"]");
    CHECK_STR(auth_find(table, JZ__STR("Bearer key-two"))->scope_json,
              "[\"agent-claude-code-b.c\",\"agent-codex-b.c\","
              "\"agent-antigravity-b.c\",\"agent-opencode-b.c\","
              "\"agent-hermes-b.c\"]");
    auth_table_free(table);
}

static void an_empty_list_has_no_client(void)
{
    struct auth_table *table = build(NULL, 0);

    CHECK_INT(auth_table_count(table), 0);
    CHECK(auth_find(table, JZ__STR("Bearer key-one")) == NULL);
    CHECK_INT(auth_table_count(NULL), 0);
    CHECK(auth_find(NULL, JZ__STR("Bearer key-one")) == NULL);
    auth_table_free(table);
    auth_table_free(NULL);
}

int main(void)
{
    TAP_RUN(a_key_is_found_by_its_digest);
    TAP_RUN(what_is_no_key_of_the_list_is_nobodys);
    TAP_RUN(the_scheme_and_blanks_do_not_matter);
    TAP_RUN(digits_of_a_digest_may_be_upper_case);
    TAP_RUN(a_variable_that_is_not_set_disables_with_a_warning);
    TAP_RUN(a_key_in_the_place_of_its_variable_is_not_shown);
    TAP_RUN(a_variable_that_holds_no_key_disables_with_an_error);
    TAP_RUN(two_variables_with_one_key_disable_both);
    TAP_RUN(a_digest_and_a_variable_may_be_the_same_key);
    TAP_RUN(two_entries_with_one_name_are_both_disabled);
    TAP_RUN(a_revoked_client_cannot_be_used_and_is_not_told);
    TAP_RUN(a_revoked_key_or_name_does_not_come_back);
    TAP_RUN(no_line_shows_a_key_or_a_whole_digest);
    TAP_RUN(the_scope_is_the_patterns_and_the_clients_own_sources);
    TAP_RUN(an_empty_list_has_no_client);
    return tap_done();
}
