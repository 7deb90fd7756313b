/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of Jezero's own tools, which come under many names: agents put the
 * server's name in front, plugins theirs, and a shell or a program can ask as
 * well.
 */
#include "ingest/own_calls.h"

#include <string.h>

#include "base/mem.h"

static const char *const tools[] = { "search", "get_item", "later", "timeline",
                                     "list_sources" };

/* Commands of jezero-client and jezero-server that print what is stored. */
static const char *const printing[] = { "search",   "show",    "later",
                                        "timeline", "sources", "protocol",
                                        "hook" };

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

/* Does text end in one of the tools' names, set off from what is before it? */
static bool ends_in_tool(struct jz__str text)
{
    size_t i;

    for (i = 0; i < JZ__LENGTH(tools); i++) {
        size_t length = strlen(tools[i]);

        if (jz__str_ends(text, tools[i]) && text.length > length &&
            !is_alphanumeric(text.data[text.length - length - 1])) {
            return true;
        }
    }
    return false;
}

/* Both halves are needed: other servers have a search too, and other programs
 * may be named after Jezero. */
bool jz__own_calls_is_tool(struct jz__str name)
{
    return jz__str_find_nocase(name, "jezero") != SIZE_MAX &&
           ends_in_tool(name);
}

/* Behind the word "jezero": the rest of a program's name and one of its
 * printing commands, or of a tool's name ("__search", "_later"). */
static bool asks_jezero(struct jz__str rest)
{
    size_t i = 0;
    size_t k;

    if (jz__str_starts(rest, "-client") || jz__str_starts(rest, "-server")) {
        i = 7;
    }
    while (i < rest.length && (rest.data[i] == '_' || rest.data[i] == '.' ||
                               rest.data[i] == ' ')) {
        i++;
    }
    rest.data += i;
    rest.length -= i;
    if (i == 0) {
        return false;
    }
    for (k = 0; k < JZ__LENGTH(printing); k++) {
        size_t length = strlen(printing[k]);

        if (jz__str_starts(rest, printing[k]) &&
            (rest.length == length || !is_alphanumeric(rest.data[length]))) {
            return true;
        }
    }
    return jz__str_starts(rest, "get_item") ||
           jz__str_starts(rest, "list_sources");
}

/* Every mention is looked at: a path may hold the name as well. */
bool jz__own_calls_is_command(struct jz__str command)
{
    size_t at;

    while ((at = jz__str_find(command, "jezero")) != SIZE_MAX) {
        command.data += at + 6;
        command.length -= at + 6;
        if (asks_jezero(command)) {
            return true;
        }
    }
    return false;
}
