# SPDX-License-Identifier: Apache-2.0
# A text as C: the list of its lines that init_text.h declares.
s/[\\"]/\\&/g
s/.*/    "&",/
1 i\
#include "init_text.h"\
\
const char *const init_text_lines[] = {
$ a\
    NULL\
};
