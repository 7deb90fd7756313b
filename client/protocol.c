/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One copy of the protocol, for everything that gives it to an agent: a hook at
 * the start of a session and the command that prints it. Agents have been tuned
 * to these words; a change of them is a change of behaviour.
 */
#include "protocol.h"

const char *protocol_text(void)
{
    return "## Jezero: shared memory of past work (read-only)\n"
           "\n"
           "Jezero indexes past sessions of all of this user's agents and "
           "their project tasks: decisions, fixes, exact errors, commands and "
           "facts, each with the date it happened. Use it out of habit, "
           "without waiting to be asked:\n"
           "\n"
           "- Before non-trivial work in a project, or when the user mentions "
           "something you have no context on, call the jezero `search` tool "
           "with 2-5 distinctive words (names, errors, ids). Matching is "
           "literal: try a synonym if nothing comes back.\n"
           "- Before relying on a decision, plan, status or number from "
           "Jezero, call `later` on that item: a later session may have "
           "changed it. Answer with the newest state.\n"
           "- Cite item ids like [123] when an answer comes from Jezero. If "
           "Jezero has nothing, say so; never fill the gap with a guess.\n"
           "- Jezero is read-only and ingests sessions by itself: there is "
           "nothing to save.\n";
}
