/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes on a hook's stdin, whole and byte by byte: the same object is found
 * in both, it is the bytes up to its own end, and if the scanner takes it, it
 * ends where the scanner says.
 */
#include "hook_input.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check_value(const struct hook_input *input)
{
    JZ_CLEANUP(jz__scan_finish) struct jz__scan scan = JZ__SCAN_INIT;
    struct jz__str value = hook_input_value(input);

    require(value.length >= 2 && value.data[0] == '{');
    if (jz__scan_parse(&scan, value.data, value.length) == 0) {
        require(scan.end == value.length);
    }
    /* What the scanner takes from there is what was found. */
    if (jz__scan_parse(&scan, value.data, input->text.length - input->start) ==
        0) {
        require(scan.end == value.length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JZ_CLEANUP(hook_input_finish) struct hook_input whole = { 0 };
    JZ_CLEANUP(hook_input_finish) struct hook_input pieces = { 0 };
    int r;
    int s = 0;

    jz__buf_append(&whole.text, data, size);
    r = hook_input_check(&whole, NULL);
    for (size_t i = 0; i < size && s == 0 && !pieces.is_whole; i++) {
        jz__buf_append(&pieces.text, data + i, 1);
        s = hook_input_check(&pieces, NULL);
    }
    require(r == s && whole.is_whole == pieces.is_whole);
    if (whole.is_whole) {
        require(whole.checked == pieces.checked && whole.start == pieces.start);
        check_value(&whole);
    }
    return 0;
}
