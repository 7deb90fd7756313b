/* SPDX-License-Identifier: Apache-2.0 */
/* Could a repository have put a file where it lies? */
#ifndef JEZERO_CLIENT_REPOSITORY_H
#define JEZERO_CLIENT_REPOSITORY_H

#include <stdbool.h>

/* Does the file or folder lie in a checkout, links followed? The user's home
 * folder itself does not count, which some people keep in git. */
bool repository_holds(const char *path);

#endif
