/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a line of an import: refused with a sentence, or an item whose
 * export is taken again and exported to the same line.
 */
#include "ingest/item_import.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "search/item_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    JZ_CLEANUP(jz__item_finish) struct jz__item again = JZ__ITEM_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf first = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf second = JZ__BUF_INIT;
    const struct jz__redact_options redact = { .is_disabled = false };
    struct jz__error error = { .message = "" };
    struct jz__str line = { (const char *)data, size };

    if (size == 0) {
        line.data = "";
    }
    if (jz__item_import(&item, line, &redact, &error) < 0) {
        require(error.code == JZ_EINVAL && error.message[0] != '\0');
        return 0;
    }
    if (item.id == 0) {
        item.id = 1;
    }
    jz__item_json_put_export(&first, &item);
    line.data = first.data;
    line.length = first.length;
    require(jz__item_import(&again, line, &redact, &error) == 0);
    jz__item_json_put_export(&second, &again);
    require(strcmp(first.data, second.data) == 0);
    return 0;
}
