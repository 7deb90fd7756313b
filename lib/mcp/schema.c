/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool definitions for the pickiest of clients. Some turn a schema into that of
 * a model's vendor and refuse the tool, or the whole session, at a list of
 * types, a $ref, an anyOf or a tool without properties. So each property has
 * one plain type, optional arguments are just not required (null is taken all
 * the same), and no maximum is given: a limit above the most is cut, not
 * refused. Keys are sorted inside a schema, as clients of this endpoint know
 * them.
 *
 * An outputSchema is a promise that clients check: whatever the reads return
 * has to fit. Fields that may be null would need a list of types and are left
 * out; a schema does not forbid what it does not name.
 */
#include "mcp/schema.h"

#include <assert.h>

#include "base/json.h"
#include "base/mem.h"

/* Properties of one tool at most. */
#define PROPERTIES_MOST 5

struct property {
    const char *name; /* NULL ends the list */
    const char *type;
    const char *description;
    bool is_required;
    bool has_minimum; /* of 1 */
};

/* Descriptions that several tools share. */
static const char what_project[] =
    "Only items of this project, by its name (upper and lower case are the "
    "same).";
static const char what_source[] =
    "Only items of this source: a name, or a glob such as agent-*. "
    "list_sources gives the names.";
static const char what_since[] =
    "Only items that happened at or after this: an ISO 8601 date or datetime "
    "(2026-01-31 or 2026-01-31T09:00:00+02:00); UTC without an offset.";
static const char what_limit[] =
    "At most this many items; leave it out for the usual number. Values above "
    "the server's most are lowered to it.";

/* The parts of an item that are never null. */
#define ITEM                                                                   \
    "{\"properties\":{"                                                        \
    "\"id\":{\"type\":\"integer\"},"                                           \
    "\"source\":{\"type\":\"string\"},"                                        \
    "\"external_id\":{\"type\":\"string\"},"                                   \
    "\"occurred_at\":{\"type\":\"string\"},"                                   \
    "\"title\":{\"type\":\"string\"},"                                         \
    "\"summary\":{\"type\":\"string\"},"                                       \
    "\"questions\":{\"items\":{\"type\":\"string\"},\"type\":\"array\"},"      \
    "\"atoms\":{\"items\":{\"properties\":{"                                   \
    "\"kind\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}},"          \
    "\"required\":[\"kind\",\"text\"],\"type\":\"object\"},"                   \
    "\"type\":\"array\"},"                                                     \
    "\"trust\":{\"type\":\"string\"},"                                         \
    "\"score\":{\"type\":\"number\"},"                                         \
    "\"trimmed\":{\"type\":\"boolean\"}},"                                     \
    "\"required\":[\"id\",\"occurred_at\"],\"type\":\"object\"}"
#define ITEMS "{\"items\":" ITEM ",\"type\":\"array\"}"

/* In the order of enum jz__read; properties in the order of the checks' own
 * table, so that a message and a schema name them alike. */
static const struct tool {
    const char *description;
    struct property properties[PROPERTIES_MOST + 1];
    const char *output; /* the whole outputSchema */
} tools[JZ__READ_COUNT] = {
    [JZ__READ_SEARCH] = { "Find items of past work by words. Use it first, "
                          "with a few "
                          "distinctive words: names, errors, project names. "
                          "Each word or "
                          "\"quoted phrase\" is matched literally, as a part "
                          "of the text, "
                          "ignoring case and accents; an item that matches "
                          "more of them ranks "
                          "higher, and recent items are boosted. Words shorter "
                          "than 3 "
                          "characters are dropped. Items that were shortened "
                          "carry trimmed: "
                          "true; get_item gives them in full.",
                          { { "query", "string",
                              "The words to look for; quotes make a phrase.",
                              true, false },
                            { "project", "string", what_project, false, false },
                            { "source", "string", what_source, false, false },
                            { "since", "string", what_since, false, false },
                            { "limit", "integer", what_limit, false, true } },
                          "{\"properties\":{\"count\":{\"type\":\"integer\"},"
                          "\"results\":" ITEMS "},"
                          "\"required\":[\"count\",\"results\"],\"type\":"
                          "\"object\"}" },
    [JZ__READ_GET_ITEM] = { "Read one item in full. Ask for the original only "
                            "when the summary is "
                            "not enough. An id that does not exist gives "
                            "found: false.",
                            { { "item_id", "integer",
                                "The id of the item, from another result.",
                                true, true },
                              { "include_original", "boolean",
                                "Also return the text that the item was made "
                                "from, which may be "
                                "long.",
                                false, false } },
                            "{\"properties\":{\"found\":{\"type\":\"boolean\"},"
                            "\"item\":" ITEM "},"
                            "\"required\":[\"found\"],\"type\":\"object\"}" },
    [JZ__READ_LATER] = { "Newer items of the same project on the same subject: "
                         "what may have "
                         "changed a decision, plan or status. Call it before "
                         "relying on an "
                         "item. matched_by is subject, or project_timeline "
                         "when nothing newer "
                         "matched and the project's newer items are listed by "
                         "date instead: "
                         "those may be unrelated.",
                         { { "item_id", "integer",
                             "The id of the item that you rely on.", true,
                             true },
                           { "query", "string",
                             "What you are checking, in a few words. Without "
                             "it the item's "
                             "title is used.",
                             false, false },
                           { "limit", "integer", what_limit, false, true } },
                         "{\"properties\":{\"found\":{\"type\":\"boolean\"},"
                         "\"item\":{\"properties\":{\"id\":{\"type\":"
                         "\"integer\"},"
                         "\"occurred_at\":{\"type\":\"string\"}},\"type\":"
                         "\"object\"},"
                         "\"matched_by\":{\"type\":\"string\"},"
                         "\"count\":{\"type\":\"integer\"},"
                         "\"later\":" ITEMS "},"
                         "\"required\":[\"found\"],\"type\":\"object\"}" },
    [JZ__READ_TIMELINE] = { "Items in reverse chronological order: what "
                            "happened in a project or "
                            "source over a period.",
                            { { "project", "string", what_project, false,
                                false },
                              { "source", "string", what_source, false, false },
                              { "since", "string", what_since, false, false },
                              { "until", "string",
                                "Only items that happened at or before this, "
                                "written like since; "
                                "a date includes the whole day.",
                                false, false },
                              { "limit", "integer", what_limit, false, true } },
                            "{\"properties\":{\"count\":{\"type\":\"integer\"},"
                            "\"items\":" ITEMS "},"
                            "\"required\":[\"count\",\"items\"],\"type\":"
                            "\"object\"}" },
    [JZ__READ_LIST_SOURCES] = { "The sources that you can read, each with its "
                                "number of items and the "
                                "date of the latest. It takes no argument.",
                                { { NULL, NULL, NULL, false, false } },
                                "{\"properties\":{\"sources\":{\"type\":"
                                "\"object\"}},"
                                "\"required\":[\"sources\"],\"type\":"
                                "\"object\"}" },
};

/* One member of `properties`. */
static void put_property(struct jz__buf *out, const struct property *property)
{
    jz__json_put_key(out, property->name);
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "description");
    jz__json_put_str(out, property->description);
    if (property->has_minimum) {
        jz__json_put_key(out, "minimum");
        jz__json_put_int(out, 1);
    }
    jz__json_put_key(out, "type");
    jz__json_put_str(out, property->type);
    jz__buf_putc(out, '}');
}

/* An inputSchema. `properties` is there even when it is empty; `required` only
 * when it is not: an empty list is an error in older drafts of JSON Schema. */
static void put_input(struct jz__buf *out, const struct property *properties)
{
    const struct property *property;
    bool has_required = false;

    jz__buf_putc(out, '{');
    jz__json_put_key(out, "properties");
    jz__buf_putc(out, '{');
    for (property = properties; property->name != NULL; property++) {
        put_property(out, property);
        has_required |= property->is_required;
    }
    jz__buf_putc(out, '}');
    if (has_required) {
        jz__json_put_key(out, "required");
        jz__buf_putc(out, '[');
        for (property = properties; property->name != NULL; property++) {
            if (property->is_required) {
                jz__json_put_comma(out);
                jz__json_put_str(out, property->name);
            }
        }
        jz__buf_putc(out, ']');
    }
    jz__json_put_key(out, "type");
    jz__json_put_str(out, "object");
    jz__buf_putc(out, '}');
}

void jz__schema_put_tool(struct jz__buf *out, enum jz__read read)
{
    assert(out != NULL && read < JZ__READ_COUNT);

    jz__buf_putc(out, '{');
    jz__json_put_key(out, "name");
    jz__json_put_str(out, jz__arguments_read_name(read));
    jz__json_put_key(out, "description");
    jz__json_put_str(out, tools[read].description);
    jz__json_put_key(out, "inputSchema");
    put_input(out, tools[read].properties);
    jz__json_put_key(out, "outputSchema");
    jz__buf_puts(out, tools[read].output);
    jz__json_put_key(out, "annotations");
    jz__buf_puts(out, "{\"readOnlyHint\":true,\"destructiveHint\":false,"
                      "\"idempotentHint\":true,\"openWorldHint\":false}");
    jz__buf_putc(out, '}');
}
