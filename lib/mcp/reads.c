/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools/call. A wrong argument, an unknown tool and a read that failed are
 * results with isError, not protocol errors: the model sees the sentence and
 * can call again, while a protocol error often ends in the client. Only a call
 * that has no name or whose arguments are no object is a protocol error, for
 * that is the client's mistake and not the model's.
 *
 * A result goes out twice, as an object and as the same object in a text block,
 * because older clients show their model the text alone.
 */
#include "mcp/reads.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "search/arguments.h"
#include "search/reads.h"

/* Characters of an unknown tool's name that are repeated; a valid name is not
 * longer. */
#define NAME_MOST 128

typedef int (*read_fn)(struct jz__buf *out, struct jz__reads *reads,
                       const struct jz__reads_arguments *arguments);

/* Who answers which tool. */
static const read_fn functions[JZ__READ_COUNT] = {
    [JZ__READ_SEARCH] = jz__reads_search,
    [JZ__READ_GET_ITEM] = jz__reads_get_item,
    [JZ__READ_LATER] = jz__reads_later,
    [JZ__READ_TIMELINE] = jz__reads_timeline,
    [JZ__READ_LIST_SOURCES] = jz__reads_list_sources,
};

/* Bytes of an answer that are not its object: envelope, _meta, keys. */
#define FRAME_SIZE 512

/* The object of a read that is not large fits without growing. */
#define OBJECT_SIZE 4096

static void begin_content(struct jz__call *call)
{
    jz__call_begin(call);
    jz__json_put_key(call->out, "content");
    jz__buf_puts(call->out, "[{\"type\":\"text\",\"text\":");
}

static void end_content(struct jz__call *call, bool is_error)
{
    jz__json_put_key(call->out, "isError");
    jz__json_put_bool(call->out, is_error);
    jz__call_end(call);
}

/* The text block is made from the very bytes of the object, so that the two can
 * not differ. Laid out and escaped it takes some half more. */
static void put_object(struct jz__call *call, const struct jz__buf *object)
{
    struct jz__buf *out = call->out;

    (void)jz__buf_reserve(out, object->length * 5 / 2 + FRAME_SIZE);
    begin_content(call);
    jz__json_put_indented(out, object->data, object->length);
    jz__buf_puts(out, "}]");
    jz__json_put_key(out, "structuredContent");
    jz__buf_append(out, object->data, object->length);
    end_content(call, false);
}

/* What a tool says that failed. */
static void put_error(struct jz__call *call, const struct jz__buf *text)
{
    begin_content(call);
    jz__json_put_text(call->out, text->data, text->length);
    jz__buf_puts(call->out, "}]");
    end_content(call, true);
}

/* Not -32602, as newer texts of the protocol have it: a model that made up a
 * name should learn it. */
static void refuse_unknown(struct jz__call *call, size_t name)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf plain = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__scan_text(&plain, &call->message.scan, name);
    jz__buf_puts(&text, "Unknown tool: ");
    if (plain.length > 0) {
        jz__utf8_cut(&text, plain.data, plain.length, NAME_MOST);
    }
    put_error(call, &text);
}

/* Bad arguments and faults of the library read alike: both are one sentence
 * behind the tool's name. */
static void refuse_failed(struct jz__call *call, enum jz__read read,
                          const char *why)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__buf_printf(&text, "Error executing tool %s: %s",
                   jz__arguments_read_name(read), why);
    put_error(call, &text);
}

/* Check the arguments and append the read's object; negative: why stands in
 * the error of call->reads. */
static int run(struct jz__buf *object, struct jz__call *call,
               enum jz__read read, size_t token)
{
    JZ_CLEANUP(jz__json_freep) cJSON *tree = NULL;
    struct jz__reads_arguments arguments;
    struct jz__error *error = call->reads->error;
    int r = JZ_OK;

    if (token != 0) {
        struct jz__str raw = jz__scan_raw(&call->message.scan, token);

        r = jz__json_parse(&tree, raw.data, raw.length, error);
    }
    if (r == JZ_OK) {
        r = jz__arguments_parse(&arguments, read, tree, error);
    }
    if (r == JZ_OK) {
        r = functions[read](object, call->reads, &arguments);
    }
    return r == JZ_OK && object->error != 0 ? jz__fail_memory(error) : r;
}

static void call_read(struct jz__call *call, enum jz__read read, size_t token)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf object = JZ__BUF_INIT;

    (void)jz__buf_reserve(&object, OBJECT_SIZE);
    if (run(&object, call, read, token) < 0) {
        refuse_failed(call, read, call->reads->error->message);
        return;
    }
    put_object(call, &object);
}

void jz__reads_put_tools(struct jz__buf *out)
{
    int read;

    jz__buf_putc(out, '[');
    for (read = 0; read < JZ__READ_COUNT; read++) {
        jz__json_put_comma(out);
        jz__schema_put_tool(out, (enum jz__read)read);
    }
    jz__buf_putc(out, ']');
}

void jz__reads_call(struct jz__call *call)
{
    const struct jz__scan *scan = &call->message.scan;
    size_t params = call->message.params;
    size_t name = params != 0
                      ? jz__scan_get_type(scan, params, "name", JZ__SCAN_STRING)
                      : 0;
    size_t token = name != 0 ? jz__scan_get(scan, params, "arguments") : 0;
    int read;

    if (name == 0) {
        jz__call_fail_params(call, "name must be a string");
        return;
    }
    if (token != 0 && scan->tokens[token].type == JZ__SCAN_NULL) {
        token = 0;
    }
    if (token != 0 && scan->tokens[token].type != JZ__SCAN_OBJECT) {
        jz__call_fail_params(call, "arguments must be an object");
        return;
    }
    for (read = 0; read < JZ__READ_COUNT; read++) {
        if (jz__scan_is(scan, name,
                        jz__arguments_read_name((enum jz__read)read))) {
            call_read(call, (enum jz__read)read, token);
            return;
        }
    }
    refuse_unknown(call, name);
}
