/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads on a real loop into a real folder. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/mem.h"
#include "inbox.h"
#include "tap.h"
#include "tmpdir.h"

#define UPLOADS_MOST 40
#define LINE "{\"type\":\"user\"}\n"
#define PLACE "claude-code/-home-dana-shop/one.jsonl"

/* "{\"a\":1}\n" */
static const char gzip[] =
    "\x1f\x8b\x08\x08\x00\xf1\x53\x65\x02\xff\x61\x00\xab\x56\x4a\x54"
    "\xb2\x32\xac\xe5\x02\x00\x46\xa3\xe8\x74\x08\x00\x00\x00";

/* What one test has set up. */
static struct tmpdir dir;
static uv_loop_t loop;
static struct inbox *inbox;
static int arrivals;
static char arrival_path[4096];
static char arrival_source[256];
static char arrival_project[256];

/* One client, which sends a text `repeats` times and keeps to on_room. */
struct client {
    struct upload *upload;
    struct jz__str text;
    size_t repeats;
    bool must_wait;
    bool has_ended;
    int rooms;
    int answers;
    struct upload_answer answer;
};

static struct client clients[UPLOADS_MOST];

static void on_arrival(void *userdata, const struct inbox_arrival *arrival)
{
    CHECK(userdata == &arrivals);
    arrivals++;
    (void)snprintf(arrival_path, sizeof(arrival_path), "%s", arrival->path);
    (void)snprintf(arrival_source, sizeof(arrival_source), "%s",
                   arrival->source);
    (void)snprintf(arrival_project, sizeof(arrival_project), "%s",
                   arrival->project != NULL ? arrival->project : "-");
}

static void begin(uint64_t file_most, uint64_t total_most)
{
    static const struct jz__log log = { NULL, NULL };
    struct inbox_options options = {
        .file_most = file_most,
        .total_most = total_most,
        .jobs = 2,
        .log = &log,
        .on_arrival = on_arrival,
        .userdata = &arrivals,
    };

    tmpdir_make(&dir);
    memset(clients, 0, sizeof(clients));
    arrivals = 0;
    options.path = tmpdir_path(&dir, "inbox");
    CHECK_INT(uv_loop_init(&loop), 0);
    CHECK_INT(inbox_open(&inbox, &loop, &options, NULL), 0);
}

/* Nothing of an upload may be left beside the files. */
static void end(void)
{
    DIR *folder = opendir(tmpdir_path(&dir, "inbox"));
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        CHECK(strncmp(entry->d_name, ".upload", 7) != 0);
    }
    (void)closedir(folder);
    inbox_close(inbox);
    CHECK_INT(uv_loop_close(&loop), 0);
    tmpdir_remove(&dir);
}

static void send_more(struct client *client)
{
    while (!client->must_wait && client->repeats > 0) {
        client->repeats--;
        client->must_wait = !upload_feed(client->upload, client->text);
    }
    if (client->repeats == 0 && !client->has_ended) {
        client->has_ended = true;
        upload_end(client->upload);
    }
}

static void on_room(void *userdata)
{
    struct client *client = userdata;

    client->rooms++;
    client->must_wait = false;
    send_more(client);
}

static void on_answer(void *userdata, const struct upload_answer *answer)
{
    struct client *client = userdata;

    client->answers++;
    client->answer = *answer;
    client->upload = NULL;
}

struct sent {
    const char *device;
    const char *place;
    const char *project;
    struct jz__str text;
    size_t repeats;
    bool is_gzip;
};

static struct client *start(size_t number, const struct sent *sent)
{
    struct client *client = &clients[number];
    const struct upload_calls calls = { on_answer, on_room, client };
    struct upload_request request = {
        .device = sent->device != NULL ? sent->device : "laptop",
        .project = jz__str_of(sent->project),
        .is_gzip = sent->is_gzip,
    };
    const char *reason;

    CHECK(inbox_path_parse(
        &request.path, &reason,
        jz__str_of(sent->place != NULL ? sent->place : PLACE)));
    *client =
        (struct client){ .text = sent->text,
                         .repeats = sent->repeats > 0 ? sent->repeats : 1,
                         .upload = upload_start(inbox, &request, &calls) };
    CHECK(client->upload != NULL);
    send_more(client);
    return client;
}

/* One upload from begin to end: its status. */
static int put(const struct sent *sent)
{
    const struct client *client = start(0, sent);

    (void)uv_run(&loop, UV_RUN_DEFAULT);
    CHECK_INT(client->answers, 1);
    CHECK((client->answer.status == 200) == (client->answer.reason == NULL));
    return client->answer.status;
}

static int put_text(const char *text)
{
    const struct sent sent = { .text = jz__str_of(text) };

    return put(&sent);
}

/* The file's text, NULL if it is not there. */
static const char *read_back(const char *name)
{
    static char text[4096];
    FILE *file = fopen(tmpdir_path(&dir, name), "rb");
    size_t length;

    if (file == NULL) {
        return NULL;
    }
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    (void)fclose(file);
    return text;
}

#define AT_LAPTOP "inbox/laptop/" PLACE
#define SIDE "inbox/laptop/claude-code/-home-dana-shop/.one.jsonl.project"

/* --- the tests --- */

static void a_file_lies_at_its_path_for_its_owner_alone(void)
{
    struct stat st;

    begin(1000, 0);
    CHECK_INT(put_text(LINE), 200);
    CHECK_INT(clients[0].answer.bytes, strlen(LINE));
    CHECK_STR(read_back(AT_LAPTOP), LINE);
    CHECK(stat(tmpdir_path(&dir, AT_LAPTOP), &st) == 0);
    CHECK_INT(st.st_mode & 0777, 0600);
    CHECK(stat(tmpdir_path(&dir, "inbox/laptop/claude-code"), &st) == 0);
    CHECK_INT(st.st_mode & 0777, 0700);
    CHECK(stat(tmpdir_path(&dir, "inbox"), &st) == 0);
    CHECK_INT(st.st_mode & 0777, 0700);
    CHECK_INT(arrivals, 1);
    CHECK_STR(arrival_source, "agent-claude-code-laptop");
    CHECK_STR(arrival_project, "-");
    CHECK(strstr(arrival_path, AT_LAPTOP) != NULL);
    end();
}

static void the_same_again_changes_nothing(void)
{
    const struct sent sent = { .text = JZ__STR(LINE), .project = "shop" };
    struct stat first;
    struct stat second;

    begin(1000, 0);
    CHECK_INT(put(&sent), 200);
    CHECK(stat(tmpdir_path(&dir, AT_LAPTOP), &first) == 0);
    CHECK_INT(put(&sent), 200);
    CHECK(stat(tmpdir_path(&dir, AT_LAPTOP), &second) == 0);
    CHECK(first.st_ino == second.st_ino &&
          first.st_mtim.tv_nsec == second.st_mtim.tv_nsec);
    CHECK_INT(arrivals, 1);
    end();
}

static void a_project_lies_beside_its_file(void)
{
    struct sent sent = { .text = JZ__STR(LINE), .project = "shop" };

    begin(1000, 0);
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back(SIDE), "shop");
    CHECK_STR(arrival_project, "shop");
    sent.project = "till";
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back(SIDE), "till");
    CHECK_INT(arrivals, 2);
    CHECK_STR(read_back(AT_LAPTOP), LINE);
    end();
}

static void a_project_stays_where_none_is_named(void)
{
    struct sent sent = { .text = JZ__STR(LINE), .project = "shop" };

    begin(1000, 0);
    CHECK_INT(put(&sent), 200);
    sent.project = NULL;
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back(SIDE), "shop");
    CHECK_INT(arrivals, 1);
    sent.text = JZ__STR(LINE LINE);
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back(SIDE), "shop");
    CHECK_STR(arrival_project, "shop");
    CHECK_STR(read_back(AT_LAPTOP), LINE LINE);
    CHECK_INT(arrivals, 2);
    end();
}

static void gzip_is_unpacked(void)
{
    struct sent sent = { .is_gzip = true };

    begin(16, 0);
    sent.text = (struct jz__str){ gzip, sizeof(gzip) - 1 };
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back(AT_LAPTOP), "{\"a\":1}\n");
    /* Two members; then one of which the limit cuts a part. */
    sent.repeats = 2;
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back(AT_LAPTOP), "{\"a\":1}\n{\"a\":1}\n");
    sent.repeats = 3;
    CHECK_INT(put(&sent), 413);
    CHECK_STR(read_back(AT_LAPTOP), "{\"a\":1}\n{\"a\":1}\n");
    CHECK_INT(arrivals, 2);
    end();
}

static void bad_gzip_leaves_no_file(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf junk = JZ__BUF_INIT;
    struct sent sent = { .is_gzip = true };

    begin(1000, 0);
    sent.text = (struct jz__str){ gzip, sizeof(gzip) - 7 };
    CHECK_INT(put(&sent), 400);
    jz__buf_append(&junk, gzip, sizeof(gzip) - 1);
    junk.data[junk.length - 6] ^= 1;
    sent.text = (struct jz__str){ junk.data, junk.length };
    CHECK_INT(put(&sent), 400);
    junk.data[junk.length - 6] ^= 1;
    jz__buf_puts(&junk, "JUNK");
    sent.text = (struct jz__str){ junk.data, junk.length };
    CHECK_INT(put(&sent), 400);
    sent.text = JZ__STR(LINE);
    CHECK_INT(put(&sent), 400);
    sent.text = JZ__STR("");
    CHECK_INT(put(&sent), 400);
    CHECK_STR(read_back(AT_LAPTOP), NULL);
    CHECK_INT(arrivals, 0);
    end();
}

static void what_is_no_text_is_refused(void)
{
    const struct sent nul = { .text = JZ__STR("{\"a\":\"\0\"}\n") };

    begin(1000, 0);
    CHECK_INT(put(&nul), 400);
    CHECK_INT(put_text("{\"a\":\"\xFF\"}\n"), 400);
    CHECK_STR(read_back(AT_LAPTOP), NULL);
    /* A line that is still being written. */
    CHECK_INT(put_text(LINE "{\"text\":\"caf\xC3"), 200);
    CHECK_INT(put_text(""), 200);
    CHECK_STR(read_back(AT_LAPTOP), "");
    end();
}

/* Also when it is no text: which of the two a computer is told does not depend
 * on where the first odd byte stands. */
static void too_large_is_told_before_the_end(void)
{
    static char zeros[50000];
    const struct sent sent = { .text = { zeros, sizeof(zeros) },
                               .repeats = 1000 };

    begin(1000000, 0);
    CHECK_INT(put(&sent), 413);
    CHECK_STR(clients[0].answer.reason, "file too large");
    CHECK(!clients[0].has_ended);
    CHECK(clients[0].rooms > 0);
    CHECK_STR(read_back(AT_LAPTOP), NULL);
    end();
}

/* Lines of 9 bytes: 1000 of them are three blocks. */
#define BLOCK 4096

static void a_device_has_its_quota(void)
{
    struct sent sent = { .text = JZ__STR("12345678\n"), .repeats = 1000 };

    begin(100000, 5 * BLOCK);
    CHECK_INT(put(&sent), 200);
    /* What is replaced makes room. */
    sent.repeats = 1300;
    CHECK_INT(put(&sent), 200);
    sent.place = "hermes/s.json";
    sent.repeats = 1;
    CHECK_INT(put(&sent), 507);
    CHECK_STR(read_back("inbox/laptop/hermes/s.json"), NULL);
    sent.device = "desk";
    CHECK_INT(put(&sent), 200);
    /* Room that was given back is there again. */
    sent.device = "laptop";
    sent.place = PLACE;
    sent.repeats = 2;
    CHECK_INT(put(&sent), 200);
    sent.place = "hermes/s.json";
    sent.repeats = 900;
    CHECK_INT(put(&sent), 200);
    sent.place = "hermes/t.json";
    sent.repeats = 1;
    CHECK_INT(put(&sent), 507);
    end();
}

/* As many as there are blocks, for the server before and after a start. */
static void an_empty_file_is_not_free(void)
{
    /* gzip of no bytes. */
    static const char nothing[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0"
                                  "\0\0\0\0\0\0\0\0";
    const struct sent full = { .place = "hermes/6.json" };
    const struct sent packed = { .place = "hermes/7.json",
                                 .text = { nothing, sizeof(nothing) - 1 },
                                 .is_gzip = true };
    struct inbox_options options = { .file_most = 1000,
                                     .total_most = 5 * BLOCK,
                                     .jobs = 2 };
    char place[] = "hermes/0.json";
    struct sent sent = { .place = place };

    begin(1000, 5 * BLOCK);
    for (int i = 0; i < 5; i++) {
        sent.is_gzip = i % 2 == 1;
        sent.text = sent.is_gzip
                        ? (struct jz__str){ nothing, sizeof(nothing) - 1 }
                        : (struct jz__str){ "", 0 };
        place[7] = (char)('0' + i);
        CHECK_INT(put(&sent), 200);
    }
    CHECK_INT(put(&sent), 200);
    CHECK_INT(put(&full), 507);
    CHECK_INT(put(&packed), 507);
    inbox_close(inbox);
    options.path = tmpdir_path(&dir, "inbox");
    CHECK_INT(inbox_open(&inbox, &loop, &options, NULL), 0);
    CHECK_INT(put(&full), 507);
    CHECK_INT(put(&sent), 200);
    end();
}

static void a_project_takes_room_as_well(void)
{
    struct sent sent = { .text = JZ__STR(LINE), .project = "billing" };

    begin(1000, 5 * BLOCK);
    CHECK_INT(put(&sent), 200);
    sent.place = "hermes/s.json";
    CHECK_INT(put(&sent), 507);
    /* Another one in its place, or none, which keeps it. */
    sent.place = PLACE;
    sent.project = "shop";
    CHECK_INT(put(&sent), 200);
    sent.project = NULL;
    sent.repeats = 2;
    CHECK_INT(put(&sent), 200);
    sent.place = "hermes/s.json";
    sent.text = (struct jz__str){ "", 0 };
    CHECK_INT(put(&sent), 200);
    sent.place = "hermes/t.json";
    CHECK_INT(put(&sent), 507);
    end();
}

static void a_quota_counts_what_was_there_before(void)
{
    const struct sent sent = { .text = JZ__STR("12345678\n") };
    struct inbox_options options = { .file_most = 1000,
                                     .total_most = 3 * BLOCK,
                                     .jobs = 2 };

    begin(1000, 10 * BLOCK);
    options.path = tmpdir_path(&dir, "inbox");
    (void)tmpdir_mkdir(&dir, "inbox/laptop");
    (void)tmpdir_write(&dir, "inbox/laptop/old", dir.path, 95);
    inbox_close(inbox);
    CHECK_INT(inbox_open(&inbox, &loop, &options, NULL), 0);
    CHECK_INT(put(&sent), 507);
    end();
}

static void a_cancelled_upload_leaves_nothing(void)
{
    struct sent sent = { .text = JZ__STR(LINE) };
    static char much[200000];
    size_t i;

    begin(1000000, 0);
    memset(much, 'x', sizeof(much));
    sent.text = (struct jz__str){ much, sizeof(much) };
    for (i = 0; i < 10; i++) {
        struct client *client = start(i, &sent);

        /* Some before their first byte is on disk, some behind their end. */
        if (i % 2 == 0) {
            (void)uv_run(&loop, UV_RUN_NOWAIT);
        }
        if (client->upload != NULL) {
            upload_cancel(client->upload);
        }
    }
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    for (i = 0; i < 10; i++) {
        CHECK(clients[i].answers == 0 || clients[i].upload == NULL);
    }
    end();
}

static void uploads_of_one_path_do_not_mix(void)
{
    static char texts[UPLOADS_MOST][5000];
    struct sent sent = { .repeats = 40 };
    char project[2] = "";
    struct stat st;
    char first;
    size_t i;

    begin(1000000, 0);
    for (i = 0; i < UPLOADS_MOST; i++) {
        memset(texts[i], 'A' + (int)i % 26, sizeof(texts[i]));
        project[0] = (char)('A' + (int)i % 26);
        sent.text = (struct jz__str){ texts[i], sizeof(texts[i]) };
        sent.project = project;
        (void)start(i, &sent);
    }
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    for (i = 0; i < UPLOADS_MOST; i++) {
        CHECK_INT(clients[i].answers, 1);
        CHECK_INT(clients[i].answer.status, 200);
        CHECK_INT(clients[i].answer.bytes, 200000);
    }
    CHECK_INT(arrivals, UPLOADS_MOST);
    CHECK(stat(tmpdir_path(&dir, AT_LAPTOP), &st) == 0);
    CHECK_INT(st.st_size, 200000);
    first = read_back(AT_LAPTOP)[0];
    for (i = 0; i < 4000; i++) {
        if (!CHECK_INT(read_back(AT_LAPTOP)[i], first)) {
            break;
        }
        i += 500;
    }
    CHECK_INT(read_back(SIDE)[0], first);
    end();
}

static void a_link_leads_nowhere(void)
{
    struct sent sent = { .text = JZ__STR(LINE),
                         .place = "claude-code/p/x.jsonl" };

    begin(1000, 0);
    (void)tmpdir_mkdir(&dir, "outside");
    (void)tmpdir_mkdir(&dir, "inbox/laptop");
    (void)tmpdir_mkdir(&dir, "inbox/laptop/claude-code");
    CHECK(symlink(tmpdir_path(&dir, "outside"),
                  tmpdir_path(&dir, "inbox/laptop/claude-code/p")) == 0);
    CHECK_INT(put(&sent), 400);
    CHECK_STR(read_back("outside/x.jsonl"), NULL);
    /* The device's own folder as well. */
    CHECK(symlink(tmpdir_path(&dir, "outside"),
                  tmpdir_path(&dir, "inbox/desk")) == 0);
    sent.device = "desk";
    CHECK_INT(put(&sent), 400);
    /* A link in place of the file is replaced and not followed. */
    (void)tmpdir_write(&dir, "outside/secret", "secret", 6);
    (void)tmpdir_mkdir(&dir, "inbox/laptop/claude-code/q");
    CHECK(symlink(tmpdir_path(&dir, "outside/secret"),
                  tmpdir_path(&dir, "inbox/laptop/claude-code/q/x.jsonl")) ==
          0);
    sent.device = "laptop";
    sent.place = "claude-code/q/x.jsonl";
    CHECK_INT(put(&sent), 200);
    CHECK_STR(read_back("outside/secret"), "secret");
    CHECK_STR(read_back("inbox/laptop/claude-code/q/x.jsonl"), LINE);
    end();
}

static void a_device_is_no_path(void)
{
    static const char *const names[] = { "..", ".", "", ".hidden", "a/b" };
    struct sent sent = { .text = JZ__STR(LINE) };
    size_t i;

    begin(1000, 0);
    for (i = 0; i < JZ__LENGTH(names); i++) {
        sent.device = names[i];
        CHECK_INT(put(&sent), 403);
    }
    CHECK_STR(read_back("claude-code/-home-dana-shop/one.jsonl"), NULL);
    end();
}

static void what_a_crash_left_is_removed_at_the_start(void)
{
    struct inbox_options options = { .file_most = 1, .jobs = 1 };

    begin(1000, 0);
    CHECK_INT(put_text(LINE), 200);
    (void)tmpdir_write(&dir, "inbox/.upload-77", "half", 4);
    (void)tmpdir_write(&dir, "inbox/.upload-77-project", "half", 4);
    inbox_close(inbox);
    options.path = tmpdir_path(&dir, "inbox");
    CHECK(chmod(options.path, 0755) == 0);
    CHECK_INT(inbox_open(&inbox, &loop, &options, NULL), 0);
    CHECK_STR(read_back(AT_LAPTOP), LINE);
    end();
}

static void a_folder_in_the_place_of_the_file_is_told(void)
{
    begin(1000, 0);
    (void)tmpdir_mkdir(&dir, "inbox/laptop");
    (void)tmpdir_mkdir(&dir, "inbox/laptop/claude-code");
    (void)tmpdir_mkdir(&dir, "inbox/laptop/claude-code/-home-dana-shop");
    (void)tmpdir_mkdir(&dir, AT_LAPTOP);
    CHECK_INT(put_text(LINE), 400);
    end();
}

int main(void)
{
    TAP_RUN(a_file_lies_at_its_path_for_its_owner_alone);
    TAP_RUN(the_same_again_changes_nothing);
    TAP_RUN(a_project_lies_beside_its_file);
    TAP_RUN(a_project_stays_where_none_is_named);
    TAP_RUN(gzip_is_unpacked);
    TAP_RUN(bad_gzip_leaves_no_file);
    TAP_RUN(what_is_no_text_is_refused);
    TAP_RUN(too_large_is_told_before_the_end);
    TAP_RUN(a_device_has_its_quota);
    TAP_RUN(an_empty_file_is_not_free);
    TAP_RUN(a_project_takes_room_as_well);
    TAP_RUN(a_quota_counts_what_was_there_before);
    TAP_RUN(a_cancelled_upload_leaves_nothing);
    TAP_RUN(uploads_of_one_path_do_not_mix);
    TAP_RUN(a_link_leads_nowhere);
    TAP_RUN(a_device_is_no_path);
    TAP_RUN(what_a_crash_left_is_removed_at_the_start);
    TAP_RUN(a_folder_in_the_place_of_the_file_is_told);
    return tap_done();
}
