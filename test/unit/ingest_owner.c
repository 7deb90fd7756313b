/* SPDX-License-Identifier: Apache-2.0 */
/* Whose message is it? Tables of documents that share messages. */
#include "ingest/owner.h"

#include "base/mem.h"
#include "jezero.h"
#include "tap.h"

/* Who owns this key? -1: nobody, -2: more than one. */
static int owner_of(const struct jz__owner_record *records, size_t count,
                    uint64_t key)
{
    int owner = -1;
    size_t i;

    for (i = 0; i < count; i++) {
        if (records[i].key == key && records[i].is_owned) {
            owner = owner == -1 ? (int)records[i].holder : -2;
        }
    }
    return owner;
}

static void a_document_alone_owns_its_messages(void)
{
    struct jz__owner_record records[] = { { 7, 1, 0, false, false },
                                          { 3, 2, 0, false, false } };
    const struct jz__owner_holder holders[] = { { "a", NULL, INT64_MAX,
                                                  false } };

    CHECK_INT(jz__owner_decide(records, 2, holders, 1), 0);
    CHECK_INT(owner_of(records, 2, 7), 0);
    CHECK_INT(owner_of(records, 2, 3), 0);
}

/* 0 holds keys 1 and 2, 1 holds 1, 2 and its own 3, dated later. */
static void check_copy(const char *original, const char *copy, bool reverse)
{
    struct jz__owner_record records[] = {
        { 1, 10, 0, false, false }, { 2, 20, 0, false, false },
        { 1, 10, 1, false, false }, { 2, 20, 1, false, false },
        { 3, 99, 1, false, false },
    };
    struct jz__owner_holder holders[] = {
        { original, NULL, INT64_MAX, false },
        { copy, NULL, INT64_MAX, false },
    };
    size_t i;

    if (reverse) {
        struct jz__owner_holder first = holders[0];

        holders[0] = holders[1];
        holders[1] = first;
        for (i = 0; i < JZ__LENGTH(records); i++) {
            records[i].holder = 1 - records[i].holder;
        }
    }
    CHECK_INT(jz__owner_decide(records, 5, holders, 2), 0);
    CHECK_INT(owner_of(records, 5, 1), reverse);
    CHECK_INT(owner_of(records, 5, 2), reverse);
    CHECK_INT(owner_of(records, 5, 3), !reverse);
}

static void a_copy_keeps_its_new_part_alone_in_any_order_and_by_any_name(void)
{
    check_copy("aaa", "bbb", false);
    check_copy("aaa", "bbb", true);
    check_copy("bbb", "aaa", false);
    check_copy("bbb", "aaa", true);
}

static void the_earlier_record_of_its_own_decides(void)
{
    struct jz__owner_record records[] = { { 1, 50, 0, false, false },
                                          { 1, 50, 1, false, false } };
    const struct jz__owner_holder holders[] = { { "aaa", NULL, 40, false },
                                                { "bbb", NULL, 30, false } };

    CHECK_INT(jz__owner_decide(records, 2, holders, 2), 0);
    CHECK_INT(owner_of(records, 2, 1), 1);
}

static void the_smaller_id_breaks_a_tie(void)
{
    struct jz__owner_record records[] = { { 1, 50, 0, false, false },
                                          { 1, 50, 1, false, false } };
    const struct jz__owner_holder holders[] = { { "bbb", NULL, 30, false },
                                                { "aaa", NULL, 30, false } };

    CHECK_INT(jz__owner_decide(records, 2, holders, 2), 0);
    CHECK_INT(owner_of(records, 2, 1), 1);
}

static void a_named_parent_comes_before_everything(void)
{
    struct jz__owner_record records[] = { { 1, 50, 0, false, false },
                                          { 1, 50, 1, false, false } };
    const struct jz__owner_holder holders[] = { { "child", "zzz", 10, false },
                                                { "zzz", NULL, 90, false } };

    CHECK_INT(jz__owner_decide(records, 2, holders, 2), 0);
    CHECK_INT(owner_of(records, 2, 1), 1);
}

static void parents_in_a_circle_still_give_one_owner(void)
{
    struct jz__owner_record records[] = { { 1, 50, 0, false, false },
                                          { 1, 50, 1, false, false } };
    const struct jz__owner_holder holders[] = { { "a", "b", 10, false },
                                                { "b", "a", 10, false } };

    CHECK_INT(jz__owner_decide(records, 2, holders, 2), 0);
    CHECK(owner_of(records, 2, 1) >= 0);
}

static void a_vanished_file_keeps_what_it_had_and_gains_nothing(void)
{
    struct jz__owner_record records[] = {
        { 1, 50, 0, false, true },
        { 1, 50, 1, false, false },
        { 2, 60, 0, false, false },
        { 2, 60, 1, false, false },
    };
    const struct jz__owner_holder holders[] = { { "zzz", NULL, 90, true },
                                                { "aaa", NULL, 10, false } };

    CHECK_INT(jz__owner_decide(records, 4, holders, 2), 0);
    CHECK_INT(owner_of(records, 4, 1), 0);
    CHECK_INT(owner_of(records, 4, 2), 1);
}

static void every_message_has_one_owner_among_many_copies(void)
{
    enum {
        DOCUMENTS = 20,
        KEYS = 50
    };
    struct jz__owner_record records[DOCUMENTS * KEYS];
    struct jz__owner_holder holders[DOCUMENTS];
    char names[DOCUMENTS][16];
    size_t count = 0;
    uint64_t key;
    uint32_t d;

    for (d = 0; d < DOCUMENTS; d++) {
        snprintf(names[d], sizeof(names[d]), "s%02u", (d * 7) % DOCUMENTS);
        holders[d] =
            (struct jz__owner_holder){ names[d], NULL, INT64_MAX, false };
        for (key = 0; key < KEYS; key++) {
            if (key % (d + 2) != 1) {
                records[count++] = (struct jz__owner_record){ key, (int64_t)key,
                                                              d, false, false };
            }
        }
    }
    CHECK_INT(jz__owner_decide(records, count, holders, DOCUMENTS), 0);
    /* Key 1 is in no document. */
    for (key = 2; key < KEYS; key++) {
        CHECK(owner_of(records, count, key) >= 0);
    }
}

int main(void)
{
    TAP_RUN(a_document_alone_owns_its_messages);
    TAP_RUN(a_copy_keeps_its_new_part_alone_in_any_order_and_by_any_name);
    TAP_RUN(the_earlier_record_of_its_own_decides);
    TAP_RUN(the_smaller_id_breaks_a_tie);
    TAP_RUN(a_named_parent_comes_before_everything);
    TAP_RUN(parents_in_a_circle_still_give_one_owner);
    TAP_RUN(a_vanished_file_keeps_what_it_had_and_gains_nothing);
    TAP_RUN(every_message_has_one_owner_among_many_copies);
    return tap_done();
}
