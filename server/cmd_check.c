/* SPDX-License-Identifier: Apache-2.0 */
/* check: the integrity of file and index. Problems are a result, on stdout, and
 * make the exit status 1. */
#include "command.h"
#include "commands.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* The exit status needs it also when the JSON is printed as it is. */
static bool is_in_order(const char *json)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;

    return jz__json_parse(&answer, json, strlen(json), NULL) == 0 &&
           jz__json_flag(answer, "ok", false);
}

int cmd_check_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    bool has_repair = jz__opts_has(opts, "repair");
    bool is_ok;
    char *json = NULL;
    int status = command_open(&library, opts,
                              has_repair ? COMMAND_WRITES : COMMAND_READS);
    int r;

    if (status != 0) {
        return status;
    }
    r = jz_check(&json, library.lib, has_repair ? "{\"repair\":true}" : NULL);
    if (r == JZ_ECORRUPT) {
        return jz__command_fail(opts,
                                "%s: %sput the last backup in its place (man "
                                "jezero-server, backup)",
                                jz_library_errmsg(library.lib),
                                has_repair ? "" : "try check --repair, or ");
    }
    is_ok = r == 0 && is_in_order(json);
    status = command_print(opts, library.lib, r, json, jz__render_check);
    return status == 0 && !is_ok ? JZ__COMMAND_FAILED : status;
}
