/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libjezero: a read-only library of past work, for coding agents.
 *
 * Conventions that hold for every function here:
 *
 * - A function that can fail returns an int: 0 (JZ_OK), or a negative jz_error.
 *   An out parameter comes first; it is set on success and NULL on failure.
 * - Options, arguments and results are JSON text: UTF-8, NUL-terminated. Within
 *   a major version a result gains keys and never loses one.
 * - Arguments are borrowed for the call and copied if they are kept. What an
 *   out parameter gets belongs to the caller and is freed with jz_free(), never
 *   with free(). A returned const char * stays ours.
 * - One handle is used by one thread at a time. Different handles are
 *   independent, also when they are open on one file, in one process or in
 *   several. The library holds no global state, writes to no standard stream,
 *   reads no environment variable and no clock but the one it is given.
 */
#ifndef JEZERO_H
#define JEZERO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && __GNUC__ >= 4
#define JZ_API __attribute__((visibility("default")))
#else
#define JZ_API
#endif

#define JZ_VERSION_MAJOR 0
#define JZ_VERSION_MINOR 1
#define JZ_VERSION_PATCH 0
#define JZ_VERSION_STRING "0.1.0"

/** One open library file. */
typedef struct jz_library jz_library;

/** What a call came to. The values never change. */
typedef enum jz_error {
    JZ_OK = 0,
    JZ_EINTERNAL = -1, /**< a fault of ours */
    JZ_ENOMEM = -2,    /**< out of memory */
    JZ_EINVAL = -3,    /**< an argument is wrong; the message names it */
    JZ_ENOTFOUND = -4, /**< a file or folder is not there */
    JZ_EBUSY = -5,     /**< another process holds the write lock too long */
    JZ_EIO = -6,       /**< reading or writing failed: disk full, no rights */
    JZ_ECORRUPT = -7,  /**< the file is damaged or is no library */
    JZ_ENEWER = -8     /**< the library was written by a newer Jezero */
} jz_error;

/** Severities that a log callback gets. */
#define JZ_LOG_ERROR 0
#define JZ_LOG_WARNING 1
#define JZ_LOG_INFO 2
#define JZ_LOG_DEBUG 3

/** Receives one finished line of log, without a line end. */
typedef void (*jz_log_fn)(void *userdata, int level, const char *message);

/** Gives the time in seconds since 1970-01-01T00:00:00Z. */
typedef int64_t (*jz_clock_fn)(void *userdata);

/** Learns how far a call is, in bytes; called by the thread that called. */
typedef void (*jz_progress_fn)(void *userdata, int64_t done, int64_t total);

/* ---- handles ---------------------------------------------------------- */

/**
 * Open a library file, or create it.
 *
 * *out is set also when this fails, so that jz_library_errmsg() can tell why;
 * always close it. It is NULL only when there is no memory at all.
 *
 * @param path          file name; folders above it must exist. ":memory:" is an
 *   empty library that is never on disk and ends with the handle, for calls of
 *   jz_mcp_dispatch() that need no items
 * @param options_json  NULL or "": the defaults. An object with any of
 *   "create" (true: make the file if it is not there, default),
 *   "read_only" (false), "busy_timeout_ms" (5000), "home" (what ~ means in
 *   project rules), "search" {candidate_pool, recency_weight,
 *   recency_half_life_days, limit, limit_max, later_limit, later_limit_max,
 *   timeline_limit, timeline_limit_max, tokenizer}, "projects" {paths, roots,
 *   aliases}, "ingest" {segment_pause_minutes, segment_chars},
 *   "redaction" {enabled, extra}. An unknown key is refused.
 * @return JZ_EINVAL bad option; JZ_ENOTFOUND no such file or folder; JZ_EIO no
 *   rights, no locks on this file system, disk full; JZ_ECORRUPT not a library
 *   or damaged; JZ_ENEWER written by a newer version; JZ_EBUSY; JZ_ENOMEM.
 */
JZ_API int jz_library_open(jz_library **out, const char *path,
                           const char *options_json);

/** Close a handle. NULL is allowed. */
JZ_API void jz_library_close(jz_library *lib);

/** Why the last call on this handle failed: one line, borrowed until the next
 * call on lib. NULL is allowed. */
JZ_API const char *jz_library_errmsg(const jz_library *lib);

/** Set who gets log lines; fn NULL: nobody (the default). */
JZ_API void jz_library_set_log(jz_library *lib, jz_log_fn fn, void *userdata);

/** Set the clock that recency and records use; fn NULL: the system's. */
JZ_API void jz_library_set_clock(jz_library *lib, jz_clock_fn fn,
                                 void *userdata);

/** Make the call that runs on lib in another thread end soon, with JZ_EBUSY and
 * "interrupted". The one function that any thread may call at any time. */
JZ_API void jz_library_interrupt(jz_library *lib);

/* ---- the five reads ----------------------------------------------------
 *
 * scope_json: NULL, or a JSON array of source globs (["agent-*"]). What lies
 * outside does not exist for the call. arguments_json: an object, NULL is {}.
 * The result is the object that the MCP tool of this name returns.
 * JZ_EINVAL: a bad argument, the message is the tool's error text; JZ_EBUSY:
 * interrupted, or a search that took 10 s; JZ_EIO, JZ_ECORRUPT, JZ_ENOMEM.
 */

/** search(query, project, source, since, limit): items by words, best first. */
JZ_API int jz_search(char **out, jz_library *lib, const char *scope_json,
                     const char *arguments_json);

/** get_item(item_id, include_original): one item in full. */
JZ_API int jz_get_item(char **out, jz_library *lib, const char *scope_json,
                       const char *arguments_json);

/** later(item_id, query, limit): newer items on the same subject. */
JZ_API int jz_later(char **out, jz_library *lib, const char *scope_json,
                    const char *arguments_json);

/** timeline(project, source, since, until, limit): newest first. */
JZ_API int jz_timeline(char **out, jz_library *lib, const char *scope_json,
                       const char *arguments_json);

/** list_sources(): readable sources with their number of items. */
JZ_API int jz_list_sources(char **out, jz_library *lib, const char *scope_json,
                           const char *arguments_json);

/* ---- writing ------------------------------------------------------------ */

/**
 * Store one item: every field of the data model. With an "id" that is free or
 * already belongs to this (source, external_id) that id is kept; without one
 * (source, external_id) decides. "score" and "trimmed" are ignored.
 *
 * *out: {"id":5,"created":true}. JZ_EINVAL: the message names the field.
 */
JZ_API int jz_put_item(char **out, jz_library *lib, const char *item_json,
                       size_t length);

/**
 * Store many items, one a line of JSON, in one transaction: much faster than
 * one by one. A bad line is left out and named, the others are stored.
 *
 * *out: {"lines":500,"stored":499,"created":499,
 * "failed":[{"line":3,"reason":"…"}]}; lines count from 1, blank ones are
 * passed over. Negative: nothing was stored.
 */
JZ_API int jz_import(char **out, jz_library *lib, const char *lines,
                     size_t length);

/**
 * Items as JSON lines, by id: those with an id over after_id, at most limit.
 * *out is "" when there are none left; the last line's id is the next after_id.
 * Originals are included.
 */
JZ_API int jz_export(char **out, jz_library *lib, int64_t after_id,
                     int64_t limit);

/**
 * Take one transcript file into the library: stage, then apply in one
 * transaction. A file whose size and times are those of the last time costs a
 * stat.
 *
 * @param connector_json  {"type":"claude-code"|"codex", "name":"agent-…"
 *   (the source), "project":"…" (wins over the rules, may be absent),
 *   "local": true (folders of the transcript may be looked at for git rules),
 *   "dry_run": false, "again": false (read it even if it did not change),
 *   "look": false (only tell whether it would be read: "unchanged", "waiting",
 *   or "failed" without a record; works on a library opened for reading)}
 * @param out  {"state":"stored"|"unchanged"|"skipped"|"failed"|"waiting",
 *   "reason":null|"…", "recorded":null|"stored"|"skipped"|"failed" (what came
 *   of an unchanged file), "items":[1,2], "created":1, "changed":0, "hidden":0,
 *   "bytes":…, "lines":…, "lines_bad":…, "lines_too_long":…,
 *   "records_unknown":…}. "failed": the document is recorded with its reason
 *   and tried again when it changes; the call itself succeeds.
 */
JZ_API int jz_ingest(char **out, jz_library *lib, const char *connector_json,
                     const char *path);

/**
 * Take every item of one source out of the library: their ids are not found any
 * more and are not used again. Transcripts of the source that still lie where
 * they were come back when they are read again.
 *
 * @param removed  set to the number of items; a source without any is no error
 */
JZ_API int jz_remove_source(int64_t *removed, jz_library *lib,
                            const char *source);

/* ---- looking after a library --------------------------------------------- */

/** Counts, sizes and failed documents: {"path","schema","items","hidden",
 * "sources":{…},"documents":{"stored","skipped","failed"}, "failed":[{path,
 * source,reason,at}] (the newest 100), "bytes":{"file","wal","originals",
 * "originals_plain"}}. */
JZ_API int jz_status(char **out, jz_library *lib);

/**
 * Integrity of the file, of the items and of the index, which is compared with
 * the items word by word: {"ok":true,"problems":[]}. A read: nobody waits for it.
 *
 * With {"repair":true} as options_json the index, and whatever else can be made
 * from the items, is made anew if it differs, in one transaction;
 * {"ok","problems","repaired"} then tells what is left and what was mended.
 * JZ_EIO: repair of a library that may not be written.
 */
JZ_API int jz_check(char **out, jz_library *lib, const char *options_json);

/**
 * Copy the library, as it is at this instant, to another file, while others read
 * and write it. When the call returns the copy is whole and on disk, readable by
 * its owner alone; it is a library like any other, opened with
 * jz_library_open().
 *
 * The copy is written beside path, as path.part, and renamed. What is at path is
 * replaced only if it is a library that nobody has open, or an empty file. After
 * a failure path is as it was.
 *
 * @param progress  NULL, or told every MiB how far the copy is. It must not call
 *   with lib, except jz_library_interrupt(), which ends the call with JZ_EBUSY.
 * @return JZ_EINVAL path is the library itself, by whatever name, a file of
 *   another kind or in use; JZ_ENOTFOUND no such folder; JZ_EIO no rights, disk
 *   full; JZ_EBUSY interrupted, or another backup writes to path; JZ_ECORRUPT;
 *   JZ_ENOMEM.
 */
JZ_API int jz_backup(jz_library *lib, const char *path, jz_progress_fn progress,
                     void *userdata);

/** Housekeeping between writes, in short steps: what was replaced leaves the
 * index, the write-ahead log is checkpointed. 1 in *more: call again. */
JZ_API int jz_maintain(int *more, jz_library *lib);

/* ---- MCP ------------------------------------------------------------------ */

/**
 * Answer one MCP message (2026-07-28, and 2024-11-05 to 2025-11-25).
 *
 * @param http_status   set to the status for HTTP; may be NULL
 * @param headers_json  NULL on stdio; else an object of lower-case header names
 *   with an array of values: accept, mcp-protocol-version, mcp-method, mcp-name
 * @param request       the body, any bytes
 * @param out           the answer without a line end; NULL: none is due
 */
JZ_API int jz_mcp_dispatch(char **out, int *http_status, jz_library *lib,
                           const char *scope_json, const char *headers_json,
                           const char *request, size_t length);

/* ---- without a library ------------------------------------------------------ */

/**
 * Transcripts below a place (a file or a folder).
 *
 * @param agent  an agent's name, and place is that agent's folder: "claude-code"
 *   (~/.claude), "codex" (~/.codex), "antigravity" (~/.gemini), "opencode"
 *   (~/.local/share/opencode), "hermes" (~/.hermes); NULL: any folder,
 *   transcripts of the first two are recognised by content at any depth.
 *   Sub-agents' transcripts are not listed.
 * @param since  changed at or after this time; 0: all
 * @param out    [{"agent","session","path","bytes","modified"}], oldest first;
 *   agent is null for a .jsonl of an unknown folder that may not be read. For
 *   the last three agents path is what jz_export_session() takes as its place.
 */
JZ_API int jz_list_sessions(char **out, const char *agent, const char *place,
                            int64_t since);

/**
 * One session of an agent that keeps no file a session, as text: "hermes" and
 * "opencode" from their databases, which are opened for reading while those
 * programs write, "antigravity" from the two transcripts of a conversation.
 *
 * @param place    the database (state.db, opencode.db), or the folder with the
 *   transcripts, whose session is not looked at
 * @param out      "" for a sub-agent's or scheduled session: it is not exported.
 *   Else a jezero-hermes-export/1, what `opencode export` prints, or JSON lines
 * @return JZ_ENOTFOUND no such place or session; JZ_EINVAL unknown agent, or
 *   over 512 MiB; JZ_EIO; JZ_ECORRUPT no database; JZ_ENOMEM.
 */
JZ_API int jz_export_session(char **out, const char *agent, const char *place,
                             const char *session);

/** The project of a folder: {"project":"billing"|null,"rule":"paths"|"git"|
 * "roots"|"none"}. rules_json: {paths, roots, aliases, home, temp}. */
JZ_API int jz_project_resolve(char **out, const char *rules_json,
                              const char *folder);

/** Text with secrets replaced by [redacted:<kind>]. options_json: NULL or
 * {"extra":["…"]}. Invalid UTF-8 is repaired. */
JZ_API int jz_redact(char **out, const char *text, size_t length,
                     const char *options_json);

/** Free what an out parameter got. NULL is allowed. */
JZ_API void jz_free(void *memory);

/** A short name of an error code, for logs. Static. */
JZ_API const char *jz_strerror(int error);

/** The version at run time, as JZ_VERSION_STRING. Static. */
JZ_API const char *jz_version(void);

#ifdef __cplusplus
}
#endif

#endif
