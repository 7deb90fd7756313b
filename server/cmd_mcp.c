/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp: the tools over stdin and stdout. From here on nothing of ours may write
 * to stdout; failures of the start are on stderr, where agents show them.
 *
 * Whoever can start this can read the library's file, so there is no key. With
 * --client an agent is shown what the client of that name would be shown over
 * HTTP, and a client that the server would refuse is refused here too. Its key
 * itself is not asked for: a variable that only the server has does for it.
 */
#include "command.h"
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth.h"
#include "base/log.h"
#include "base/mem.h"
#include "stdio_run.h"

/* Why the client that is looked for is disabled, out of what is said of all. */
struct reason {
    const char *name;
    char text[512];
};

static void on_log(void *userdata, int level, const char *message)
{
    struct reason *reason = userdata;
    size_t length = strlen(reason->name);

    (void)level;
    /* "client 'laptop' is disabled: …" */
    if (reason->text[0] == '\0' && strncmp(message, "client '", 8) == 0 &&
        strncmp(message + 8, reason->name, length) == 0 &&
        message[8 + length] == '\'') {
        (void)snprintf(reason->text, sizeof(reason->text), "%s", message);
    }
}

/* A variable that is not set here stands for a key of its own. */
static const char *any_key(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? value : name;
}

static bool is_revoked(const struct config *config, const char *name)
{
    size_t i;

    for (i = 0; i < config->client_count; i++) {
        if (strcmp(config->clients[i].name, name) == 0 &&
            config->clients[i].revoked) {
            return true;
        }
    }
    return false;
}

/* 0 and the client, borrowed from *table, or an exit status. */
static int find_client(const struct auth_client **out,
                       struct auth_table **table, const struct jz__opts *opts,
                       const struct command_library *library)
{
    const char *name = jz__opts_value(opts, "client");
    const struct config *config = &library->config;
    struct reason reason = { .name = name };
    const struct jz__log log = { on_log, &reason };
    struct jz__error error = { 0 };

    if (library->config_file == NULL) {
        return jz__command_wrong(opts, "--client needs a configuration: the "
                                       "clients stand there");
    }
    if (auth_table_build(table, config->clients, config->client_count, any_key,
                         &log, &error) < 0) {
        return jz__command_fail(opts, "%s", error.message);
    }
    *out = auth_find_name(*table, name);
    if (*out != NULL) {
        return 0;
    }
    if (reason.text[0] != '\0') {
        return jz__command_fail(opts, "%s", reason.text);
    }
    return jz__command_fail(opts,
                            is_revoked(config, name)
                                ? "client '%s' is revoked"
                                : "there is no client '%s'",
                            name);
}

int cmd_mcp_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    struct auth_table *table = NULL;
    const struct auth_client *client = NULL;
    int status = command_open(&library, opts, COMMAND_READS);

    if (status == 0 && jz__opts_has(opts, "client")) {
        status = find_client(&client, &table, opts, &library);
    }
    if (status == 0) {
        status =
            stdio_run(library.lib, client != NULL ? client->scope_json : NULL);
    }
    auth_table_free(table);
    return status;
}
