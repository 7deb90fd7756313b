/* SPDX-License-Identifier: Apache-2.0 */
/* The list of events: order, limits, and the calls that results belong to. */
#include "ingest/conversation.h"

#include "base/utf8.h"
#include "ingest/calls.h"
#include "ingest/intake.h"
#include "tap.h"

/* Sort `count` events whose times come from a small generator, and check that
 * those of one time keep the order in which they were added. */
static void check_sorted(size_t count, unsigned int times)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    uint32_t state = 12345 + (uint32_t)count;
    size_t i;

    for (i = 0; i < count; i++) {
        struct jz__event *event = jz__conversation_add(&talk);

        state = state * 1664525 + 1013904223;
        event->time_ms = (state >> 8) % times;
        event->key = i;
    }
    jz__conversation_sort(&talk);
    for (i = 1; i < count; i++) {
        const struct jz__event *a = &talk.events[i - 1];
        const struct jz__event *b = &talk.events[i];

        if (!CHECK(a->time_ms < b->time_ms ||
                   (a->time_ms == b->time_ms && a->key < b->key))) {
            break;
        }
    }
    jz__conversation_finish(&talk);
}

static void sort_is_stable_for_every_size(void)
{
    size_t count;

    for (count = 0; count < 200; count++) {
        check_sorted(count, 1000);
        check_sorted(count, 3);
        check_sorted(count, 1);
    }
    check_sorted(100000, 500);
}

static void conversation_has_a_limit(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__intake intake;
    static char text[19000];
    int i;

    memset(text, 'x', sizeof(text));
    jz__intake_init(&intake, &talk);
    for (i = 0; i < 8000; i++) {
        struct jz__str message = { text, sizeof(text) };

        if (jz__intake_message(NULL, &intake, JZ__EVENT_USER, (uint64_t)i,
                               message) < 0) {
            CHECK(false);
        }
    }
    CHECK(talk.is_cut);
    CHECK(talk.arena.total < JZ__CONVERSATION_BYTES_MOST + (1u << 20));
    CHECK(talk.count > 4000 && talk.count < 8000);
    jz__intake_finish(&intake);
    jz__conversation_finish(&talk);
}

static void calls_are_found_again(void)
{
    struct jz__calls calls = { NULL, 0, 0 };
    char id[32];
    size_t i;

    for (i = 0; i < 5000; i++) {
        (void)snprintf(id, sizeof(id), "call_%zu", i);
        CHECK_INT(jz__calls_get(&calls, jz__str_of(id))->event, SIZE_MAX);
        jz__calls_get(&calls, jz__str_of(id))->event = i;
    }
    for (i = 0; i < 5000; i++) {
        (void)snprintf(id, sizeof(id), "call_%zu", i);
        CHECK_INT(jz__calls_get(&calls, jz__str_of(id))->event, i);
    }
    CHECK_INT(calls.count, 5000);
    jz__calls_finish(&calls);
}

static void key_is_made_of_uuid_role_and_text(void)
{
    struct jz__conversation talk = JZ__CONVERSATION_INIT;
    struct jz__intake intake;
    uint64_t a;
    uint64_t b;

    jz__intake_init(&intake, &talk);
    intake.time_ms = 1;
    a = jz__intake_identity(&intake, JZ__STR("5f0e"), 0);
    CHECK(a != jz__intake_identity(&intake, JZ__STR("5f0e"), 1));
    b = jz__intake_identity(&intake, JZ__STR(""), 0);
    intake.time_ms = 2;
    CHECK(a == jz__intake_identity(&intake, JZ__STR("5f0e"), 0));
    CHECK(b != jz__intake_identity(&intake, JZ__STR(""), 0));
    CHECK_INT(
        jz__intake_message(NULL, &intake, JZ__EVENT_USER, a, JZ__STR("x")), 0);
    CHECK_INT(
        jz__intake_message(NULL, &intake, JZ__EVENT_ASSISTANT, a, JZ__STR("x")),
        0);
    CHECK_INT(
        jz__intake_message(NULL, &intake, JZ__EVENT_USER, a, JZ__STR("y")), 0);
    CHECK(talk.events[0].key != talk.events[1].key);
    CHECK(talk.events[0].key != talk.events[2].key);
    jz__intake_finish(&intake);
    jz__conversation_finish(&talk);
}

int main(void)
{
    TAP_RUN(sort_is_stable_for_every_size);
    TAP_RUN(conversation_has_a_limit);
    TAP_RUN(calls_are_found_again);
    TAP_RUN(key_is_made_of_uuid_role_and_text);
    return tap_done();
}
