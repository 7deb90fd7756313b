/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public API and nothing else: each function checks its arguments, calls
 * one room and returns JSON text. A wrong argument is JZ_EINVAL here, never an
 * assertion: a caller in Python must not be able to abort the process.
 */
#include "jezero.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "ingest/export.h"
#include "ingest/item_import.h"
#include "ingest/pass.h"
#include "ingest/sessions.h"
#include "library_options.h"
#include "mcp/mcp.h"
#include "search/item_json.h"
#include "search/reads.h"
#include "store/backup.h"
#include "store/change.h"
#include "store/check.h"

/* Documents that failed, in jz_status(). */
#define FAILED_MOST 100

struct jz_library {
    struct jz__error error;
    struct jz__log log;
    struct jz__library_options options;
    struct jz__store store;
};

void jz_free(void *memory)
{
    free(memory);
}

const char *jz_version(void)
{
    return JZ_VERSION_STRING;
}

const char *jz_strerror(int error)
{
    static const char *const names[] = {
        "no error",           "internal fault", "out of memory",
        "invalid argument",   "not found",      "busy",
        "input/output error", "damaged",        "written by a newer version"
    };

    if (error > 0 || error <= -(int)JZ__LENGTH(names)) {
        return "unknown error";
    }
    return names[-error];
}

int jz_library_open(jz_library **out, const char *path,
                    const char *options_json)
{
    jz_library *lib;
    int r;

    if (out == NULL) {
        return JZ_EINVAL;
    }
    lib = calloc(1, sizeof(*lib));
    *out = lib;
    if (lib == NULL) {
        return JZ_ENOMEM;
    }
    if (path == NULL || path[0] == '\0') {
        return jz__fail(&lib->error, JZ_EINVAL, "path must not be empty");
    }
    r = jz__library_options_parse(&lib->options, options_json, &lib->error);
    if (r == 0) {
        r = jz__store_open(&lib->store, path, &lib->options.store, &lib->error,
                           &lib->log);
    }
    return r;
}

void jz_library_close(jz_library *lib)
{
    if (lib == NULL) {
        return;
    }
    jz__store_close(&lib->store);
    jz__library_options_finish(&lib->options);
    free(lib);
}

const char *jz_library_errmsg(const jz_library *lib)
{
    return lib == NULL ? "out of memory" : lib->error.message;
}

void jz_library_set_log(jz_library *lib, jz_log_fn fn, void *userdata)
{
    if (lib != NULL) {
        lib->log.fn = fn;
        lib->log.userdata = userdata;
    }
}

void jz_library_set_clock(jz_library *lib, jz_clock_fn fn, void *userdata)
{
    if (lib != NULL) {
        lib->store.clock = fn;
        lib->store.clock_data = userdata;
    }
}

void jz_library_interrupt(jz_library *lib)
{
    if (lib != NULL) {
        jz__store_interrupt(&lib->store);
    }
}

/* Begin a call: *out is NULL, the handle is open, the last error is gone. */
static int begin(char **out, jz_library *lib)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || lib == NULL) {
        return JZ_EINVAL;
    }
    if (lib->store.db == NULL) {
        return jz__fail(&lib->error, JZ_EINVAL, "the library is not open");
    }
    lib->error.message[0] = '\0';
    return JZ_OK;
}

/* A call that may write: into the file that the path leads to now. */
static int begin_write(char **out, jz_library *lib)
{
    int r = begin(out, lib);

    return r < 0 ? r : jz__store_follow(&lib->store);
}

/* Hand a finished text to the caller. */
static int finish(char **out, struct jz__buf *text, struct jz__error *error)
{
    int r = jz__buf_take(out, text);

    return r < 0 ? jz__fail_memory(error) : r;
}

static void put_count(struct jz__buf *out, const char *key, int64_t value)
{
    jz__json_put_key(out, key);
    jz__json_put_int(out, value);
}

/* A caller's view with its scope: the globs are borrowed from *tree. */
static int make_reads(struct jz__reads *out, const char ***globs, cJSON **tree,
                      jz_library *lib, const char *scope_json)
{
    const cJSON *glob;
    size_t count = 0;
    int r;

    memset(out, 0, sizeof(*out));
    out->store = &lib->store;
    out->options = &lib->options.reads;
    out->error = &lib->error;
    if (scope_json == NULL) {
        return JZ_OK;
    }
    r = jz__json_parse(tree, scope_json, strlen(scope_json), &lib->error);
    if (r < 0) {
        return r;
    }
    if (!cJSON_IsArray(*tree)) {
        return jz__fail(&lib->error, JZ_EINVAL,
                        "scope must be an array of strings");
    }
    *globs = calloc((size_t)cJSON_GetArraySize(*tree) + 1, sizeof(**globs));
    if (*globs == NULL) {
        return jz__fail_memory(&lib->error);
    }
    cJSON_ArrayForEach(glob, *tree)
    {
        if (!cJSON_IsString(glob)) {
            return jz__fail(&lib->error, JZ_EINVAL,
                            "scope must be an array of strings");
        }
        (*globs)[count++] = glob->valuestring;
    }
    out->scope = *globs;
    out->scope_count = count;
    return JZ_OK;
}

typedef int (*read_fn)(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments);

/* The five reads: scope, arguments, the read. */
static int call_read(char **out, jz_library *lib, const char *scope_json,
                     const char *arguments_json, enum jz__read read, read_fn fn)
{
    JZ_CLEANUP(jz__json_freep) cJSON *scope = NULL;
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__mem_freep) const char **globs = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__reads_arguments arguments;
    struct jz__reads reads;
    int r = begin(out, lib);

    if (r == 0) {
        r = make_reads(&reads, &globs, &scope, lib, scope_json);
    }
    if (r == 0 && arguments_json != NULL) {
        r = jz__json_parse(&tree, arguments_json, strlen(arguments_json),
                           &lib->error);
    }
    if (r == 0) {
        r = jz__arguments_parse(&arguments, read, tree, &lib->error);
    }
    if (r == 0) {
        r = fn(&text, &reads, &arguments);
    }
    return r < 0 ? r : finish(out, &text, &lib->error);
}

int jz_search(char **out, jz_library *lib, const char *scope_json,
              const char *arguments_json)
{
    return call_read(out, lib, scope_json, arguments_json, JZ__READ_SEARCH,
                     jz__reads_search);
}

int jz_get_item(char **out, jz_library *lib, const char *scope_json,
                const char *arguments_json)
{
    return call_read(out, lib, scope_json, arguments_json, JZ__READ_GET_ITEM,
                     jz__reads_get_item);
}

int jz_later(char **out, jz_library *lib, const char *scope_json,
             const char *arguments_json)
{
    return call_read(out, lib, scope_json, arguments_json, JZ__READ_LATER,
                     jz__reads_later);
}

int jz_timeline(char **out, jz_library *lib, const char *scope_json,
                const char *arguments_json)
{
    return call_read(out, lib, scope_json, arguments_json, JZ__READ_TIMELINE,
                     jz__reads_timeline);
}

int jz_list_sources(char **out, jz_library *lib, const char *scope_json,
                    const char *arguments_json)
{
    return call_read(out, lib, scope_json, arguments_json,
                     JZ__READ_LIST_SOURCES, jz__reads_list_sources);
}

int jz_put_item(char **out, jz_library *lib, const char *item_json,
                size_t length)
{
    JZ_CLEANUP(jz__changes_finish)
    struct jz__changes changes = { .items = NULL };
    JZ_CLEANUP(jz__changes_result_finish)
    struct jz__changes_result result = { .ids = NULL };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__str json = { item_json, length };
    struct jz__item *item;
    int r = begin_write(out, lib);

    if (r < 0) {
        return r;
    }
    if (item_json == NULL) {
        return jz__fail(&lib->error, JZ_EINVAL, "item_json must not be NULL");
    }
    item = jz__changes_add_item(&changes);
    if (item == NULL) {
        return jz__fail_memory(&lib->error);
    }
    r = jz__item_import(item, json, &lib->options.redact, &lib->error);
    if (r == 0) {
        r = jz__changes_apply(&result, &lib->store, &changes, false);
    }
    if (r < 0) {
        return r;
    }
    assert(result.ids != NULL);
    jz__buf_puts(&text, "{\"id\":");
    jz__json_put_int(&text, result.ids[0]);
    jz__json_put_key(&text, "created");
    jz__json_put_bool(&text, result.created > 0);
    jz__buf_putc(&text, '}');
    return finish(out, &text, &lib->error);
}

static void put_failed_line(struct jz__buf *out, int64_t line,
                            const char *reason)
{
    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "line");
    jz__json_put_int(out, line);
    jz__json_put_key(out, "reason");
    jz__json_put_str(out, reason);
    jz__buf_putc(out, '}');
}

/* What an import has come to so far. */
struct import_counts {
    int64_t lines;
    int64_t stored;
    int64_t created;
    struct jz__buf failed;
};

/* One line in the open transaction. A fault of the line is noted, one of the
 * library is returned. */
static int import_line(struct import_counts *counts, jz_library *lib,
                       struct jz__str line)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    int64_t id;
    bool created = false;
    int r = jz__item_import(&item, line, &lib->options.redact, &lib->error);

    if (r == 0) {
        r = jz__item_put(&id, &created, &lib->store, &item);
    }
    if (r == JZ_EINVAL) {
        put_failed_line(&counts->failed, counts->lines, lib->error.message);
        return JZ_OK;
    }
    counts->stored += r == 0;
    counts->created += created;
    return r;
}

static int import_lines(struct import_counts *counts, jz_library *lib,
                        struct jz__str rest)
{
    struct jz__str line;
    int r = jz__store_write_begin(&lib->store);

    while (r == 0 && jz__str_line(&line, &rest)) {
        counts->lines++;
        if (jz__str_trim(line).length > 0) {
            r = import_line(counts, lib, line);
        }
    }
    if (r == 0) {
        return jz__store_write_commit(&lib->store);
    }
    jz__store_write_rollback(&lib->store);
    return r;
}

int jz_import(char **out, jz_library *lib, const char *lines, size_t length)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct import_counts counts = { .lines = 0 };
    struct jz__str rest = { lines, length };
    int r = begin_write(out, lib);

    if (r == 0 && lines == NULL) {
        r = jz__fail(&lib->error, JZ_EINVAL, "lines must not be NULL");
    }
    if (r == 0) {
        r = import_lines(&counts, lib, rest);
    }
    if (r == 0) {
        jz__buf_puts(&text, "{\"lines\":");
        jz__json_put_int(&text, counts.lines);
        put_count(&text, "stored", counts.stored);
        put_count(&text, "created", counts.created);
        jz__json_put_key(&text, "failed");
        jz__buf_putc(&text, '[');
        jz__buf_append(&text, counts.failed.data, counts.failed.length);
        jz__buf_puts(&text, "]}");
        r = finish(out, &text, &lib->error);
    }
    if (counts.failed.error != 0) {
        r = jz__fail_memory(&lib->error);
    }
    jz__buf_finish(&counts.failed);
    return r;
}

int jz_export(char **out, jz_library *lib, int64_t after_id, int64_t limit)
{
    JZ_CLEANUP(jz__item_finish) struct jz__item item = JZ__ITEM_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r = begin(out, lib);

    /* One read, or an item may be hidden between its row and its original. */
    if (r == 0) {
        r = jz__store_read_begin(&lib->store, 0);
    }
    if (r < 0) {
        return r;
    }
    while (r == 0 && limit-- > 0) {
        r = jz__item_next(&item, &lib->store, after_id);
        if (r <= 0) {
            break;
        }
        r = jz__item_load_original(&item, &lib->store);
        if (r == 0) {
            jz__item_json_put_export(&text, &item);
            jz__buf_putc(&text, '\n');
            after_id = item.id;
        }
    }
    jz__store_read_end(&lib->store);
    return r < 0 ? r : finish(out, &text, &lib->error);
}

/* What jz_ingest() may be told. The texts are borrowed from the tree. */
static int parse_connector(struct jz__pass_options *out, jz_library *lib,
                           const cJSON *tree)
{
    const char *type = jz__json_text(tree, "type", NULL);

    out->source = jz__json_text(tree, "name", NULL);
    out->project = jz__json_text(tree, "project", NULL);
    out->is_local = jz__json_flag(tree, "local", true);
    out->is_dry_run = jz__json_flag(tree, "dry_run", false);
    out->again = jz__json_flag(tree, "again", false);
    out->is_look = jz__json_flag(tree, "look", false);
    out->rules = &lib->options.rules;
    out->redact = &lib->options.redact;
    out->segment = &lib->options.segment;
    if (type == NULL || out->source == NULL ||
        !jz__item_import_is_name(out->source)) {
        return jz__fail(&lib->error, JZ_EINVAL,
                        "a connector needs a type and a name of one line");
    }
    out->connector = jz__connector_find(type);
    if (out->connector == NULL) {
        return jz__fail(&lib->error, JZ_EINVAL,
                        "unknown connector type '%.60s' (claude-code, codex)",
                        type);
    }
    return JZ_OK;
}

static void put_report(struct jz__buf *out,
                       const struct jz__pass_report *report)
{
    static const char *const states[] = { "stored", "unchanged", "skipped",
                                          "failed", "waiting" };
    size_t i;

    jz__buf_putc(out, '{');
    jz__json_put_key(out, "state");
    jz__json_put_str(out, states[report->state]);
    jz__json_put_key(out, "reason");
    jz__json_put_str(out, report->reason[0] != '\0' ? report->reason : NULL);
    jz__json_put_key(out, "recorded");
    jz__json_put_str(out, report->state == JZ__PASS_UNCHANGED
                              ? states[report->recorded]
                              : NULL);
    jz__json_put_key(out, "items");
    jz__buf_putc(out, '[');
    for (i = 0; i < report->id_count; i++) {
        jz__json_put_comma(out);
        jz__json_put_int(out, report->ids[i]);
    }
    jz__buf_putc(out, ']');
    put_count(out, "created", report->created);
    put_count(out, "changed", report->changed);
    put_count(out, "hidden", report->hidden);
    put_count(out, "bytes", report->bytes);
    put_count(out, "lines", report->lines);
    put_count(out, "lines_bad", report->lines_bad);
    put_count(out, "lines_too_long", report->lines_too_long);
    put_count(out, "records_unknown", report->records_unknown);
    jz__buf_putc(out, '}');
}

int jz_ingest(char **out, jz_library *lib, const char *connector_json,
              const char *path)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__pass_report_finish)
    struct jz__pass_report report = { .ids = NULL };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    struct jz__pass_options options = { .connector = NULL };
    int r = begin_write(out, lib);

    if (r < 0) {
        return r;
    }
    if (connector_json == NULL || path == NULL || path[0] == '\0') {
        return jz__fail(&lib->error, JZ_EINVAL,
                        "connector and path must not be empty");
    }
    r = jz__json_parse(&tree, connector_json, strlen(connector_json),
                       &lib->error);
    if (r == 0) {
        r = parse_connector(&options, lib, tree);
    }
    if (r == 0) {
        r = jz__pass_file(&report, &lib->store, &options, path);
    }
    if (r < 0) {
        return r;
    }
    put_report(&text, &report);
    return finish(out, &text, &lib->error);
}

int jz_remove_source(int64_t *removed, jz_library *lib, const char *source)
{
    int r;

    if (removed == NULL || lib == NULL || lib->store.db == NULL) {
        return JZ_EINVAL;
    }
    *removed = 0;
    lib->error.message[0] = '\0';
    if (source == NULL) {
        return jz__fail(&lib->error, JZ_EINVAL, "source must not be NULL");
    }
    r = jz__store_write_begin(&lib->store);
    if (r == 0) {
        r = jz__item_hide_source(removed, &lib->store, source);
    }
    if (r == 0) {
        return jz__store_write_commit(&lib->store);
    }
    jz__store_write_rollback(&lib->store);
    return r;
}

static void put_failed(void *userdata, const struct jz__document *document)
{
    struct jz__buf *out = userdata;
    char time[JZ__TIME_SIZE];

    jz__time_format(time, document->read_at);
    jz__json_put_comma(out);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "path");
    jz__json_put_str(out, document->path);
    jz__json_put_key(out, "source");
    jz__json_put_str(out, document->source);
    jz__json_put_key(out, "reason");
    jz__json_put_str(out, document->reason);
    jz__json_put_key(out, "at");
    jz__json_put_str(out, time);
    jz__buf_putc(out, '}');
}

/* Bytes of the file with this ending, 0 if it is not there. */
static int64_t file_bytes(const jz_library *lib, const char *ending)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf path = JZ__BUF_INIT;
    struct stat info;

    jz__buf_puts(&path, lib->store.path);
    jz__buf_puts(&path, ending);
    return path.error == 0 && stat(path.data, &info) == 0 ? info.st_size : 0;
}

static int put_documents(struct jz__buf *out, jz_library *lib)
{
    struct jz__document_counts counts;
    int r = jz__document_count(&counts, &lib->store);

    if (r < 0) {
        return r;
    }
    jz__json_put_key(out, "documents");
    jz__buf_putc(out, '{');
    put_count(out, "stored", counts.stored);
    put_count(out, "skipped", counts.skipped);
    put_count(out, "failed", counts.failed);
    jz__buf_putc(out, '}');
    jz__json_put_key(out, "failed");
    jz__buf_putc(out, '[');
    r = jz__document_each_failed(&lib->store, FAILED_MOST, put_failed, out);
    jz__buf_putc(out, ']');
    return r;
}

int jz_status(char **out, jz_library *lib)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    JZ_CLEANUP(jz__mem_freep) char *sources = NULL;
    struct jz__check_sizes sizes = { 0 };
    int r = begin(out, lib);

    if (r == 0) {
        r = jz_list_sources(&sources, lib, NULL, NULL);
    }
    if (r == 0) {
        r = jz__check_sizes(&sizes, &lib->store);
    }
    if (r < 0) {
        return r;
    }
    assert(sources != NULL);
    jz__buf_putc(&text, '{');
    jz__json_put_key(&text, "path");
    jz__json_put_str(&text, lib->store.path);
    put_count(&text, "schema", JZ__STORE_SCHEMA);
    put_count(&text, "items", sizes.items);
    put_count(&text, "hidden", sizes.hidden);
    /* {"sources":{…}} without its outer braces. */
    jz__json_put_comma(&text);
    jz__buf_append(&text, sources + 1, strlen(sources) - 2);
    r = put_documents(&text, lib);
    if (r < 0) {
        return r;
    }
    jz__json_put_key(&text, "bytes");
    jz__buf_putc(&text, '{');
    put_count(&text, "file", file_bytes(lib, ""));
    put_count(&text, "wal", file_bytes(lib, "-wal"));
    put_count(&text, "originals", sizes.originals);
    put_count(&text, "originals_plain", sizes.originals_plain);
    jz__buf_puts(&text, "}}");
    return finish(out, &text, &lib->error);
}

/* The elements of the two lists of a check. */
struct check_lists {
    struct jz__buf problems;
    struct jz__buf repaired;
};

static void check_lists_finish(struct check_lists *lists)
{
    jz__buf_finish(&lists->problems);
    jz__buf_finish(&lists->repaired);
}

static void put_problem(void *userdata, const char *problem, bool is_mended)
{
    struct check_lists *lists = userdata;
    struct jz__buf *out = is_mended ? &lists->repaired : &lists->problems;

    jz__json_put_comma(out);
    jz__json_put_str(out, problem);
}

static void put_list(struct jz__buf *out, const char *key,
                     const struct jz__buf *elements)
{
    jz__json_put_key(out, key);
    jz__buf_putc(out, '[');
    jz__buf_append(out, elements->data, elements->length);
    jz__buf_putc(out, ']');
    if (elements->error != 0) {
        out->error = elements->error;
    }
}

int jz_check(char **out, jz_library *lib, const char *options_json)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(check_lists_finish)
    struct check_lists lists = { .problems = JZ__BUF_INIT };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    bool repair;
    int r = begin_write(out, lib);

    if (r == 0 && options_json != NULL && options_json[0] != '\0') {
        r = jz__json_parse(&tree, options_json, strlen(options_json),
                           &lib->error);
    }
    if (r < 0) {
        return r;
    }
    repair = jz__json_flag(tree, "repair", false);
    r = jz__check_library(&lib->store, repair, put_problem, &lists);
    if (r < 0) {
        return r;
    }
    jz__buf_puts(&text, "{\"ok\":");
    jz__json_put_bool(&text, lists.problems.length == 0);
    put_list(&text, "problems", &lists.problems);
    if (repair) {
        put_list(&text, "repaired", &lists.repaired);
    }
    jz__buf_putc(&text, '}');
    return finish(out, &text, &lib->error);
}

int jz_backup(jz_library *lib, const char *path, jz_progress_fn progress,
              void *userdata)
{
    if (lib == NULL || lib->store.db == NULL) {
        return JZ_EINVAL;
    }
    lib->error.message[0] = '\0';
    if (path == NULL || path[0] == '\0') {
        return jz__fail(&lib->error, JZ_EINVAL, "path must not be empty");
    }
    return jz__backup_write(&lib->store, path, progress, userdata);
}

int jz_maintain(int *more, jz_library *lib)
{
    bool is_more = false;
    int r;

    if (more == NULL || lib == NULL || lib->store.db == NULL) {
        return JZ_EINVAL;
    }
    lib->error.message[0] = '\0';
    r = jz__store_follow(&lib->store);
    if (r == 0) {
        r = jz__check_maintain(&lib->store, &is_more);
    }
    *more = is_more;
    return r;
}

/* NOLINTNEXTLINE(readability-function-size): the public API has 7 parameters. */
int jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                    const char *scope_json, const char *headers_json,
                    const char *request, size_t length)
{
    JZ_CLEANUP(jz__json_freep) cJSON *scope = NULL;
    JZ_CLEANUP(jz__json_freep) cJSON *headers = NULL;
    JZ_CLEANUP(jz__mem_freep) const char **globs = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf answer = JZ__BUF_INIT;
    struct jz__reads reads;
    int status = 500;
    int r = begin(out, lib);

    if (r == 0 && request == NULL && length > 0) {
        r = jz__fail(&lib->error, JZ_EINVAL, "request must not be NULL");
    }
    if (r == 0) {
        r = make_reads(&reads, &globs, &scope, lib, scope_json);
    }
    if (r == 0 && headers_json != NULL) {
        r = jz__json_parse(&headers, headers_json, strlen(headers_json),
                           &lib->error);
    }
    if (r == 0) {
        r = jz__mcp_answer(&answer, &status, &reads, headers,
                           request != NULL ? request : "", length);
    }
    if (http_status != NULL) {
        *http_status = status;
    }
    if (r < 0) {
        return r == JZ_ENOMEM ? jz__fail_memory(&lib->error) : r;
    }
    return answer.length == 0 ? JZ_OK : finish(out, &answer, &lib->error);
}

int jz_list_sessions(char **out, const char *agent, const char *place,
                     int64_t since)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r;

    if (out == NULL) {
        return JZ_EINVAL;
    }
    *out = NULL;
    if (place == NULL || place[0] == '\0') {
        return JZ_EINVAL;
    }
    r = jz__sessions_list(&text, agent, place, since, NULL);
    return r < 0 ? r : finish(out, &text, NULL);
}

int jz_export_session(char **out, const char *agent, const char *place,
                      const char *session)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    int r;

    if (out == NULL) {
        return JZ_EINVAL;
    }
    *out = NULL;
    if (agent == NULL || place == NULL || session == NULL) {
        return JZ_EINVAL;
    }
    r = jz__export_session(&text, agent, place, session, NULL);
    if (r < 0) {
        return r;
    }
    if (r == JZ__EXPORT_NONE) {
        jz__buf_clear(&text);
    }
    return finish(out, &text, NULL);
}

int jz_project_resolve(char **out, const char *rules_json, const char *folder)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__rules_finish) struct jz__rules rules = { 0 };
    JZ_CLEANUP(jz__buf_finish) struct jz__buf name = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    const char *rule = "none";
    int r = JZ_OK;

    if (out == NULL) {
        return JZ_EINVAL;
    }
    *out = NULL;
    if (folder == NULL) {
        return JZ_EINVAL;
    }
    if (rules_json != NULL) {
        r = jz__json_parse(&tree, rules_json, strlen(rules_json), NULL);
    }
    if (r == 0) {
        r = jz__rules_parse(&rules, tree, jz__json_text(tree, "home", NULL),
                            NULL);
    }
    if (r == 0) {
        r = jz__rules_resolve(&name, &rule, &rules, folder, true, NULL);
    }
    if (r < 0) {
        return r;
    }
    jz__buf_putc(&text, '{');
    jz__json_put_key(&text, "project");
    jz__json_put_str(&text, name.length > 0 ? name.data : NULL);
    jz__json_put_key(&text, "rule");
    jz__json_put_str(&text, rule);
    jz__buf_putc(&text, '}');
    return finish(out, &text, NULL);
}

int jz_redact(char **out, const char *text, size_t length,
              const char *options_json)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    JZ_CLEANUP(jz__mem_freep) const char **extra = NULL;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf result = JZ__BUF_INIT;
    struct jz__redact_options options = { .is_disabled = false };
    struct jz__str input;
    int r = JZ_OK;

    if (out == NULL) {
        return JZ_EINVAL;
    }
    *out = NULL;
    if (text == NULL && length > 0) {
        return JZ_EINVAL;
    }
    if (options_json != NULL && options_json[0] != '\0') {
        r = jz__json_parse(&tree, options_json, strlen(options_json), NULL);
    }
    if (r == 0) {
        r = jz__library_options_redact(&options, &extra, tree, NULL);
    }
    if (r < 0) {
        return r;
    }
    jz__utf8_clean(&clean, text != NULL ? text : "", length);
    if (clean.error != 0) {
        return clean.error;
    }
    input.data = clean.data != NULL ? clean.data : "";
    input.length = clean.length;
    jz__redact_text(&result, NULL, input, &options);
    return finish(out, &result, NULL);
}
