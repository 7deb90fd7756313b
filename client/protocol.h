/* SPDX-License-Identifier: Apache-2.0 */
/* The text that tells an agent how to use the library. */
#ifndef JEZERO_CLIENT_PROTOCOL_H
#define JEZERO_CLIENT_PROTOCOL_H

/* Several lines; the last one ends in a line end. Static. */
const char *protocol_text(void);

#endif
