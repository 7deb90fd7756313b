/* SPDX-License-Identifier: Apache-2.0 */
/* Which certificates a client takes, and what it says of the others: handshakes
 * between our client and our server, with authorities made on the spot. */
#include "net/tls.h"

#include <time.h>

#include "base/mem.h"
#include "tls_peer.h"
#include "tls_talk.h"
#include "tmpdir.h"

#define PAST "20210101000000"
#define LONG_AGO "20200101000000"
#define FAR_OFF "20480101000000"

static struct tmpdir dir;
static struct tls_name root = { .common_name = "Example Root" };
static struct tls_name middle = { .common_name = "Example Issuer",
                                  .is_authority = true };
static struct tls_name stranger = { .common_name = "Stranger" };

/* --- one try --- */

/* What a case is made of; texts in PEM form, NULL at the end. */
struct scene {
    const char *host;
    struct tls_name *leaf;
    const char *chain[4]; /* sent behind the server's own */
    const char *trusted[6];
};

static struct jz__error last;
static bool was_untrusted;

static void join(const char *name, const char *first, const char *const *rest)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf text = JZ__BUF_INIT;

    jz__buf_puts(&text, first);
    for (; *rest != NULL; rest++) {
        jz__buf_puts(&text, *rest);
    }
    tmpdir_write(&dir, name, text.data, text.length);
}

/* NULL: the certificate was taken. Otherwise what the client says. */
static const char *refusal(const struct scene *scene)
{
    struct jz__tls_server *server = NULL;
    struct jz__tls_client *client = NULL;
    struct talk talk;
    int r;

    memset(&last, 0, sizeof(last));
    join("cert.pem", scene->leaf->cert_pem, scene->chain);
    join("key.pem", scene->leaf->key_pem, (const char *[]){ NULL });
    join("ca.pem", "", scene->trusted);
    CHECK_INT(jz__tls_server_new(&server, tmpdir_path(&dir, "cert.pem"),
                                 tmpdir_path(&dir, "key.pem"), &last),
              0);
    if (!CHECK_INT(
            jz__tls_client_new(&client, tmpdir_path(&dir, "ca.pem"), &last),
            0)) {
        jz__tls_server_release(server);
        return last.message;
    }
    talk_open(&talk, client, server, scene->host);
    r = talk_shake(&talk);
    last = talk.error;
    was_untrusted = jz__tls_is_untrusted(talk.client);
    CHECK(jz__tls_is_ready(talk.client) == (r == 0));
    CHECK(r == 0 || r == JZ_EINVAL);
    talk_close(&talk);
    jz__tls_client_release(client);
    jz__tls_server_release(server);
    return r == 0 ? NULL : last.message;
}

/* A sentence in which %s is the path of the trusted certificates. */
static void check_says(const char *got, const char *want, int line)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf whole = JZ__BUF_INIT;
    const char *at = strstr(want, "FILE");

    jz__buf_append(&whole, want,
                   at != NULL ? (size_t)(at - want) : strlen(want));
    if (at != NULL) {
        jz__buf_puts(&whole, tmpdir_path(&dir, "ca.pem"));
        jz__buf_puts(&whole, at + strlen("FILE"));
    }
    tap_check_str(got, whole.data, __FILE__, line, "the refusal");
}

#define CHECK_REFUSED(scene, want) check_says(refusal(scene), want, __LINE__)
#define CHECK_TAKEN(scene) check_taken(scene, __LINE__)

static void check_taken(const struct scene *scene, int line)
{
    const char *message = refusal(scene);

    if (!tap_check(message == NULL, __FILE__, line, "it is taken")) {
        fprintf(stderr, "#   %s\n", message);
    }
    CHECK(!was_untrusted);
}

/* A certificate of the issuer in the middle. */
static void make_leaf(struct tls_name *leaf)
{
    tls_name_make(leaf);
    tls_name_sign(leaf, &middle);
}

/* A scene with all in order: root trusted, middle sent. */
static struct scene ordinary(const char *host, struct tls_name *leaf)
{
    return (struct scene){ .host = host,
                           .leaf = leaf,
                           .chain = { middle.cert_pem },
                           .trusted = { root.cert_pem } };
}

/* One certificate for hosts, tried for one. */
static const char *refusal_of(const char *hosts, const char *host)
{
    struct tls_name leaf = { .common_name = "desk.example", .hosts = hosts };
    struct scene scene;
    const char *message;

    make_leaf(&leaf);
    scene = ordinary(host, &leaf);
    message = refusal(&scene);
    tls_name_free(&leaf);
    return message;
}

/* --- names and addresses --- */

static void names_are_compared_without_case_and_last_dot(void)
{
    CHECK(refusal_of("DNS:desk.example", "desk.example") == NULL);
    CHECK(refusal_of("DNS:Desk.Example", "dESK.eXAMPLE") == NULL);
    CHECK(refusal_of("DNS:desk.example", "desk.example.") == NULL);
    CHECK(refusal_of("DNS:a.example DNS:b.example", "b.example") == NULL);
    /* Without a subjectAltName the common name counts. */
    CHECK(refusal_of(NULL, "desk.example") == NULL);
    CHECK(refusal_of("DNS:a.example", "desk.example") != NULL);
    CHECK(refusal_of("DNS:desk.example", "desk.example.org") != NULL);
    CHECK(refusal_of("DNS:desk.example", "esk.example") != NULL);
}

static void a_wildcard_stands_for_one_label(void)
{
    CHECK(refusal_of("DNS:*.desk.example", "a.desk.example") == NULL);
    CHECK(refusal_of("DNS:*.desk.example", "a.b.desk.example") != NULL);
    CHECK(refusal_of("DNS:*.desk.example", "desk.example") != NULL);
    CHECK(refusal_of("DNS:a*.desk.example", "ab.desk.example") != NULL);
    CHECK(refusal_of("DNS:*.0.0.1", "127.0.0.1") != NULL);
}

static void addresses_are_compared_as_bytes(void)
{
    CHECK(refusal_of("IP:127.0.0.1", "127.0.0.1") == NULL);
    CHECK(refusal_of("DNS:x.example IP:::1 IP:10.0.0.7", "10.0.0.7") == NULL);
    CHECK(refusal_of("IP:::1", "::1") == NULL);
    CHECK(refusal_of("IP:2001:db8::a", "2001:DB8:0:0::000a") == NULL);
    CHECK(refusal_of("IP:fe80::1", "fe80::1%eth0") == NULL);
    CHECK(refusal_of("IP:127.0.0.1", "127.0.0.2") != NULL);
    CHECK(refusal_of("IP:127.0.0.1", "::1") != NULL);
    CHECK(refusal_of("IP:127.0.0.1", "127.1") != NULL);
    /* An address of the other kind that begins with the same bytes. */
    CHECK(refusal_of("IP:7f00:1::", "127.0.0.1") != NULL);
    CHECK_STR(refusal_of("IP:10.0.0.7 IP:2001:db8::1", "10.0.0.8"),
              "the certificate of 10.0.0.8 is not for 10.0.0.8 but for "
              "10.0.0.7, 2001:db8::1");
}

static void a_name_does_not_match_an_address(void)
{
    struct tls_name leaf = { .common_name = "127.0.0.1" };
    struct scene scene;

    CHECK_STR(refusal_of("DNS:127.0.0.1", "127.0.0.1"),
              "the certificate of 127.0.0.1 has 127.0.0.1 as a name alone, "
              "not as an address (subjectAltName IP:127.0.0.1)");
    /* Four bytes that read like an address of four bytes. */
    CHECK(refusal_of("DNS:1.2.", "49.46.50.46") != NULL);
    make_leaf(&leaf);
    scene = ordinary("127.0.0.1", &leaf);
    CHECK_REFUSED(&scene, "the certificate of 127.0.0.1 has 127.0.0.1 as a "
                          "name alone, not as an address (subjectAltName "
                          "IP:127.0.0.1)");
    CHECK(!was_untrusted);
    tls_name_free(&leaf);
}

static void an_address_does_not_match_a_name(void)
{
    /* "a.b." as bytes of an address. */
    CHECK(refusal_of("IP:97.46.98.46", "a.b.") != NULL);
    CHECK_STR(refusal_of("IP:10.0.0.1", "desk.example"),
              "the certificate of desk.example is not for desk.example but "
              "for 10.0.0.1");
}

static void the_names_that_it_is_for_are_told(void)
{
    CHECK_STR(refusal_of("DNS:jezero.example DNS:other.example", "127.0.0.1"),
              "the certificate of 127.0.0.1 is not for 127.0.0.1 but for "
              "jezero.example, other.example");
    CHECK_STR(refusal_of("DNS:a.example DNS:b.example DNS:c.example "
                         "DNS:d.example DNS:e.example IP:10.0.0.1",
                         "x.example"),
              "the certificate of x.example is not for x.example but for "
              "a.example, b.example, c.example, d.example and 2 more");
    CHECK_STR(refusal_of(NULL, "x.example"),
              "the certificate of x.example is not for x.example but for "
              "desk.example");
}

static void what_a_stranger_wrote_is_cleaned_and_cut(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name liar = { .common_name = "A\x1b[2J\xe2\x80\xae"
                                            "B\xff trusted" };
    struct scene scene;

    CHECK_STR(refusal_of("DNS:a\nb.example DNS:\x1b[31mred DNS:\xe2\x80\xae"
                         "c",
                         "x.example"),
              "the certificate of x.example is not for x.example but for "
              "a b.example, red, c");
    CHECK_STR(
        refusal_of("DNS:0123456789012345678901234567890123456789012345678901234"
                   "56789012345678901234567890.example",
                   "x.example"),
        "the certificate of x.example is not for x.example but for "
        "012345678901234567890123456789012345678901234567890123456789012"
        "\xe2\x80\xa6");
    tls_name_make(&liar);
    make_leaf(&leaf);
    tls_name_sign(&leaf, &liar);
    scene = ordinary("desk.example", &leaf);
    scene.chain[0] = NULL;
    CHECK_REFUSED(&scene,
                  "the certificate of desk.example is not trusted: it was "
                  "issued by 'AB\xef\xbf\xbd trusted', which is not in "
                  "FILE");
    tls_name_free(&liar);
    tls_name_free(&leaf);
}

/* --- times --- */

static void dates_are_told(void)
{
    struct tls_name leaf = { .common_name = "desk.example",
                             .from = LONG_AGO,
                             .until = PAST };
    struct scene scene;
    char today[16];
    char want[256];
    time_t now = time(NULL);

    make_leaf(&leaf);
    scene = ordinary("desk.example", &leaf);
    CHECK_REFUSED(&scene, "the certificate of desk.example has expired (on "
                          "2021-01-01)");
    CHECK(!was_untrusted);
    leaf.from = FAR_OFF;
    leaf.until = "20490101000000";
    tls_name_sign(&leaf, &middle);
    (void)strftime(today, sizeof(today), "%Y-%m-%d", gmtime(&now));
    (void)snprintf(want, sizeof(want),
                   "the certificate of desk.example is not valid before "
                   "2048-01-01 (the clock of this computer says %s)",
                   today);
    CHECK_REFUSED(&scene, want);
    tls_name_free(&leaf);
}

static void several_reasons_are_one_sentence(void)
{
    struct tls_name leaf = { .common_name = "desk.example",
                             .hosts = "DNS:a.example",
                             .from = LONG_AGO,
                             .until = PAST };
    struct scene scene;

    make_leaf(&leaf);
    scene = ordinary("desk.example", &leaf);
    scene.trusted[0] = stranger.cert_pem;
    CHECK_REFUSED(&scene,
                  "the certificate of desk.example has expired (on 2021-01-01)"
                  ", is not for desk.example but for a.example and is not "
                  "trusted: its chain leads to 'Example Root', which is not in "
                  "FILE");
    CHECK(was_untrusted);
    tls_name_free(&leaf);
}

/* --- trust --- */

static void a_private_authority_is_trusted_when_it_is_in_the_file(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct scene scene;

    make_leaf(&leaf);
    scene = ordinary("desk.example", &leaf);
    CHECK_TAKEN(&scene);
    /* The root may be sent too, and the issuer may be what is trusted. */
    scene.chain[1] = root.cert_pem;
    CHECK_TAKEN(&scene);
    scene = ordinary("desk.example", &leaf);
    scene.chain[0] = NULL;
    scene.trusted[0] = middle.cert_pem;
    CHECK_TAKEN(&scene);
    tls_name_free(&leaf);
}

static void an_authority_that_is_not_in_the_file_is_named(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct scene scene;

    make_leaf(&leaf);
    scene = ordinary("desk.example", &leaf);
    scene.trusted[0] = stranger.cert_pem;
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: its "
                          "chain leads to 'Example Root', which is not in "
                          "FILE");
    CHECK(was_untrusted);
    /* A chain with a gap: the root alone does not do. */
    scene = ordinary("desk.example", &leaf);
    scene.chain[0] = NULL;
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: it "
                          "was issued by 'Example Issuer', which is not in "
                          "FILE");
    tls_name_free(&leaf);
}

static void a_certificate_signed_by_itself_is_trusted_by_itself(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name again = { .common_name = "desk.example" };
    struct scene scene = { .host = "desk.example",
                           .leaf = &leaf,
                           .trusted = { stranger.cert_pem } };

    tls_name_make(&leaf);
    tls_name_make(&again);
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: it "
                          "was signed by itself and is not in FILE");
    scene.trusted[1] = leaf.cert_pem;
    CHECK_TAKEN(&scene);
    /* The server has a new one. */
    scene.trusted[1] = again.cert_pem;
    CHECK_REFUSED(&scene,
                  "the certificate of desk.example is not trusted: it was "
                  "signed by itself, and that of the same name in FILE is "
                  "another one");
    again.from = LONG_AGO;
    again.until = PAST;
    tls_name_sign(&again, &again);
    CHECK_REFUSED(&scene,
                  "the certificate of desk.example is not trusted: it was "
                  "signed by itself, and that of the same name in FILE has "
                  "expired (on 2021-01-01)");
    tls_name_free(&leaf);
    tls_name_free(&again);
}

static void one_signed_by_itself_that_has_expired_is_only_that(void)
{
    struct tls_name leaf = { .common_name = "desk.example",
                             .from = LONG_AGO,
                             .until = PAST };
    struct scene scene = { .host = "desk.example",
                           .leaf = &leaf,
                           .trusted = { leaf.cert_pem } };

    tls_name_make(&leaf);
    CHECK_REFUSED(&scene, "the certificate of desk.example has expired (on "
                          "2021-01-01)");
    CHECK(!was_untrusted);
    tls_name_free(&leaf);
}

/* An authority's name is no proof. */
static void a_name_without_its_key_vouches_for_nothing(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name fake = { .common_name = "Example Root" };
    struct scene scene;

    tls_name_make(&fake);
    tls_name_make(&leaf);
    tls_name_sign(&leaf, &fake);
    scene = (struct scene){ .host = "desk.example",
                            .leaf = &leaf,
                            .chain = { fake.cert_pem },
                            .trusted = { root.cert_pem } };
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: its "
                          "chain leads to 'Example Root', and that of the same "
                          "name in FILE is another one");
    CHECK(was_untrusted);
    tls_name_free(&leaf);
    tls_name_free(&fake);
}

/* Anyone can get a certificate; that does not make an authority. */
static void who_is_no_authority_vouches_for_nothing(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name user = { .common_name = "user.example" };
    struct scene scene;

    make_leaf(&user);
    tls_name_make(&leaf);
    tls_name_sign(&leaf, &user);
    scene = (struct scene){ .host = "desk.example",
                            .leaf = &leaf,
                            .chain = { user.cert_pem, middle.cert_pem },
                            .trusted = { root.cert_pem } };
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: it "
                          "was issued by 'user.example', which is not in "
                          "FILE");
    tls_name_free(&leaf);
    tls_name_free(&user);
}

/* --- chains that lead more than one way --- */

static void a_newer_root_counts_when_a_cross_signed_one_has_expired(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name old = { .common_name = "Old Root",
                            .from = LONG_AGO,
                            .until = PAST };
    struct tls_name cross = root; /* the same key and name */
    struct scene scene;

    tls_name_make(&old);
    make_leaf(&leaf);
    cross.is_authority = true;
    cross.from = LONG_AGO;
    cross.until = PAST;
    tls_name_sign(&cross, &old);
    scene = ordinary("desk.example", &leaf);
    scene.chain[1] = cross.cert_pem;
    scene.chain[2] = old.cert_pem;
    CHECK_TAKEN(&scene);
    scene.trusted[1] = old.cert_pem;
    CHECK_TAKEN(&scene);
    scene.trusted[0] = old.cert_pem;
    scene.trusted[1] = root.cert_pem;
    CHECK_TAKEN(&scene);
    /* Without the new one there is no way. */
    scene.trusted[1] = NULL;
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: its "
                          "chain leads to 'Old Root', which in FILE has "
                          "expired (on 2021-01-01)");
    CHECK(was_untrusted);
    tls_name_free(&leaf);
    tls_name_free(&old);
}

static void a_cross_signed_root_counts_when_the_own_one_has_expired(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name expired = root;
    struct tls_name cross = root;
    struct scene scene;

    make_leaf(&leaf);
    expired.from = LONG_AGO;
    expired.until = PAST;
    tls_name_sign(&expired, &expired);
    cross.is_authority = true;
    tls_name_sign(&cross, &stranger);
    scene = ordinary("desk.example", &leaf);
    scene.chain[1] = cross.cert_pem;
    scene.trusted[0] = expired.cert_pem;
    scene.trusted[1] = stranger.cert_pem;
    CHECK_TAKEN(&scene);
    tls_name_free(&leaf);
}

static void an_issuer_that_has_expired_is_named(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name old = middle;
    struct scene scene;

    make_leaf(&leaf);
    old.from = LONG_AGO;
    old.until = PAST;
    tls_name_sign(&old, &root);
    scene = ordinary("desk.example", &leaf);
    scene.chain[0] = old.cert_pem;
    CHECK_REFUSED(&scene, "the certificate of desk.example is not trusted: "
                          "'Example Issuer', which vouches for it, has expired "
                          "(on 2021-01-01)");
    CHECK(was_untrusted);
    tls_name_free(&leaf);
}

/* The clock of a computer whose battery is empty: all roots are of the future.
 * They stay, and count as soon as the clock is set. */
static void a_root_of_the_future_is_named_with_the_clock(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct tls_name young = root;
    struct scene scene;

    make_leaf(&leaf);
    young.from = FAR_OFF;
    tls_name_sign(&young, &young);
    scene = ordinary("desk.example", &leaf);
    scene.trusted[0] = young.cert_pem;
    CHECK(strstr(refusal(&scene),
                 "is not trusted: 'Example Root', which vouches for it, is not "
                 "valid before 2048-01-01 (the clock of this computer says ") !=
          NULL);
    tls_name_free(&leaf);
}

static void a_signature_of_old_is_refused(void)
{
    struct tls_name leaf = { .common_name = "desk.example" };
    struct scene scene;

    make_leaf(&leaf);
    scene = ordinary("desk.example", &leaf);
    leaf.md = MBEDTLS_MD_SHA1;
    tls_name_sign(&leaf, &middle);
    CHECK_REFUSED(&scene, "the certificate of desk.example is signed in a way "
                          "that is no longer safe");
    tls_name_free(&leaf);
}

int main(void)
{
    tmpdir_make(&dir);
    tls_name_make(&root);
    tls_name_make(&middle);
    tls_name_sign(&middle, &root);
    tls_name_make(&stranger);
    TAP_RUN(names_are_compared_without_case_and_last_dot);
    TAP_RUN(a_wildcard_stands_for_one_label);
    TAP_RUN(addresses_are_compared_as_bytes);
    TAP_RUN(a_name_does_not_match_an_address);
    TAP_RUN(an_address_does_not_match_a_name);
    TAP_RUN(the_names_that_it_is_for_are_told);
    TAP_RUN(what_a_stranger_wrote_is_cleaned_and_cut);
    TAP_RUN(dates_are_told);
    TAP_RUN(several_reasons_are_one_sentence);
    TAP_RUN(a_private_authority_is_trusted_when_it_is_in_the_file);
    TAP_RUN(an_authority_that_is_not_in_the_file_is_named);
    TAP_RUN(a_certificate_signed_by_itself_is_trusted_by_itself);
    TAP_RUN(one_signed_by_itself_that_has_expired_is_only_that);
    TAP_RUN(a_name_without_its_key_vouches_for_nothing);
    TAP_RUN(who_is_no_authority_vouches_for_nothing);
    TAP_RUN(a_newer_root_counts_when_a_cross_signed_one_has_expired);
    TAP_RUN(a_cross_signed_root_counts_when_the_own_one_has_expired);
    TAP_RUN(an_issuer_that_has_expired_is_named);
    TAP_RUN(a_root_of_the_future_is_named_with_the_clock);
    TAP_RUN(a_signature_of_old_is_refused);
    tls_name_free(&root);
    tls_name_free(&middle);
    tls_name_free(&stranger);
    tmpdir_remove(&dir);
    return tap_done();
}
