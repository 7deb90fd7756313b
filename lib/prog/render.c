/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results as readable text. The input is JSON text and nothing else, so that
 * the same code shows what the library returned and what came over the network.
 *
 * An item in a list is a head line that stands at the left edge, and all else
 * about it is indented below:
 *
 *     [2] 2026-10-19 Invoice export: back to plain UTF-8
 *         billing, agent-claude-code-laptop, score 0.5394
 *         The accounting import refused the byte order mark. …
 *         - decision: Invoice CSV export is plain UTF-8, no BOM
 *
 * Only head lines of ours begin with "[": item text is indented, so that no
 * stored text can pass for another result. Written by third parties, an item is
 * marked "(external)" on its head line.
 */
#include "prog/render.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "prog/term.h"

#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"
#define YELLOW "\x1b[33m"
#define PLAIN "\x1b[0m"

/* Indent of what belongs to an item. */
#define INDENT 4

/* Bytes of a date, "2026-10-19", and of a date with minutes. */
#define DATE_LENGTH 10
#define MINUTE_LENGTH 16

struct page {
    struct jz__buf *out;
    const struct jz__render_options *options;
};

/* --- pieces --- */

/* For text of ours alone: it goes out as it is. */
static void put_styled(struct page *page, const char *style, const char *text)
{
    bool has_color = page->options->has_color;

    jz__buf_printf(page->out, "%s%s%s", has_color ? style : "", text,
                   has_color ? PLAIN : "");
}

/* A member's text on one line; nothing if it is absent or null. */
static void put_line(struct page *page, const cJSON *object, const char *key)
{
    const char *text = jz__json_text(object, key, "");

    jz__utf8_one_line(page->out, text, strlen(text));
}

/* Foreign text of several lines, indented and broken. */
static void put_text(struct page *page, const char *text, int indent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf clean = JZ__BUF_INIT;

    jz__term_clean(&clean, text, strlen(text));
    if (clean.error != 0) {
        page->out->error = clean.error;
        return;
    }
    jz__term_wrap(page->out, (struct jz__str){ clean.data, clean.length },
                  indent, page->options->width);
}

/* "- kind: text", the further lines of a long one below the text. */
/* The hyphen is written over the first blank of the indent, so that breaking
 * lines needs to know nothing of it. */
static void put_bullet(struct page *page, const char *kind, const char *text,
                       int indent)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf lines = JZ__BUF_INIT;

    if (kind != NULL) {
        jz__utf8_one_line(&line, kind, strlen(kind));
        jz__buf_puts(&line, ": ");
    }
    jz__utf8_one_line(&line, text, strlen(text));
    if (line.error == 0 && line.length > 0) {
        jz__term_wrap(&lines, (struct jz__str){ line.data, line.length },
                      indent + 2, page->options->width);
    }
    if (line.error != 0 || lines.error != 0) {
        page->out->error = JZ_ENOMEM;
        return;
    }
    if (lines.length > 0) {
        lines.data[indent] = '-';
        jz__buf_append(page->out, lines.data, lines.length);
    }
}

/* In the order of the answer: in a list those that hold a term come first. */
static void put_atoms(struct page *page, const cJSON *item, int indent)
{
    const cJSON *atom;

    cJSON_ArrayForEach(atom, jz__json_get(item, "atoms"))
    {
        put_bullet(page, jz__json_text(atom, "kind", ""),
                   jz__json_text(atom, "text", ""), indent);
    }
}

/* The cut-off start of an instant: its form is fixed. */
static void put_instant(struct page *page, const char *instant, size_t length)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf line = JZ__BUF_INIT;
    size_t i;

    jz__utf8_one_line(&line, instant, strlen(instant));
    for (i = 0; i < line.length && i < length; i++) {
        char c = line.data[i];

        jz__buf_putc(page->out, (char)(c == 'T' ? ' ' : c));
    }
}

static void put_id(struct page *page, const cJSON *item)
{
    int64_t id = 0;

    jz__json_whole(&id, jz__json_get(item, "id"));
    jz__buf_printf(page->out, "[%lld]", (long long)id);
}

/* Any other value is ours: "own", and nothing at all in an answer that was
 * cut down. */
static bool is_external(const cJSON *item)
{
    return strcmp(jz__json_text(item, "trust", ""), "external") == 0;
}

/* The mark stands behind the title, where no title can push it away: a title
 * is one line, and what it ends in cannot look like the coloured mark. */
static void put_title(struct page *page, const cJSON *item)
{
    if (page->options->has_color) {
        jz__buf_puts(page->out, BOLD);
    }
    put_line(page, item, "title");
    if (page->options->has_color) {
        jz__buf_puts(page->out, PLAIN);
    }
    if (is_external(item)) {
        jz__buf_putc(page->out, ' ');
        put_styled(page, YELLOW, "(external)");
    }
    jz__buf_putc(page->out, '\n');
}

/* --- lists --- */

/* "billing, agent-claude-code-laptop, score 0.5394" */
/* An item without a project has its source alone; only a search has scores. */
static void put_origin(struct page *page, const cJSON *item)
{
    double score = jz__json_number(item, "score", -1.0);

    jz__buf_printf(page->out, "%*s%s", INDENT, "",
                   page->options->has_color ? DIM : "");
    if (jz__json_text(item, "project", NULL) != NULL) {
        put_line(page, item, "project");
        jz__buf_puts(page->out, ", ");
    }
    put_line(page, item, "source");
    if (score >= 0.0) {
        jz__buf_printf(page->out, ", score %.4f", score);
    }
    jz__buf_printf(page->out, "%s\n", page->options->has_color ? PLAIN : "");
}

/* The order is that of reading: is it the right one, where is it from, what
 * does it say. */
static void put_list_item(struct page *page, const cJSON *item)
{
    put_id(page, item);
    jz__buf_putc(page->out, ' ');
    put_instant(page, jz__json_text(item, "occurred_at", ""), DATE_LENGTH);
    jz__buf_putc(page->out, ' ');
    put_title(page, item);
    put_origin(page, item);
    put_text(page, jz__json_text(item, "summary", ""), INDENT);
    put_atoms(page, item, INDENT);
}

/* A blank line between two items, none behind the last. */
static void put_list(struct page *page, const cJSON *items)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, items)
    {
        if (item != items->child) {
            jz__buf_putc(page->out, '\n');
        }
        put_list_item(page, item);
    }
}

/* Parse, and see that the answer has the member it must have. */
/* An answer of another call, or of a server that is none, must not be shown as
 * an empty list. */
static int open_answer(cJSON **out, const char *json, const char *member,
                       struct jz__error *error)
{
    int r = jz__json_parse(out, json, strlen(json), error);

    if (r < 0) {
        return r;
    }
    if (jz__json_get(*out, member) == NULL) {
        return jz__fail(error, JZ_EINVAL, "the answer has no '%s'", member);
    }
    return 0;
}

/* The buffer kept its first error; this is where it is asked. */
static int close_page(const struct page *page, struct jz__error *error)
{
    return page->out->error == 0 ? 0 : jz__fail_memory(error);
}

/* An answer that is a list and nothing else: search and timeline. */
static int render_list(struct jz__buf *out, const char *json,
                       const char *member, const char *nothing,
                       const struct jz__render_options *options,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct page page = { out, options };
    const cJSON *items;
    int r = open_answer(&answer, json, member, error);

    if (r < 0) {
        return r;
    }
    items = jz__json_get(answer, member);
    if (cJSON_GetArraySize(items) == 0) {
        jz__buf_puts(out, nothing);
    }
    put_list(&page, items);
    return close_page(&page, error);
}

int jz__render_search(struct jz__buf *out, const char *json,
                      const struct jz__render_options *options,
                      struct jz__error *error)
{
    return render_list(
        out, json, "results",
        "No item matches. Words are matched literally, and those "
        "under three characters are left out.\n",
        options, error);
}

int jz__render_timeline(struct jz__buf *out, const char *json,
                        const struct jz__render_options *options,
                        struct jz__error *error)
{
    return render_list(out, json, "items", "No item in this period.\n", options,
                       error);
}

/* Answers without "found" are those of calls that always find something. */
bool jz__render_is_missing(const char *json)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;

    if (jz__json_parse(&answer, json, strlen(json), NULL) < 0) {
        return false;
    }
    return !jz__json_flag(answer, "found", true);
}

/* Which of the two headings it is decides how far the list can be trusted: by
 * date alone the items may be about something else. */
int jz__render_later(struct jz__buf *out, const char *json,
                     const struct jz__render_options *options,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct page page = { out, options };
    const cJSON *items;
    int r = open_answer(&answer, json, "found", error);

    if (r < 0) {
        return r;
    }
    items = jz__json_get(answer, "later");
    if (!jz__json_flag(answer, "found", false)) {
        jz__buf_puts(out, "No such item.\n");
    } else if (cJSON_GetArraySize(items) == 0) {
        jz__buf_puts(out, "Nothing newer.\n");
    } else {
        bool by_subject =
            strcmp(jz__json_text(answer, "matched_by", ""), "subject") == 0;

        put_styled(&page, BOLD,
                   by_subject
                       ? "NEWER ON THIS SUBJECT"
                       : "NEWER IN THIS PROJECT (by date, not by subject)");
        jz__buf_puts(out, "\n\n");
        put_list(&page, items);
    }
    return close_page(&page, error);
}

/* --- one item --- */

/* "project   billing", if there is one. */
static void put_field(struct page *page, const char *label, const cJSON *item,
                      const char *key)
{
    if (jz__json_text(item, key, NULL) != NULL) {
        jz__buf_printf(page->out, "%-10s", label);
        put_line(page, item, key);
        jz__buf_putc(page->out, '\n');
    }
}

/* What is known of an item's origin, one line each, what is missing left out.
 * Instants are stored in UTC and shown so: an item is cited by its date, and
 * that must not depend on where it is read. */
static void put_fields(struct page *page, const cJSON *item)
{
    jz__buf_printf(page->out, "%-10s", "date");
    put_instant(page, jz__json_text(item, "occurred_at", ""), MINUTE_LENGTH);
    jz__buf_puts(page->out, " UTC\n");
    put_field(page, "project", item, "project");
    put_field(page, "source", item, "source");
    put_field(page, "account", item, "account");
    put_field(page, "original", item, "original_ref");
    if (is_external(item)) {
        jz__buf_printf(page->out, "%-10s%s\n", "trust",
                       "external: written by third parties, data only");
    }
}

static void put_heading(struct page *page, const char *heading)
{
    jz__buf_putc(page->out, '\n');
    put_styled(page, BOLD, heading);
    jz__buf_putc(page->out, '\n');
}

/* What the item answers, as the library keeps it. */
static void put_questions(struct page *page, const cJSON *item)
{
    const cJSON *questions = jz__json_get(item, "questions");
    const cJSON *question;

    if (cJSON_GetArraySize(questions) == 0) {
        return;
    }
    put_heading(page, "Questions");
    cJSON_ArrayForEach(question, questions)
    {
        if (cJSON_IsString(question)) {
            put_bullet(page, NULL, question->valuestring, 0);
        }
    }
}

static void put_item(struct page *page, const cJSON *item)
{
    const cJSON *original = jz__json_get(item, "original");

    /* The head line of an item that stands alone has no date: it follows with
     * its time. */
    put_id(page, item);
    jz__buf_putc(page->out, ' ');
    put_title(page, item);
    put_fields(page, item);
    if (jz__json_text(item, "summary", "")[0] != '\0') {
        put_heading(page, "Summary");
        put_text(page, jz__json_text(item, "summary", ""), INDENT);
    }
    put_questions(page, item);
    if (cJSON_GetArraySize(jz__json_get(item, "atoms")) > 0) {
        put_heading(page, "Atoms");
        put_atoms(page, item, 0);
    }
    if (original != NULL) {
        put_heading(page, "Original");
        if (cJSON_IsString(original)) {
            put_text(page, original->valuestring, INDENT);
        } else {
            put_text(page, "(stored without one)", INDENT);
        }
    }
}

int jz__render_item(struct jz__buf *out, const char *json,
                    const struct jz__render_options *options,
                    struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct page page = { out, options };
    int r = open_answer(&answer, json, "found", error);

    if (r < 0) {
        return r;
    }
    if (jz__json_flag(answer, "found", false)) {
        put_item(&page, jz__json_get(answer, "item"));
    } else {
        jz__buf_puts(out, "No such item.\n");
    }
    return close_page(&page, error);
}

/* --- the library --- */

/* Names come last in the line: they are of any length. */
static void put_sources(struct page *page, const cJSON *sources)
{
    const cJSON *source;

    cJSON_ArrayForEach(source, sources)
    {
        double items = cJSON_IsNumber(source)
                           ? source->valuedouble
                           : jz__json_number(source, "items", 0.0);

        jz__buf_printf(page->out, "%7.0f  ", items);
        put_instant(page, jz__json_text(source, "latest", ""), DATE_LENGTH);
        if (jz__json_text(source, "latest", NULL) != NULL) {
            jz__buf_puts(page->out, "  ");
        }
        jz__utf8_one_line(page->out, source->string, strlen(source->string));
        jz__buf_putc(page->out, '\n');
    }
}

int jz__render_sources(struct jz__buf *out, const char *json,
                       const struct jz__render_options *options,
                       struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct page page = { out, options };
    const cJSON *sources;
    int r = open_answer(&answer, json, "sources", error);

    if (r < 0) {
        return r;
    }
    sources = jz__json_get(answer, "sources");
    if (cJSON_GetArraySize(sources) == 0) {
        jz__buf_puts(out, "No source has an item yet.\n");
    } else {
        jz__buf_puts(out, "  items  latest      source\n");
        put_sources(&page, sources);
    }
    return close_page(&page, error);
}

/* Path and reason are what a person needs to mend it; both may hold
 * anything. */
static void put_failed(struct page *page, const cJSON *failed)
{
    const cJSON *document;

    if (cJSON_GetArraySize(failed) == 0) {
        return;
    }
    put_heading(page, "Failed documents");
    cJSON_ArrayForEach(document, failed)
    {
        put_bullet(page, jz__json_text(document, "path", ""),
                   jz__json_text(document, "reason", ""), 0);
    }
}

static void put_count(struct page *page, const char *label, const cJSON *object,
                      const char *key)
{
    jz__buf_printf(page->out, "%-10s%.0f\n", label,
                   jz__json_number(object, key, 0.0));
}

static void put_sizes(struct page *page, const cJSON *bytes)
{
    jz__buf_printf(page->out, "%-10s", "size");
    jz__term_put_size(page->out, (int64_t)jz__json_number(bytes, "file", 0.0));
    jz__buf_puts(page->out, ", write-ahead log ");
    jz__term_put_size(page->out, (int64_t)jz__json_number(bytes, "wal", 0.0));
    jz__buf_putc(page->out, '\n');
}

/* Whether a server runs on the library, and what waits for it. */
static void put_server(struct page *page, const cJSON *server)
{
    double process = jz__json_number(server, "process", 0.0);

    if (server == NULL) {
        return;
    }
    jz__buf_printf(page->out, "%-10s%s", "server",
                   jz__json_flag(server, "running", false) ? "running"
                                                           : "not running");
    if (process > 0.0) {
        jz__buf_printf(page->out, ", process %.0f", process);
    }
    jz__buf_putc(page->out, '\n');
}

static void put_inbox(struct page *page, const cJSON *inbox)
{
    double files = jz__json_number(inbox, "files", 0.0);
    double unread = jz__json_number(inbox, "unread", 0.0);

    if (inbox == NULL) {
        return;
    }
    jz__buf_printf(page->out, "%-10s%.0f waiting of %.0f upload%s, ", "inbox",
                   jz__json_number(inbox, "waiting", 0.0), files,
                   files == 1.0 ? "" : "s");
    if (unread > 0.0) {
        jz__buf_printf(page->out, "%.0f for a version that reads %s, ", unread,
                       unread == 1.0 ? "it" : "them");
    }
    jz__term_put_size(page->out, (int64_t)jz__json_number(inbox, "bytes", 0.0));
    jz__buf_putc(page->out, '\n');
}

int jz__render_status(struct jz__buf *out, const char *json,
                      const struct jz__render_options *options,
                      struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct page page = { out, options };
    const cJSON *documents;
    int r = open_answer(&answer, json, "items", error);

    if (r < 0) {
        return r;
    }
    documents = jz__json_get(answer, "documents");
    put_field(&page, "library", answer, "path");
    put_server(&page, jz__json_get(answer, "server"));
    put_count(&page, "schema", answer, "schema");
    put_sizes(&page, jz__json_get(answer, "bytes"));
    put_count(&page, "items", answer, "items");
    put_count(&page, "hidden", answer, "hidden");
    jz__buf_printf(out, "%-10s%.0f stored, %.0f skipped, %.0f failed\n",
                   "documents", jz__json_number(documents, "stored", 0.0),
                   jz__json_number(documents, "skipped", 0.0),
                   jz__json_number(documents, "failed", 0.0));
    put_inbox(&page, jz__json_get(answer, "inbox"));
    if (cJSON_GetArraySize(jz__json_get(answer, "sources")) > 0) {
        put_heading(&page, "Sources");
        put_sources(&page, jz__json_get(answer, "sources"));
    }
    put_failed(&page, jz__json_get(answer, "failed"));
    return close_page(&page, error);
}

/* With "repaired" the repair was tried: what is left is beyond it. */
static void put_next_step(struct page *page, const cJSON *answer)
{
    if (cJSON_GetArraySize(jz__json_get(answer, "problems")) == 0) {
        return;
    }
    if (jz__json_get(answer, "repaired") == NULL) {
        jz__buf_puts(page->out, "Next: check --repair makes anew whatever "
                                "follows from the items.\n");
    } else {
        jz__buf_puts(page->out, "Next: put the last backup in the library's "
                                "place (man jezero-server, backup).\n");
    }
}

/* An order is one sentence, problems are a list. */
int jz__render_check(struct jz__buf *out, const char *json,
                     const struct jz__render_options *options,
                     struct jz__error *error)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    struct page page = { out, options };
    const cJSON *problem;
    int r = open_answer(&answer, json, "ok", error);

    if (r < 0) {
        return r;
    }
    cJSON_ArrayForEach(problem, jz__json_get(answer, "repaired"))
    {
        if (cJSON_IsString(problem)) {
            put_bullet(&page, "repaired", problem->valuestring, 0);
        }
    }
    cJSON_ArrayForEach(problem, jz__json_get(answer, "problems"))
    {
        if (cJSON_IsString(problem)) {
            put_bullet(&page, NULL, problem->valuestring, 0);
        }
    }
    put_next_step(&page, answer);
    if (jz__json_flag(answer, "ok", false)) {
        jz__buf_puts(out, "The library is in order.\n");
    }
    return close_page(&page, error);
}
