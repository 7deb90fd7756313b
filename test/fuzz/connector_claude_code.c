/* SPDX-License-Identifier: Apache-2.0 */
/* Claude Code's transcripts; see transcript.h. */
#include <stddef.h>
#include <stdint.h>

#include "transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    transcript_read(&jz__connector_claude_code, data, size);
    return 0;
}
