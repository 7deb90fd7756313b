/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of jezero.toml, one row each: what fills which field, and in which
 * range. config_table.c reads them, so a key that stands here is read, checked
 * and offered as the nearest one to a slip without another line of code. What
 * holds between keys is in config.c.
 *
 * Upper ends of ranges are not advice. They keep a slip of the finger from
 * becoming an overflow or a server that waits for a year.
 */
#include "config_keys.h"

#include "config.h"

/* The name of a key and the place of the field of the same name. */
#define FIELD(type, name) #name, offsetof(struct type, name)

/* Seconds, counts and bytes that only have to fit somewhere. */
#define ANY 1e9

/* Most of what a call may be asked to return. */
#define LIST_MAX 1e6

static const char *const log_levels[] = { "error", "warning", "info", "debug",
                                          NULL };
static const char *const log_formats[] = { "text", "json", NULL };

/* The library brings its own folding and knows this one way to cut text. */
static const char *const tokenizers[] = { "trigram remove_diacritics 1", NULL };

/* The first one is the default. */
static const char *const summarizers[] = { "extractive", "openai", "anthropic",
                                           "command", NULL };

/* All types that a library will ever read from here; connectors.c knows which
 * of them this version reads. */
static const char *const connector_types[] = {
    "claude-code", "codex", "hermes", "opencode",
    "antigravity", "email", "items",  NULL,
};

const struct config_key config_keys_server[] = {
    { FIELD(config_server, host), CONFIG_TEXT, 0, 0, NULL },
    /* 0 is any free port: for tests, and for those who read the log. */
    { FIELD(config_server, port), CONFIG_WHOLE, 0, 65535, NULL },
    { FIELD(config_server, public_url), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_server, allowed_hosts), CONFIG_LIST, 0, 0, NULL },
    { FIELD(config_server, require_auth), CONFIG_FLAG, 0, 0, NULL },
    { FIELD(config_server, mcp_path), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_server, tls_cert), CONFIG_PATH, 0, 0, NULL },
    { FIELD(config_server, tls_key), CONFIG_PATH, 0, 0, NULL },
    { FIELD(config_server, max_connections), CONFIG_WHOLE, 1, 1e6, NULL },
    { FIELD(config_server, requests_per_minute), CONFIG_WHOLE, 0, ANY, NULL },
    { FIELD(config_server, metrics), CONFIG_FLAG, 0, 0, NULL },
    { FIELD(config_server, log_level), CONFIG_TEXT, 0, 0, log_levels },
    { FIELD(config_server, log_format), CONFIG_TEXT, 0, 0, log_formats },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_library[] = {
    { FIELD(config_library, path), CONFIG_PATH, 0, 0, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_search[] = {
    { FIELD(config_search, tokenizer), CONFIG_TEXT, 0, 0, tokenizers },
    { FIELD(config_search, candidate_pool), CONFIG_WHOLE, 1, LIST_MAX, NULL },
    { FIELD(config_search, recency_weight), CONFIG_REAL, 0, 1, NULL },
    /* Not 0: the age is divided by it. */
    { FIELD(config_search, recency_half_life_days), CONFIG_REAL, 0.001, ANY,
      NULL },
    { FIELD(config_search, limit), CONFIG_WHOLE, 1, LIST_MAX, NULL },
    { FIELD(config_search, limit_max), CONFIG_WHOLE, 1, LIST_MAX, NULL },
    { FIELD(config_search, later_limit), CONFIG_WHOLE, 1, LIST_MAX, NULL },
    { FIELD(config_search, later_limit_max), CONFIG_WHOLE, 1, LIST_MAX, NULL },
    { FIELD(config_search, timeline_limit), CONFIG_WHOLE, 1, LIST_MAX, NULL },
    { FIELD(config_search, timeline_limit_max), CONFIG_WHOLE, 1, LIST_MAX,
      NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

/* Folders and names stay as they are written: the rules of projects know what ~
 * means, and a path of another computer has no file here to be relative to. */
const struct config_key config_keys_projects[] = {
    { FIELD(config_projects, paths), CONFIG_PAIRS, 0, 0, NULL },
    { FIELD(config_projects, roots), CONFIG_LIST, 0, 0, NULL },
    { FIELD(config_projects, aliases), CONFIG_PAIRS, 0, 0, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_inbox[] = {
    { FIELD(config_inbox, path), CONFIG_PATH, 0, 0, NULL },
    { FIELD(config_inbox, max_file_mb), CONFIG_WHOLE, 1, 1e6, NULL },
    { FIELD(config_inbox, max_total_gb), CONFIG_WHOLE, 0, 1e6, NULL },
    { FIELD(config_inbox, keep_days), CONFIG_WHOLE, 0, 1e6, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_ingest[] = {
    { FIELD(config_ingest, interval_seconds), CONFIG_WHOLE, 1, 1e6, NULL },
    { FIELD(config_ingest, segment_pause_minutes), CONFIG_WHOLE, 1, 1e7, NULL },
    /* Below a thousand characters a segment is not a stretch of work. */
    { FIELD(config_ingest, segment_chars), CONFIG_WHOLE, 1000, ANY, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_redaction[] = {
    { FIELD(config_redaction, enabled), CONFIG_FLAG, 0, 0, NULL },
    { FIELD(config_redaction, extra), CONFIG_LIST, 0, 0, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

/* A key itself never stands in the file: api_key_env names a variable. */
const struct config_key config_keys_summarizer[] = {
    { FIELD(config_summarizer, kind), CONFIG_TEXT, 0, 0, summarizers },
    { FIELD(config_summarizer, base_url), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_summarizer, model), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_summarizer, api_key_env), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_summarizer, command), CONFIG_LIST, 0, 0, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_connector[] = {
    { FIELD(config_connector, type), CONFIG_TEXT, 0, 0, connector_types },
    { FIELD(config_connector, name), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_connector, path), CONFIG_PATH, 0, 0, NULL },
    { FIELD(config_connector, export_dir), CONFIG_PATH, 0, 0, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

const struct config_key config_keys_client[] = {
    { FIELD(config_client, name), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_client, token_sha256), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_client, token_env), CONFIG_TEXT, 0, 0, NULL },
    { FIELD(config_client, sources), CONFIG_LIST, 0, 0, NULL },
    { FIELD(config_client, upload), CONFIG_FLAG, 0, 0, NULL },
    { FIELD(config_client, metrics), CONFIG_FLAG, 0, 0, NULL },
    { FIELD(config_client, revoked), CONFIG_FLAG, 0, 0, NULL },
    { NULL, 0, CONFIG_TEXT, 0, 0, NULL },
};

/* Every field has a value before a file is read: what config_table.c does not
 * find it leaves alone. Paths are filled in later, beside the file. */
void config_keys_fill_defaults(struct config *config)
{
    config->server = (struct config_server){
        .host = "127.0.0.1",
        .port = 8765,
        .require_auth = true,
        .mcp_path = "/mcp",
        .max_connections = 1024,
        .log_level = "info",
        .log_format = log_formats[0],
    };
    config->search = (struct config_search){
        .tokenizer = tokenizers[0],
        .candidate_pool = 200,
        .recency_weight = 0.3,
        .recency_half_life_days = 90,
        .limit = 10,
        .limit_max = 50,
        .later_limit = 5,
        .later_limit_max = 20,
        .timeline_limit = 20,
        .timeline_limit_max = 100,
    };
    config->inbox.max_file_mb = 256;
    config->ingest = (struct config_ingest){
        .interval_seconds = 60,
        .segment_pause_minutes = 240,
        .segment_chars = 60000,
    };
    config->redaction.enabled = true;
    config->summarizer.kind = summarizers[0];
}
