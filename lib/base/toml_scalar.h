/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, booleans, dates and times of TOML, from their text alone. */
#ifndef JZ_BASE_TOML_SCALAR_H
#define JZ_BASE_TOML_SCALAR_H

#include <stdbool.h>

#include "base/str.h"
#include "base/toml.h"

/*
 * Tell type and value of an unquoted token: sets type and integer, real or
 * boolean of out. NULL, or what is wrong with it as a clause for a message.
 */
const char *jz__toml_scalar_read(struct jz__toml_value *out,
                                 struct jz__str token);

/* Is this the text of a date, YYYY-MM-DD? Its numbers are not looked at. */
bool jz__toml_scalar_is_date(struct jz__str token);

#endif
