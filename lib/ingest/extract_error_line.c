/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error lines, word for word, out of what commands printed. Most lines that
 * hold the word "error" are none: source code that handles one, a search's
 * hits, the name of a test that passed, a log at another level. So a line
 * counts by its shape: how it begins ("fatal:", "TypeError:"), a place in a
 * file in front of a message, or one of the phrases in which systems refuse.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* Shorter lines say nothing, longer ones are data. */
#define LINE_LEAST 10
#define LINE_MOST 600
/* Points of a call that failed; one that succeeded needs a stronger line. */
#define FAILED_POINTS 4

/* A phrase in small letters and how sure it is. 6 is enough for a line by
 * itself; less needs a place in a file, or a call that failed. */
struct phrase {
    const char *text;
    int score;
};

/* At the start of a line. */
static const struct phrase starts[] = {
    { "error:", 7 },
    { "error[", 8 },
    { "fatal:", 8 },
    { "fatal error", 8 },
    { "panic:", 8 },
    { "uncaught ", 7 },
    { "unhandled ", 7 },
    { "npm err!", 4 },
    { "npm error", 4 },
    { "e   ", 6 },
    { "failed ", 4 },
    { "cannot ", 6 },
    { "can't ", 5 },
    { "could not ", 6 },
    { "unable to ", 6 },
    { "segmentation fault", 8 },
    { "caused by:", 6 },
    { "not ok ", 4 },
    { "--- fail", 2 },
    { "undefined reference", 7 },
    { "permission denied", 6 },
    { "exception in ", 7 },
    { "abort", 5 },
    { "error ", 5 },
    { "err ", 3 },
    { "failure", 4 },
    { "invalid ", 3 },
    { "no such ", 6 },
};

/* At the start of a word; sorted by the first letter. */
static const struct phrase parts[] = {
    { "assertion", 4 },
    { "cannot find", 5 },
    { "command not found", 6 },
    { "conflict", 2 },
    { "connection refused", 6 },
    { "deadline exceeded", 6 },
    { "denied", 3 },
    { "does not exist", 3 },
    { "error:", 5 },
    { "exception:", 5 },
    { "expected ", 2 },
    { "failed to ", 4 },
    { "failed:", 3 },
    { "is not recognized", 5 },
    { "mismatch", 3 },
    { "missing ", 2 },
    { "no matches found", 3 },
    { "no rule to make", 6 },
    { "no such file or directory", 5 },
    { "no such host", 6 },
    { "not found", 2 },
    { "not permitted", 5 },
    { "out of memory", 6 },
    { "parse error", 5 },
    { "permission denied", 5 },
    { "syntax error", 6 },
    { "timed out", 5 },
    { "unauthorized", 4 },
    { "undefined reference", 6 },
    { "undefined:", 5 },
    { "unexpected ", 3 },
    { "unresolved", 4 },
    { "unsupported", 3 },
};

/* Lines that say that something failed, but not what. */
static const char *const empty[] = {
    "exit code",
    "exit status",
    "exited with",
    "task failed",
    "0 error",
    "no error",
    "0 failed",
    "errors: 0",
    "0 failures",
    "process completed with",
    "elifecycle",
    "no newline at end of file",
    "error_count",
    "a complete log of",
    "-- pass",
    "=== run",
    "<tool_use_error",
    "0 warnings",
    "doesn't want to proceed",
    "was rejected",
    "lines omitted",
};

/* Code that makes or handles an error. */
static const char *const code[] = {
    "errors.New(", "fmt.Errorf",   "t.Errorf(", "t.Fatal", "return err",
    "if err",      "throw new ",   "console.",  "logger.", "raise ",
    "func ",       " := ",         "=> {",      "\":\"",   "\": \"",
    "// ",         "\xE2\x86\x92", "catch (",   "except ", "def ",
    "Fprintf(",    "log.",         "import ",   "#define", ".Error()",
    "assert.",     "expect(",      "\\n",       "printf(", "\tError ",
};

/* The first letter decides most places, so it is compared before the rest. */
static size_t find_nocase(struct jz__str line, const char *needle)
{
    char first = needle[0];
    size_t i;

    for (i = 0; i < line.length; i++) {
        char c = line.data[i];

        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) == first) {
            struct jz__str rest = { line.data + i, line.length - i };

            if (jz__str_starts_nocase(rest, needle)) {
                return i;
            }
        }
    }
    return SIZE_MAX;
}

/* Phrases are compared without case, names of functions with it. */
static bool holds_any(struct jz__str line, const char *const *list,
                      size_t count, bool with_case)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if ((with_case ? jz__str_find(line, list[i])
                       : find_nocase(line, list[i])) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "path/file.ext:12:" or "file.ext(12,3):" at the start: where the message
 * behind it begins, or 0. */
size_t jz__extract_error_line_place(struct jz__str line)
{
    size_t colon;
    size_t i = 0;

    while (i < line.length && strchr(" :\t(", line.data[i]) == NULL) {
        i++;
    }
    colon = i;
    if (i == 0 || i == line.length || i + 1 >= line.length ||
        memchr(line.data, '.', i) == NULL || line.data[i] == ' ' ||
        !is_digit(line.data[i + 1])) {
        return 0;
    }
    while (i < line.length &&
           (is_digit(line.data[i]) || strchr(":,()", line.data[i]) != NULL)) {
        i++;
    }
    return i > colon + 1 && i < line.length &&
                   (line.data[i] == ' ' || line.data[i] == '\t')
               ? i
               : 0;
}

/* The "Error:" of "TypeError:". */
static bool is_class_end(struct jz__str rest)
{
    return rest.data[0] == 'E' && (jz__str_starts(rest, "Error:") ||
                                   jz__str_starts(rest, "Exception:"));
}

/* "TypeError: …", "java.lang.IllegalStateException: …". */
static bool starts_with_class(struct jz__str line)
{
    struct jz__str name = line;

    name.length = 0;
    while (name.length < line.length &&
           strchr(" :(", line.data[name.length]) == NULL) {
        name.length++;
    }
    return name.length + 2 < line.length && line.data[name.length] == ':' &&
           name.length > 5 &&
           (jz__str_ends(name, "Error") || jz__str_ends(name, "Exception") ||
            jz__str_ends(name, "Warning"));
}

/* ASCII is enough: no phrase has another letter. */
static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* The first phrase that does not begin before the letter. */
static size_t first_part(int letter)
{
    size_t low = 0;
    size_t high = JZ__LENGTH(parts);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (parts[middle].text[0] < letter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The best phrase of the line. All phrases begin with a letter and a word, so
 * only the starts of words are compared. */
static int best_phrase(struct jz__str line)
{
    int best = 0;
    size_t i;
    size_t k;

    for (i = 0; i < JZ__LENGTH(starts); i++) {
        if (starts[i].score > best &&
            (line.data[0] | 32) == (starts[i].text[0] | 32) &&
            jz__str_starts_nocase(line, starts[i].text)) {
            best = starts[i].score;
        }
    }
    for (i = 0; i < line.length; i++) {
        struct jz__str rest = { line.data + i, line.length - i };

        if (!is_letter(line.data[i]) ||
            (i > 0 && is_letter(line.data[i - 1]) && !is_class_end(rest))) {
            continue;
        }
        k = first_part(line.data[i] | 32);
        for (; k < JZ__LENGTH(parts) && parts[k].text[0] == (line.data[i] | 32);
             k++) {
            if (parts[k].score > best &&
                jz__str_starts_nocase(rest, parts[k].text)) {
                best = parts[k].score;
            }
        }
    }
    return best;
}

/* A listing, a diff, a log at a lower level, a name alone. */
bool jz__extract_error_line_is_other(struct jz__str line)
{
    static const char *const levels[] = { " INFO ",     " DEBUG ",     " WARN ",
                                          "level=info", "level=debug", "INFO:",
                                          "DEBUG:" };

    if (line.length < LINE_LEAST || line.length > LINE_MOST ||
        memchr(line.data, ' ', line.length) == NULL ||
        (strchr("+-<>|#{}[\"'@$*/", line.data[0]) != NULL &&
         !jz__str_starts(line, "--- FAIL") && line.data[0] != '/') ||
        jz__str_starts(line, "- ") || jz__str_starts(line, "// ")) {
        return true;
    }
    return holds_any(line, levels, JZ__LENGTH(levels), true) ||
           holds_any(line, code, JZ__LENGTH(code), true) ||
           holds_any(line, empty, JZ__LENGTH(empty), false) ||
           jz__extract_lines_is_frame(line);
}

/* The phrases say how sure, a place in a file makes it surer, and in a call
 * that failed even a place alone is enough: compilers and test runners do not
 * always write "error". */
int jz__extract_error_line_score(struct jz__str line, bool is_failed)
{
    size_t place;
    int score;

    if (line.length < LINE_LEAST || line.length > LINE_MOST) {
        return 0;
    }
    score = best_phrase(line);
    if (starts_with_class(line)) {
        score = 8;
    }
    place = jz__extract_error_line_place(line);
    if (place > 0) {
        struct jz__str message = { line.data + place, line.length - place };

        /* A hit of a search is a place with code behind it, and a line that a
         * test logs is full of values. */
        if ((jz__extract_lines_is_code(message) && score < 4) ||
            jz__str_find(message, "={") != SIZE_MAX ||
            jz__str_find(message, ": #") != SIZE_MAX) {
            return 0;
        }
        score += is_failed ? 5 : 4;
    }
    /* The dear part comes last: few lines get here. */
    if (score == 0 || jz__extract_error_line_is_other(line)) {
        return 0;
    }
    return is_failed ? score + FAILED_POINTS : score;
}

bool jz__extract_error_line_is_sorted(void)
{
    size_t i;

    for (i = 1; i < JZ__LENGTH(parts); i++) {
        if (parts[i].text[0] < parts[i - 1].text[0]) {
            return false;
        }
    }
    return true;
}
