/* SPDX-License-Identifier: Apache-2.0 */
/* Which schema a file has, and making it in a new one. */
#ifndef JZ_STORE_SCHEMA_H
#define JZ_STORE_SCHEMA_H

#include "store/store.h"

/* Check the file that was opened, and make the tables in an empty one.
 * JZ_ECORRUPT: no library; JZ_ENEWER; JZ_EIO. */
int jz__schema_check(struct jz__store *store);

#endif
