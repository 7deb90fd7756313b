/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of line is it? People paste logs, diffs, code, pages and whole
 * plans between their own words, and agents' programs wrap what people wrote in
 * frames of theirs. Nothing of that may be taken for something that somebody
 * said. Every test here looks at one line alone and is made of byte scans.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* How messages begin that no person wrote, whichever agent's program put them
 * into the user's mouth. */
static const char *const injected[] = {
    "[Request interrupted",
    "This session is being continued from a previous conversation",
    "Operation stopped by hook",
    "Caveat: The messages below",
    "<command-",
    "<local-command",
    "<system-reminder",
    "<task-notification",
    "<environment_context",
    "<user_instructions",
    "<turn_aborted",
    "<bash-",
    "# AGENTS.md instructions",
    "Base directory for this skill:",
    "API Error:",
    "No response requested",
    "Unknown slash command",
    "Stop hook feedback",
};

/* Starts and parts of lines of source code. A word of prose never holds the
 * parts; the starts count only with a sign of code behind them. */
static const char *const code_starts[] = {
    "func ",   "def ",    "class ",   "import ", "package ", "return ",
    "if (",    "for (",   "while (",  "const ",  "let ",     "var ",
    "type ",   "public ", "private ", "static ", "#include", "from ",
    "export ", "fn ",     "impl ",    "use ",    "struct ",  "case ",
    "} ",      "async ",  "await ",   "else",    "try {",    "catch",
    "//",      "/*",      "* @",      "elif ",   "if err",   "defer ",
};
static const char *const code_parts[] = {
    " := ",      "=> {",       "() {",    ") {",         "};",
    "');",       "\");",       "fmt.",    "errors.New(", "t.Errorf(",
    "t.Fatal",   "console.",   "printf(", "logger.",     "throw new ",
    "raise ",    "return err", "== nil",  "!= nil",      "</",
    "self.",     "this.",      "std::",   "->",          "<-",
    ".unwrap()", "assert(",    "panic(",  "catch (",     "except ",
    "if err",    "func(",      "\": \"",  "\":\"",       "\":{",
    "\": {",     "\": [",      "\":[",    "=\"",
};
static const char *const log_starts[] = {
    "+++ ",       "--- a/",     "@@ ",          "diff --git", "index ",
    "=== ",       "--- FAIL",   "--- PASS",     "FAIL",       "PASS",
    "ok  \t",     "?   \t",     "$ ",           "> ",         "npm ",
    "at ",        "File \"",    "Traceback",    "WARN",       "INFO",
    "DEBUG",      "ERROR",      "[error]",      "[info]",     "E   ",
    "error[",     "error:",     "Error:",       "fatal:",     "panic:",
    "goroutine ", "Caused by:", "Exception in", "warning:",   "make:",
};

/* The first byte decides most lines. */
static bool starts_any(struct jz__str line, const char *const *list,
                       size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (line.data[0] == list[i][0] && jz__str_starts(line, list[i])) {
            return true;
        }
    }
    return false;
}

static bool holds_any(struct jz__str line, const char *const *list,
                      size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (jz__str_find(line, list[i]) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "2026-02-03" or "2026/02/03" or "12:34:56" at the start. */
static bool starts_with_time(struct jz__str line)
{
    static const char *const shapes[] = { "dddd-dd-dd", "dddd/dd/dd",
                                          "dd:dd:dd" };
    size_t i;
    size_t k;

    if (line.length > 0 && line.data[0] == '[') {
        line.data++;
        line.length--;
    }
    for (i = 0; i < JZ__LENGTH(shapes); i++) {
        for (k = 0; shapes[i][k] != '\0' && k < line.length; k++) {
            if (shapes[i][k] == 'd' ? !is_digit(line.data[k])
                                    : line.data[k] != shapes[i][k]) {
                break;
            }
        }
        if (shapes[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

/* "   12→", "123:", "12|" in front of a line of a file that was shown. */
static bool starts_with_number(struct jz__str line)
{
    size_t i = 0;

    while (i < line.length && is_digit(line.data[i])) {
        i++;
    }
    if (i == 0 || i == line.length) {
        return false;
    }
    return line.data[i] == ':' || line.data[i] == '|' || line.data[i] == '\t' ||
           jz__str_starts((struct jz__str){ line.data + i, line.length - i },
                          "\xE2\x86\x92");
}

/* Signs that prose has few of: a third of the line is code, a table or art. */
static bool is_dense(struct jz__str line)
{
    size_t signs = 0;
    size_t i;

    for (i = 0; i < line.length; i++) {
        signs += strchr("{}()[]<>=;|&$\\*+^~\"_", line.data[i]) != NULL;
    }
    return line.length >= 8 && signs * 4 > line.length;
}

/* A sentence of a language: at least six words, letters for the most part, and
 * the small words that no code has. It may still name code. */
static bool is_prose(struct jz__str line)
{
    struct jz__extract_word word;
    struct jz__str rest = line;
    size_t words = 0;
    size_t small = 0;

    while (words < 24 && jz__extract_words_next(&word, &rest)) {
        words++;
        small += word.is_stop && word.text.length > 1;
    }
    return words >= 6 && small * 4 >= words;
}

static bool ends_like_code(struct jz__str line)
{
    char last = line.length > 0 ? line.data[line.length - 1] : ' ';

    return last == '{' || last == '}' || last == ';' ||
           (last == ',' && line.length > 1 &&
            strchr("\"')]}", line.data[line.length - 2]) != NULL);
}

bool jz__extract_lines_is_code(struct jz__str line)
{
    line = jz__str_trim(line);
    if (line.length < 2) {
        return line.length == 1 && strchr("{}()[];", line.data[0]) != NULL;
    }
    if (starts_with_number(line) || ends_like_code(line) || is_dense(line)) {
        return true;
    }
    if (holds_any(line, code_parts, JZ__LENGTH(code_parts))) {
        return true;
    }
    return starts_any(line, code_starts, JZ__LENGTH(code_starts)) &&
           line.data[line.length - 1] != '.' &&
           memchr(line.data, '(', line.length) != NULL;
}

bool jz__extract_lines_is_frame(struct jz__str line)
{
    struct jz__str trimmed = jz__str_trim(line);

    if (jz__str_starts(trimmed, "at ")) {
        return trimmed.data[trimmed.length - 1] == ')' ||
               jz__str_find(trimmed, ":") != SIZE_MAX;
    }
    if (jz__str_starts(trimmed, "File \"") ||
        jz__str_starts(trimmed, "goroutine ") ||
        jz__str_starts(trimmed, "created by ") ||
        jz__str_starts(trimmed, "Traceback (")) {
        return true;
    }
    return jz__str_find(trimmed, " +0x") != SIZE_MAX ||
           jz__str_find(trimmed, "(0x") != SIZE_MAX ||
           jz__str_find(trimmed, "({0x") != SIZE_MAX;
}

/* "KeyError: 'x'": the name of a class in front of a message. */
static bool is_exception(struct jz__str line)
{
    struct jz__str name = line;

    name.length = 0;
    while (name.length < line.length && line.data[name.length] != ':' &&
           line.data[name.length] != ' ') {
        name.length++;
    }
    return name.length > 5 && name.length < line.length &&
           line.data[name.length] == ':' &&
           (jz__str_ends(name, "Error") || jz__str_ends(name, "Exception"));
}

bool jz__extract_lines_is_machine(struct jz__str line)
{
    struct jz__str trimmed = jz__str_trim(line);

    if (trimmed.length == 0) {
        return false;
    }
    if (starts_with_time(trimmed) ||
        starts_any(trimmed, log_starts, JZ__LENGTH(log_starts)) ||
        jz__extract_lines_is_frame(trimmed) || is_exception(trimmed)) {
        return true;
    }
    if (is_prose(trimmed) && line.data[0] != '\t') {
        return false;
    }
    /* Eight blanks in a row are columns, four at the start an indent of code. */
    if (jz__str_find(trimmed, "        ") != SIZE_MAX ||
        (line.data[0] == '\t' && trimmed.data[0] != '-') ||
        (jz__str_starts(line, "    ") &&
         jz__extract_marks_item(trimmed) == 0)) {
        return true;
    }
    return jz__extract_lines_is_code(trimmed);
}

bool jz__extract_lines_is_injected(struct jz__str text)
{
    size_t i;

    text = jz__str_trim(text);
    if (text.length == 0) {
        return true;
    }
    for (i = 0; i < JZ__LENGTH(injected); i++) {
        if (jz__str_starts(text, injected[i])) {
            return true;
        }
    }
    return false;
}

/* An agent's desktop program lists attached files in front of the words and
 * says where the words begin. */
struct jz__str jz__extract_lines_own(struct jz__str text)
{
    static const char mark[] = "\n## My request for ";
    size_t at = jz__str_find(text, mark);
    const char *end;

    if (at == SIZE_MAX) {
        return text;
    }
    end = memchr(text.data + at + 1, '\n', text.length - at - 1);
    if (end == NULL) {
        return text;
    }
    text.length -= (size_t)(end + 1 - text.data);
    text.data = end + 1;
    return text;
}
