/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status: counts, sizes, and the documents that could not be taken in, each
 * with the reason of its last try. The library knows these; what lies in the
 * inbox and whether a server runs is added here, as two members more:
 *
 *     "server":{"running":true,"process":4711}
 *     "inbox":{"path":"…","files":12,"bytes":34567,"waiting":2,"unread":1}
 *
 * A library without a configuration has no inbox. A file waits when the library
 * would read it now: the server takes it in within moments, so what goes on
 * waiting is a sign that none runs. One is unread when it is of an agent that
 * this version does not read.
 */
#include "command.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "connectors.h"
#include "lock.h"

struct inbox_count {
    jz_library *lib;
    struct jz__str inbox; /* its path, without a slash at the end */
    int64_t files;
    int64_t bytes;
    int64_t waiting;
    int64_t unread;
};

/* Take the next part off a path below the inbox; false at its end. */
static bool next_part(struct jz__str *part, struct jz__str *rest)
{
    while (rest->length > 0 && rest->data[0] == '/') {
        rest->data++;
        rest->length--;
    }
    part->data = rest->data;
    part->length = 0;
    while (part->length < rest->length && part->data[part->length] != '/') {
        part->length++;
    }
    rest->data += part->length;
    rest->length -= part->length;
    return part->length > 0;
}

/* What the library would do with a file. */
static bool is_waiting(const struct inbox_count *count, struct jz__str device,
                       struct jz__str agent, const char *path)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf source = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf look = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *report = NULL;
    char *json = NULL;
    bool waits = false;

    jz__buf_printf(&source, "agent-%.*s-%.*s", (int)agent.length, agent.data,
                   (int)device.length, device.data);
    jz__buf_puts(&look, "{\"look\":true,\"type\":");
    jz__json_put_text(&look, agent.data, agent.length);
    jz__json_put_key(&look, "name");
    jz__json_put_str(&look, source.data);
    jz__buf_putc(&look, '}');
    if (source.error == 0 && look.error == 0 &&
        jz_ingest(&json, count->lib, look.data, path) == 0 &&
        jz__json_parse(&report, json, strlen(json), NULL) == 0) {
        waits = strcmp(jz__json_text(report, "state", ""), "waiting") == 0;
    }
    jz_free(json);
    return waits;
}

/* One file below the inbox: <device>/<agent>/<path>. Names that begin with a
 * dot are the inbox's own. */
static int count_file(void *userdata, const char *path)
{
    struct inbox_count *count = userdata;
    struct jz__str rest = jz__str_of(path + count->inbox.length);
    struct jz__file_state state;
    struct jz__str device;
    struct jz__str agent;
    const char *name = strrchr(path, '/');

    if (name == NULL || name[1] == '.' || !next_part(&device, &rest) ||
        !next_part(&agent, &rest) || rest.length == 0 ||
        jz__file_stat(&state, path, NULL) < 0) {
        return 0;
    }
    count->files++;
    count->bytes += state.size;
    if (connectors_reads(agent)) {
        count->waiting += is_waiting(count, device, agent, path);
    } else {
        count->unread++;
    }
    return 0;
}

/* A folder that is not there yet holds nothing. The library knows its files by
 * their real path. */
static void put_inbox(struct jz__buf *out, jz_library *lib, const char *path)
{
    JZ_CLEANUP(jz__mem_freep) char *real = realpath(path, NULL);
    struct inbox_count count = { .lib = lib, .inbox = jz__str_of(real) };

    if (real != NULL) {
        (void)jz__file_walk(real, count_file, &count, NULL, NULL);
    }
    jz__json_put_key(out, "inbox");
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "path");
    jz__json_put_str(out, path);
    jz__json_put_key(out, "files");
    jz__json_put_int(out, count.files);
    jz__json_put_key(out, "bytes");
    jz__json_put_int(out, count.bytes);
    jz__json_put_key(out, "waiting");
    jz__json_put_int(out, count.waiting);
    jz__json_put_key(out, "unread");
    jz__json_put_int(out, count.unread);
    jz__buf_putc(out, '}');
}

static void put_server(struct jz__buf *out, const char *library_path)
{
    long holder;
    bool runs = lock_is_taken(&holder, library_path);

    jz__json_put_key(out, "server");
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "running");
    jz__json_put_bool(out, runs);
    if (holder > 0) {
        jz__json_put_key(out, "process");
        jz__json_put_int(out, holder);
    }
    jz__buf_putc(out, '}');
}

/* Replace *json, the library's object, by one with our members too. */
static int add_members(char **json, const struct command_library *library)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    char *longer = NULL;
    int r;

    jz__buf_append(&text, *json, strlen(*json) - 1);
    put_server(&text, library->path);
    if (library->config_file != NULL) {
        put_inbox(&text, library->lib, library->config.inbox.path);
    }
    jz__buf_putc(&text, '}');
    r = jz__buf_take(&longer, &text);
    if (r == 0) {
        jz_free(*json);
        *json = longer;
    }
    return r;
}

int cmd_status_run(const struct jz__opts *opts)
{
    JZ_CLEANUP(command_close) struct command_library library = { 0 };
    char *json = NULL;
    int status = command_open(&library, opts, COMMAND_READS);
    int r;

    if (status != 0) {
        return status;
    }
    r = jz_status(&json, library.lib);
    if (r == 0 && add_members(&json, &library) < 0) {
        jz_free(json);
        return jz__command_fail(opts, "out of memory");
    }
    return command_print(opts, library.lib, r, json, jz__render_status);
}
