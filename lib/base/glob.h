/* SPDX-License-Identifier: Apache-2.0 */
/* Globs for names: * ? [abc] [a-z] [!a], case-sensitive, on characters; linear
 * in pattern times text, never exponential. A [ without ] is itself. */
#ifndef JZ_BASE_GLOB_H
#define JZ_BASE_GLOB_H

#include <stdbool.h>

bool jz__glob_match(const char *pattern, const char *text);

#endif
