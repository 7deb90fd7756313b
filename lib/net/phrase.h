/* SPDX-License-Identifier: Apache-2.0 */
/* The system's own words for a fault, as part of a message of ours. */
#ifndef JZ_NET_PHRASE_H
#define JZ_NET_PHRASE_H

#define JZ__PHRASE_SIZE 128

/* What an errno means, without a capital: "connection refused"; returns out. */
const char *jz__phrase_errno(char out[JZ__PHRASE_SIZE], int number);

/* Any such text of the system's; abbreviations keep their capitals. */
const char *jz__phrase_lower(char out[JZ__PHRASE_SIZE], const char *text);

#endif
