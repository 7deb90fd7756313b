/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A repository can set variables for the agents that work in it. What these name
 * must not be its own: its certificates would make its server a trusted one, its
 * client home would send the user's sessions there. Owner and mode cannot tell,
 * because a checkout is the user's own, with the modes that the user's umask
 * gives.
 */
#include "repository.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"

static bool has_git(const char *folder)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__path_join(&path, folder, ".git");
    return path.error != 0 || access(path.data, F_OK) == 0;
}

bool repository_holds(const char *path)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(path, NULL);
    JZ_CLEANUP(jz__mem_freep) char *user = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf home = JZ__BUF_INIT;
    char *slash;

    if (real == NULL) {
        return false; /* it is not there */
    }
    agent_put_user_home(&home);
    if (home.error == 0 && home.length > 0) {
        user = realpath(home.data, NULL);
    }
    while ((slash = strrchr(real, '/')) != NULL && slash > real) {
        if (user != NULL && strcmp(real, user) == 0) {
            return false;
        }
        if (has_git(real)) {
            return true;
        }
        *slash = '\0';
    }
    return false;
}
