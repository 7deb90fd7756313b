/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a git configuration: no line is lost to inih's limits, every
 * line that it is given is short and ends, and the name of whatever origin is
 * found is one part of a path.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "project/git.h"
#include "project/git_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_met)
{
    if (!is_met) {
        abort();
    }
}

static void check_lines(struct jz__str text)
{
    struct jz__git_lines lines = { text, JZ__BUF_INIT };
    char line[200]; /* inih's own */
    size_t left = text.length + 1;

    while (jz__git_lines_next(line, sizeof(line), &lines) != NULL) {
        size_t length = strlen(line);

        require(length > 0 && line[length - 1] == '\n');
        require(memchr(line, '\n', length) == line + length - 1);
        require(lines.rest.length < left);
        left = lines.rest.length;
    }
    jz__buf_finish(&lines.value);
}

static void check_name(const char *url)
{
    struct jz__buf name = JZ__BUF_INIT;

    jz__git_url_name(&name, url);
    require(name.error == 0 && name.length <= strlen(url));
    require(name.length == 0 || strchr(name.data, '/') == NULL);
    jz__buf_finish(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jz__git_config config;
    struct jz__str text = { (const char *)data, size };

    check_lines(text);
    require(jz__git_config_read(&config, text.data, text.length) == 0);
    if (config.origin != NULL) {
        check_name(config.origin);
    }
    jz__git_config_finish(&config);
    return 0;
}
