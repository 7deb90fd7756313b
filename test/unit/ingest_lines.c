/* SPDX-License-Identifier: Apache-2.0 */
/* A transcript's lines in all the states in which an agent can leave them. */
#include "ingest/lines.h"

#include <sys/resource.h>

#include "tap.h"
#include "tmpdir.h"

#define RECORD(n) "{\"type\":\"user\",\"timestamp\":\"t\",\"n\":" #n "}"

/* The numbers of the records in order: "1 2 3". */
static void check_numbers(struct jz__lines *lines, const char *want)
{
    struct jz__buf shown = JZ__BUF_INIT;
    int64_t number;
    int r;

    jz__buf_puts(&shown, "");
    while ((r = jz__lines_next(lines, NULL)) == 1) {
        if (!jz__scan_int(&number, &lines->scan,
                          jz__scan_get(&lines->scan, 0, "n"))) {
            number = -1;
        }
        jz__buf_printf(&shown, shown.length > 0 ? " %d" : "%d", (int)number);
    }
    CHECK_INT(r, 0);
    CHECK_STR(shown.data, want);
    jz__buf_finish(&shown);
}

/* Read a file of these bytes; the counters are in *lines, finished. */
static void read_bytes(struct jz__lines *lines, const char *text, size_t length,
                       const char *want)
{
    struct tmpdir dir;
    struct jz__lines read;

    memset(&read, 0, sizeof(read));
    read.is_skipped = lines->is_skipped;
    tmpdir_make(&dir);
    CHECK_INT(
        jz__lines_open(&read, tmpdir_write(&dir, "f", text, length), NULL), 0);
    check_numbers(&read, want);
    *lines = read;
    jz__lines_finish(&read);
    tmpdir_remove(&dir);
}

static struct jz__lines read_text(const char *text, const char *want)
{
    struct jz__lines lines;

    memset(&lines, 0, sizeof(lines));
    read_bytes(&lines, text, strlen(text), want);
    return lines;
}

static void records_come_in_order(void)
{
    struct jz__lines lines = read_text(
        RECORD(1) "\n" RECORD(2) "\r\n\n  \n" RECORD(3) "\n", "1 2 3");

    CHECK_INT(lines.count, 3);
    CHECK_INT(lines.bad, 0);
    CHECK(!lines.is_partial);
}

static void last_line_without_newline_is_read(void)
{
    struct jz__lines lines = read_text(RECORD(1) "\n" RECORD(2), "1 2");

    CHECK_INT(lines.count, 2);
    CHECK(!lines.is_partial);
}

static void broken_last_line_is_left(void)
{
    struct jz__lines lines =
        read_text(RECORD(1) "\n{\"type\":\"user\",\"n\":2,\"text\":\"hel", "1");

    CHECK(lines.is_partial);
    CHECK_INT(lines.bad, 0);
}

static void record_in_front_of_a_broken_last_one_is_read(void)
{
    struct jz__lines lines = read_text(RECORD(1) "{\"type\":\"us", "1");

    CHECK(lines.is_partial);
    CHECK_INT(lines.bad, 0);
}

static void unreadable_line_in_the_middle_is_counted(void)
{
    struct jz__lines lines =
        read_text(RECORD(1) "\n{\"type\":\"user\",\n"
                            "nonsense\n[1,2]\n" RECORD(2) "\n",
                  "1 2");

    CHECK_INT(lines.count, 5);
    CHECK_INT(lines.bad, 3);
    CHECK(!lines.is_partial);
}

static void glued_records_are_split(void)
{
    struct jz__lines lines = read_text(
        RECORD(1) RECORD(2) " " RECORD(3) "\n" RECORD(4) "\n", "1 2 3 4");

    CHECK_INT(lines.count, 2);
    CHECK_INT(lines.bad, 0);
}

static void rest_behind_the_first_record_is_tried(void)
{
    struct jz__lines lines =
        read_text(RECORD(1) "garbage" RECORD(2) "\n" RECORD(3) "\n", "1 2 3");

    CHECK_INT(lines.bad, 1);
}

static void record_behind_a_cut_one_is_found(void)
{
    struct jz__lines lines = read_text(
        "{\"type\":\"user\",\"text\":\"hello wor" RECORD(
            2) "\n"
               "{\"type\":\"user\",\"message\":{\"role\":" RECORD(3) "\n",
        "2 3");

    CHECK_INT(lines.bad, 2);
}

static void part_of_a_cut_record_is_no_record(void)
{
    struct jz__lines lines = read_text(
        "{\"timestamp\":\"t\",\"payload\":{\"type\":\"message\",\"n\":1}\n"
        "{\"a\":{\"type\":\"x\",\"n\":2}\n"
        "{\"a\":[" RECORD(3) ",{\"b\":\n",
        "");

    CHECK_INT(lines.bad, 3);
}

static void byte_order_mark_is_ignored(void)
{
    struct jz__lines lines = read_text("\xEF\xBB\xBF" RECORD(1) "\n", "1");

    CHECK_INT(lines.bad, 0);
}

static void zero_bytes_cost_one_line(void)
{
    static const char text[] = RECORD(1) "\n\0\0\0" RECORD(2) "\n" RECORD(3);
    struct jz__lines lines;

    memset(&lines, 0, sizeof(lines));
    read_bytes(&lines, text, sizeof(text) - 1, "1 2 3");
    CHECK_INT(lines.bad, 1);
}

static void empty_file_has_no_lines(void)
{
    struct jz__lines lines = read_text("", "");

    CHECK_INT(lines.count, 0);
    CHECK(!lines.is_partial);
}

static bool is_first(struct jz__str line)
{
    return jz__str_is(line, RECORD(1));
}

static void lines_can_be_skipped_unread(void)
{
    static const char text[] = RECORD(1) "\n" RECORD(2) "\n" RECORD(1);
    struct jz__lines lines;

    memset(&lines, 0, sizeof(lines));
    lines.is_skipped = is_first;
    /* The last line has no end, so its end is not known to be one. */
    read_bytes(&lines, text, sizeof(text) - 1, "2 1");
    CHECK_INT(lines.skipped, 1);
    CHECK_INT(lines.count, 3);
}

/* Write `megabytes` of one byte into the file. */
static void write_much(FILE *file, int megabytes, char byte)
{
    static char block[1 << 20];
    int i;

    memset(block, byte, sizeof(block));
    for (i = 0; i < megabytes; i++) {
        if (fwrite(block, 1, sizeof(block), file) != sizeof(block)) {
            tmpdir_die("cannot write", "block");
        }
    }
}

static FILE *open_for_writing(const char *path)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL) {
        tmpdir_die("cannot write", path);
    }
    return file;
}

static void line_of_100_megabytes_is_read_in_bounded_memory(void)
{
    struct tmpdir dir;
    struct jz__lines lines;
    struct rusage usage;
    FILE *file;

    tmpdir_make(&dir);
    file = open_for_writing(tmpdir_path(&dir, "f"));
    fputs(RECORD(1) "\n{\"type\":\"user\",\"data\":\"", file);
    write_much(file, 100, 'A');
    fputs("\",\"n\":2}\n" RECORD(3) "\n", file);
    fclose(file);
    memset(&lines, 0, sizeof(lines));
    CHECK_INT(jz__lines_open(&lines, tmpdir_path(&dir, "f"), NULL), 0);
    check_numbers(&lines, "1 2 3");
    CHECK_INT(lines.too_long, 0);
    jz__lines_finish(&lines);
    CHECK_INT(getrusage(RUSAGE_SELF, &usage), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(usage.ru_maxrss < 64 * 1024);
#endif
    tmpdir_remove(&dir);
}

static void line_too_long_without_its_strings_is_skipped(void)
{
    struct tmpdir dir;
    struct jz__lines lines;
    FILE *file;
    int i;

    tmpdir_make(&dir);
    file = open_for_writing(tmpdir_path(&dir, "f"));
    fputs(RECORD(1) "\n{\"list\":[0", file);
    for (i = 0; i < 3 << 20; i++) {
        fputs(",7", file);
    }
    fputs("]}\n" RECORD(3) "\n", file);
    fclose(file);
    memset(&lines, 0, sizeof(lines));
    CHECK_INT(jz__lines_open(&lines, tmpdir_path(&dir, "f"), NULL), 0);
    check_numbers(&lines, "1 3");
    CHECK_INT(lines.too_long, 1);
    CHECK_INT(lines.bad, 0);
    CHECK_INT(lines.count, 3);
    jz__lines_finish(&lines);
    tmpdir_remove(&dir);
}

/* A line of a thousand beginnings of records, each of which fails at the end,
 * costs a few scans and not a thousand. */
static void line_of_beginnings_costs_few_scans(void)
{
    struct jz__buf text = JZ__BUF_INIT;
    struct jz__lines lines;
    int i;

    for (i = 0; i < 3000; i++) {
        jz__buf_puts(&text, "{\"type\":[");
    }
    jz__buf_puts(&text, "\n" RECORD(2) "\n");
    lines = read_text(text.data, "2");
    CHECK_INT(lines.bad, 1);
    jz__buf_finish(&text);
}

int main(void)
{
    TAP_RUN(line_of_100_megabytes_is_read_in_bounded_memory);
    TAP_RUN(line_too_long_without_its_strings_is_skipped);
    TAP_RUN(records_come_in_order);
    TAP_RUN(last_line_without_newline_is_read);
    TAP_RUN(broken_last_line_is_left);
    TAP_RUN(record_in_front_of_a_broken_last_one_is_read);
    TAP_RUN(unreadable_line_in_the_middle_is_counted);
    TAP_RUN(glued_records_are_split);
    TAP_RUN(rest_behind_the_first_record_is_tried);
    TAP_RUN(record_behind_a_cut_one_is_found);
    TAP_RUN(part_of_a_cut_record_is_no_record);
    TAP_RUN(byte_order_mark_is_ignored);
    TAP_RUN(zero_bytes_cost_one_line);
    TAP_RUN(empty_file_has_no_lines);
    TAP_RUN(lines_can_be_skipped_unread);
    TAP_RUN(line_of_beginnings_costs_few_scans);
    return tap_done();
}
