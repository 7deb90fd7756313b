/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, buffers and slices: what everything else stands on. */
#include "base/mem.h"

#include "base/buf.h"
#include "base/str.h"
#include "jezero.h"
#include "tap.h"

static void an_arena_gives_zeroed_aligned_memory_of_any_size(void)
{
    JZ_CLEANUP(jz__arena_finish) struct jz__arena arena = JZ__ARENA_INIT;
    size_t size;

    for (size = 0; size < 200000; size = size * 3 + 1) {
        char *memory = jz__arena_alloc(&arena, size);
        size_t i;

        CHECK(memory != NULL);
        CHECK_INT((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (i = 0; i < size; i++) {
            if (memory[i] != 0) {
                CHECK(memory[i] == 0);
                break;
            }
        }
        memset(memory, 0xA5, size);
    }
    CHECK(arena.total >= 200000 / 3);
}

static void an_arena_can_be_used_again_after_it_was_finished(void)
{
    struct jz__arena arena = JZ__ARENA_INIT;

    CHECK_STR(jz__arena_copy(&arena, "abc", 3), "abc");
    jz__arena_finish(&arena);
    CHECK_INT(arena.total, 0);
    CHECK_STR(jz__arena_copy(&arena, NULL, 0), "");
    jz__arena_finish(&arena);
}

static void growth_that_does_not_fit_is_refused(void)
{
    int *array = NULL;
    size_t capacity = 0;

    CHECK_INT(jz__mem_grow(&array, &capacity, SIZE_MAX / 2, sizeof(int)),
              JZ_ENOMEM);
    CHECK(array == NULL && capacity == 0);
    CHECK_INT(jz__mem_grow(&array, &capacity, 5, sizeof(int)), 0);
    CHECK(capacity >= 5);
    free(array);
}

static void a_stolen_pointer_is_gone(void)
{
    char *text = jz__mem_copy("x", 1);
    char *taken = jz__mem_steal(&text);

    CHECK(text == NULL);
    CHECK_STR(taken, "x");
    free(taken);
}

static void a_buffer_keeps_its_first_error(void)
{
    struct jz__buf buf = JZ__BUF_INIT;
    char *out = (char *)1;

    jz__buf_puts(&buf, "abc");
    CHECK(jz__buf_reserve(&buf, SIZE_MAX - 2) == NULL);
    jz__buf_puts(&buf, "def");
    CHECK_INT(buf.length, 3);
    CHECK_INT(jz__buf_take(&out, &buf), JZ_ENOMEM);
    CHECK(out == NULL);
    jz__buf_clear(&buf);
    jz__buf_printf(&buf, "%d-%s", 42, "x");
    CHECK_INT(jz__buf_take(&out, &buf), 0);
    CHECK_STR(out, "42-x");
    free(out);
}

static void an_empty_buffer_is_taken_as_an_empty_text(void)
{
    struct jz__buf buf = JZ__BUF_INIT;
    char *out = NULL;

    CHECK_INT(jz__buf_take(&out, &buf), 0);
    CHECK_STR(out, "");
    free(out);
}

static void lines_end_at_lf_or_crlf(void)
{
    struct jz__str rest = JZ__STR("a\r\n\nb\rc");
    struct jz__str line;

    CHECK(jz__str_line(&line, &rest) && jz__str_is(line, "a"));
    CHECK(jz__str_line(&line, &rest) && jz__str_is(line, ""));
    CHECK(jz__str_line(&line, &rest) && jz__str_is(line, "b\rc"));
    CHECK(!jz__str_line(&line, &rest));
}

static void slices_are_compared_and_searched(void)
{
    struct jz__str text = JZ__STR("Content-Type: JSON");

    CHECK(jz__str_starts(text, "Content"));
    CHECK(!jz__str_starts(text, "content"));
    CHECK(jz__str_starts_nocase(text, "content-TYPE"));
    CHECK(jz__str_ends(text, "JSON"));
    CHECK_INT(jz__str_find(text, ": "), 12);
    CHECK_INT(jz__str_find_nocase(text, "json"), 14);
    CHECK(jz__str_find(text, "xml") == SIZE_MAX);
    CHECK(jz__str_is(jz__str_trim(JZ__STR(" \t x y \r\n")), "x y"));
    CHECK_INT(jz__str_trim(JZ__STR("  ")).length, 0);
    CHECK(jz__str_is_nocase(JZ__STR("AbC"), "aBc"));
}

static void a_hash_is_the_same_for_ever(void)
{
    /* It is stored: a change here makes every stored key worthless. */
    CHECK_INT((int64_t)jz__str_hash(JZ__STR(""), 0), -1166397803181037274);
    CHECK(jz__str_hash(JZ__STR("a"), 0) != jz__str_hash(JZ__STR("a"), 1));
    CHECK(jz__str_hash(JZ__STR("ab"), 0) != jz__str_hash(JZ__STR("ba"), 0));
}

int main(void)
{
    TAP_RUN(an_arena_gives_zeroed_aligned_memory_of_any_size);
    TAP_RUN(an_arena_can_be_used_again_after_it_was_finished);
    TAP_RUN(growth_that_does_not_fit_is_refused);
    TAP_RUN(a_stolen_pointer_is_gone);
    TAP_RUN(a_buffer_keeps_its_first_error);
    TAP_RUN(an_empty_buffer_is_taken_as_an_empty_text);
    TAP_RUN(lines_end_at_lf_or_crlf);
    TAP_RUN(slices_are_compared_and_searched);
    TAP_RUN(a_hash_is_the_same_for_ever);
    return tap_done();
}
