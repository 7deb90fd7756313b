/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format by hand: it is a few lines, and a library for it would bring a
 * registry of its own. Numbers never pass through a double: counters of bytes
 * outgrow its 53 bits, and no locale can put a comma into them.
 */
#include "prometheus.h"

#include <string.h>

void prometheus_put_family(struct jz__buf *out, const char *name,
                           const char *type, const char *help)
{
    jz__buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The format knows three escapes; any other character stands for itself. */
void prometheus_put_label(struct jz__buf *out, const char *name,
                          const char *value)
{
    if (out->length > 0 && out->data[out->length - 1] != '{') {
        jz__buf_putc(out, ',');
    }
    jz__buf_printf(out, "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '\n') {
            jz__buf_puts(out, "\\n");
            continue;
        }
        if (*value == '"' || *value == '\\') {
            jz__buf_putc(out, '\\');
        }
        jz__buf_putc(out, *value);
    }
    jz__buf_putc(out, '"');
}

void prometheus_put_whole(struct jz__buf *out, uint64_t value)
{
    jz__buf_printf(out, " %llu\n", (unsigned long long)value);
}

void prometheus_put_seconds(struct jz__buf *out, uint64_t nanoseconds)
{
    jz__buf_printf(out, " %llu.%09llu\n",
                   (unsigned long long)(nanoseconds / 1000000000),
                   (unsigned long long)(nanoseconds % 1000000000));
}

void prometheus_put_single(struct jz__buf *out, const char *name,
                           const char *type, const char *help, uint64_t value)
{
    prometheus_put_family(out, name, type, help);
    jz__buf_puts(out, name);
    prometheus_put_whole(out, value);
}
