/* SPDX-License-Identifier: Apache-2.0 */
/* Jezero's own tools under the names that agents give them. */
#include "ingest/own_calls.h"

#include "tap.h"

static void own_tools_are_known_under_any_prefix(void)
{
    static const char *const ours[] = {
        "mcp__jezero__search", "mcp__plugin_x_jezero__later",
        "jezero_get_item",     "jezero.search",
        "Jezero:timeline",     "mcp__jezero__list_sources",
    };
    static const char *const others[] = {
        "search",          "mcp__github__search",
        "jezero_research", "jezero_deploy",
        "later",           "jezero",
    };
    size_t i;

    for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        CHECK(jz__own_calls_is_tool(jz__str_of(ours[i])));
    }
    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CHECK(!jz__own_calls_is_tool(jz__str_of(others[i])));
    }
}

static void own_commands_are_known(void)
{
    static const char *const ours[] = {
        "jezero-client search heliotrope",
        "cd /x && /usr/bin/jezero-client show 3 | head",
        "jezero-server timeline",
        "jezero-client protocol",
        "await tools.mcp__jezero__search({query: 'x'})",
        "tools.jezero_get_item({item_id: 3})",
    };
    static const char *const others[] = {
        "cd ~/jezero && make",
        "jezero-client status",
        "jezero-client setup --hooks",
        "git commit -m 'jezero: search faster'",
        "grep -r later src/jezero-client.c",
        "ls jezero",
    };
    size_t i;

    for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (!CHECK(jz__own_calls_is_command(jz__str_of(ours[i])))) {
            printf("# %s\n", ours[i]);
        }
    }
    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!CHECK(!jz__own_calls_is_command(jz__str_of(others[i])))) {
            printf("# %s\n", others[i]);
        }
    }
}

int main(void)
{
    TAP_RUN(own_tools_are_known_under_any_prefix);
    TAP_RUN(own_commands_are_known);
    return tap_done();
}
