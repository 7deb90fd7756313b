/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of jezero-server: their options, their help and the functions
 * that run them. The man page follows these tables, and the tests compare the
 * two.
 *
 * The program is also installed as `jezero`; messages and help use the name that
 * was typed. There is no other code here: a command that needs more than a row
 * has a file, cmd_<name>.c.
 */
#include <stdint.h>
#include <stdlib.h>

#include "commands.h"
#include "jezero.h"
#include "prog/opts.h"

#define CONFIG                                                                 \
    {                                                                          \
        "config", "FILE", "the configuration, jezero.toml"                     \
    }
#define LIBRARY                                                                \
    {                                                                          \
        "library", "FILE", "a library without configuration"                   \
    }
#define JSON                                                                   \
    {                                                                          \
        "json", NULL, "print the tool's exact JSON"                            \
    }
#define PROJECT                                                                \
    {                                                                          \
        "project", "NAME", "only items of this project"                        \
    }
#define SOURCE                                                                 \
    {                                                                          \
        "source", "NAME", "only items of this source, or of a glob"            \
    }
#define SINCE                                                                  \
    {                                                                          \
        "since", "TIME", "only from this date or time on"                      \
    }
#define LIMIT                                                                  \
    {                                                                          \
        "limit", "N", "at most so many items"                                  \
    }
#define END                                                                    \
    {                                                                          \
        NULL, NULL, NULL                                                       \
    }

/* Which options a command takes. The same name means the same thing in every
 * command and takes a value in all of them or in none: the parser relies on
 * it. */
static const struct jz__opts_option up_options[] = {
    { "data", "DIR", "where the library is kept (~/.local/share/jezero)" },
    { "port", "PORT", "the port of 127.0.0.1 (8765; 0: any free one)" },
    { "key", NULL, "ask for a key, which is made and kept in a file" },
    { "from", "DIR", "take these sessions, not those of this computer" },
    END,
};
static const struct jz__opts_option serve_options[] = { CONFIG, END };
static const struct jz__opts_option init_options[] = {
    { "dir", "DIR", "where jezero.toml goes (the current folder)" },
    { "data", "DIR", "where the library is kept (DIR/data)" },
    END,
};
static const struct jz__opts_option device_options[] = {
    CONFIG,
    { "read-only", NULL, "approve: it may read and send nothing" },
    { "reuse", NULL, "approve: take a name again that was revoked" },
    { "json", NULL, "list: print JSON" },
    END,
};
static const struct jz__opts_option library_options[] = { CONFIG, LIBRARY,
                                                          END };
static const struct jz__opts_option mcp_options[] = {
    CONFIG,
    LIBRARY,
    { "client", "NAME", "as the client of this name in the configuration" },
    END,
};
static const struct jz__opts_option json_options[] = { CONFIG, LIBRARY, JSON,
                                                       END };
static const struct jz__opts_option status_options[] = {
    CONFIG,
    LIBRARY,
    { "json", NULL, "print JSON" },
    END,
};
static const struct jz__opts_option ingest_options[] = {
    CONFIG,
    LIBRARY,
    { "source", "NAME", "the source's name; without PATH: this connector" },
    { "dry-run", NULL, "read everything and keep nothing" },
    END,
};
static const struct jz__opts_option search_options[] = {
    CONFIG, LIBRARY, PROJECT, SOURCE, SINCE, LIMIT, JSON, END,
};
static const struct jz__opts_option show_options[] = {
    CONFIG,
    LIBRARY,
    { "original", NULL, "the original text as well" },
    { "newer", NULL, "and what came later on this subject" },
    JSON,
    END,
};
static const struct jz__opts_option later_options[] = { CONFIG, LIBRARY, LIMIT,
                                                        JSON, END };
static const struct jz__opts_option timeline_options[] = {
    CONFIG, LIBRARY, PROJECT,
    SOURCE, SINCE,   { "until", "TIME", "only up to this date or time" },
    LIMIT,  JSON,    END,
};
static const struct jz__opts_option check_options[] = {
    CONFIG,
    LIBRARY,
    { "repair", NULL, "make an index that differs anew" },
    { "json", NULL, "print JSON" },
    END,
};

/* In the order of the help: what starts a server, what fills a library, what
 * reads it, what looks after it. */
static const struct jz__opts_command commands[] = {
    { "up", "", "Take in this computer's agent sessions and serve them",
      "Finds the sessions of Claude Code and Codex, takes them in, and serves\n"
      "them on 127.0.0.1, until Ctrl-C. Sessions that appear or grow "
      "meanwhile\n"
      "are taken in. Needs no configuration. Without --key every user of this\n"
      "computer can read them.",
      up_options, 0, 0, cmd_up_run },
    { "serve", "", "Serve as configured",
      "Without --config: ./jezero.toml, then\n"
      "$XDG_CONFIG_HOME/jezero/jezero.toml.",
      serve_options, 0, 0, cmd_serve_run },
    { "init", "", "Write a jezero.toml with every key explained",
      "Makes DIR/jezero.toml and the folder of the library, and says what to\n"
      "do next. Overwrites nothing.",
      init_options, 0, 0, cmd_init_run },
    { "device", "approve NAME SHA256 | list | revoke NAME",
      "Say which computers may use the server",
      "Edits the [[clients]] of jezero.toml and keeps all else in it. A\n"
      "running server takes the change within a second. SHA256 is of the\n"
      "computer's key: there, `jezero-client init --url URL` makes the key\n"
      "and prints the line to type here. NAME, of A-Z a-z 0-9 . _ -, stays\n"
      "in the names of its sources. approve lets a computer in, revoke ends\n"
      "its key, list shows them all.",
      device_options, 1, 4, cmd_device_run },
    { "mcp", "", "Serve MCP over stdin and stdout",
      "With --client it shows what the client of that name may read over "
      "HTTP;\n"
      "without, everything.",
      mcp_options, 0, 0, cmd_mcp_run },
    { "ingest", "[PATH…]", "Take in sessions once",
      "PATH is a transcript or a folder of them, recognised by content at any\n"
      "depth. Without PATH: the [[connectors]] of the configuration.",
      ingest_options, 0, SIZE_MAX, cmd_ingest_run },
    { "search", "QUERY…", "Find items by words",
      "An item that holds more of the words ranks higher; newer ones are\n"
      "preferred. Words in double quotes are one phrase: search '\"csv "
      "export\"'.",
      search_options, 1, SIZE_MAX, cmd_search_run },
    { "show", "ID", "Show one item in full", NULL, show_options, 1, 1,
      cmd_show_run },
    { "later", "ID [QUERY…]", "Show what came later on an item's subject", NULL,
      later_options, 1, SIZE_MAX, cmd_later_run },
    { "timeline", "", "Show items by date, newest first",
      "TIME is 2026-01-31 or 2026-01-31T09:00:00+02:00.", timeline_options, 0,
      0, cmd_timeline_run },
    { "sources", "", "List the sources with their number of items", NULL,
      json_options, 0, 0, cmd_sources_run },
    { "import", "FILE", "Store items from JSON lines",
      "FILE - is stdin. A bad line is named and left out. --library makes the\n"
      "library if it is not there.",
      library_options, 1, 1, cmd_import_run },
    { "export", "FILE", "Write all items as JSON lines", "FILE - is stdout.",
      library_options, 1, 1, cmd_export_run },
    { "status", "", "Show counts, sizes and failed documents", NULL,
      status_options, 0, 0, cmd_status_run },
    { "backup", "FILE", "Copy the library, also while a server runs",
      "FILE is made, or replaced if it is a library that nobody has open.\n"
      "It is whole and on disk when the command ends.",
      library_options, 1, 1, cmd_backup_run },
    { "check", "", "Check the integrity of file and index", NULL, check_options,
      0, 0, cmd_check_run },
    { NULL, NULL, NULL, NULL, NULL, 0, 0, NULL },
};

static const struct jz__opts_program program = {
    "jezero-server",
    "past work of coding agents, searchable by all of them",
    JZ_VERSION_STRING,
    commands,
};

int main(int argc, char **argv)
{
    return jz__opts_main(&program, argc, argv);
}
