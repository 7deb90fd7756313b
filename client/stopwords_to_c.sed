# SPDX-License-Identifier: Apache-2.0
# The list of stop words as C: the array that words.c searches.
s/.*/    "&",/
1 i\
#include "words.h"\
\
const char *const words_stop[] = {
$ a\
};\
const size_t words_stop_count = sizeof(words_stop) / sizeof(words_stop[0]);
