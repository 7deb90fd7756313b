/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The git repository that a folder lies in, found by reading files: no git
 * program is run, and nothing is asked that a FIFO, a huge file or a foreign
 * owner could turn into a wait or an error.
 */
#ifndef JZ_PROJECT_GIT_H
#define JZ_PROJECT_GIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* No configuration or .git file is that large. */
#define JZ__GIT_FILE_MOST ((size_t)1 << 20)

/* What a repository's configuration says that matters here; NULL: nothing. */
struct jz__git_config {
    char *origin;   /* the first url of the remote "origin" */
    char *worktree; /* core.worktree */
    bool is_bare;   /* core.bare */
};

/* Read the text of a configuration. What is wrong in it is skipped. 0 or
 * JZ_ENOMEM; finish in every case. */
int jz__git_config_read(struct jz__git_config *out, const char *text,
                        size_t length);
void jz__git_config_finish(struct jz__git_config *config);

/* Append the last part of a remote's URL without ".git": nothing if it has
 * none. */
void jz__git_url_name(struct jz__buf *out, const char *url);

struct jz__git {
    char *folder;   /* the worktree's root: where .git is, or the bare one */
    char *common;   /* the folder with config, shared by all its worktrees */
    bool is_linked; /* .folder is not where the repository's own work is: it is
                       a linked worktree, or there is no such place */
};

/*
 * Find the repository of a folder (absolute, normalized), which may be gone:
 * then its parents are looked at. Both texts are NULL if there is none. 0 or
 * JZ_ENOMEM; finish in every case.
 */
int jz__git_find(struct jz__git *out, const char *folder);
void jz__git_finish(struct jz__git *git);

/* Append the repository's name: its origin's, else the folder name of the main
 * worktree, of a bare repository its own without ".git". 0 or JZ_ENOMEM. */
int jz__git_name(struct jz__buf *out, const struct jz__git *git);

#endif
