/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is common to all agents' files: read, change, keep the old one, write,
 * tell. A file is somebody else's settings, so whatever is in doubt (it does
 * not parse, may not be written, changed meanwhile) leaves it as it is, and the
 * report has what its owner can add by hand.
 *
 * The report goes to stdout, problems too: it is one list, an agent a line.
 */
#include "setup.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "program.h"

#define BACKUP ".jezero-backup"

/* Claude Code keeps a history of each project in .claude.json. */
#define FILE_MOST ((size_t)64 * 1024 * 1024)

static void text_finish(struct setup_text *text)
{
    jz__buf_finish(&text->out);
    jz__buf_finish(&text->shown);
}

/* --- the report --- */

void setup_say(const struct setup *setup, const char *format, ...)
{
    va_list arguments;

    printf("%s: ", agent_name(setup->agent));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

void setup_fail(struct setup *setup, const char *reason)
{
    setup_say(setup, "%s", reason);
    setup->has_failed = true;
    setup->reported++;
}

void setup_beside_plugin(struct setup *setup, void (*edit)(struct setup *setup),
                         const char *uninstall)
{
    bool is_removal = setup->is_removal;

    setup->is_removal = true;
    edit(setup);
    setup->is_removal = is_removal;
    if (!is_removal) {
        setup_say(setup, "plugin installed, nothing to register");
    } else {
        if (setup->reported == 0) {
            setup_say(setup, "not registered");
        }
        setup_say(setup, "the plugin stays: %s", uninstall);
    }
    setup->reported++;
}

/* As it would be in the file, further in than the report. */
static void print_indented(const char *text)
{
    struct jz__str rest = jz__str_of(text);
    struct jz__str line;

    while (jz__str_line(&line, &rest)) {
        printf("%s%.*s\n", line.length > 0 ? "    " : "", (int)line.length,
               line.data);
    }
}

/* The edit of a file that is not there is what would have to be in it. */
static void print_by_hand(const struct setup *setup, setup_edit_fn edit,
                          const void *what)
{
    JZ_CLEANUP(text_finish)
    struct setup_text text = { .old = JZ__STR("") };

    if (setup->is_removal) {
        printf("  it was left as it is; take Jezero out of it by hand\n");
        return;
    }
    if (edit(&text, setup, what, NULL) == 0 && text.out.length > 0) {
        printf("  it was left as it is; add by hand:\n");
        print_indented(text.out.data);
    }
}

/* The file's name, unless the message has it. */
static void say_failure(struct setup *setup, const char *path,
                        const struct jz__error *error)
{
    /* Faults of the system name the file, those of a text only its line. */
    bool has_path = strstr(error->message, path) != NULL;

    setup_say(setup, "%s%s%s", has_path ? "" : path, has_path ? "" : ": ",
              error->message);
    setup->has_failed = true;
    setup->reported++;
}

/* The line that people look for; --dry-run has the changes below it. */
static void say_done(struct setup *setup, const char *path,
                     const struct setup_text *text)
{
    /* In the order of enum setup_outcome. */
    static const char *const done[] = { "", "registered", "updated",
                                        "removed" };

    setup_say(setup, "%s%s (%s)", setup->is_dry ? "would be " : "",
              done[text->outcome], path);
    if (setup->is_dry && text->shown.length > 0) {
        print_indented(text->shown.data);
    }
    setup->reported++;
}

/* Four hooks in one file are one line of the report. */
void setup_note(struct setup_text *text, enum setup_outcome outcome)
{
    if (outcome != SETUP_SAME && text->outcome != SETUP_SAME &&
        text->outcome != outcome) {
        outcome = SETUP_UPDATED;
    }
    text->outcome = outcome != SETUP_SAME ? outcome : text->outcome;
}

/* --- the file --- */

struct file {
    const char *path;
    struct jz__buf old;
    bool is_there;
    struct jz__file_state state; /* as it was read */
};

static void file_finish(struct file *file)
{
    jz__buf_finish(&file->old);
}

/* A file that is not there reads as empty. */
static int file_read(struct file *file, struct jz__error *error)
{
    struct stat st;
    int r = jz__file_stat(&file->state, file->path, error);

    jz__buf_append(&file->old, "", 0);
    if (r == JZ_ENOTFOUND) {
        return lstat(file->path, &st) == 0
                   ? jz__fail(error, JZ_EINVAL,
                              "is a link to a file that is not there")
                   : 0;
    }
    if (r == 0) {
        file->is_there = true;
        r = jz__file_read(&file->old, file->path, FILE_MOST, error);
    }
    return r;
}

/* The folder may allow what the file forbids; a file without any right to write
 * was protected by its owner. */
static int check_writable(const char *path, struct jz__error *error)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        return jz__fail_errno(error, errno, "cannot stat", path);
    }
    if ((st.st_mode & 0222) == 0 || access(path, W_OK) < 0) {
        return jz__fail(error, JZ_EINVAL, "is read-only");
    }
    return 0;
}

/* The agent may have written since: its change would be lost. */
static int check_unchanged(const struct file *file, struct jz__error *error)
{
    struct jz__file_state now;
    int r = jz__file_stat(&now, file->path, error);

    if (!file->is_there) {
        return r == JZ_ENOTFOUND ? 0 : jz__fail(error, JZ_EBUSY, "appeared");
    }
    if (r == 0 &&
        (now.size != file->state.size || now.mtime_ns != file->state.mtime_ns ||
         now.inode != file->state.inode)) {
        r = jz__fail(error, JZ_EBUSY,
                     "was changed by another program meanwhile: run setup "
                     "again");
    }
    return r;
}

/* In doubt there is one: then nothing is taken for ours alone. */
static bool has_backup(const struct file *file)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__buf_printf(&path, "%s" BACKUP, file->path);
    return path.error != 0 || access(path.data, F_OK) == 0;
}

/* What it was before this run, also where an earlier one was kept: the older
 * one is without the changes that the user made since. Mode 0600, since
 * settings may hold keys of others. */
static int write_backup(const struct file *file, struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__buf_printf(&path, "%s" BACKUP, file->path);
    return path.error != 0 ? jz__fail_memory(error)
                           : jz__file_write(path.data, file->old.data,
                                            file->old.length, error);
}

/* Empty, or {} with white space. */
static bool holds_nothing(const struct jz__buf *text)
{
    struct jz__str rest =
        jz__str_trim((struct jz__str){ text->data, text->length });

    if (rest.length >= 2 && rest.data[0] == '{' &&
        rest.data[rest.length - 1] == '}') {
        rest = jz__str_trim((struct jz__str){ rest.data + 1, rest.length - 2 });
    }
    return text->error == 0 && rest.length == 0;
}

/* Is there nothing in the old text but what setup put there? */
static bool is_ours_alone(const struct setup_text *text,
                          const struct setup *setup, setup_edit_fn edit,
                          const void *what)
{
    JZ_CLEANUP(text_finish) struct setup_text rest = { .old = text->old };
    struct setup removal = *setup;

    removal.is_removal = true;
    return edit(&rest, &removal, what, NULL) == 0 &&
           rest.outcome == SETUP_REMOVED && !rest.is_gone &&
           holds_nothing(&rest.out);
}

/*
 * What becomes of the file and its old text. A file that setup made gets no
 * backup, so one that is empty without our entries and has none was made by
 * setup, and goes with them. A backup that a removal finds is from before the
 * registration, which is what it is for.
 */
static void decide(struct setup_text *text, const struct file *file,
                   const struct setup *setup, setup_edit_fn edit,
                   const void *what)
{
    bool is_kept = has_backup(file);
    bool is_alone = is_ours_alone(text, setup, edit, what);

    text->is_gone =
        text->is_gone || (setup->is_removal && is_alone && !is_kept);
    text->has_no_old =
        text->has_no_old || is_alone || (setup->is_removal && is_kept);
}

/* Of a file that is new: a plugin in a folder that the agent has not made
 * yet. */
static int make_parent(const char *path, struct jz__error *error)
{
    struct jz__str parent = jz__path_parent(path);
    JZ_CLEANUP(jz__mem_freep)
    char *folder = jz__mem_copy(parent.data, parent.length);

    return folder != NULL ? jz__file_mkdirs(folder, error)
                          : jz__fail_memory(error);
}

/* Each check comes before the first byte is written, so a refused file has no
 * backup either. */
static int file_write(const struct file *file, const struct setup_text *text,
                      struct jz__error *error)
{
    int r = file->is_there ? 0 : make_parent(file->path, error);

    if (r == 0) {
        r = check_unchanged(file, error);
    }
    if (r == 0 && file->is_there && !text->has_no_old) {
        r = write_backup(file, error);
    }
    if (r < 0) {
        return r;
    }
    if (text->is_gone) {
        return unlink(file->path) == 0
                   ? 0
                   : jz__fail_errno(error, errno, "cannot remove", file->path);
    }
    return file->is_there ? jz__file_replace(file->path, text->out.data,
                                             text->out.length, error)
                          : jz__file_write(file->path, text->out.data,
                                           text->out.length, error);
}

/* What --dry-run leaves out is the last step alone: it tells what would fail as
 * well. */
static int change(struct file *file, struct setup_text *text,
                  const struct setup *setup, setup_edit_fn edit,
                  const void *what, struct jz__error *error)
{
    int r = file_read(file, error);

    /* From a file that is not there nothing can be removed, and none is
     * made. */
    if (r == 0 && !(setup->is_removal && !file->is_there)) {
        text->old = (struct jz__str){ file->old.data, file->old.length };
        r = edit(text, setup, what, error);
    }
    if (r == 0 && (text->out.error != 0 || text->shown.error != 0)) {
        r = jz__fail_memory(error);
    }
    if (r < 0 || text->outcome == SETUP_SAME) {
        return r;
    }
    if (file->is_there) {
        decide(text, file, setup, edit, what);
        r = check_writable(file->path, error);
    }
    return r < 0 || setup->is_dry ? r : file_write(file, text, error);
}

enum setup_outcome setup_file(struct setup *setup, const char *path,
                              setup_edit_fn edit, const void *what,
                              bool by_hand)
{
    JZ_CLEANUP(file_finish) struct file file = { .path = path };
    JZ_CLEANUP(text_finish) struct setup_text text = { .outcome = SETUP_SAME };
    struct jz__error error = { 0 };

    if (change(&file, &text, setup, edit, what, &error) < 0) {
        say_failure(setup, path, &error);
        if (by_hand) {
            print_by_hand(setup, edit, what);
        }
        return SETUP_SAME;
    }
    if (text.outcome != SETUP_SAME) {
        say_done(setup, path, &text);
    }
    if (text.warning != NULL) {
        setup_say(setup, "%s %s", path, text.warning);
    }
    return text.outcome;
}

enum setup_outcome setup_own_file(struct setup *setup, const char *name,
                                  setup_edit_fn edit, const void *what,
                                  bool by_hand)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    jz__path_join(&path, setup->folder, name);
    if (path.error != 0) {
        setup_fail(setup, "out of memory");
        return SETUP_SAME;
    }
    return setup_file(setup, path.data, edit, what, by_hand);
}

/* Nothing without a home folder, which is for the caller to notice. */
void setup_put_home_path(struct jz__buf *out, const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf home = JZ__BUF_INIT;

    agent_put_user_home(&home);
    if (home.error != 0) {
        out->error = home.error;
    } else if (home.length > 0) {
        jz__path_join(out, home.data, name);
    }
}

bool setup_is_in_home(const char *name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;

    setup_put_home_path(&path, name);
    return path.error == 0 && path.length > 0 && access(path.data, F_OK) == 0;
}

/* --- command lines --- */

/* Single quotes keep every byte but themselves. A path without odd characters
 * stays as it is, which is what people expect to read. */
static void put_quoted(struct jz__buf *out, const char *word)
{
    /* ASCII alone: what a shell makes of other bytes depends on its locale. */
    size_t plain = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789/._-+@%");

    if (word[plain] == '\0') {
        jz__buf_puts(out, word);
        return;
    }
    jz__buf_putc(out, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            jz__buf_puts(out, "'\\''");
        } else {
            jz__buf_putc(out, *word);
        }
    }
    jz__buf_putc(out, '\'');
}

void setup_put_hook_command(struct jz__buf *out, const struct setup *setup,
                            const char *event)
{
    put_quoted(out, setup->program);
    jz__buf_printf(out, " hook %s --agent %s", event, agent_name(setup->agent));
}

/* Append the first word as a shell reads it; what is behind it is returned.
 * Enough of a shell's rules to read what was written here, or by hand in its
 * place: both kinds of quotes and the backslash. Nothing is expanded. */
static const char *take_word(struct jz__buf *out, const char *at)
{
    char quote = '\0';

    for (; *at != '\0'; at++) {
        if (quote == '\0' && (*at == ' ' || *at == '\t')) {
            break;
        }
        if (*at == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            at += quote != '\'' && *at == '\\' && at[1] != '\0';
            jz__buf_putc(out, *at);
        }
    }
    return at;
}

bool setup_is_hook_command(const char *command)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf word = JZ__BUF_INIT;
    const char *rest = take_word(&word, command);

    return word.error == 0 && word.length > 0 && program_is_named(word.data) &&
           jz__str_starts(jz__str_trim(jz__str_of(rest)), "hook ");
}
