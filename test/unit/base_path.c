/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "tap.h"

static void join_is(const char *base, const char *name, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__path_join(&out, base, name);
    CHECK_STR(out.data, want);
}

static void normal_is(const char *path, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__path_normalize(&out, path);
    CHECK_STR(out.data, want);
}

static void expansion_is(const char *path, const char *home, const char *want)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__path_expand(&out, path, home);
    CHECK_STR(out.data, want);
}

static void slice_is(struct jz__str slice, const char *want)
{
    JZ_CLEANUP(jz__mem_freep)
    char *text = jz__mem_copy(slice.data, slice.length);

    CHECK_STR(text, want);
}

static void joining_puts_one_slash(void)
{
    join_is("/a", "b", "/a/b");
    join_is("/a/", "b", "/a/b");
    join_is("/", "b", "/b");
    join_is("a", "b/c", "a/b/c");
    join_is("", "b", "b");
    join_is("/a", "/b", "/b");
}

static void the_name_is_the_last_part(void)
{
    slice_is(jz__path_name("/home/dana/billing"), "billing");
    slice_is(jz__path_name("/home/dana/billing//"), "billing");
    slice_is(jz__path_name("billing"), "billing");
    slice_is(jz__path_name("/"), "");
    slice_is(jz__path_name("///"), "");
    slice_is(jz__path_name(""), "");
}

static void the_parent_is_all_before_it(void)
{
    slice_is(jz__path_parent("/home/dana"), "/home");
    slice_is(jz__path_parent("/home//dana/"), "/home");
    slice_is(jz__path_parent("/home"), "/");
    slice_is(jz__path_parent("//home"), "/");
    slice_is(jz__path_parent("/"), "/");
    slice_is(jz__path_parent("a/b"), "a");
    slice_is(jz__path_parent("a"), ".");
    slice_is(jz__path_parent(""), ".");
}

static void normalizing_removes_what_says_nothing(void)
{
    normal_is("/a//b/./c/", "/a/b/c");
    normal_is("/a/b/../c", "/a/c");
    normal_is("/a/..", "/");
    normal_is("/../../a", "/a");
    normal_is("/", "/");
    normal_is("//", "/");
    normal_is("", ".");
    normal_is(".", ".");
    normal_is("./a/.", "a");
    normal_is("a/..", ".");
    normal_is("a/../../b", "../b");
    normal_is("../../a/..", "../..");
    normal_is("a/b/../../..", "..");
    normal_is("/a/...", "/a/...");
    normal_is("/a/..b/.c", "/a/..b/.c");
}

static void normalizing_appends(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&out, "cwd=");
    jz__path_normalize(&out, "../a");
    CHECK_STR(out.data, "cwd=../a");
    jz__path_normalize(&out, "/..");
    CHECK_STR(out.data, "cwd=../a/");
}

static void below_goes_by_whole_parts(void)
{
    CHECK(jz__path_is_below("/a/b", "/a/b"));
    CHECK(jz__path_is_below("/a/b/c", "/a/b"));
    CHECK(!jz__path_is_below("/a/bc", "/a/b"));
    CHECK(!jz__path_is_below("/a", "/a/b"));
    CHECK(jz__path_is_below("/a", "/"));
    CHECK(jz__path_is_below("/", "/"));
    CHECK(!jz__path_is_below("a", "/"));
    CHECK(!jz__path_is_below("/a", ""));
}

static void a_tilde_is_home_only_at_the_start(void)
{
    expansion_is("~", "/home/dana", "/home/dana");
    expansion_is("~/x", "/home/dana", "/home/dana/x");
    expansion_is("~/x", "/home/dana/", "/home/dana/x");
    expansion_is("~/x", "/", "/x");
    expansion_is("~", "/", "/");
    expansion_is("~dana/x", "/home/dana", "~dana/x");
    expansion_is("/a/~/x", "/home/dana", "/a/~/x");
    expansion_is("", "/home/dana", "");
}

int main(void)
{
    TAP_RUN(joining_puts_one_slash);
    TAP_RUN(the_name_is_the_last_part);
    TAP_RUN(the_parent_is_all_before_it);
    TAP_RUN(normalizing_removes_what_says_nothing);
    TAP_RUN(normalizing_appends);
    TAP_RUN(below_goes_by_whole_parts);
    TAP_RUN(a_tilde_is_home_only_at_the_start);
    return tap_done();
}
