/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction of any text: the output is valid UTF-8 when the input was, a second
 * pass changes nothing and finds nothing, and what is no secret comes through
 * byte by byte.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ingest/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_met)
{
    if (!is_met) {
        abort();
    }
}

static void check(struct jz__str text, const struct jz__redact_options *options)
{
    struct jz__buf once = JZ__BUF_INIT;
    struct jz__buf twice = JZ__BUF_INIT;
    size_t found;
    size_t again;

    jz__redact_text(&once, &found, text, options);
    require(once.error == 0);
    require(found > 0 || (once.length == text.length &&
                          (text.length == 0 ||
                           memcmp(once.data, text.data, text.length) == 0)));
    if (jz__utf8_is_valid(text.data, text.length)) {
        require(jz__utf8_is_valid(once.data, once.length));
    }
    jz__redact_text(&twice, &again, (struct jz__str){ once.data, once.length },
                    options);
    require(twice.error == 0 && again == 0);
    jz__buf_finish(&once);
    jz__buf_finish(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const extra[] = { "Falkenhorst", "x\xc3\xa9", "[r",
                                         "9" };
    const struct jz__redact_options options = { false, extra, 4 };
    struct jz__str text = { (const char *)data, size };

    check(text, NULL);
    check(text, &options);
    return 0;
}
