/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema and every statement of the store. Values are always bound.
 *
 * source     names, so that an item holds a small number
 * item       one row an item; ids are never used again (AUTOINCREMENT), not
 *            even that of a hidden item. `position` is the library's position
 *            at which the row last changed, `tag` a random number that changes
 *            with the content.
 * document   one row a transcript file: what it looked like when it was read,
 *            and what came of it
 * message    which documents hold which message: a session that was resumed or
 *            forked repeats its parent's, and each counts once
 * state      single values: the library's position, the folding's version
 */
#include "store/sql.h"

const char *const jz__sql_schema =
    "CREATE TABLE state(name TEXT PRIMARY KEY, value INTEGER NOT NULL) "
    "WITHOUT ROWID;"
    "CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE item("
    "id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "source INTEGER NOT NULL REFERENCES source(id),"
    "external_id TEXT NOT NULL,"
    "occurred_at INTEGER NOT NULL,"
    "title TEXT NOT NULL,"
    "summary TEXT NOT NULL,"
    "questions TEXT NOT NULL," /* a JSON array of strings */
    "atoms TEXT NOT NULL,"     /* a JSON array of {kind, text} */
    "project TEXT,"
    "project_key TEXT," /* case-folded */
    "account TEXT,"
    "original_ref TEXT,"
    "trust TEXT NOT NULL,"
    "original BLOB,"           /* a zlib stream */
    "original_size INTEGER,"   /* bytes of the text */
    "length INTEGER NOT NULL," /* windows of 3 characters */
    "summarizer TEXT,"         /* who wrote it; NULL: it was imported */
    "text_hash INTEGER NOT NULL DEFAULT 0,"
    "is_hidden INTEGER NOT NULL DEFAULT 0,"
    "tag INTEGER NOT NULL,"
    "position INTEGER NOT NULL,"
    "UNIQUE(source, external_id));"
    "CREATE INDEX item_position ON item(position);"
    "CREATE TABLE document("
    "id INTEGER PRIMARY KEY,"
    "source INTEGER NOT NULL REFERENCES source(id),"
    "path TEXT NOT NULL,"
    "session TEXT NOT NULL,"
    "agent TEXT NOT NULL,"
    "size INTEGER NOT NULL,"
    "mtime_ns INTEGER NOT NULL,"
    "inode INTEGER NOT NULL,"
    "reader INTEGER NOT NULL," /* version of the code that read it */
    "state TEXT NOT NULL,"     /* stored, skipped, failed */
    "reason TEXT,"
    "read_at INTEGER NOT NULL,"
    "own_time INTEGER," /* ms; earliest record that is no copy by nature */
    "parent TEXT,"      /* session it was forked from, if it names one */
    "UNIQUE(source, path));"
    "CREATE INDEX document_session ON document(source, session);"
    "CREATE TABLE message("
    "source INTEGER NOT NULL,"
    "key INTEGER NOT NULL,"
    "document INTEGER NOT NULL,"
    "time INTEGER NOT NULL,"  /* ms */
    "owned INTEGER NOT NULL," /* it counts for this document */
    "PRIMARY KEY(source, key, document)) WITHOUT ROWID;"
    "CREATE INDEX message_document ON message(document);";

#define ITEM_COLUMNS                                                           \
    "item.id, source.name, external_id, occurred_at, title, summary, "         \
    "questions, atoms, project, account, original_ref, trust, "                \
    "original_size, summarizer, text_hash, is_hidden, tag, length"

#define ITEM_FROM " FROM item JOIN source ON source.id = item.source "

#define DOCUMENT_COLUMNS                                                       \
    "document.id, source.name, path, session, agent, size, mtime_ns, inode, "  \
    "reader, state, reason, read_at, own_time, parent"

#define DOCUMENT_FROM                                                          \
    " FROM document JOIN source ON source.id = document.source "

const char *const jz__sql_texts[JZ__SQL_COUNT] = {
    [JZ__SQL_BEGIN_READ] = "BEGIN",
    [JZ__SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [JZ__SQL_COMMIT] = "COMMIT",
    [JZ__SQL_ROLLBACK] = "ROLLBACK",
    [JZ__SQL_STATE_GET] = "SELECT value FROM state WHERE name = ?1",
    [JZ__SQL_STATE_SET] = "INSERT INTO state(name, value) VALUES(?1, ?2) "
                          "ON CONFLICT(name) DO UPDATE SET "
                          "value = excluded.value",
    [JZ__SQL_DOCS_CHANGED] =
        "SELECT item.id, source.name, project_key, occurred_at, length, "
        "is_hidden" ITEM_FROM "WHERE position > ?1 ORDER BY item.id",
    [JZ__SQL_SOURCE_ADD] = "INSERT INTO source(name) VALUES(?1) "
                           "ON CONFLICT(name) DO NOTHING",
    [JZ__SQL_ITEM_GET] = "SELECT " ITEM_COLUMNS ITEM_FROM "WHERE item.id = ?1",
    [JZ__SQL_ITEM_ORIGINAL] =
        "SELECT original, original_size FROM item WHERE id = ?1",
    [JZ__SQL_ITEM_FIND] = "SELECT " ITEM_COLUMNS ITEM_FROM
                          "WHERE source.name = ?1 AND external_id = ?2",
    [JZ__SQL_ITEM_INSERT] =
        "INSERT INTO item(id, source, external_id, occurred_at, title, "
        "summary, questions, atoms, project, project_key, account, "
        "original_ref, trust, original, original_size, length, summarizer, "
        "text_hash, tag, position) "
        "VALUES(?1, (SELECT id FROM source WHERE name = ?2), ?3, ?4, ?5, ?6, "
        "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
    [JZ__SQL_ITEM_UPDATE] =
        "UPDATE item SET source = (SELECT id FROM source WHERE name = ?2), "
        "external_id = ?3, occurred_at = ?4, title = ?5, summary = ?6, "
        "questions = ?7, atoms = ?8, project = ?9, project_key = ?10, "
        "account = ?11, original_ref = ?12, trust = ?13, original = ?14, "
        "original_size = ?15, length = ?16, summarizer = ?17, "
        "text_hash = ?18, tag = ?19, position = ?20, is_hidden = 0 "
        "WHERE id = ?1",
    /* A hidden item keeps its row, so that its id stays taken, and nothing of
     * what it said. */
    [JZ__SQL_ITEM_HIDE] =
        "UPDATE item SET title = '', summary = '', questions = '[]', "
        "atoms = '[]', project = NULL, project_key = NULL, account = NULL, "
        "original_ref = NULL, original = NULL, original_size = NULL, "
        "length = 0, text_hash = 0, is_hidden = 1, tag = ?2, position = ?3 "
        "WHERE id = ?1",
    [JZ__SQL_ITEMS_OF_SESSION] =
        "SELECT item.id, external_id" ITEM_FROM
        "WHERE source.name = ?1 AND external_id > ?2 || '#' "
        "AND external_id < ?2 || '$' AND is_hidden = 0 ORDER BY item.id",
    [JZ__SQL_ITEM_NEXT] =
        "SELECT " ITEM_COLUMNS ITEM_FROM "WHERE item.id > ?1 AND is_hidden = 0 "
        "ORDER BY item.id LIMIT ?2",
    [JZ__SQL_ITEM_NEXT_OF_SOURCE] =
        "SELECT item.id" ITEM_FROM "WHERE source.name = ?1 AND item.id > ?2 "
        "AND is_hidden = 0 ORDER BY item.id LIMIT 1",
    [JZ__SQL_ITEM_COUNTS] =
        "SELECT count(*) FILTER (WHERE is_hidden = 0), "
        "count(*) FILTER (WHERE is_hidden = 1), "
        "total(length(original)), total(original_size) FROM item",
    /* What follows from the other columns. */
    [JZ__SQL_ITEM_DERIVED] =
        "SELECT length, project_key FROM item WHERE id = ?1",
    [JZ__SQL_ITEM_SET_DERIVED] = "UPDATE item SET length = ?2, "
                                 "project_key = ?3, position = ?4 "
                                 "WHERE id = ?1",
    [JZ__SQL_ITEM_POSITION_MOST] =
        "SELECT coalesce(max(position), 0) FROM item NOT INDEXED",
    [JZ__SQL_ITEMS_LOST] = "SELECT count(*) FROM item WHERE source NOT IN "
                           "(SELECT id FROM source)",
    [JZ__SQL_DOCUMENT_BY_PATH] = "SELECT " DOCUMENT_COLUMNS DOCUMENT_FROM
                                 "WHERE source.name = ?1 AND path = ?2",
    [JZ__SQL_DOCUMENT_BY_SESSION] =
        "SELECT " DOCUMENT_COLUMNS DOCUMENT_FROM
        "WHERE source.name = ?1 AND session = ?2 AND state = 'stored' "
        "AND path <> ?3 ORDER BY document.id LIMIT 1",
    [JZ__SQL_DOCUMENT_BY_ID] =
        "SELECT " DOCUMENT_COLUMNS DOCUMENT_FROM "WHERE document.id = ?1",
    [JZ__SQL_DOCUMENT_PUT] =
        "INSERT INTO document(source, path, session, agent, size, mtime_ns, "
        "inode, reader, state, reason, read_at, own_time, parent) "
        "VALUES((SELECT id FROM source WHERE name = ?1), ?2, ?3, ?4, ?5, ?6, "
        "?7, ?8, ?9, ?10, ?11, ?12, ?13) "
        "ON CONFLICT(source, path) DO UPDATE SET session = excluded.session, "
        "agent = excluded.agent, size = excluded.size, "
        "mtime_ns = excluded.mtime_ns, inode = excluded.inode, "
        "reader = excluded.reader, state = excluded.state, "
        "reason = excluded.reason, read_at = excluded.read_at, "
        "own_time = excluded.own_time, parent = excluded.parent",
    /* The same session in a file that was moved: the row follows it. */
    [JZ__SQL_DOCUMENT_TOUCH] = "UPDATE document SET path = ?2 WHERE id = ?1",
    [JZ__SQL_DOCUMENT_COUNTS] =
        "SELECT state, count(*) FROM document GROUP BY state",
    [JZ__SQL_DOCUMENTS_FAILED] =
        "SELECT " DOCUMENT_COLUMNS DOCUMENT_FROM
        "WHERE state = 'failed' ORDER BY read_at DESC, document.id LIMIT ?1",
    [JZ__SQL_MESSAGE_ADD] =
        "INSERT INTO message(source, key, document, time, owned) "
        "SELECT source, ?2, id, ?3, ?4 FROM document WHERE id = ?1 "
        "ON CONFLICT DO NOTHING",
    [JZ__SQL_MESSAGES_CLEAR] = "DELETE FROM message WHERE document = ?1",
    /* The keys that a document holds. */
    [JZ__SQL_MESSAGES_OF] =
        "SELECT key, time, owned FROM message WHERE document = ?1",
    /* Which documents of a source hold this key? */
    [JZ__SQL_MESSAGE_HOLDERS] =
        "SELECT document FROM message WHERE key = ?2 AND "
        "source = (SELECT id FROM source WHERE name = ?1)",
};
