/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The five reads without a library: they answer what the test sets and keep
 * what they got. Include it in one file of a program, which must then not need
 * the real ones.
 */
#ifndef JZ_TEST_FAKE_READS_H
#define JZ_TEST_FAKE_READS_H

#include <stdio.h>

#include "search/reads.h"

/* What the next read does, and what the last one got. */
static struct {
    const char *result;  /* its object; NULL: {"count":0,"results":[]} */
    const char *failure; /* not NULL: it fails with this message */
    int calls;
    enum jz__read read;
    struct jz__reads_arguments arguments;
    char query[64]; /* copy: the arguments' own is borrowed */
    struct jz__error error;
} fake;

static int fake_read(struct jz__buf *out, enum jz__read read,
                     const struct jz__reads_arguments *arguments)
{
    fake.calls++;
    fake.read = read;
    fake.arguments = *arguments;
    (void)snprintf(fake.query, sizeof(fake.query), "%s",
                   arguments->query != NULL ? arguments->query : "(none)");
    if (fake.failure != NULL) {
        return jz__fail(&fake.error, JZ_EBUSY, "%s", fake.failure);
    }
    jz__buf_puts(out, fake.result != NULL ? fake.result
                                          : "{\"count\":0,\"results\":[]}");
    return JZ_OK;
}

#define FAKE_READ(name, read)                                                  \
    int jz__reads_##name(struct jz__buf *out, struct jz__reads *reads,         \
                         const struct jz__reads_arguments *arguments)          \
    {                                                                          \
        (void)reads;                                                           \
        return fake_read(out, read, arguments);                                \
    }

FAKE_READ(search, JZ__READ_SEARCH)
FAKE_READ(get_item, JZ__READ_GET_ITEM)
FAKE_READ(later, JZ__READ_LATER)
FAKE_READ(timeline, JZ__READ_TIMELINE)
FAKE_READ(list_sources, JZ__READ_LIST_SOURCES)

static struct jz__reads fake_reads = { .error = &fake.error };

#endif
