/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a shell command is kept, and what becomes of the rest. */
#include "ingest/extract_internal.h"
#include "tap.h"

static void check_core(const char *command, const char *want, bool is_reader)
{
    struct jz__buf out = JZ__BUF_INIT;
    struct jz__extract_shell info;
    char *text = NULL;

    jz__extract_shell_read(&out, &info, jz__str_of(command));
    CHECK_INT(jz__buf_take(&text, &out), 0);
    CHECK_STR(text, want);
    CHECK_INT(info.is_reader, is_reader);
    CHECK_INT(info.score > 0, want[0] != '\0');
    free(text);
    jz__buf_finish(&out);
}

static void looking_around_is_dropped(void)
{
    check_core("ls -la src", "", true);
    check_core("cat README.md | head -20", "", true);
    check_core("git status && git log --oneline -5", "", true);
    check_core("grep -rn 'parse' lib | wc -l", "", true);
    check_core("sed -n '1,40p' main.c; echo ---", "", true);
    check_core("cd /srv/shop && pwd && sleep 2", "", false);
    check_core("go version; npm --version", "", false);
    check_core("git tag -l", "", true);
    check_core("bash <<'EOF'\nmake\nEOF", "", false);
    check_core("python3 - <<'EOF'\nprint(1)\nEOF", "", false);
    check_core("gh pr view 12 --json title", "", false);
    check_core("GOROOT=$(go env GOROOT) && ls $GOROOT", "", true);
}

static void work_is_kept_without_its_frame(void)
{
    check_core("cd /srv/shop && make test 2>&1 | tail -30", "make test", false);
    check_core("npm ci && npm run build; git status", "npm ci && npm run build",
               true);
    check_core("env CC=clang ninja -C build > /dev/null",
               "env CC=clang ninja -C build", false);
    check_core("timeout 60 pytest -q tests/test_price.py",
               "timeout 60 pytest -q tests/test_price.py", false);
    check_core("# build first\nmake -j4\n./deploy.sh staging",
               "make -j4 && ./deploy.sh staging", false);
    check_core("echo 'a && b' && cargo test -- --nocapture",
               "cargo test -- --nocapture", true);
    check_core("alembic upgrade head || true", "alembic upgrade head", false);
}

static void many_lines_become_one(void)
{
    check_core("git commit -m \"$(cat <<'EOF'\nRound prices half to even\n\n"
               "The old rule lost a cent.\nEOF\n)\" && git push",
               "git commit -m \"Round prices half to even\" && git push",
               false);
    check_core("psql -d shop <<'SQL'\nselect 1;\nSQL\n", "psql -d shop <<'SQL'",
               false);
    check_core("docker build \\\n  -t shop:dev \\\n  .",
               "docker build    -t shop:dev    .", false);
    check_core("git commit -m \"One line\n\nand a body\"",
               "git commit -m \"One line\"", false);
}

static void quotes_that_do_not_close_harm_nothing(void)
{
    check_core("make \"never closed; ls", "make \"never closed; ls", false);
    check_core("cat <<EOF\nnever closed", "", true);
    check_core("", "", false);
    check_core("\\", "", false);
}

static void subject_is_the_first_line_of_the_message(void)
{
    static const struct {
        const char *command;
        const char *subject;
    } cases[] = {
        { "git commit -m \"Add a price cache\"", "Add a price cache" },
        { "git add . && git commit -qam \"Fix rounding\nbody\"",
          "Fix rounding" },
        { "git commit -m \"$(cat <<'EOF'\nShip it\n\nbody\nEOF\n)\"",
          "Ship it" },
        { "git commit --amend --no-edit", "" },
        { "git log", "" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(cases); i++) {
        struct jz__str got =
            jz__extract_shell_subject(jz__str_of(cases[i].command));

        if (!CHECK(jz__str_is(got, cases[i].subject))) {
            printf("# is '%.*s', want '%s'\n", (int)got.length, got.data,
                   cases[i].subject);
        }
    }
}

int main(void)
{
    TAP_RUN(looking_around_is_dropped);
    TAP_RUN(work_is_kept_without_its_frame);
    TAP_RUN(many_lines_become_one);
    TAP_RUN(quotes_that_do_not_close_harm_nothing);
    TAP_RUN(subject_is_the_first_line_of_the_message);
    return tap_done();
}
