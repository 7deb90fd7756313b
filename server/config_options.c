/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration as the options of jz_library_open(). Every option is written,
 * also where it is the library's own default, so that what a server runs with
 * is what its file says and does not move with the library's version.
 */
#include "config.h"

#include "base/json.h"

/* "key":["…","…"] */
static void put_list(struct jz__buf *out, const char *key,
                     const struct config_list *list)
{
    size_t i;

    jz__json_put_key(out, key);
    jz__buf_putc(out, '[');
    for (i = 0; i < list->count; i++) {
        jz__json_put_comma(out);
        jz__json_put_str(out, list->items[i]);
    }
    jz__buf_putc(out, ']');
}

/* "key":{"…":"…"}; of two equal keys TOML has let none through. */
static void put_pairs(struct jz__buf *out, const char *key,
                      const struct config_pairs *pairs)
{
    size_t i;

    jz__json_put_key(out, key);
    jz__buf_putc(out, '{');
    for (i = 0; i < pairs->count; i++) {
        jz__json_put_key(out, pairs->keys[i]);
        jz__json_put_str(out, pairs->values[i]);
    }
    jz__buf_putc(out, '}');
}

static void put_whole(struct jz__buf *out, const char *key, int64_t value)
{
    jz__json_put_key(out, key);
    jz__json_put_int(out, value);
}

/* 17 digits bring every double back as it was. */
static void put_real(struct jz__buf *out, const char *key, double value)
{
    jz__json_put_key(out, key);
    jz__buf_printf(out, "%.17g", value);
}

static void put_search(struct jz__buf *out, const struct config_search *search)
{
    jz__json_put_key(out, "search");
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "tokenizer");
    jz__json_put_str(out, search->tokenizer);
    put_whole(out, "candidate_pool", search->candidate_pool);
    put_real(out, "recency_weight", search->recency_weight);
    put_real(out, "recency_half_life_days", search->recency_half_life_days);
    put_whole(out, "limit", search->limit);
    put_whole(out, "limit_max", search->limit_max);
    put_whole(out, "later_limit", search->later_limit);
    put_whole(out, "later_limit_max", search->later_limit_max);
    put_whole(out, "timeline_limit", search->timeline_limit);
    put_whole(out, "timeline_limit_max", search->timeline_limit_max);
    jz__buf_putc(out, '}');
}

/* The home folder goes along because the rules of projects know ~, and the
 * library asks no environment. */
void config_put_library_options(struct jz__buf *out,
                                const struct config *config, const char *home)
{
    jz__json_put_key(out, "home");
    jz__json_put_str(out, home);
    put_search(out, &config->search);
    jz__json_put_key(out, "projects");
    jz__buf_putc(out, '{');
    put_pairs(out, "paths", &config->projects.paths);
    put_list(out, "roots", &config->projects.roots);
    put_pairs(out, "aliases", &config->projects.aliases);
    jz__buf_putc(out, '}');
    jz__json_put_key(out, "ingest");
    jz__buf_putc(out, '{');
    put_whole(out, "segment_pause_minutes",
              config->ingest.segment_pause_minutes);
    put_whole(out, "segment_chars", config->ingest.segment_chars);
    jz__buf_putc(out, '}');
    jz__json_put_key(out, "redaction");
    jz__buf_putc(out, '{');
    jz__json_put_key(out, "enabled");
    jz__json_put_bool(out, config->redaction.enabled);
    put_list(out, "extra", &config->redaction.extra);
    jz__buf_putc(out, '}');
}
