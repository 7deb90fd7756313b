/* SPDX-License-Identifier: Apache-2.0 */
/* The server's table in Codex' configuration: in, updated and out again. */
#include "setup_toml.h"

#include "base/mem.h"
#include "base/toml.h"
#include "tap.h"

#define VARIABLES                                                              \
    "env_vars = [\"JEZERO_CLIENT_HOME\", \"JEZERO_CA_FILE\", \"CODEX_HOME\", " \
    "\"CLAUDE_CONFIG_DIR\", \"SSL_CERT_FILE\", \"HTTPS_PROXY\", "              \
    "\"HTTP_PROXY\", \"NO_PROXY\", \"https_proxy\", \"http_proxy\", "          \
    "\"no_proxy\"]"
#define ARGS "args = [\"mcp\", \"--agent\", \"codex\"]"
#define COMMAND "command = \"/opt/Dana \\\"R\\\"/jezero-client\""
#define TABLE "[mcp_servers.jezero]\n" COMMAND "\n" ARGS "\n" VARIABLES "\n"
#define TABLE_CRLF                                                             \
    "[mcp_servers.jezero]\r\n" COMMAND "\r\n" ARGS "\r\n" VARIABLES "\r\n"

struct edited {
    const char *before;
    const char *after;
};

/* The outcome, with the new text in *out; negative as the edit's. */
static int edit(struct jz__buf *out, const char *text, bool is_removal,
                struct jz__error *error)
{
    const struct setup setup = { .agent = AGENT_CODEX,
                                 .program = "/opt/Dana \"R\"/jezero-client",
                                 .is_removal = is_removal };
    struct setup_text edited = { .old = jz__str_of(text) };
    int r = setup_toml_server(&edited, &setup, NULL, error);

    jz__buf_clear(out);
    jz__buf_append(out, edited.out.data, edited.out.length);
    jz__buf_finish(&edited.out);
    jz__buf_finish(&edited.shown);
    return r < 0 ? r : (int)edited.outcome;
}

static void a_table_goes_in_and_out_again(void)
{
    static const struct edited cases[] = {
        { "", TABLE },
        { "model = \"x\" # mine\n", "model = \"x\" # mine\n\n" TABLE },
        { "a = 1\n\n", "a = 1\n\n\n" TABLE },
        { "a = 1\r\n", "a = 1\r\n\r\n" TABLE_CRLF },
        { "\xEF\xBB\xBF", "\xEF\xBB\xBF" TABLE },
        { "[mcp_servers.notes]\ncommand = \"n\"\n[z]\nb = 1\n",
          "[mcp_servers.notes]\ncommand = \"n\"\n[z]\nb = 1\n\n" TABLE },
        { "[mcp_servers]\nx.command = \"n\"\n",
          "[mcp_servers]\nx.command = \"n\"\n\n" TABLE },
        { "mcp_servers = { x = { command = \"n\" } }\n",
          "mcp_servers = { x = { command = \"n\" }, jezero = { " COMMAND
          ", " ARGS ", " VARIABLES " } }\n" },
        { "a = 1",
          "a = 1\n\n[mcp_servers.jezero]\n" COMMAND "\n" ARGS "\n" VARIABLES },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        JZ_CLEANUP(jz__buf_finish) struct jz__buf same = JZ__BUF_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(edit(&out, cases[i].before, false, &error), SETUP_ADDED);
        CHECK_STR(out.data, cases[i].after);
        CHECK_INT(edit(&same, cases[i].after, false, &error), SETUP_SAME);
        CHECK_INT(edit(&out, cases[i].after, true, &error), SETUP_REMOVED);
        CHECK_STR(out.length > 0 ? out.data : "", cases[i].before);
    }
}

static void an_older_path_is_updated_and_the_rest_stays(void)
{
    static const struct edited cases[] = {
        { "[mcp_servers.jezero] # mine\ncommand = '/old/jezero-client'\n" ARGS
          "\nstartup_timeout_sec = 5\n",
          "[mcp_servers.jezero] # mine\n" COMMAND "\n" ARGS
          "\nstartup_timeout_sec = 5\n" },
        { "[mcp_servers]\njezero.args = ['mcp']\n"
          "jezero.command = 'jezero-client'\n",
          "[mcp_servers]\njezero." ARGS "\njezero." COMMAND "\n" },
        { "mcp_servers.jezero = { command = '/o/jezero-client', args = [] }\n",
          "mcp_servers.jezero = { " COMMAND ", " ARGS " }\n" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(edit(&out, cases[i].before, false, &error), SETUP_UPDATED);
        CHECK_STR(out.data, cases[i].after);
    }
}

static void what_hangs_below_the_table_goes_with_it(void)
{
    static const struct edited cases[] = {
        { "[mcp_servers.jezero]\ncommand = 'jezero-client'\n# mine\n"
          "[mcp_servers.jezero.env]\nA = 'b'\n[z]\n",
          "# mine\n[z]\n" },
        { "[a]\n\n[mcp_servers.jezero.env]\nA = 'b'\n\n[mcp_servers.jezero]\n"
          "command = 'jezero-client'\n\n[z]\n",
          "[a]\n\n[z]\n" },
        { "[mcp_servers]\njezero.command = 'jezero-client'\nx.command = 'n'\n"
          "jezero.args = []\n",
          "[mcp_servers]\nx.command = 'n'\n" },
        { "[mcp_servers]\njezero = { command = 'jezero-client' }\n[z]\n",
          "[mcp_servers]\n[z]\n" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };

        if (!CHECK_INT(edit(&out, cases[i].before, true, &error),
                       SETUP_REMOVED)) {
            fprintf(stderr, "# %s", error.message);
        }
        CHECK_STR(out.data, cases[i].after);
    }
}

static void what_is_not_ours_or_no_toml_is_left_alone(void)
{
    static const struct edited cases[] = {
        { "[mcp_servers.jezero]\ncommand = 'other'\n", "another program" },
        { "[mcp_servers.jezero]\nurl = 'https://x'\n", "another program" },
        { "mcp_servers = 1\n", "not edited here" },
        { "mcp_servers = {}\n", "not edited here" },
        { "a = \n", "line 1: " },
        { "[mcp_servers.jezero]\ncommand = '/o/jezero-client'\n",
          "not edited here" },
    };

    for (size_t i = 0; i < JZ__LENGTH(cases); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };

        CHECK_INT(edit(&out, cases[i].before, false, &error), JZ_EINVAL);
        if (!CHECK(strstr(error.message, cases[i].after) != NULL)) {
            fprintf(stderr, "# %s: %s\n", cases[i].before, error.message);
        }
    }
}

static void nothing_of_others_is_removed(void)
{
    static const char *const texts[] = {
        "", "[mcp_servers.jezero]\ncommand = 'other'\n",
        "[mcp_servers.notes]\ncommand = 'jezero-client'\n"
    };

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

        CHECK_INT(edit(&out, texts[i], true, NULL), SETUP_SAME);
    }
}

int main(void)
{
    TAP_RUN(a_table_goes_in_and_out_again);
    TAP_RUN(an_older_path_is_updated_and_the_rest_stays);
    TAP_RUN(what_hangs_below_the_table_goes_with_it);
    TAP_RUN(what_is_not_ours_or_no_toml_is_left_alone);
    TAP_RUN(nothing_of_others_is_removed);
    return tap_done();
}
