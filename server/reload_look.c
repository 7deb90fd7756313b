/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is looked at by its path and through symbolic links: editors rename
 * a new file over the old one, and configuration systems swap a link to a
 * folder. So the stamp has device and inode beside size and time, and the time
 * of the last change of the inode, which nobody can set back.
 *
 * A stamp is coarse: two writes within one tick of the file system's clock may
 * leave the same one. A file that was written just now is therefore read again
 * at the next look, whatever its stamp, until it is old enough. What is
 * compared then is not bytes but what they mean, table by table, so comments,
 * blanks and the order of keys change nothing.
 *
 * A writer in the middle of its work leaves a file that is cut, empty or not
 * there. A file that is younger than a moment, or missing, is left alone for a
 * moment, a few times in a row; then it is taken for what it is.
 */
#include "reload_look.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"

/* Younger than this it may still be written to. */
#define MOVING_NS INT64_C(100000000)

/* How often in a row it is left alone: half a second with reload.c's pace. */
#define POSTPONED_MOST 5

/* Coarsest clock of a file system that is expected: FAT's two seconds. */
#define SETTLED_NS INT64_C(2000000000)

#define CLIENTS (RELOAD_TABLES - 1)

/* --- stamps --- */

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static struct reload_stamp take_stamp(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        return (struct reload_stamp){ .number = errno };
    }
    return (struct reload_stamp){ .device = st.st_dev,
                                  .inode = st.st_ino,
                                  .size = st.st_size,
                                  .mtime_ns = nanoseconds(&st.st_mtim),
                                  .ctime_ns = nanoseconds(&st.st_ctim) };
}

static bool is_same_stamp(const struct reload_stamp *a,
                          const struct reload_stamp *b)
{
    return a->number == b->number && a->device == b->device &&
           a->inode == b->inode && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* A time in the future is another computer's, or was set: it says nothing. */
static bool is_younger(const struct reload_stamp *stamp, int64_t age_ns,
                       int64_t now_ns)
{
    return stamp->number == 0 && stamp->mtime_ns > now_ns - age_ns &&
           stamp->mtime_ns < now_ns + age_ns;
}

/* --- what tables mean --- */

static uint64_t mix(uint64_t hash, const void *data, size_t length)
{
    return jz__str_hash((struct jz__str){ data, length }, hash);
}

static uint64_t hash_value(const struct jz__toml_value *value, uint64_t seed);

/* Members of a table in any order, elements of an array in theirs. */
static uint64_t hash_members(const struct jz__toml_value *value, uint64_t hash)
{
    uint64_t sum = 0;

    for (const struct jz__toml_value *member = value->first; member != NULL;
         member = member->next) {
        if (value->type == JZ__TOML_ARRAY) {
            hash = hash_value(member, hash);
        } else {
            sum += hash_value(member,
                              mix(1, member->key.data, member->key.length));
        }
    }
    return mix(hash, &sum, sizeof(sum));
}

/* Recursion ends: the reader of TOML nests JZ__TOML_DEPTH values at most. */
static uint64_t hash_value(const struct jz__toml_value *value, uint64_t seed)
{
    uint64_t hash = mix(seed, &value->type, sizeof(value->type));

    switch (value->type) {
    case JZ__TOML_STRING:
    case JZ__TOML_DATE:
        return mix(hash, value->text.data, value->text.length);
    case JZ__TOML_INTEGER:
        return mix(hash, &value->integer, sizeof(value->integer));
    case JZ__TOML_FLOAT:
        return mix(hash, &value->real, sizeof(value->real));
    case JZ__TOML_BOOLEAN:
        return mix(hash, &value->boolean, sizeof(value->boolean));
    case JZ__TOML_ARRAY:
    case JZ__TOML_TABLE:
        break;
    }
    return hash_members(value, hash);
}

/* 0: a table that is not there. */
static void hash_tables(uint64_t out[RELOAD_TABLES],
                        const struct config *config)
{
    for (size_t i = 0; i < RELOAD_TABLES; i++) {
        const struct jz__toml_value *table =
            jz__toml_get(config->document.root, config_table_names[i]);

        out[i] = table != NULL ? hash_value(table, 1) : 0;
    }
}

/* A change is told once; one that leads back to what runs is none. */
static void put_changed(struct reload_look *look,
                        const uint64_t now[RELOAD_TABLES])
{
    for (size_t i = 0; i < CLIENTS; i++) {
        bool is_array = strcmp(config_table_names[i], "connectors") == 0;

        if (now[i] != look->loaded[i] && now[i] != look->running[i]) {
            jz__buf_printf(&look->others, is_array ? "%s[[%s]]" : "%s[%s]",
                           look->others.length > 0 ? ", " : "",
                           config_table_names[i]);
        }
    }
}

/* --- looking --- */

/* An empty file is valid TOML, and so are most beginnings of a longer one. A
 * list that was there and is gone is a file in the making or a slip; to close a
 * server to everybody, entries are revoked. */
static int check_entries(const struct reload_look *look,
                         const struct config *config, struct jz__error *error)
{
    if (config->client_count == 0 && look->has_entries) {
        return jz__fail(error, JZ_EINVAL, "%s has no [[clients]]", look->path);
    }
    return 0;
}

/* 0 with *found, or a failure that leaves everything as it was. */
static int load(struct reload_look *look, bool is_asked,
                enum reload_found *found)
{
    JZ_CLEANUP(config_finish) struct config config;
    uint64_t tables[RELOAD_TABLES];
    int r = config_load(&config, look->path, look->home, &look->error);

    if (r == 0) {
        r = check_entries(look, &config, &look->error);
    }
    if (r < 0) {
        return r;
    }
    hash_tables(tables, &config);
    *found = RELOAD_NOTHING;
    if (is_asked || tables[CLIENTS] != look->loaded[CLIENTS]) {
        r = auth_table_build(&look->clients, config.clients,
                             config.client_count, auth_getenv, look->log,
                             &look->error);
        *found = RELOAD_CLIENTS;
    }
    if (r < 0) {
        return r;
    }
    put_changed(look, tables);
    if (*found == RELOAD_NOTHING && (look->others.length > 0 || look->is_bad)) {
        *found = RELOAD_OTHERS;
    }
    memcpy(look->loaded, tables, sizeof(tables));
    look->has_entries = config.client_count > 0;
    return 0;
}

/* Once a change: the same fault of the same file is told already when it is
 * read again because it is young, or could not be read. */
static enum reload_found judge_fault(struct reload_look *look, bool is_known)
{
    uint64_t reason = jz__str_hash(jz__str_of(look->error.message), 1);
    bool is_news = !is_known || !look->is_bad || reason != look->reason;

    look->is_bad = true;
    look->reason = reason;
    return is_news ? RELOAD_BAD : RELOAD_NOTHING;
}

/* Leave it alone for a moment? */
static bool is_moving(struct reload_look *look,
                      const struct reload_stamp *stamp, int64_t now_ns)
{
    if (stamp->number == 0 && !is_younger(stamp, MOVING_NS, now_ns)) {
        return false;
    }
    return ++look->postponed <= POSTPONED_MOST;
}

enum reload_found reload_look(struct reload_look *look, bool is_asked,
                              int64_t now_ns)
{
    const struct reload_stamp stamp = take_stamp(look->path);
    bool is_seen = is_same_stamp(&stamp, &look->seen);
    enum reload_found found = RELOAD_NOTHING;
    int r;

    assert(look->clients == NULL);

    if (!is_asked && is_seen && look->is_settled) {
        return RELOAD_NOTHING;
    }
    if (!is_asked && !is_seen && is_moving(look, &stamp, now_ns)) {
        return RELOAD_MOVING;
    }
    look->postponed = 0;
    look->was_bad = look->is_bad;
    jz__buf_clear(&look->others);
    r = load(look, is_asked, &found);
    look->seen = stamp;
    /* What failed for a reason outside the file (no descriptor, no right to
     * read) may work the next time without a change of the stamp. */
    look->is_settled = (r == 0 || r == JZ_EINVAL || stamp.number != 0) &&
                       !is_younger(&stamp, SETTLED_NS, now_ns);
    if (r < 0) {
        return judge_fault(look, is_seen && !is_asked);
    }
    look->is_bad = false;
    return found;
}

/* Nothing is taken for seen: the file may have changed since the server read
 * it. */
void reload_look_init(struct reload_look *look, const struct config *running)
{
    assert(config_table_names[RELOAD_TABLES] == NULL);

    hash_tables(look->running, running);
    memcpy(look->loaded, look->running, sizeof(look->loaded));
    look->has_entries = running->client_count > 0;
}

void reload_look_finish(struct reload_look *look)
{
    auth_table_free(look->clients);
    look->clients = NULL;
    jz__buf_finish(&look->others);
}
