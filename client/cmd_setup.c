/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup: register Jezero in the agents of this computer. Each agent stands for
 * itself: what goes wrong with one is reported, the others are tried, and the
 * exit status is 1 at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "commands.h"
#include "home.h"
#include "program.h"
#include "setup.h"

/* has: signs of the agent beside its folder and its program, or NULL. */
struct agent_setup {
    void (*run)(struct setup *setup);
    bool (*has)(void);
    const char *program;
};

static const struct agent_setup agents[AGENT_COUNT] = {
    [AGENT_CLAUDE_CODE] = { setup_claude_code, setup_has_claude_code,
                            "claude" },
    [AGENT_CODEX] = { setup_codex, NULL, "codex" },
    [AGENT_ANTIGRAVITY] = { setup_antigravity, setup_has_antigravity, "agy" },
    [AGENT_OPENCODE] = { setup_opencode, setup_has_opencode, "opencode" },
    [AGENT_HERMES] = { setup_hermes, NULL, "hermes" },
};

/* Those that --agent names, or all. */
static bool choose(bool chosen[AGENT_COUNT], const struct jz__opts *opts)
{
    const char *name;
    enum agent_id agent;
    size_t i;

    for (i = 0; (name = jz__opts_nth(opts, "agent", i)) != NULL; i++) {
        if (!agent_find(&agent, name)) {
            fprintf(stderr, "%s setup: --agent must be %s, got '%s'\n",
                    opts->called, agent_names(), name);
            return false;
        }
        chosen[agent] = true;
    }
    for (agent = 0; i == 0 && agent < AGENT_COUNT; agent++) {
        chosen[agent] = true;
    }
    return true;
}

/* An agent that never ran has no folder, but a program on the PATH. Without
 * either a registration would be a stray file, and for some a sign that they
 * are installed. */
static bool is_installed(const struct setup *setup)
{
    const struct agent_setup *agent = &agents[setup->agent];
    struct stat st;

    return setup->folder[0] != '\0' &&
           ((stat(setup->folder, &st) == 0 && S_ISDIR(st.st_mode)) ||
            (agent->has != NULL && agent->has()) ||
            program_is_on_path(agent->program));
}

/* Two paths may lead to one folder. */
static bool is_same_folder(const char *a, const char *b)
{
    struct stat left;
    struct stat right;

    return strcmp(a, b) == 0 ||
           (stat(a, &left) == 0 && stat(b, &right) == 0 &&
            left.st_dev == right.st_dev && left.st_ino == right.st_ino);
}

/* What is registered does not carry the variable: an agent that is started
 * without it uses another home, another key perhaps, and nobody is told. The
 * variable is taken away for a moment to see which one that would be. */
static void warn_of_variable(const struct setup *setup, const struct home *home)
{
    static const char name[] = "JEZERO_CLIENT_HOME";
    JZ_CLEANUP(home_finish) struct home other = { 0 };
    const char *set = getenv(name);
    JZ_CLEANUP(jz__mem_freep) char *value = NULL;

    if (set == NULL || set[0] == '\0') {
        return;
    }
    value = jz__mem_copy(set, strlen(set));
    if (value == NULL || unsetenv(name) < 0) {
        return;
    }
    /* A home that is refused is named all the same. */
    (void)home_open(&other, agent_name(setup->agent), NULL);
    (void)setenv(name, value, 1);
    if (other.path == NULL || !is_same_folder(home->path, other.path)) {
        setup_say(setup,
                  "%s is set here; agents need it in their environment as well",
                  name);
    }
}

/* An agent that is registered on a computer without a key would start a server
 * that answers with errors. */
static bool has_key(struct setup *setup, struct home *home)
{
    struct jz__error error = { 0 };

    if (home_open(home, agent_name(setup->agent), &error) < 0) {
        setup_fail(setup, error.message);
        return false;
    }
    if (!home->is_set_up) {
        setup_say(setup, "not set up (%s): run `init` first", home->path);
        setup->has_failed = true;
        setup->reported++;
    }
    return home->is_set_up;
}

/* False: something could not be done, which is said by then. To remove takes no
 * key: it may be gone already. */
static bool run_agent(struct setup *setup)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    JZ_CLEANUP(home_finish) struct home home = { 0 };

    agent_put_folder(&folder, setup->agent);
    if (folder.error != 0) {
        setup_fail(setup, "out of memory");
        return false;
    }
    setup->folder = folder.length > 0 ? folder.data : "";
    if (!is_installed(setup)) {
        setup_say(setup, "not installed on this computer");
        return true;
    }
    if (!setup->is_removal && !has_key(setup, &home)) {
        return false;
    }
    agents[setup->agent].run(setup);
    if (setup->reported == 0) {
        setup_say(setup,
                  setup->is_removal ? "not registered" : "already registered");
    }
    if (!setup->is_removal) {
        warn_of_variable(setup, &home);
    }
    return !setup->has_failed;
}

int cmd_setup_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf program = JZ__BUF_INIT;
    bool chosen[AGENT_COUNT] = { false };
    struct jz__error error = { 0 };
    int status = EXIT_SUCCESS;
    enum agent_id agent;

    if (!choose(chosen, opts)) {
        return EXIT_FAILURE;
    }
    if (program_put_path(&program, &error) < 0) {
        fprintf(stderr, "%s setup: %s\n", opts->called, error.message);
        return EXIT_FAILURE;
    }
    /* JSON and TOML cannot hold other bytes, and repaired they would name
     * another file. */
    if (!jz__utf8_is_clean(program.data, program.length)) {
        fprintf(stderr, "%s setup: the path of this program is no UTF-8\n",
                opts->called);
        return EXIT_FAILURE;
    }
    for (agent = 0; agent < AGENT_COUNT; agent++) {
        /* In the order of the enum, however they were named. */
        struct setup setup = {
            .agent = agent,
            .program = program.data,
            .with_hooks = jz__opts_has(opts, "hooks"),
            .is_dry = jz__opts_has(opts, "dry-run"),
            .is_removal = jz__opts_has(opts, "remove"),
        };

        if (chosen[agent] && !run_agent(&setup)) {
            status = EXIT_FAILURE;
        }
    }
    return status;
}
