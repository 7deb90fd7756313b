/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundles of trusted certificates: lines of base64 between BEGIN and END, with
 * anything around them. mbedTLS could read them too, but takes great care that
 * nobody can tell by the time what it decodes, which is meant for keys: a
 * system's bundle costs it 7 ms, and this much less, in a program that starts for
 * every prompt.
 *
 * An entry that is cut, or holds what is no base64, is passed over: the others
 * are as good as before.
 */
#include <string.h>

#include "net/tls_private.h"

#define BEGIN "-----BEGIN CERTIFICATE-----"
#define END "-----END CERTIFICATE-----"

#define BLANK 64
#define WRONG 65

/* What a byte is worth: a digit from 0 to 63, BLANK for what does not count, or
 * WRONG. */
struct table {
    unsigned char values[256];
};

static void fill(struct table *table)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char blanks[] = " \t\r\n";

    memset(table->values, WRONG, sizeof(table->values));
    for (size_t i = 0; i < sizeof(digits) - 1; i++) {
        table->values[(unsigned char)digits[i]] = (unsigned char)i;
    }
    for (size_t i = 0; i < sizeof(blanks) - 1; i++) {
        table->values[(unsigned char)blanks[i]] = BLANK;
    }
}

/* Only padding and blanks? */
static bool is_end(struct jz__str text, const struct table *table)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c != '=' && table->values[c] != BLANK) {
            return false;
        }
    }
    return true;
}

/* Four digits are three bytes; of a last group two or three digits are one or
 * two. false: it is no base64, or memory is out. */
static bool decode(struct jz__buf *out, struct jz__str text,
                   const struct table *table)
{
    unsigned char *to = (unsigned char *)jz__buf_reserve(out, text.length);
    uint32_t bits = 0;
    size_t digits = 0;
    size_t i;

    if (to == NULL) {
        return false;
    }
    for (i = 0; i < text.length && text.data[i] != '='; i++) {
        unsigned value = table->values[(unsigned char)text.data[i]];

        if (value == WRONG) {
            return false;
        }
        if (value != BLANK) {
            bits = bits << 6 | value;
            if (digits % 4 != 0) {
                *to++ = (unsigned char)(bits >> (6 - 2 * (digits % 4)));
            }
            digits++;
        }
    }
    out->length = (size_t)((char *)to - out->data);
    return digits > 0 && digits % 4 != 1 &&
           is_end((struct jz__str){ text.data + i, text.length - i }, table);
}

/*
 * What stands between the next BEGIN and its END, taken off the text. An END
 * that is missing leaves its entry out, not the next: it must come before
 * another BEGIN.
 */
static bool next_entry(struct jz__str *entry, struct jz__str *text)
{
    size_t at = jz__str_find(*text, BEGIN);

    while (at != SIZE_MAX) {
        size_t end;

        text->data += at + strlen(BEGIN);
        text->length -= at + strlen(BEGIN);
        at = jz__str_find(*text, BEGIN);
        *entry =
            (struct jz__str){ text->data, at != SIZE_MAX ? at : text->length };
        end = jz__str_find(*entry, END);
        if (end != SIZE_MAX) {
            entry->length = end;
            return true;
        }
    }
    return false;
}

int jz__tls_pem_each(struct jz__str text, jz__tls_pem_fn fn, void *userdata)
{
    struct jz__buf der = JZ__BUF_INIT;
    struct table table;
    struct jz__str entry;
    int r = 0;

    fill(&table);
    while (r == 0 && next_entry(&entry, &text)) {
        jz__buf_clear(&der);
        if (decode(&der, entry, &table)) {
            r = fn(userdata, (const unsigned char *)der.data, der.length);
        } else if (der.error != 0) {
            r = JZ_ENOMEM;
        }
    }
    jz__buf_finish(&der);
    return r;
}
