/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init: a jezero.toml in which every key stands with its default, and the
 * folder of the library. Nothing that is there is touched: the file is made by
 * an open() that fails if its name is taken, by a dangling link as well, and a
 * folder that is there stays as it is.
 */
#include "command.h"
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "init_text.h"

/* What is made, and where. Paths are settled before anything is written, so that
 * a second run in another folder means the same. */
struct plan {
    struct jz__buf file;    /* jezero.toml, absolute */
    struct jz__buf data;    /* the folder of the library, absolute */
    struct jz__buf library; /* as the file has them: beside it or absolute */
    struct jz__buf inbox;
    struct jz__buf text;
};

static void plan_finish(struct plan *plan)
{
    jz__buf_finish(&plan->file);
    jz__buf_finish(&plan->data);
    jz__buf_finish(&plan->library);
    jz__buf_finish(&plan->inbox);
    jz__buf_finish(&plan->text);
}

/* An absolute folder, which is made if it is not there, for its owner alone. One
 * that is there keeps its rights: an administrator may have made it for the
 * user of a service. */
static int make_folder(struct jz__buf *out, const char *path,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__mem_freep) char *real = NULL;
    int r = jz__file_mkdirs(path, error);

    if (r < 0) {
        return r;
    }
    real = realpath(path, NULL);
    if (real == NULL) {
        return jz__fail_errno(error, errno, "cannot open", path);
    }
    jz__buf_puts(out, real);
    return out->error == 0 ? 0 : jz__fail_memory(error);
}

/* The name of the file is looked at before anything is made: who runs init twice
 * by mistake finds no new folders. lstat(), because a link that leads nowhere
 * is somebody's plan as well. */
static int place_file(struct plan *plan, const char *dir,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf folder = JZ__BUF_INIT;
    struct stat st;
    int r;

    jz__path_join(&path, dir, "jezero.toml");
    if (path.error != 0) {
        return jz__fail_memory(error);
    }
    if (lstat(path.data, &st) == 0) {
        return jz__fail(error, JZ_EINVAL,
                        "%s is there already, and was left as it is",
                        path.data);
    }
    r = make_folder(&folder, dir, error);
    if (r < 0) {
        return r;
    }
    jz__path_join(&plan->file, folder.data, "jezero.toml");
    return plan->file.error == 0 ? 0 : jz__fail_memory(error);
}

/* Without --data the file names a folder beside it, so that the two can be
 * moved together. */
static int place_data(struct plan *plan, const char *data,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf beside = JZ__BUF_INIT;
    struct jz__str folder = jz__path_parent(plan->file.data);
    int r;

    jz__buf_append(&beside, folder.data, folder.length);
    jz__buf_puts(&beside, "/data");
    if (beside.error != 0) {
        return jz__fail_memory(error);
    }
    r = make_folder(&plan->data, data != NULL ? data : beside.data, error);
    if (r < 0) {
        return r;
    }
    jz__path_join(&plan->library, data != NULL ? plan->data.data : "data",
                  "jezero.db");
    jz__path_join(&plan->inbox, data != NULL ? plan->data.data : "data",
                  "inbox");
    return plan->library.error == 0 && plan->inbox.error == 0
               ? 0
               : jz__fail_memory(error);
}

/* The text must load as it is, whatever the paths hold. A path that is no UTF-8
 * cannot stand in TOML, and is refused here. */
static int make_text(struct plan *plan, struct jz__error *error)
{
    const struct config_origin origin = { plan->file.data, "/",
                                          command_home() };
    JZ_CLEANUP(config_finish) struct config config = { 0 };

    init_text_put(&plan->text, plan->library.data, plan->inbox.data);
    if (plan->text.error != 0) {
        return jz__fail_memory(error);
    }
    return config_parse(&config,
                        (struct jz__str){ plan->text.data, plan->text.length },
                        &origin, error);
}

/* False: errno tells why. On disk before the command ends, because the next one
 * is likely to be an approval that replaces the file. */
static bool write_text(int fd, const struct jz__buf *text)
{
    size_t done = 0;

    while (done < text->length) {
        ssize_t n = write(fd, text->data + done, text->length - done);

        if (n < 0 && errno != EINTR) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return fsync(fd) == 0;
}

static int write_file(const struct plan *plan, struct jz__error *error)
{
    const char *path = plan->file.data;
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int number;
    bool is_written;

    if (fd < 0) {
        return jz__fail_errno(error, errno, "cannot create", path);
    }
    is_written = write_text(fd, &plan->text);
    number = errno;
    if (close(fd) < 0 && is_written) {
        number = errno;
        is_written = false;
    }
    if (is_written) {
        return 0;
    }
    (void)unlink(path);
    return jz__fail_errno(error, number, "cannot write", path);
}

/* The commands as they are to be typed here, with the whole path: it may be a
 * file that no command finds by itself. */
static int say_next(const struct jz__opts *opts, const struct plan *plan)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const char *file = plan->file.data;

    jz__buf_printf(&text,
                   "%s is written, the library will be in %s.\n\n"
                   "Next:\n"
                   "1. On each computer that is to use the server, this "
                   "one as well, make a key:\n"
                   "     jezero-client init --url URL\n"
                   "   It prints the line that approves the computer here:\n"
                   "     %s device approve NAME SHA256 --config %s\n"
                   "2. Look through the file: host, port and public_url say "
                   "who can reach the server.\n"
                   "3. Start it:\n"
                   "     %s serve --config %s\n"
                   "   or as a service of systemd, which reads "
                   "/etc/jezero/jezero.toml:\n"
                   "     systemctl enable --now jezero-server\n",
                   file, plan->data.data, opts->called, file, opts->called,
                   file);
    return text.error == 0 ? jz__command_put(opts, text.data)
                           : jz__command_fail(opts, "out of memory");
}

int cmd_init_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(plan_finish) struct plan plan = { 0 };
    const char *dir = jz__opts_value(opts, "dir");
    const char *data = jz__opts_value(opts, "data");
    struct jz__error error = { 0 };
    int r;

    if ((dir != NULL && dir[0] == '\0') || (data != NULL && data[0] == '\0')) {
        return jz__command_wrong(opts, "--%s must not be empty",
                                 dir != NULL && dir[0] == '\0' ? "dir"
                                                               : "data");
    }
    r = place_file(&plan, dir != NULL ? dir : ".", &error);
    if (r == 0) {
        r = place_data(&plan, data, &error);
    }
    if (r == 0) {
        r = make_text(&plan, &error);
    }
    if (r == 0) {
        r = write_file(&plan, &error);
    }
    return r == 0 ? say_next(opts, &plan)
                  : jz__command_fail(opts, "%s", error.message);
}
