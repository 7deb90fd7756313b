/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device: the computers that may use a server, as [[clients]] of its
 * jezero.toml. Nobody talks to the server here: it looks at its file once a
 * second.
 *
 * What was typed wrong is told before the file is looked at. A key that was
 * pasted where its digest belongs is such a case, and the one value that is
 * never shown again: messages end up in logs and mails.
 */
#include "command.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "clients_file.h"
#include "prog/term.h"

/* Digits of a digest that people compare. */
#define SHOWN_DIGITS 12

/* 64 digits, one more to see that there were too many, and the NUL. */
#define DIGEST_SIZE 66

/* --- approve and revoke --- */

/* The path of the configuration, in *out. It is loaded, so that what is wrong
 * with it is said as every command says it. */
static int find_file(char **out, const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    int status = command_configure(&library, opts);

    if (status == 0) {
        *out = jz__mem_steal(&library.config_file);
    }
    return status;
}

/* `done` and `same` are the two good endings. */
static int run_change(const struct jz__opts *opts,
                      const struct clients_change *change, const char *done,
                      const char *same)
{
    JZ_CLEANUP(jz__mem_freep) char *path = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    struct jz__error error = { 0 };
    int status = find_file(&path, opts);
    int r;

    if (status != 0) {
        return status;
    }
    r = clients_file_change(path, change, &error);
    if (r < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    jz__buf_printf(&line, "%s %s\n", opts->arguments[1], r == 0 ? done : same);
    return line.error == 0 ? jz__command_put(opts, line.data)
                           : jz__command_fail(opts, "out of memory");
}

/* sha256sum puts the name of its input behind the digest, "-" for stdin, and
 * its whole line is what people paste. */
static void copy_digest(char out[DIGEST_SIZE], const char *text)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    const char *rest = text + digits;

    rest += strspn(rest, " ");
    if (digits < DIGEST_SIZE && strcmp(rest, "-") == 0) {
        (void)snprintf(out, DIGEST_SIZE, "%.*s", (int)digits, text);
    } else {
        (void)snprintf(out, DIGEST_SIZE, "%s", text);
    }
}

static int approve_device(const struct jz__opts *opts)
{
    const char *name = opts->arguments[1];
    char digest[DIGEST_SIZE];
    bool is_read_only = jz__opts_has(opts, "read-only");
    const struct clients_change change = {
        .approval = { name, digest, is_read_only, jz__opts_has(opts, "reuse") },
    };
    const char *why = clients_edit_check_name(name);

    copy_digest(digest, opts->arguments[2]);
    if (why != NULL) {
        return jz__command_wrong(opts, "NAME %s, got '%s'", why, name);
    }
    why = clients_edit_check_digest(digest);
    if (why != NULL) {
        return jz__command_wrong(opts, "SHA256 %s", why);
    }
    return run_change(opts, &change,
                      is_read_only
                          ? "is approved: it reads agent-* and sends nothing"
                          : "is approved: it reads agent-* and sends its own "
                            "sessions",
                      "is already approved: nothing was changed");
}

static int revoke_client(const struct jz__opts *opts)
{
    const struct clients_change change = { .revoked = opts->arguments[1] };

    return run_change(opts, &change, "is revoked",
                      "was already revoked: nothing was changed");
}

/* --- list --- */

/* Why the server takes no key for this entry, or NULL. A variable that holds the
 * key is set for the server and not for us, so nothing is said of those. */
static const char *find_clash(const struct config *config,
                              const struct config_client *client)
{
    size_t i;

    for (i = 0; i < config->client_count; i++) {
        const struct config_client *other = &config->clients[i];

        if (other == client) {
            continue;
        }
        if (strcmp(other->name, client->name) == 0) {
            return "another entry has the same name";
        }
        if (other->token_sha256 != NULL && client->token_sha256 != NULL &&
            strcasecmp(other->token_sha256, client->token_sha256) == 0) {
            return "another entry has the same key";
        }
    }
    return NULL;
}

/* Globs and names of variables may hold anything, and a device has one line. */
static void put_shown(struct jz__buf *out, const char *text)
{
    jz__utf8_one_line(out, text, strlen(text));
}

/* Name, the beginning of the digest, which the device shows as well, and what it
 * may do. */
static void put_text(struct jz__buf *out, const struct config *config,
                     const struct config_client *client, int width)
{
    const char *clash = find_clash(config, client);
    size_t i;

    jz__buf_printf(out, "%-*s  ", width, client->name);
    if (client->token_sha256 != NULL) {
        jz__buf_printf(out, "%.*s", SHOWN_DIGITS, client->token_sha256);
    } else {
        jz__buf_putc(out, '$');
        put_shown(out, client->token_env);
    }
    jz__buf_puts(out, client->revoked ? "  revoked" : "  reads");
    for (i = 0; !client->revoked && i < client->sources.count; i++) {
        jz__buf_putc(out, ' ');
        put_shown(out, client->sources.items[i]);
    }
    if (!client->revoked && client->sources.count == 0) {
        jz__buf_puts(out, " what it sent");
    }
    jz__buf_puts(out, !client->revoked && client->upload ? ", uploads" : "");
    jz__buf_puts(out, !client->revoked && client->metrics ? ", metrics" : "");
    if (!client->revoked && clash != NULL) {
        jz__buf_printf(out, "  DISABLED: %s", clash);
    }
    jz__buf_putc(out, '\n');
}

/* The words of the file, so that scripts need not learn others. */
static void put_json(struct jz__buf *out, const struct config *config,
                     const struct config_client *client)
{
    size_t i;

    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "name");
    jz__json_put_str(out, client->name);
    jz__json_put_key(out, "token_sha256");
    jz__json_put_str(out, client->token_sha256);
    jz__json_put_key(out, "token_env");
    jz__json_put_str(out, client->token_env);
    jz__json_put_key(out, "sources");
    jz__buf_putc(out, '[');
    for (i = 0; i < client->sources.count; i++) {
        jz__json_put_comma(out);
        jz__json_put_str(out, client->sources.items[i]);
    }
    jz__buf_putc(out, ']');
    jz__json_put_key(out, "upload");
    jz__json_put_bool(out, client->upload);
    jz__json_put_key(out, "metrics");
    jz__json_put_bool(out, client->metrics);
    jz__json_put_key(out, "revoked");
    jz__json_put_bool(out, client->revoked);
    jz__json_put_key(out, "disabled");
    jz__json_put_str(out, find_clash(config, client));
    jz__buf_putc(out, '}');
}

static void put_all(struct jz__buf *out, const struct config *config,
                    bool is_json)
{
    int width = 0;
    size_t i;

    for (i = 0; i < config->client_count; i++) {
        int length = (int)strlen(config->clients[i].name);

        width = length > width ? length : width;
    }
    jz__buf_puts(out, is_json ? "{\"devices\":[" : "");
    for (i = 0; i < config->client_count; i++) {
        if (is_json) {
            put_json(out, config, &config->clients[i]);
        } else {
            put_text(out, config, &config->clients[i], width);
        }
    }
    jz__buf_puts(out, is_json ? "]}\n" : "");
}

/* Byte for byte, unless a person looks at it. */
static int print_json(const struct jz__opts *opts, const char *json)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf shown = JZ__BUF_INIT;

    if (!jz__term_is_terminal(stdout)) {
        return jz__command_put(opts, json);
    }
    jz__term_json(&shown, json, strlen(json));
    return shown.error == 0 ? jz__command_put(opts, shown.data)
                            : jz__command_fail(opts, "out of memory");
}

static int list_devices(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    bool is_json = jz__opts_has(opts, "json");
    int status = command_configure(&library, opts);

    if (status != 0) {
        return status;
    }
    put_all(&text, &library.config, is_json);
    if (text.error != 0) {
        return jz__command_fail(opts, "out of memory");
    }
    if (is_json) {
        return print_json(opts, text.data);
    }
    if (library.config.client_count == 0) {
        fprintf(stderr,
                "%s has no devices yet: %s device approve NAME SHA256%s%s\n",
                library.config_file, opts->called,
                library.is_named ? " --config " : "",
                library.is_named ? library.config_file : "");
    }
    return jz__command_put(opts, text.data != NULL ? text.data : "");
}

/* --- which of them --- */

struct action {
    const char *name;
    size_t arguments; /* with its name */
    const char *usage;
    bool takes_rights; /* --read-only, --reuse */
    bool takes_json;
    int (*run)(const struct jz__opts *opts);
};

static const struct action actions[] = {
    { "approve", 3, "approve NAME SHA256", true, false, approve_device },
    { "list", 1, "list", false, true, list_devices },
    { "revoke", 2, "revoke NAME", false, false, revoke_client },
};

/* The parser of the command line knows one table of options for all three. */
static int check_options(const struct jz__opts *opts,
                         const struct action *action)
{
    static const char *const names[] = { "read-only", "reuse", "json" };
    size_t i;

    for (i = 0; i < JZ__LENGTH(names); i++) {
        bool is_taken = strcmp(names[i], "json") == 0 ? action->takes_json
                                                      : action->takes_rights;

        if (!is_taken && jz__opts_has(opts, names[i])) {
            return jz__command_wrong(opts, "%s takes no --%s", action->name,
                                     names[i]);
        }
    }
    return 0;
}

int cmd_device_run(const struct jz__opts *opts)
{
    const char *word = opts->arguments[0];
    const struct action *nearest = &actions[0];
    size_t count = opts->argument_count;
    size_t i;
    int status;

    for (i = 0; i < JZ__LENGTH(actions); i++) {
        if (jz__opts_distance(word, actions[i].name) <
            jz__opts_distance(word, nearest->name)) {
            nearest = &actions[i];
        }
    }
    if (strcmp(word, nearest->name) != 0) {
        return jz__opts_is_near(word, nearest->name)
                   ? jz__command_wrong(opts,
                                       "'%s' is none of approve, list, revoke "
                                       "(nearest: %s)",
                                       word, nearest->name)
                   : jz__command_wrong(
                         opts, "'%s' is none of approve, list, revoke", word);
    }
    /* The end of a line of sha256sum, without quotes around it. */
    if (count == 4 && strcmp(opts->arguments[3], "-") == 0) {
        count--;
    }
    if (count != nearest->arguments) {
        return jz__command_wrong(opts, "it takes: %s", nearest->usage);
    }
    status = check_options(opts, nearest);
    return status == 0 ? nearest->run(opts) : status;
}
