/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of jezero-client: their options, their help and the functions
 * that run them. The man page follows these tables, and the tests compare the
 * two.
 *
 * Agents start this program at every prompt, so what it does before it knows
 * its command has to stay next to nothing: no library is loaded, no file read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "jezero.h"
#include "prog/opts.h"

#define AGENT                                                                  \
    {                                                                          \
        "agent", "NAME", "with the key that this agent uses"                   \
    }
#define AGENTS                                                                 \
    {                                                                          \
        "agent", "NAME", "only this agent; may be given again for others"      \
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

static const struct jz__opts_option init_options[] = {
    { "url", "URL", "the server, https://…" },
    { "device", "NAME", "what this computer is called (its host name)" },
    { "no-upload", NULL, "give context, but never send sessions" },
    { "insecure", NULL, "allow an http URL that leaves this computer" },
    END,
};
static const struct jz__opts_option agent_options[] = { AGENT, END };
static const struct jz__opts_option backfill_options[] = {
    AGENTS,
    { "days", "N", "sessions that changed in the last N days (90)" },
    END,
};
static const struct jz__opts_option setup_options[] = {
    AGENTS,
    { "hooks", NULL, "register the hooks as well, where no plugin does" },
    { "dry-run", NULL, "show what would change and change nothing" },
    { "remove", NULL, "take Jezero out again" },
    END,
};
static const struct jz__opts_option search_options[] = {
    AGENT, PROJECT, SOURCE, SINCE, LIMIT, JSON, END,
};
static const struct jz__opts_option show_options[] = {
    AGENT,
    { "original", NULL, "the original text as well" },
    { "newer", NULL, "and what came later on this subject" },
    JSON,
    END,
};
static const struct jz__opts_option later_options[] = { AGENT, LIMIT, JSON,
                                                        END };
static const struct jz__opts_option timeline_options[] = {
    AGENT,
    PROJECT,
    SOURCE,
    SINCE,
    { "until", "TIME", "only up to this date or time" },
    LIMIT,
    JSON,
    END,
};
static const struct jz__opts_option sources_options[] = { AGENT, JSON, END };
static const struct jz__opts_option no_options[] = { END };

/* In the order of the help: what connects a computer, what reads, what agents
 * run. */
static const struct jz__opts_command commands[] = {
    { "init", "", "Make this computer's key and say how to approve it",
      "Run again it keeps the key and changes what is given; without --url it\n"
      "only prints the line again.",
      init_options, 0, 0, cmd_init_run },
    { "status", "", "Show the key, the server's answer and the queue",
      "Exits 1 when this computer is not set up or the key is refused.",
      agent_options, 0, 0, cmd_status_run },
    { "setup", "", "Register Jezero in this computer's agents",
      "Agents: claude-code, codex, antigravity, opencode, hermes; all of them\n"
      "without --agent. Changes its own entries alone, and nothing when they\n"
      "are there.",
      setup_options, 0, 0, cmd_setup_run },
    { "backfill", "", "Send sessions that are on this computer already",
      "Queues them and sends them in the background.", backfill_options, 0, 0,
      cmd_backfill_run },
    { "flush", "", "Send what is queued, and print the counts", NULL,
      agent_options, 0, 0, cmd_flush_run },
    { "search", "QUERY…", "Find items by words, through the server", NULL,
      search_options, 1, SIZE_MAX, cmd_read_run },
    { "show", "ITEM", "Print one item in full", NULL, show_options, 1, 1,
      cmd_read_run },
    { "later", "ITEM [QUERY…]", "What newer work changed this item", NULL,
      later_options, 1, SIZE_MAX, cmd_read_run },
    { "timeline", "", "Items in order of time, newest first", NULL,
      timeline_options, 0, 0, cmd_read_run },
    { "sources", "", "The sources that this computer may read", NULL,
      sources_options, 0, 0, cmd_read_run },
    { "hook", "EVENT --agent NAME", "Run for an agent, with its JSON on stdin",
      "EVENT: session-start, user-prompt, stop, session-end. NAME: the agent\n"
      "that runs it. Always exits 0; what went wrong is in client.log.",
      agent_options, 1, 1, cmd_hook_run },
    { "mcp", "", "Serve MCP over stdin and stdout, from the server", NULL,
      agent_options, 0, 0, cmd_mcp_run },
    { "protocol", "", "Print the text that tells an agent how to use Jezero",
      NULL, no_options, 0, 0, cmd_protocol_run },
    { NULL, NULL, NULL, NULL, NULL, 0, 0, NULL },
};

static const struct jz__opts_program program = {
    "jezero-client",
    "gives this computer's coding agents their past work",
    JZ_VERSION_STRING,
    commands,
};

int main(int argc, char **argv)
{
    int status = jz__opts_main(&program, argc, argv);

    /* To an agent the status of wrong usage, 2, means: stop the user's prompt. */
    return argc > 1 && strcmp(argv[1], "hook") == 0 ? EXIT_SUCCESS : status;
}
