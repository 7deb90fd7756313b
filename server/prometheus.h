/* SPDX-License-Identifier: Apache-2.0 */
/* Prometheus' text format 0.0.4, as it is written: a family is its two comment
 * lines and then its samples. */
#ifndef JEZERO_SERVER_PROMETHEUS_H
#define JEZERO_SERVER_PROMETHEUS_H

#include <stdint.h>

#include "base/buf.h"

/* The Content-Type of an answer in it. */
#define PROMETHEUS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* HELP and TYPE: "counter", "gauge", "histogram". help is one line. */
void prometheus_put_family(struct jz__buf *out, const char *name,
                           const char *type, const char *help);

/* `name="value"`, behind a comma unless it is the first of the braces. */
void prometheus_put_label(struct jz__buf *out, const char *name,
                          const char *value);

/* " value" and the line's end. */
void prometheus_put_whole(struct jz__buf *out, uint64_t value);

/* The same for nanoseconds, told in seconds to the last digit: adding up
 * rounded values would let a sum go backwards. */
void prometheus_put_seconds(struct jz__buf *out, uint64_t nanoseconds);

/* A family of one sample without labels. */
void prometheus_put_single(struct jz__buf *out, const char *name,
                           const char *type, const char *help, uint64_t value);

#endif
