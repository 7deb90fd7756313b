/* SPDX-License-Identifier: Apache-2.0 */
/* protocol: the text that tells an agent how to use Jezero. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "protocol.h"

int cmd_protocol_run(const struct jz__opts *opts)
{
    if (fputs(protocol_text(), stdout) < 0 || fflush(stdout) != 0) {
        fprintf(stderr, "%s protocol: cannot write to stdout\n", opts->called);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
