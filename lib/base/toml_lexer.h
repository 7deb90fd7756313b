/* SPDX-License-Identifier: Apache-2.0 */
/* The characters, comments, strings and keys of TOML: what toml.c builds the
 * tree from. */
#ifndef JZ_BASE_TOML_LEXER_H
#define JZ_BASE_TOML_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"

struct jz__toml_lexer {
    struct jz__str text;
    size_t at;               /* the next byte */
    int line;                /* that it stands in */
    struct jz__arena *arena; /* keeps strings and keys */
    struct jz__buf scratch;  /* the string that is being read */
    struct jz__error *error;
};

struct jz__toml_key {
    struct jz__str parts[JZ__TOML_DEPTH];
    size_t count;
    int line;
    size_t at; /* its first byte */
};

/* Room for a key or value in a message. */
struct jz__toml_shown {
    char text[60 * 4 + 1];
};

/* Fail with JZ_EINVAL and "line <line>: ". */
int jz__toml_lexer_fail(struct jz__toml_lexer *lexer, int line,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Text for a message: one line, cut at 60 characters. Returns out->text. */
const char *jz__toml_lexer_show(struct jz__toml_shown *out,
                                struct jz__str text);

/* The byte at an offset from here, or -1 behind the end. */
int jz__toml_lexer_peek(const struct jz__toml_lexer *lexer, size_t offset);

/* A character that TOML allows nowhere but in a line end. */
bool jz__toml_lexer_is_control(int c);

/* A character of a key without quotes. */
bool jz__toml_lexer_is_bare(int c);

void jz__toml_lexer_skip_blanks(struct jz__toml_lexer *lexer);

/* Blanks, comments and line ends, as many as there are. */
int jz__toml_lexer_skip_lines(struct jz__toml_lexer *lexer);

/* Blanks, a comment and then a line end or the end of the file; anything else
 * is a fault. */
int jz__toml_lexer_read_line_end(struct jz__toml_lexer *lexer);

/* A string of any of the four kinds, from its opening quote on. */
int jz__toml_lexer_read_string(struct jz__str *out,
                               struct jz__toml_lexer *lexer);

/* A key with dots, with the blanks around the dots and behind it. */
int jz__toml_lexer_read_key(struct jz__toml_key *out,
                            struct jz__toml_lexer *lexer);

/* Is all of the text UTF-8? To be asked first: no other function checks it. */
int jz__toml_lexer_check_utf8(struct jz__toml_lexer *lexer);

#endif
