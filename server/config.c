/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of jezero.toml and what holds between their keys. All keys are
 * checked whether this version uses them or not: a file that is right today
 * must not turn out to be wrong when the next version reads more of it.
 *
 * Each table of the file is a struct of config.h and a list of keys here. A
 * new key is one line in both.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "config_keys.h"
#include "inbox_path.h"
#include "net/url.h"

/* The tables of a file. [[connectors]] and [[clients]] are arrays of them; all
 * others stand once. */
const char *const config_table_names[] = {
    "server",    "library",    "search",     "projects", "inbox", "ingest",
    "redaction", "summarizer", "connectors", "clients",  NULL,
};

#define TABLE_COUNT (JZ__LENGTH(config_table_names) - 1)

/* --- hosts --- */

bool config_is_loopback(const char *host)
{
    return jz__url_is_loopback(jz__str_of(host));
}

/* --- what holds between keys --- */

/* The line of a key, or of its table if the key is not there. */
static int line_of(const struct jz__toml_value *table, const char *key)
{
    const struct jz__toml_value *value = jz__toml_get(table, key);

    return value != NULL ? value->key_line : table != NULL ? table->line : 1;
}

/* Is a path that of a route of ours, or below it? */
static bool is_taken(const char *path)
{
    static const char *const routes[] = { "/healthz", "/metrics", "/inbox",
                                          "/.well-known" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(routes); i++) {
        size_t length = strlen(routes[i]);

        if (strncmp(path, routes[i], length) == 0 &&
            (path[length] == '\0' || path[length] == '/')) {
            return true;
        }
    }
    return false;
}

/* Addresses that no request would ever match. */
static int check_addresses(const struct config_server *server,
                           const struct config_reader *reader,
                           const struct jz__toml_value *table)
{
    size_t i;

    if (server->mcp_path[0] != '/') {
        return config_table_fail(reader, line_of(table, "mcp_path"),
                                 "mcp_path must begin with '/'");
    }
    if (is_taken(server->mcp_path)) {
        return config_table_fail(reader, line_of(table, "mcp_path"),
                                 "mcp_path '%s' is where another route of the "
                                 "server is",
                                 server->mcp_path);
    }
    if (server->public_url != NULL &&
        strpbrk(server->public_url, "?#") != NULL) {
        return config_table_fail(reader, line_of(table, "public_url"),
                                 "public_url must end with a host or a path, "
                                 "without ? and #: '%s'",
                                 server->public_url);
    }
    for (i = 0; i < server->allowed_hosts.count; i++) {
        if (strchr(server->allowed_hosts.items[i], '/') != NULL) {
            return config_table_fail(reader, line_of(table, "allowed_hosts"),
                                     "allowed_hosts must hold names, "
                                     "\"name\", \"name:port\" or \"name:*\", "
                                     "got '%s'",
                                     server->allowed_hosts.items[i]);
        }
    }
    return 0;
}

/* What makes a server open to more people than its owner thinks, or lets it
 * start with half a setting. The parts are in the order in which a reader of
 * the file would be surprised by them. */
static int check_server(const struct config *config,
                        const struct config_reader *reader,
                        const struct jz__toml_value *table)
{
    const struct config_server *server = &config->server;
    struct jz__url url;
    int r = check_addresses(server, reader, table);

    if (r < 0) {
        return r;
    }
    if ((server->tls_cert == NULL) != (server->tls_key == NULL)) {
        return config_table_fail(
            reader,
            line_of(table, server->tls_cert != NULL ? "tls_cert" : "tls_key"),
            "tls_cert and tls_key go together");
    }
    if (server->public_url != NULL &&
        !jz__url_parse(&url, jz__str_of(server->public_url))) {
        return config_table_fail(reader, line_of(table, "public_url"),
                                 "public_url must be an http or https URL, got "
                                 "'%s'",
                                 server->public_url);
    }
    /* With keys any host and any public address will do. Without them whoever
     * reaches the port reads everything, so nobody but this computer may reach
     * it, neither by its address nor through a proxy that the public address
     * tells of. */
    if (server->require_auth) {
        return 0;
    }
    if (!config_is_loopback(server->host)) {
        return config_table_fail(reader, line_of(table, "require_auth"),
                                 "require_auth = false needs a loopback host "
                                 "(127.0.0.1, ::1 or localhost), and host is "
                                 "'%s'",
                                 server->host);
    }
    if (server->public_url != NULL && !jz__url_is_loopback(url.host)) {
        return config_table_fail(reader, line_of(table, "require_auth"),
                                 "require_auth = false is refused with a "
                                 "public_url that is not loopback: '%s'",
                                 server->public_url);
    }
    return 0;
}

/* A default above the most would be cut in silence at every call. */
static int check_limits(const struct config *config,
                        const struct config_reader *reader,
                        const struct jz__toml_value *table)
{
    const struct config_search *search = &config->search;

    if (search->limit > search->limit_max) {
        return config_table_fail(reader, line_of(table, "limit"),
                                 "limit is over limit_max");
    }
    if (search->later_limit > search->later_limit_max) {
        return config_table_fail(reader, line_of(table, "later_limit"),
                                 "later_limit is over later_limit_max");
    }
    if (search->timeline_limit > search->timeline_limit_max) {
        return config_table_fail(reader, line_of(table, "timeline_limit"),
                                 "timeline_limit is over timeline_limit_max");
    }
    return 0;
}

/* A kind that needs more keys than the default one. base_url has a default of
 * its own, the service that made the protocol. */
static int check_summarizer(const struct config *config,
                            const struct config_reader *reader,
                            const struct jz__toml_value *table)
{
    const struct config_summarizer *summarizer = &config->summarizer;
    bool is_command = strcmp(summarizer->kind, "command") == 0;
    bool is_model = strcmp(summarizer->kind, "openai") == 0 ||
                    strcmp(summarizer->kind, "anthropic") == 0;

    if (is_model && summarizer->model == NULL) {
        return config_table_fail(reader, line_of(table, "kind"),
                                 "summarizer '%s' needs a model",
                                 summarizer->kind);
    }
    if (is_command && summarizer->command.count == 0) {
        return config_table_fail(reader, line_of(table, "kind"),
                                 "summarizer 'command' needs command = "
                                 "[\"program\", …]");
    }
    return 0;
}

/* Bytes of a name: it is a part of the path of what a computer sends. */
#define NAME_MOST 150

/* Is it of A-Z a-z 0-9 . _ - alone? So are names of sources and devices. */
static bool is_name(const char *text)
{
    return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
                             "xyz0123456789._-")] == '\0';
}

/* A name that must be there and be one. */
static int check_name(const struct config_reader *reader,
                      const struct jz__toml_value *table, const char *name,
                      const char *what)
{
    if (name == NULL) {
        return config_table_fail(reader, table->line, "%s has no name", what);
    }
    if (!is_name(name)) {
        return config_table_fail(reader, line_of(table, "name"),
                                 "name must be of A-Z a-z 0-9 . _ -, got '%s'",
                                 name);
    }
    return 0;
}

/* The name becomes the source of everything that the connector takes in, so it
 * must be one; the type decides what path means. */
static int read_connector(void *out, const struct config_reader *reader,
                          const struct jz__toml_value *table)
{
    struct config_connector *connector = out;
    bool is_hermes;
    int r = config_table_read(connector, reader, table, "[[connectors]]",
                              config_keys_connector);

    if (r == 0) {
        r = check_name(reader, table, connector->name, "a connector");
    }
    if (r < 0) {
        return r;
    }
    if (connector->type == NULL) {
        return config_table_fail(reader, table->line,
                                 "connector '%s' has no type", connector->name);
    }
    is_hermes = strcmp(connector->type, "hermes") == 0;
    if (connector->export_dir != NULL && !is_hermes) {
        return config_table_fail(reader, line_of(table, "export_dir"),
                                 "export_dir is for connectors of type hermes");
    }
    if (connector->path == NULL && connector->export_dir == NULL) {
        return config_table_fail(reader, table->line,
                                 "connector '%s' has no path", connector->name);
    }
    return 0;
}

/* May it name a variable of the environment? */
static bool is_variable(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
                        "0123456789") == strlen(text) &&
           (text[0] < '0' || text[0] > '9');
}

/* Of a key the file holds a digest, never the key. */
static bool is_digest(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdefABCDEF") == 64;
}

static int read_client(void *out, const struct config_reader *reader,
                       const struct jz__toml_value *table)
{
    static const char *const everything[] = { "*" };
    struct config_client *client = out;
    int r;

    r = config_table_read(client, reader, table, "[[clients]]",
                          config_keys_client);
    if (r == 0) {
        r = check_name(reader, table, client->name, "a client");
    }
    if (r < 0) {
        return r;
    }
    /* What a computer sends lies in a folder of its name, beside what begins
     * with a dot, which is the server's. */
    if (client->name[0] == '.' || strlen(client->name) > NAME_MOST) {
        return config_table_fail(reader, line_of(table, "name"),
                                 "the name of a client must not begin with a "
                                 "dot and be of %d characters at most, got "
                                 "'%s'",
                                 NAME_MOST, client->name);
    }
    /* Both at once would leave open which one counts after a rotation. */
    if ((client->token_sha256 == NULL) == (client->token_env == NULL)) {
        return config_table_fail(reader, table->line,
                                 "client '%s' needs one of token_sha256 and "
                                 "token_env",
                                 client->name);
    }
    if (client->token_sha256 != NULL && !is_digest(client->token_sha256)) {
        return config_table_fail(reader, line_of(table, "token_sha256"),
                                 "token_sha256 of client '%s' must be 64 "
                                 "hexadecimal digits",
                                 client->name);
    }
    /* Not shown: who mistook it for the place of the key put the key there. */
    if (client->token_env != NULL && !is_variable(client->token_env)) {
        return config_table_fail(reader, line_of(table, "token_env"),
                                 "token_env of client '%s' must be the name of "
                                 "a variable that holds the key",
                                 client->name);
    }
    /* An empty list is a decision (this client reads nothing but what it sent
     * itself), a missing one is not. */
    if (jz__toml_get(table, "sources") == NULL) {
        client->sources.items =
            jz__arena_alloc(reader->arena, sizeof(*client->sources.items));
        if (client->sources.items == NULL) {
            return jz__fail_memory(reader->error);
        }
        client->sources.items[0] = everything[0];
        client->sources.count = 1;
    }
    return 0;
}

/* Does the connector's source belong to a client of this name? */
static bool is_source_of(const char *source, const char *client)
{
    struct jz__str rest = jz__str_of(source);

    if (!jz__str_starts(rest, "agent-")) {
        return false;
    }
    rest = jz__str_of(source + strlen("agent-"));
    for (size_t i = 0; inbox_agents[i] != NULL; i++) {
        size_t length = strlen(inbox_agents[i]);

        if (jz__str_starts(rest, inbox_agents[i]) && rest.data[length] == '-' &&
            strcmp(rest.data + length + 1, client) == 0) {
            return true;
        }
    }
    return false;
}

/* A client reads what it sent itself, whatever its sources. A connector of that
 * name would give it the sessions of the server's own computer, and mix its
 * uploads with them. A revoked client reads nothing. */
static int check_sources(const struct config *config,
                         const struct config_reader *reader)
{
    const struct jz__toml_value *array =
        jz__toml_get(config->document.root, "clients");
    const struct jz__toml_value *table = array != NULL ? array->first : NULL;

    for (size_t i = 0; i < config->client_count; i++, table = table->next) {
        const struct config_client *client = &config->clients[i];
        const struct config_connector *connector =
            client->revoked ? NULL : config_find_shared(config, client->name);

        if (connector != NULL) {
            return config_table_fail(
                reader, line_of(table, "name"),
                "client '%s' would read the sessions of connector '%s' as its "
                "own: give one of the two another name",
                client->name, connector->name);
        }
    }
    return 0;
}

/* --- the whole file --- */

/* An array of tables that becomes an array of structs. */
struct elements {
    const struct jz__toml_value *array; /* NULL: there is none */
    const char *title;
    size_t size; /* of a struct */
    int (*read)(void *out, const struct config_reader *reader,
                const struct jz__toml_value *table);
};

/* count goes up as structs are filled, so that after a fault the array holds
 * whole ones alone. */
static int read_elements(void **out, size_t *count,
                         const struct config_reader *reader,
                         const struct elements *elements)
{
    const struct jz__toml_value *array = elements->array;
    const struct jz__toml_value *table;

    if (array == NULL) {
        return 0;
    }
    if (array->type != JZ__TOML_ARRAY) {
        return config_table_fail(
            reader, array->key_line, "%s must be an array of tables, and is %s",
            elements->title, jz__toml_type_name(array->type));
    }
    *out = jz__arena_alloc(reader->arena, (array->count + 1) * elements->size);
    if (*out == NULL) {
        return jz__fail_memory(reader->error);
    }
    for (table = array->first; table != NULL; table = table->next) {
        int r = elements->read((char *)*out + *count * elements->size, reader,
                               table);
        if (r < 0) {
            return r;
        }
        (*count)++;
    }
    return 0;
}

static int read_connectors(struct config *config,
                           const struct config_reader *reader)
{
    const struct elements elements = {
        jz__toml_get(config->document.root, "connectors"), "[[connectors]]",
        sizeof(struct config_connector), read_connector
    };
    void *out = NULL;
    int r = read_elements(&out, &config->connector_count, reader, &elements);

    config->connectors = out;
    return r;
}

static int read_clients(struct config *config,
                        const struct config_reader *reader)
{
    const struct elements elements = {
        jz__toml_get(config->document.root, "clients"), "[[clients]]",
        sizeof(struct config_client), read_client
    };
    void *out = NULL;
    int r = read_elements(&out, &config->client_count, reader, &elements);

    config->clients = out;
    return r;
}

/* The path beside the file, for a default. */
static int default_path(const char **out, const struct config_reader *reader,
                        const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__path_join(&path, reader->folder, name);
    *out = path.error == 0
               ? jz__arena_copy(reader->arena, path.data, path.length)
               : NULL;
    return *out != NULL ? 0 : jz__fail_memory(reader->error);
}

/* In the order of the page that describes them. [library] has a struct of its
 * own for the one reason that a list of keys fills a struct. */
static int read_tables(struct config *config,
                       const struct config_reader *reader)
{
    const struct jz__toml_value *root = config->document.root;
    struct config_library library = { NULL };
    const struct {
        const char *name;
        const char *title;
        const struct config_key *keys;
        void *target;
    } tables[] = {
        { "server", "[server]", config_keys_server, &config->server },
        { "library", "[library]", config_keys_library, &library },
        { "search", "[search]", config_keys_search, &config->search },
        { "projects", "[projects]", config_keys_projects, &config->projects },
        { "inbox", "[inbox]", config_keys_inbox, &config->inbox },
        { "ingest", "[ingest]", config_keys_ingest, &config->ingest },
        { "redaction", "[redaction]", config_keys_redaction,
          &config->redaction },
        { "summarizer", "[summarizer]", config_keys_summarizer,
          &config->summarizer },
    };
    size_t i;
    int r = 0;

    for (i = 0; r == 0 && i < JZ__LENGTH(tables); i++) {
        r = config_table_read(tables[i].target, reader,
                              jz__toml_get(root, tables[i].name),
                              tables[i].title, tables[i].keys);
    }
    config->library_path = library.path;
    if (r == 0) {
        r = read_connectors(config, reader);
    }
    return r == 0 ? read_clients(config, reader) : r;
}

/* The table that a key is of; of two the first. NULL: none has it. */
static const char *table_of_key(struct jz__str name)
{
    static const struct {
        const char *title;
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
    const struct config_key *key;
    size_t i;

    for (i = 0; i < JZ__LENGTH(tables); i++) {
        for (key = tables[i].keys; key->name != NULL; key++) {
            if (jz__str_is(name, key->name)) {
                return tables[i].title;
            }
        }
    }
    return NULL;
}

/* A key in front of the first table is of none, whatever it is called. */
static int fail_name(const struct config_reader *reader,
                     const struct jz__toml_value *member)
{
    bool is_table = member->type == JZ__TOML_TABLE ||
                    (member->type == JZ__TOML_ARRAY && member->first != NULL &&
                     member->first->type == JZ__TOML_TABLE);
    const char *nearest =
        config_table_nearest(member->key.data, config_table_names, TABLE_COUNT);
    const char *owner = table_of_key(member->key);
    char hint[80] = "";

    if (is_table) {
        if (nearest != NULL) {
            (void)snprintf(hint, sizeof(hint), "] (nearest: [%s])", nearest);
        }
        return config_table_fail_key(reader, member, "unknown table [",
                                     nearest != NULL ? hint : "]");
    }
    if (owner == NULL) {
        return config_table_fail_key(reader, member, "unknown key '",
                                     "' in front of every table");
    }
    (void)snprintf(hint, sizeof(hint),
                   "' stands in front of every table: it belongs below %s",
                   owner);
    return config_table_fail_key(reader, member, "'", hint);
}

/* Tables that no one knows, and keys in front of the first table. */
static int check_names(const struct config *config,
                       const struct config_reader *reader)
{
    const struct jz__toml_value *member;
    size_t i;

    for (member = config->document.root->first; member != NULL;
         member = member->next) {
        for (i = 0;
             i < TABLE_COUNT && !jz__str_is(member->key, config_table_names[i]);
             i++) {
        }
        if (i == TABLE_COUNT) {
            return fail_name(reader, member);
        }
    }
    return 0;
}

/* Names of tables first: a misspelt [sever] must not look like a file without
 * a server. What holds between keys comes last, when every key is known to be
 * right by itself. */
int config_parse(struct config *out, struct jz__str text,
                 const struct config_origin *origin, struct jz__error *error)
{
    struct config_reader reader = { origin->file, origin->folder, origin->home,
                                    &out->arena, error };
    struct jz__error why = { 0 };
    const struct jz__toml_value *root;
    int r;

    memset(out, 0, sizeof(*out));
    config_keys_fill_defaults(out);
    /* The reader of TOML says the line and not the file; here the file is put
     * in front. */
    r = jz__toml_parse(&out->document, text.data, text.length, &why);
    if (r < 0) {
        return jz__fail(error, r, "%s %s", origin->file, why.message);
    }
    root = out->document.root;
    r = check_names(out, &reader);
    if (r == 0) {
        r = read_tables(out, &reader);
    }
    if (r == 0) {
        r = check_server(out, &reader, jz__toml_get(root, "server"));
    }
    if (r == 0) {
        r = check_limits(out, &reader, jz__toml_get(root, "search"));
    }
    if (r == 0) {
        r = check_summarizer(out, &reader, jz__toml_get(root, "summarizer"));
    }
    if (r == 0) {
        r = check_sources(out, &reader);
    }
    if (r == 0 && out->library_path == NULL) {
        r = default_path(&out->library_path, &reader, "data/jezero.db");
    }
    if (r == 0 && out->inbox.path == NULL) {
        r = default_path(&out->inbox.path, &reader, "data/inbox");
    }
    return r;
}

int config_line(const struct config *config, const char *table, const char *key)
{
    const struct jz__toml_value *root = config->document.root;
    const struct jz__toml_value *found = jz__toml_get(root, table);

    found = found != NULL ? jz__toml_get(found, key) : NULL;
    return found != NULL ? found->key_line : 0;
}

/* The absolute folder of a file, for the relative paths in it. */
static int folder_of(char **out, const char *path, struct jz__error *error)
{
    struct jz__str parent = jz__path_parent(path);
    JZ_CLEANUP(jz__mem_freep)
    char *folder = jz__mem_copy(parent.data, parent.length);

    if (folder == NULL) {
        return jz__fail_memory(error);
    }
    *out = realpath(folder, NULL);
    return *out != NULL ? 0
                        : jz__fail_errno(error, errno, "cannot open", folder);
}

/* The folder is resolved once, now: a server that changes its folder or is
 * given another path to the same file must find the same library. */
int config_load(struct config *out, const char *path, const char *home,
                struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) char *folder = NULL;
    struct config_origin origin;
    int r;

    memset(out, 0, sizeof(*out));
    r = jz__file_read(&text, path, CONFIG_FILE_MAX, error);
    if (r == 0) {
        r = folder_of(&folder, path, error);
    }
    if (r < 0) {
        return r;
    }
    origin = (struct config_origin){ path, folder, home };
    return config_parse(
        out,
        (struct jz__str){ text.data != NULL ? text.data : "", text.length },
        &origin, error);
}

const struct config_connector *config_find_shared(const struct config *config,
                                                  const char *client_name)
{
    for (size_t i = 0; i < config->connector_count; i++) {
        if (is_source_of(config->connectors[i].name, client_name)) {
            return &config->connectors[i];
        }
    }
    return NULL;
}

void config_finish(struct config *config)
{
    jz__toml_finish(&config->document);
    jz__arena_finish(&config->arena);
}

/* The file in the current folder wins, so that a folder of one's own tries
 * things out without touching the installed configuration. */
int config_find(char **out, const char *config_home, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    assert(out != NULL && config_home != NULL);
    jz__buf_puts(&path, "jezero.toml");
    if (path.error == 0 && access(path.data, F_OK) != 0) {
        jz__buf_clear(&path);
        jz__path_join(&path, config_home, "jezero/jezero.toml");
        if (path.error == 0 && access(path.data, F_OK) != 0) {
            return jz__fail(error, JZ_ENOTFOUND,
                            "there is no ./jezero.toml and no %s", path.data);
        }
    }
    return jz__buf_take(out, &path) == 0 ? 0 : jz__fail_memory(error);
}
