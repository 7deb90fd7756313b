/* SPDX-License-Identifier: Apache-2.0 */
/* All SQL of the store, in one table; each statement is prepared once. */
#ifndef JZ_STORE_SQL_H
#define JZ_STORE_SQL_H

enum jz__sql {
    JZ__SQL_BEGIN_READ,
    JZ__SQL_BEGIN_WRITE,
    JZ__SQL_COMMIT,
    JZ__SQL_ROLLBACK,
    JZ__SQL_STATE_GET,
    JZ__SQL_STATE_SET,
    JZ__SQL_DOCS_CHANGED,
    JZ__SQL_SOURCE_ADD,
    JZ__SQL_ITEM_GET,
    JZ__SQL_ITEM_ORIGINAL,
    JZ__SQL_ITEM_FIND,
    JZ__SQL_ITEM_INSERT,
    JZ__SQL_ITEM_UPDATE,
    JZ__SQL_ITEM_HIDE,
    JZ__SQL_ITEMS_OF_SESSION,
    JZ__SQL_ITEM_NEXT,
    JZ__SQL_ITEM_NEXT_OF_SOURCE,
    JZ__SQL_ITEM_COUNTS,
    JZ__SQL_ITEM_DERIVED,
    JZ__SQL_ITEM_SET_DERIVED,
    JZ__SQL_ITEM_POSITION_MOST,
    JZ__SQL_ITEMS_LOST,
    JZ__SQL_DOCUMENT_BY_PATH,
    JZ__SQL_DOCUMENT_BY_SESSION,
    JZ__SQL_DOCUMENT_BY_ID,
    JZ__SQL_DOCUMENT_PUT,
    JZ__SQL_DOCUMENT_TOUCH,
    JZ__SQL_DOCUMENT_COUNTS,
    JZ__SQL_DOCUMENTS_FAILED,
    JZ__SQL_MESSAGE_ADD,
    JZ__SQL_MESSAGES_CLEAR,
    JZ__SQL_MESSAGES_OF,
    JZ__SQL_MESSAGE_HOLDERS,
    JZ__SQL_COUNT
};

/* The text of a statement. */
extern const char *const jz__sql_texts[JZ__SQL_COUNT];

/* The tables of schema version 1. */
extern const char *const jz__sql_schema;

#endif
