/* SPDX-License-Identifier: Apache-2.0 */
/* jezero.toml: read, checked, with defaults filled in. */
#ifndef JEZERO_SERVER_CONFIG_H
#define JEZERO_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/toml.h"
#include "config_table.h"

struct config_server {
    const char *host;
    int64_t port;
    const char *public_url; /* NULL: http://host:port */
    struct config_list allowed_hosts;
    bool require_auth;
    const char *mcp_path;
    const char *tls_cert; /* NULL: plain HTTP */
    const char *tls_key;
    int64_t max_connections;
    int64_t requests_per_minute; /* 0: no limit */
    bool metrics;
    const char *log_level;
    const char *log_format;
};

struct config_library {
    const char *path;
};

struct config_search {
    const char *tokenizer;
    int64_t candidate_pool;
    double recency_weight;
    double recency_half_life_days;
    int64_t limit;
    int64_t limit_max;
    int64_t later_limit;
    int64_t later_limit_max;
    int64_t timeline_limit;
    int64_t timeline_limit_max;
};

struct config_projects {
    struct config_pairs paths;
    struct config_list roots;
    struct config_pairs aliases;
};

struct config_inbox {
    const char *path; /* NULL: inbox beside the library */
    int64_t max_file_mb;
    int64_t max_total_gb; /* 0: no limit */
    int64_t keep_days;    /* 0: kept */
};

struct config_ingest {
    int64_t interval_seconds;
    int64_t segment_pause_minutes;
    int64_t segment_chars;
};

struct config_redaction {
    bool enabled;
    struct config_list extra;
};

struct config_summarizer {
    const char *kind;
    const char *base_url;
    const char *model;
    const char *api_key_env;
    struct config_list command;
};

struct config_connector {
    const char *type;
    const char *name; /* of the source */
    const char *path;
    const char *export_dir; /* of hermes: exported sessions, instead of path */
};

struct config_client {
    const char *name;
    const char *token_sha256; /* 64 hexadecimal digits, or NULL */
    const char *token_env;
    struct config_list sources;
    bool upload;
    bool metrics;
    bool revoked;
};

struct config {
    struct config_server server;
    const char *library_path;
    struct config_search search;
    struct config_projects projects;
    struct config_inbox inbox;
    struct config_ingest ingest;
    struct config_redaction redaction;
    struct config_summarizer summarizer;
    struct config_connector *connectors;
    size_t connector_count;
    struct config_client *clients;
    size_t client_count;

    struct jz__toml document; /* owns the strings, as does the arena */
    struct jz__arena arena;
};

/* Largest file that is read: a configuration is a few kilobytes. */
#define CONFIG_FILE_MAX ((size_t)1024 * 1024)

/*
 * Read and check a configuration file; out is finished by the caller in any
 * case. JZ_ENOTFOUND, JZ_EIO, JZ_EINVAL with file, line and key, JZ_ENOMEM.
 */
int config_load(struct config *out, const char *path, const char *home,
                struct jz__error *error);

/* Where the text of a configuration comes from. */
struct config_origin {
    const char *file;   /* what messages call it */
    const char *folder; /* where relative paths start; absolute */
    const char *home;   /* what ~ means */
};

/* The same from text. */
int config_parse(struct config *out, struct jz__str text,
                 const struct config_origin *origin, struct jz__error *error);

/* The tables of a file by name; the last one is NULL. */
extern const char *const config_table_names[];

void config_finish(struct config *config);

/*
 * Which file is read when none is named: ./jezero.toml, then
 * <config_home>/jezero/jezero.toml. JZ_ENOTFOUND names both.
 */
int config_find(char **out, const char *config_home, struct jz__error *error);

/* Append the members of jz_library_open()'s options, without the braces. */
void config_put_library_options(struct jz__buf *out,
                                const struct config *config, const char *home);

/*
 * The connector that takes sessions in as a source which the client of this name
 * would read as its own, agent-<agent>-<name>; NULL: there is none.
 */
const struct config_connector *config_find_shared(const struct config *config,
                                                  const char *client_name);

/* The line of a key of a table that stands once, 0: it is not there. */
int config_line(const struct config *config, const char *table,
                const char *key);

/* 127.0.0.0/8, ::1 or localhost? */
bool config_is_loopback(const char *host);

#endif
