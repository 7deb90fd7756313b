/* SPDX-License-Identifier: Apache-2.0 */
/* MCP on stdin and stdout, forwarded to the server. */
#ifndef JEZERO_CLIENT_BRIDGE_H
#define JEZERO_CLIENT_BRIDGE_H

/* Milliseconds that answers still due are waited for after the end of stdin. */
#define BRIDGE_END_MS 5000

/*
 * Forward until stdin ends or nobody reads stdout: the exit status. The agent's
 * key is used, NULL: the common one. Nothing is written to stdout but messages,
 * and nothing to stderr.
 *
 * Memory: a line of 16 MiB at most; 32 MiB, or 1,024, of messages that wait or
 * are under way, and one read more; for each of 17 threads an answer of 32 MiB
 * at most and its copy. Usually it is a thread and 4 MB.
 */
int bridge_run(const char *agent);

#endif
