/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library begins its texts with a capital, and ours stand behind a colon.
 * A second capital shows an abbreviation ("SSL error"), which stays.
 */
#include "net/phrase.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *jz__phrase_lower(char out[JZ__PHRASE_SIZE], const char *text)
{
    (void)snprintf(out, JZ__PHRASE_SIZE, "%s", text);
    if (out[0] != '\0' && !isupper((unsigned char)out[1])) {
        out[0] = (char)tolower((unsigned char)out[0]);
    }
    return out;
}

const char *jz__phrase_errno(char out[JZ__PHRASE_SIZE], int number)
{
    return jz__phrase_lower(out, strerror(number));
}
