/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a simple command is worth remembering, by its program and the word
 * behind it: what builds, tests, installs, migrates, deploys or records work
 * is; what only looks around is not. A program that no list knows is taken for
 * one that does something: projects have their own.
 */
#include "ingest/extract_internal.h"

#include <string.h>

/* How much a use of the program or verb is worth, from 1 (hardly: it only moves
 * the working copy) to 7 (it changes what other people see). */
struct program {
    const char *name;
    int score;
};

/* Programs that only look, move or shorten: 0. Sorted by nothing: the list is
 * searched once a part. */
static const char readers[] =
    " ls cd cat pwd echo printf head tail grep egrep fgrep rg ugrep ag ack "
    "find "
    "bfs fd sed awk gawk wc sleep which whereis nl less more tree stat file du "
    "df date env true false export set source . test [ [[ sort uniq cut tr tee "
    "xargs jq yq diff cmp comm ps whoami hostname uname id history clear mkdir "
    "touch read wait local for while until if then else elif do done fi case "
    "esac { } ( ) type command pushd popd realpath basename dirname md5sum "
    "shasum sha256sum xxd hexdump column kill pkill man help cp mv rm rmdir ln "
    "chmod open column strings declare unset trap exit return shift seq yes ";

/* Readers whose output is the text of files or of a history. */
static const char text_readers[] =
    " cat head tail grep egrep fgrep rg ugrep ag ack find bfs fd sed awk nl "
    "less more jq ls tree diff echo strings ";

static const char git_readers[] =
    " status diff log show branch rev-parse remote ls-files ls-tree blame grep "
    "reflog describe rev-list merge-base cat-file config check-ignore fetch "
    "stash worktree add shortlog for-each-ref symbolic-ref name-rev restore "
    "check-attr ls-remote whatchanged --version --no-pager -C help -c var ";

static const struct program git_verbs[] = {
    { "commit", 4 },    { "push", 2 },        { "merge", 4 },
    { "rebase", 4 },    { "cherry-pick", 4 }, { "revert", 4 },
    { "reset", 3 },     { "tag", 3 },         { "clone", 3 },
    { "bisect", 4 },    { "checkout", 1 },    { "switch", 1 },
    { "pull", 2 },      { "init", 2 },        { "filter-repo", 4 },
    { "submodule", 3 }, { "am", 3 },          { "apply", 3 },
};

/* The second word of programs that do many things. */
static const struct program verbs[] = {
    { "test", 6 },    { "build", 6 },   { "install", 5 },   { "deploy", 7 },
    { "run", 5 },     { "migrate", 7 }, { "release", 7 },   { "publish", 7 },
    { "vet", 4 },     { "lint", 5 },    { "fmt", 3 },       { "generate", 4 },
    { "get", 4 },     { "add", 5 },     { "tidy", 4 },      { "mod", 3 },
    { "doc", 0 },     { "env", 0 },     { "version", 0 },   { "list", 0 },
    { "help", 0 },    { "--help", 0 },  { "--version", 0 }, { "-h", 0 },
    { "-V", 0 },      { "-v", 1 },      { "tool", 2 },      { "check", 5 },
    { "up", 5 },      { "create", 5 },  { "merge", 5 },     { "edit", 3 },
    { "comment", 2 }, { "close", 2 },   { "apply", 6 },     { "exec", 4 },
    { "view", 0 },    { "diff", 0 },    { "status", 0 },    { "checks", 1 },
    { "api", 1 },     { "search", 1 },  { "show", 0 },      { "info", 0 },
};

static const struct program programs[] = {
    { "make", 6 },       { "pytest", 6 },  { "tox", 6 },
    { "cmake", 5 },      { "ninja", 6 },   { "meson", 5 },
    { "ctest", 6 },      { "jest", 6 },    { "vitest", 6 },
    { "docker", 5 },     { "kubectl", 6 }, { "terraform", 6 },
    { "helm", 6 },       { "psql", 5 },    { "sqlite3", 4 },
    { "mysql", 5 },      { "alembic", 7 }, { "ansible-playbook", 6 },
    { "rsync", 5 },      { "scp", 4 },     { "ssh", 4 },
    { "gofmt", 1 },      { "python", 3 },  { "python3", 3 },
    { "node", 3 },       { "bash", 1 },    { "sh", 1 },
    { "curl", 3 },       { "wget", 3 },    { "npx", 4 },
    { "eslint", 5 },     { "ruff", 5 },    { "mypy", 5 },
    { "tsc", 5 },        { "gcc", 4 },     { "systemctl", 5 },
    { "journalctl", 1 }, { "crontab", 4 }, { "apt", 4 },
    { "apt-get", 4 },    { "brew", 4 },    { "pip", 4 },
    { "gradle", 6 },     { "perl", 1 },    { "zstd", 1 },
    { "tar", 2 },
};

/* Lists of names are single strings with blanks around each: short, and
 * searched by one strstr(). */
static bool list_holds(const char *list, struct jz__str word)
{
    char padded[24];

    if (word.length == 0 || word.length > sizeof(padded) - 3) {
        return false;
    }
    padded[0] = ' ';
    memcpy(padded + 1, word.data, word.length);
    padded[word.length + 1] = ' ';
    padded[word.length + 2] = '\0';
    return strstr(list, padded) != NULL;
}

static int find_program(const struct program *list, size_t count,
                        struct jz__str name)
{
    size_t i;

    for (i = 0; i < count; i++) {
        if (jz__str_is(name, list[i].name)) {
            return list[i].score;
        }
    }
    return -1;
}

/* Take one word off the part; quotes do not matter here. */
static struct jz__str take_word(struct jz__str *rest)
{
    struct jz__str word;

    *rest = jz__str_trim(*rest);
    word = *rest;
    word.length = 0;
    while (word.length < rest->length &&
           strchr(" \t\n", rest->data[word.length]) == NULL) {
        word.length++;
    }
    rest->data += word.length;
    rest->length -= word.length;
    return word;
}

/* "NAME=value" in front of a program, and programs that run another one. */
static bool is_prefix(struct jz__str word)
{
    static const char wrappers[] = " sudo env time nohup command exec builtin "
                                   "xvfb-run nice then do else ! ";
    const char *sign = memchr(word.data, '=', word.length);

    /* Of NAME=$(program …) the words are no program's. */
    if (jz__str_find(word, "$(") != SIZE_MAX) {
        return false;
    }

    return list_holds(wrappers, word) ||
           (sign != NULL && sign > word.data && word.data[0] != '-' &&
            memchr(word.data, '/', (size_t)(sign - word.data)) == NULL);
}

/* Past assignments and wrappers; of a path its last part. *rest is left
 * behind the program. */
static struct jz__str program_of(struct jz__str *rest)
{
    struct jz__str word = take_word(rest);
    size_t i;

    while (word.length > 0 && is_prefix(word)) {
        word = take_word(rest);
        if (jz__str_is(word, "-lc") || jz__str_is(word, "-c")) {
            word = take_word(rest);
        }
    }
    if (jz__str_is(word, "timeout")) {
        take_word(rest);
        word = take_word(rest);
    }
    for (i = word.length; i > 0 && word.data[i - 1] != '/'; i--) {
    }
    word.data += i;
    word.length -= i;
    return word;
}

/* Options of git itself stand before its verb, two of them with a value. */
static int score_git(struct jz__str rest)
{
    struct jz__str verb = take_word(&rest);
    int score;

    while (verb.length > 0 && verb.data[0] == '-') {
        if (jz__str_is(verb, "-C") || jz__str_is(verb, "-c")) {
            take_word(&rest);
        }
        verb = take_word(&rest);
    }
    score = find_program(git_verbs, JZ__LENGTH(git_verbs), verb);
    if (jz__str_is(verb, "tag")) {
        verb = take_word(&rest);
        return verb.length == 0 || jz__str_starts(verb, "-l") ||
                       jz__str_starts(verb, "--")
                   ? 0
                   : score;
    }
    if (score < 0) {
        return list_holds(git_readers, verb) ? 0 : 1;
    }
    return score;
}

static bool has_any(struct jz__str word, const char *bytes)
{
    size_t i;

    for (i = 0; i < word.length; i++) {
        if (strchr(bytes, word.data[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* First by what the program is, then by its verb: "npm test" and "cargo test"
 * need no entries of their own. A name with quotes or variables in it is a
 * piece of a script, not a program. */
int jz__extract_programs_score(struct jz__str text)
{
    bool is_path = jz__str_starts(text, "./") || jz__str_starts(text, "/");
    struct jz__str rest = text;
    struct jz__str name = program_of(&rest);
    struct jz__str verb = take_word(&rest);
    struct jz__str last;
    int score;

    if (name.length == 0 || strchr("#(){}<>", name.data[0]) != NULL ||
        has_any(name, "\"'$`=") || list_holds(readers, name)) {
        return 0;
    }
    for (last = verb; last.length > 0; last = take_word(&rest)) {
        if (jz__str_is(last, "--help") || jz__str_is(last, "--version")) {
            return 0;
        }
    }
    /* What it was fed stands nowhere in the command. */
    if (jz__str_is(verb, "-") || jz__str_starts(verb, "<<")) {
        return 0;
    }
    rest = text;
    program_of(&rest);
    if (jz__str_is(name, "git")) {
        return score_git(rest);
    }
    take_word(&rest);
    score = find_program(verbs, JZ__LENGTH(verbs), verb);
    if (jz__str_is(name, "gh")) {
        return find_program(verbs, JZ__LENGTH(verbs), take_word(&rest)) > 2 ? 5
                                                                            : 0;
    }
    if (jz__str_is(verb, "mod")) {
        verb = take_word(&rest);
        return jz__str_is(verb, "tidy") || jz__str_is(verb, "init") ? 4 : 0;
    }
    if (score >= 0) {
        return score;
    }
    score = find_program(programs, JZ__LENGTH(programs), name);
    return score >= 0 ? score : is_path ? 4 : 3;
}

/* Does the part show the text of files, or a history? */
bool jz__extract_programs_is_reader(struct jz__str text)
{
    struct jz__str name = program_of(&text);

    return list_holds(text_readers, name) ||
           (jz__str_is(name, "git") && score_git(text) == 0);
}
