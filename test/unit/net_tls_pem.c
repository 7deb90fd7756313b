/* SPDX-License-Identifier: Apache-2.0 */
/* Files of trusted certificates, in order and damaged. */
#include "base/mem.h"
#include "tls_peer.h"
#include "tls_talk.h"
#include "tmpdir.h"

#define BEGIN "-----BEGIN CERTIFICATE-----\n"
#define END "-----END CERTIFICATE-----\n"

static struct tmpdir dir;
static struct tls_name root = { .common_name = "Example Root" };
static struct tls_name leaf = { .common_name = "desk.example" };
static struct jz__error last;

/* What a client says of a file with this text; NULL: it is taken. */
static int open_text(struct jz__tls_client **out, const char *text,
                     size_t length)
{
    memset(&last, 0, sizeof(last));
    return jz__tls_client_new(out, tmpdir_write(&dir, "ca.pem", text, length),
                              &last);
}

/* Does a client with these trusted certificates take the leaf of the root? */
static bool trusts_root(const struct jz__buf *text)
{
    struct jz__tls_client *client = NULL;
    struct jz__tls_server *server = NULL;
    struct talk talk;
    bool is_taken;

    if (!CHECK_INT(open_text(&client, text->data, text->length), 0)) {
        fprintf(stderr, "#   %s\n", last.message);
        return false;
    }
    CHECK_INT(jz__tls_server_new(&server, tmpdir_path(&dir, "cert.pem"),
                                 tmpdir_path(&dir, "key.pem"), NULL),
              0);
    talk_open(&talk, client, server, "desk.example");
    is_taken = talk_shake(&talk) == 0;
    talk_close(&talk);
    jz__tls_client_release(client);
    jz__tls_server_release(server);
    return is_taken;
}

static bool trusts_root_after(const char *before, const char *behind)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__buf_puts(&text, before);
    jz__buf_puts(&text, root.cert_pem);
    jz__buf_puts(&text, behind);
    return trusts_root(&text);
}

static void a_bundle_of_140_roots_with_a_broken_one_is_taken(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;
    char name[32];

    for (int i = 0; i < 140; i++) {
        struct tls_name other = root;

        /* One key for all is enough; some have expired. */
        (void)snprintf(name, sizeof(name), "Root %d", i);
        other.common_name = name;
        other.until = i % 10 == 0 ? "20210101000000" : NULL;
        tls_name_sign(&other, &other);
        jz__buf_puts(&text, i == 70 ? root.cert_pem : other.cert_pem);
        if (i == 30) {
            jz__buf_puts(&text, "# Root of a broken disk\n" BEGIN
                                "MIIBszCCAVmgAwIBAgIB!!!!\n" END);
        }
    }
    CHECK(trusts_root(&text));
}

static void an_entry_that_cannot_be_read_leaves_the_others(void)
{
    CHECK(trusts_root_after("", ""));
    CHECK(trusts_root_after("\xef\xbb\xbf", ""));
    CHECK(trusts_root_after("# a comment\nsubject=CN = x\n", "the end"));
    CHECK(trusts_root_after(BEGIN END, BEGIN END));
    CHECK(trusts_root_after(BEGIN "AAAA\n" END, ""));
    CHECK(trusts_root_after(BEGIN "A\n" END, ""));
    CHECK(trusts_root_after(BEGIN "MA==MA==\n" END, ""));
    CHECK(trusts_root_after(BEGIN "MIIB=x\n" END, ""));
    CHECK(trusts_root_after(BEGIN "not base64: \xff\n" END, ""));
    CHECK(trusts_root_after(END, BEGIN));
    /* An entry without its end, before and behind. */
    CHECK(trusts_root_after(BEGIN "MIIBszCCAVmgAwIBAgIB\n", ""));
    CHECK(trusts_root_after("", BEGIN "MIIBszCCAVmgAwIBAgIB\n"));
    /* Other kinds. */
    CHECK(trusts_root_after(root.key_pem, leaf.key_pem));
    CHECK(trusts_root_after("-----BEGIN TRUSTED CERTIFICATE-----\nMAAA\n"
                            "-----END TRUSTED CERTIFICATE-----\n",
                            ""));
}

static void line_ends_do_not_matter(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf windows = JZ__BUF_INIT;
    JZ_CLEANUP(jz__buf_finish) struct jz__buf single = JZ__BUF_INIT;
    const char *body = root.cert_pem + strlen(BEGIN);
    const char *end = strstr(root.cert_pem, "-----END");

    for (const char *c = root.cert_pem; *c != '\0'; c++) {
        if (*c == '\n') {
            jz__buf_putc(&windows, '\r');
        }
        jz__buf_putc(&windows, *c);
    }
    CHECK(trusts_root(&windows));
    /* All in one line, as some programs write it. */
    jz__buf_puts(&single, BEGIN);
    for (; body != end; body++) {
        if (*body != '\n') {
            jz__buf_putc(&single, *body);
        }
    }
    jz__buf_puts(&single, "\n" END);
    CHECK(trusts_root(&single));
}

static void zero_bytes_do_not_end_a_file(void)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__buf_append(&text, "a\0b\n", 4);
    jz__buf_puts(&text, root.cert_pem);
    CHECK(trusts_root(&text));
}

static void a_file_without_any_certificate_is_refused(void)
{
    static const char *const texts[] = {
        "", "\n", "no certificate", BEGIN, BEGIN END, BEGIN "AAAA\n" END, "\0",
    };
    struct jz__tls_client *client = NULL;

    for (size_t i = 0; i < JZ__LENGTH(texts); i++) {
        CHECK_INT(open_text(&client, texts[i], strlen(texts[i])), JZ_EINVAL);
        CHECK(client == NULL);
        CHECK(strstr(last.message, "ca.pem holds no certificate in PEM form "
                                   "that can be read") != NULL);
    }
    CHECK_INT(open_text(&client, root.key_pem, strlen(root.key_pem)),
              JZ_EINVAL);
}

static void a_file_that_cannot_be_read_is_named(void)
{
    struct jz__tls_client *client = NULL;

    CHECK_INT(jz__tls_client_new(&client, tmpdir_path(&dir, "none.pem"), &last),
              JZ_ENOTFOUND);
    CHECK(strstr(last.message, "none.pem") != NULL);
    CHECK_INT(jz__tls_client_new(&client, dir.path, &last), JZ_EINVAL);
    CHECK(client == NULL);
}

/* What is wrong is told of the server's certificate, when there is one. */
static void a_file_of_expired_certificates_is_taken(void)
{
    struct tls_name old = root;
    struct jz__tls_client *client = NULL;

    old.until = "20210101000000";
    tls_name_sign(&old, &old);
    CHECK_INT(open_text(&client, old.cert_pem, strlen(old.cert_pem)), 0);
    jz__tls_client_release(client);
}

int main(void)
{
    tmpdir_make(&dir);
    tls_name_make(&root);
    tls_name_make(&leaf);
    tls_name_sign(&leaf, &root);
    tmpdir_write(&dir, "cert.pem", leaf.cert_pem, strlen(leaf.cert_pem));
    tmpdir_write(&dir, "key.pem", leaf.key_pem, strlen(leaf.key_pem));
    TAP_RUN(a_bundle_of_140_roots_with_a_broken_one_is_taken);
    TAP_RUN(an_entry_that_cannot_be_read_leaves_the_others);
    TAP_RUN(line_ends_do_not_matter);
    TAP_RUN(zero_bytes_do_not_end_a_file);
    TAP_RUN(a_file_without_any_certificate_is_refused);
    TAP_RUN(a_file_that_cannot_be_read_is_named);
    TAP_RUN(a_file_of_expired_certificates_is_taken);
    tls_name_free(&root);
    tls_name_free(&leaf);
    tmpdir_remove(&dir);
    return tap_done();
}
