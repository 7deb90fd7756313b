/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of jezero-client: their options, their help and the functions
 * that run them. Agents start this program at every prompt, so what it does
 * before it knows its command has to stay next to nothing: no library is
 * opened, no file is read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jezero.h"
#include "prog/opts.h"
#include "protocol.h"

static int run_protocol(const struct jz__opts *opts)
{
    if (fputs(protocol_text(), stdout) < 0 || fflush(stdout) != 0) {
        fprintf(stderr, "%s protocol: cannot write to stdout\n", opts->called);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

static const struct jz__opts_option no_options[] = { { NULL, NULL, NULL } };

static const struct jz__opts_command commands[] = {
    { "protocol", "", "Print the text that tells an agent how to use Jezero",
      NULL, no_options, 0, 0, run_protocol },
    { NULL, NULL, NULL, NULL, NULL, 0, 0, NULL },
};

static const struct jz__opts_program program = {
    "jezero-client",
    "gives this computer's coding agents their past work",
    JZ_VERSION_STRING,
    commands,
};

int main(int argc, char **argv)
{
    return jz__opts_main(&program, argc, argv);
}
