/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tap.h"

static int parse(struct config *config, const char *text,
                 struct jz__error *error)
{
    static const struct config_origin origin = { "x.toml", "/etc/jz",
                                                 "/home/me" };

    memset(config, 0, sizeof(*config));
    memset(error, 0, sizeof(*error));
    return config_parse(config, jz__str_of(text), &origin, error);
}

static void check_refused(const char *text, const char *message)
{
    struct config config;
    struct jz__error error;

    if (!CHECK_INT(parse(&config, text, &error), JZ_EINVAL) ||
        !CHECK_STR(error.message, message)) {
        printf("# of: %s\n", text);
    }
    config_finish(&config);
}

static void check_accepted(const char *text)
{
    struct config config;
    struct jz__error error;

    if (!CHECK_INT(parse(&config, text, &error), 0)) {
        printf("# of: %s\n# %s\n", text, error.message);
    }
    config_finish(&config);
}

static void an_empty_file_is_all_defaults(void)
{
    struct config config;
    struct jz__error error;

    CHECK_INT(parse(&config, "", &error), 0);
    CHECK_STR(config.server.host, "127.0.0.1");
    CHECK_INT(config.server.port, 8765);
    CHECK(config.server.public_url == NULL);
    CHECK(config.server.require_auth);
    CHECK_STR(config.server.mcp_path, "/mcp");
    CHECK_INT(config.server.max_connections, 1024);
    CHECK_STR(config.server.log_level, "info");
    CHECK_STR(config.library_path, "/etc/jz/data/jezero.db");
    CHECK_STR(config.inbox.path, "/etc/jz/data/inbox");
    CHECK_INT(config.search.candidate_pool, 200);
    CHECK(config.search.recency_weight == 0.3);
    CHECK_INT(config.ingest.interval_seconds, 60);
    CHECK(config.redaction.enabled);
    CHECK_STR(config.summarizer.kind, "extractive");
    CHECK_INT(config.connector_count, 0);
    CHECK_INT(config.client_count, 0);
    config_finish(&config);
}

static const char full[] =
    "[server]\n"
    "host = \"127.0.0.1\"\n"
    "port = 9000\n"
    "public_url = \"https://jezero.example.com\"\n"
    "allowed_hosts = [\"a.example\", \"b.example:*\"]\n"
    "require_auth = true\n"
    "mcp_path = \"/mcp\"\n"
    "tls_cert = \"cert.pem\"\n"
    "tls_key = \"/abs/key.pem\"\n"
    "max_connections = 10\n"
    "requests_per_minute = 60\n"
    "metrics = true\n"
    "log_level = \"debug\"\n"
    "log_format = \"json\"\n"
    "[library]\n"
    "path = \"~/lib/jezero.db\"\n"
    "[search]\n"
    "tokenizer = \"trigram remove_diacritics 1\"\n"
    "candidate_pool = 100\n"
    "recency_weight = 0\n"
    "recency_half_life_days = 45.5\n"
    "limit = 5\nlimit_max = 6\nlater_limit = 3\nlater_limit_max = 4\n"
    "timeline_limit = 7\ntimeline_limit_max = 8\n"
    "[projects]\n"
    "paths = { \"~/clients/shop-web\" = \"shop\" }\n"
    "roots = [\"work\"]\n"
    "aliases = { \"atlas-wt\" = \"atlas\" }\n"
    "[inbox]\n"
    "path = \"in\"\nmax_file_mb = 1\nmax_total_gb = 2\nkeep_days = 3\n"
    "[ingest]\n"
    "interval_seconds = 1\nsegment_pause_minutes = 2\nsegment_chars = 3000\n"
    "[redaction]\n"
    "enabled = false\nextra = [\"hunter2\"]\n"
    "[summarizer]\n"
    "kind = \"openai\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"m\"\n"
    "api_key_env = \"KEY\"\n"
    "[[connectors]]\n"
    "type = \"claude-code\"\nname = \"agent-claude-code-server\"\n"
    "path = \"~/.claude\"\n"
    "[[connectors]]\n"
    "type = \"hermes\"\nname = \"agent-hermes-server\"\nexport_dir = \"h\"\n"
    "[[clients]]\n"
    "name = \"laptop\"\n"
    "token_sha256 = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbb"
    "bbbbbbb\"\n"
    "sources = [\"agent-*\"]\nupload = true\nmetrics = true\n"
    "[[clients]]\n"
    "name = \"ci\"\ntoken_env = \"CI_TOKEN\"\nrevoked = true\n";

static void every_key_is_read(void)
{
    struct config config;
    struct jz__error error;

    if (!CHECK_INT(parse(&config, full, &error), 0)) {
        printf("# %s\n", error.message);
        config_finish(&config);
        return;
    }
    CHECK_INT(config.server.port, 9000);
    CHECK_STR(config.server.public_url, "https://jezero.example.com");
    CHECK_INT(config.server.allowed_hosts.count, 2);
    CHECK_STR(config.server.allowed_hosts.items[1], "b.example:*");
    CHECK_STR(config.server.tls_cert, "/etc/jz/cert.pem");
    CHECK_STR(config.server.tls_key, "/abs/key.pem");
    CHECK_INT(config.server.requests_per_minute, 60);
    CHECK_STR(config.library_path, "/home/me/lib/jezero.db");
    CHECK(config.search.recency_half_life_days == 45.5);
    CHECK_STR(config.projects.paths.keys[0], "~/clients/shop-web");
    CHECK_STR(config.projects.paths.values[0], "shop");
    CHECK_STR(config.projects.roots.items[0], "work");
    CHECK_STR(config.projects.aliases.values[0], "atlas");
    CHECK_STR(config.inbox.path, "/etc/jz/in");
    CHECK_INT(config.inbox.keep_days, 3);
    CHECK_INT(config.ingest.segment_chars, 3000);
    CHECK_STR(config.redaction.extra.items[0], "hunter2");
    CHECK_STR(config.summarizer.model, "m");
    CHECK_INT(config.connector_count, 2);
    CHECK_STR(config.connectors[0].path, "/home/me/.claude");
    CHECK_STR(config.connectors[1].export_dir, "/etc/jz/h");
    CHECK_INT(config.client_count, 2);
    CHECK_STR(config.clients[0].sources.items[0], "agent-*");
    CHECK(config.clients[0].upload && config.clients[0].metrics);
    CHECK_STR(config.clients[1].sources.items[0], "*");
    CHECK(config.clients[1].revoked && !config.clients[1].upload);
    config_finish(&config);
}

static void the_library_gets_its_options(void)
{
    struct config config;
    struct jz__error error;
    struct jz__buf options = JZ__BUF_INIT;

    CHECK_INT(parse(&config, full, &error), 0);
    config_put_library_options(&options, &config, "/home/me");
    CHECK_STR(options.data,
              "\"home\":\"/home/me\",\"search\":{\"tokenizer\":\"trigram "
              "remove_diacritics 1\",\"candidate_pool\":100,"
              "\"recency_weight\":0,\"recency_half_life_days\":45.5,\"limit\":"
              "5,\"limit_max\":6,\"later_limit\":3,\"later_limit_max\":4,"
              "\"timeline_limit\":7,\"timeline_limit_max\":8},\"projects\":{"
              "\"paths\":{\"~/clients/shop-web\":\"shop\"},\"roots\":[\"work\"]"
              ",\"aliases\":{\"atlas-wt\":\"atlas\"}},\"ingest\":{"
              "\"segment_pause_minutes\":2,\"segment_chars\":3000},"
              "\"redaction\":{\"enabled\":false,\"extra\":[\"hunter2\"]}");
    jz__buf_finish(&options);
    config_finish(&config);
}

static void an_unknown_key_names_its_line_and_the_nearest(void)
{
    check_refused("\n[server]\nhots = \"x\"\n",
                  "x.toml line 3: unknown key 'hots' in [server] (nearest: "
                  "host)");
    check_refused("[sever]\n",
                  "x.toml line 1: unknown table [sever] (nearest: [server])");
    check_refused("[[cleints]]\nname = \"a\"\n",
                  "x.toml line 1: unknown table [cleints] (nearest: "
                  "[clients])");
    check_refused("[colours]\n", "x.toml line 1: unknown table [colours]");
    check_refused("port = 1\n",
                  "x.toml line 1: 'port' stands in front of every table: it "
                  "belongs below [server]");
    check_refused("token_env = \"A\"\n",
                  "x.toml line 1: 'token_env' stands in front of every table: "
                  "it belongs below [[clients]]");
    check_refused("sever = 1\n",
                  "x.toml line 1: unknown key 'sever' in front of every table");
    check_refused("[[connectors]]\nname = \"a\"\n[[connectors]]\ntyp = \"b\"\n",
                  "x.toml line 1: connector 'a' has no type");
    check_refused("[[clients]]\nnames = \"a\"\n",
                  "x.toml line 2: unknown key 'names' in [[clients]] (nearest: "
                  "name)");
    check_refused("[server]\n\"x\\u001b[2J\" = 1",
                  "x.toml line 2: unknown key 'x' in [server]");
}

static void addresses_that_nothing_reaches_are_refused(void)
{
    static const char *const taken[] = { "/healthz",   "/healthz/",
                                         "/metrics/x", "/inbox",
                                         "/inbox/v1",  "/.well-known/mcp" };
    char text[128];
    char want[160];
    size_t i;

    for (i = 0; i < JZ__LENGTH(taken); i++) {
        snprintf(text, sizeof(text), "[server]\nmcp_path = \"%s\"\n", taken[i]);
        snprintf(want, sizeof(want),
                 "x.toml line 2: mcp_path '%s' is where another route of the "
                 "server is",
                 taken[i]);
        check_refused(text, want);
    }
    check_refused("[server]\npublic_url = \"https://a.test/x?y=1\"\n",
                  "x.toml line 2: public_url must end with a host or a path, "
                  "without ? and #: 'https://a.test/x?y=1'");
    check_refused("[server]\npublic_url = \"https://a.test/#x\"\n",
                  "x.toml line 2: public_url must end with a host or a path, "
                  "without ? and #: 'https://a.test/#x'");
    check_refused("[server]\n\nallowed_hosts = [\"a\", \"https://a.test\"]\n",
                  "x.toml line 3: allowed_hosts must hold names, \"name\", "
                  "\"name:port\" or \"name:*\", got 'https://a.test'");
    check_refused("[server]\nallowed_hosts = [\"a.test/x\"]\n",
                  "x.toml line 2: allowed_hosts must hold names, \"name\", "
                  "\"name:port\" or \"name:*\", got 'a.test/x'");
    check_accepted("[server]\nmcp_path = \"/healthzy\"\nallowed_hosts = "
                   "[\"a.test:*\", \"[::1]:80\"]\n");
}

static void a_fault_of_toml_names_file_and_line(void)
{
    check_refused("[server]\nport = 1\nport = 2\n",
                  "x.toml line 3: 'port' is defined already, in line 2");
}

static void a_wrong_type_or_range_is_refused(void)
{
    check_refused("[server]\nport = \"1\"",
                  "x.toml line 2: port must be an integer, and is a string");
    check_refused("[server]\nport = 65536",
                  "x.toml line 2: port must be at most 65535");
    check_refused("[server]\nport = -1",
                  "x.toml line 2: port must be at least 0");
    check_refused("[server]\nhost = \"\"",
                  "x.toml line 2: host must not be empty");
    check_refused("[server]\nhost = \"a\\u0000b\"",
                  "x.toml line 2: host must not hold a NUL character");
    check_refused(
        "[server]\nrequire_auth = 0",
        "x.toml line 2: require_auth must be true or false, and is an "
        "integer");
    check_refused("[server]\nallowed_hosts = \"a\"",
                  "x.toml line 2: allowed_hosts must be an array of strings, "
                  "and is a string");
    check_refused("[server]\nallowed_hosts = [\n\"a\",\n1]",
                  "x.toml line 4: allowed_hosts must be a string, and is an "
                  "integer");
    check_refused("[server]\nlog_level = \"loud\"",
                  "x.toml line 2: log_level 'loud' is none of: error, warning, "
                  "info, debug");
    check_refused("[server]\nmax_connections = 0",
                  "x.toml line 2: max_connections must be at least 1");
    check_refused("[search]\nrecency_weight = 1.5",
                  "x.toml line 2: recency_weight must be at most 1");
    check_refused("[search]\nrecency_weight = nan",
                  "x.toml line 2: recency_weight must be at least 0");
    check_refused("[search]\ntokenizer = \"porter\"",
                  "x.toml line 2: tokenizer 'porter' is none of: trigram "
                  "remove_diacritics 1");
    check_refused("[search]\nlimit = 60",
                  "x.toml line 2: limit is over limit_max");
    check_refused("[projects]\npaths = [\"a\"]",
                  "x.toml line 2: paths must be a table of strings, and is an "
                  "array");
    check_refused("[projects.paths]\na = 1",
                  "x.toml line 2: paths must be a string, and is an integer");
    check_refused("server = 1",
                  "x.toml line 1: [server] must be a table, and is an integer");
    check_refused("[clients]\nname = \"x\"",
                  "x.toml line 1: [[clients]] must be an array of tables, and "
                  "is a table");
    check_refused("clients = [1]", "x.toml line 1: [[clients]] must be a "
                                   "table, and is an integer");
}

static void connectors_and_clients_must_be_whole(void)
{
    check_refused("[[connectors]]\ntype = \"codex\"\npath = \"/x\"",
                  "x.toml line 1: a connector has no name");
    check_refused("[[connectors]]\nname = \"a\"\ntype = \"codex\"",
                  "x.toml line 1: connector 'a' has no path");
    check_refused("[[connectors]]\nname = \"a b\"\ntype = \"codex\"",
                  "x.toml line 2: name must be of A-Z a-z 0-9 . _ -, got 'a "
                  "b'");
    check_refused("[[connectors]]\nname = \"a\"\ntype = \"vim\"",
                  "x.toml line 3: type 'vim' is none of: claude-code, codex, "
                  "hermes, opencode, antigravity, email, items");
    check_refused("[[connectors]]\nname = \"a\"\ntype = \"codex\"\nexport_dir "
                  "= \"x\"",
                  "x.toml line 4: export_dir is for connectors of type hermes");
    check_refused("[[clients]]\nname = \"a\"",
                  "x.toml line 1: client 'a' needs one of token_sha256 and "
                  "token_env");
    check_refused("[[clients]]\nname = \"a\"\ntoken_sha256 = \"abc\"",
                  "x.toml line 3: token_sha256 of client 'a' must be 64 "
                  "hexadecimal digits");
    check_refused("[[clients]]\nname = \"a\"\ntoken_env = \"3-a key\"",
                  "x.toml line 3: token_env of client 'a' must be the name of "
                  "a variable that holds the key");
    check_refused("[summarizer]\nkind = \"openai\"",
                  "x.toml line 2: summarizer 'openai' needs a model");
    check_refused("[summarizer]\nkind = \"command\"",
                  "x.toml line 2: summarizer 'command' needs command = "
                  "[\"program\", …]");
    check_refused("[server]\ntls_key = \"k\"",
                  "x.toml line 2: tls_cert and tls_key go together");
    check_refused("[server]\nmcp_path = \"mcp\"",
                  "x.toml line 2: mcp_path must begin with '/'");
    check_refused("[server]\npublic_url = \"jezero.example.com\"",
                  "x.toml line 2: public_url must be an http or https URL, got "
                  "'jezero.example.com'");
}

#define TAKES_IN(name)                                                         \
    "[[connectors]]\ntype = \"codex\"\npath = \"/x\"\nname = \"" name "\"\n"
#define READS(name) "[[clients]]\ntoken_env = \"K\"\nname = \"" name "\"\n"

static void a_client_reads_no_connector_as_its_own(void)
{
    check_refused(TAKES_IN("agent-claude-code-server") READS("server"),
                  "x.toml line 7: client 'server' would read the sessions of "
                  "connector 'agent-claude-code-server' as its own: give one "
                  "of the two another name");
    check_refused(READS("a") READS("code-b") TAKES_IN("notes")
                      TAKES_IN("agent-hermes-code-b"),
                  "x.toml line 6: client 'code-b' would read the sessions of "
                  "connector 'agent-hermes-code-b' as its own: give one of the "
                  "two another name");
    check_refused("clients = [{ name = \"a\", token_env = \"K\" }]\n" TAKES_IN(
                      "agent-codex-a"),
                  "x.toml line 1: client 'a' would read the sessions of "
                  "connector 'agent-codex-a' as its own: give one of the two "
                  "another name");
    /* Who reads nothing, other letters, agents that send nothing, and names
     * that hold another one. */
    check_accepted(TAKES_IN("agent-codex-a") READS("a") "revoked = true\n");
    check_accepted(TAKES_IN("agent-codex-A") READS("a"));
    check_accepted(TAKES_IN("agent-claude-b") READS("b"));
    check_accepted(TAKES_IN("agent-codex-") READS("codex"));
    check_accepted(TAKES_IN("agent-codex-a-b") READS("a") READS("b"));
    check_accepted(TAKES_IN("codex-a") READS("a"));
    check_accepted(TAKES_IN("agent-codex") READS("codex"));
}

static void without_keys_only_loopback_is_served(void)
{
    check_accepted("[server]\nrequire_auth = false");
    check_accepted("[server]\nrequire_auth = false\nhost = \"127.9.9.9\"");
    check_accepted("[server]\nrequire_auth = false\nhost = \"::1\"");
    check_accepted("[server]\nrequire_auth = false\nhost = \"LocalHost\"");
    check_accepted("[server]\nrequire_auth = false\npublic_url = "
                   "\"http://localhost:80/x\"");
    check_accepted("[server]\nrequire_auth = true\nhost = \"0.0.0.0\"");
    check_refused("[server]\nrequire_auth = false\nhost = \"0.0.0.0\"",
                  "x.toml line 2: require_auth = false needs a loopback host "
                  "(127.0.0.1, ::1 or localhost), and host is '0.0.0.0'");
    check_refused("[server]\nhost = \"127.0.0.1.example.com\"\nrequire_auth = "
                  "false",
                  "x.toml line 3: require_auth = false needs a loopback host "
                  "(127.0.0.1, ::1 or localhost), and host is "
                  "'127.0.0.1.example.com'");
    check_refused("[server]\nrequire_auth = false\npublic_url = "
                  "\"https://jezero.example.com\"",
                  "x.toml line 2: require_auth = false is refused with a "
                  "public_url that is not loopback: "
                  "'https://jezero.example.com'");
}

static void names_of_clients_are_parts_of_paths(void)
{
    static const char digest[] =
        "\ntoken_sha256 = \"0123456789abcdef0123456789abcdef0123456789abcdef"
        "0123456789abcdef\"";
    static const char *const refused[] = { ".",   "..",     ".upload-1", "a b",
                                           "a/b", "\u00e9", "a*" };
    char text[512];
    char name[160];
    struct config config;
    struct jz__error error;

    (void)snprintf(text, sizeof(text), "[[clients]]\nname = \"%s\"%s",
                   "Work-mac_2.local", digest);
    check_accepted(text);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        (void)snprintf(text, sizeof(text), "[[clients]]\nname = \"%s\"%s",
                       refused[i], digest);
        CHECK_INT(parse(&config, text, &error), JZ_EINVAL);
        CHECK(strstr(error.message, "x.toml line 2: ") != NULL);
        config_finish(&config);
    }
    memset(name, 'a', sizeof(name));
    name[150] = '\0';
    (void)snprintf(text, sizeof(text), "[[clients]]\nname = \"%s\"%s", name,
                   digest);
    check_accepted(text);
    name[150] = 'a';
    name[151] = '\0';
    (void)snprintf(text, sizeof(text), "[[clients]]\nname = \"%s\"%s", name,
                   digest);
    CHECK_INT(parse(&config, text, &error), JZ_EINVAL);
    config_finish(&config);
}

static void paths_are_relative_to_the_file(void)
{
    char folder[] = "/tmp/jz-config-XXXXXX";
    char file[64];
    char want[128];
    struct config config;
    struct jz__error error = { 0 };
    char *real;

    if (!CHECK(mkdtemp(folder) != NULL)) {
        return;
    }
    snprintf(file, sizeof(file), "%s/j.toml", folder);
    CHECK_INT(jz__file_write(file, "[library]\npath='a/b.db'\n", 24, &error),
              0);
    if (!CHECK_INT(config_load(&config, file, "/home/me", &error), 0)) {
        printf("# %s\n", error.message);
    }
    real = realpath(folder, NULL);
    snprintf(want, sizeof(want), "%s/a/b.db", real != NULL ? real : "");
    CHECK_STR(config.library_path, want);
    config_finish(&config);
    free(real);
    unlink(file);
    CHECK_INT(config_load(&config, file, "/home/me", &error), JZ_ENOTFOUND);
    config_finish(&config);
    rmdir(folder);
}

static void the_default_file_is_looked_for_in_two_places(void)
{
    char folder[] = "/tmp/jz-config-XXXXXX";
    char path[96];
    char before[4096];
    char *found = NULL;
    struct jz__error error = { 0 };

    if (!CHECK(mkdtemp(folder) != NULL) ||
        !CHECK(getcwd(before, sizeof(before)) != NULL) ||
        !CHECK_INT(chdir(folder), 0)) {
        return;
    }
    snprintf(path, sizeof(path), "%s/jezero", folder);
    mkdir(path, 0700);
    CHECK_INT(config_find(&found, folder, &error), JZ_ENOTFOUND);
    CHECK(strstr(error.message, "./jezero.toml") != NULL);

    snprintf(path, sizeof(path), "%s/jezero/jezero.toml", folder);
    CHECK_INT(jz__file_write(path, "", 0, &error), 0);
    CHECK_INT(config_find(&found, folder, &error), 0);
    CHECK_STR(found, path);
    free(found);

    CHECK_INT(jz__file_write("jezero.toml", "", 0, &error), 0);
    CHECK_INT(config_find(&found, folder, &error), 0);
    CHECK_STR(found, "jezero.toml");
    free(found);

    unlink("jezero.toml");
    unlink(path);
    rmdir("jezero");
    CHECK_INT(chdir(before), 0);
    rmdir(folder);
}

int main(void)
{
    TAP_RUN(an_empty_file_is_all_defaults);
    TAP_RUN(every_key_is_read);
    TAP_RUN(the_library_gets_its_options);
    TAP_RUN(an_unknown_key_names_its_line_and_the_nearest);
    TAP_RUN(addresses_that_nothing_reaches_are_refused);
    TAP_RUN(a_fault_of_toml_names_file_and_line);
    TAP_RUN(a_wrong_type_or_range_is_refused);
    TAP_RUN(connectors_and_clients_must_be_whole);
    TAP_RUN(a_client_reads_no_connector_as_its_own);
    TAP_RUN(without_keys_only_loopback_is_served);
    TAP_RUN(names_of_clients_are_parts_of_paths);
    TAP_RUN(paths_are_relative_to_the_file);
    TAP_RUN(the_default_file_is_looked_for_in_two_places);
    return tap_done();
}
