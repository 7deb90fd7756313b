/* SPDX-License-Identifier: Apache-2.0 */
/* Clients approved and revoked in the text of a configuration: tables of texts
 * before and after, which differ in nothing but the client. */
#include "clients_edit.h"

#include "tap.h"

/* Digests, plainly made up. */
#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

/* A client as approve writes it. */
#define CLIENT(name, digest)                                                   \
    "[[clients]]\nname = \"" name "\"\ntoken_sha256 = \"" digest               \
    "\"\nsources = [\"agent-*\"]\nupload = true\n"
#define CLIENT_CRLF(name, digest)                                              \
    "[[clients]]\r\nname = \"" name "\"\r\ntoken_sha256 = \"" digest           \
    "\"\r\nsources = [\"agent-*\"]\r\nupload = true\r\n"
#define INLINE(name, digest)                                                   \
    "{ name = \"" name "\", token_sha256 = \"" digest                          \
    "\", sources = [\"agent-*\"], upload = true }"

struct edited {
    const char *before;
    const char *after; /* NULL: the outcome is no new text */
    int outcome;
};

static const struct config_origin origin = { "jezero.toml", "/etc/jezero",
                                             "/root" };

static void check_edited(const struct edited *edited, int r,
                         const struct jz__buf *out,
                         const struct jz__error *error)
{
    bool is_right = CHECK_INT(r, edited->outcome);

    if (edited->after != NULL) {
        is_right = is_right && CHECK_STR(out->data, edited->after);
    } else {
        is_right = is_right && CHECK_INT(out->length, 0);
    }
    if (!is_right) {
        fprintf(stderr, "# of:\n%s\n# %s\n", edited->before, error->message);
    }
}

/* The second device, by its digest B, into each text. */
static void check_approved(const struct edited *edited, size_t count,
                           const struct clients_approval *approval)
{
    for (size_t i = 0; i < count; i++) {
        struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };
        int r = clients_edit_approve(&out, jz__str_of(edited[i].before),
                                     &origin, approval, &error);

        check_edited(&edited[i], r, &out, &error);
        jz__buf_finish(&out);
    }
}

static void check_revoked(const struct edited *edited, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct jz__buf out = JZ__BUF_INIT;
        struct jz__error error = { 0 };
        int r = clients_edit_revoke(&out, jz__str_of(edited[i].before), &origin,
                                    "laptop", &error);

        check_edited(&edited[i], r, &out, &error);
        jz__buf_finish(&out);
    }
}

#define APPROVED(table, approval)                                              \
    check_approved(table, JZ__LENGTH(table), approval)
#define REVOKED(table) check_revoked(table, JZ__LENGTH(table))

static const struct clients_approval phone = { "phone", B, false, false };

static void the_first_device_is_written_at_the_end(void)
{
    static const struct edited edited[] = {
        { "", CLIENT("phone", B), 0 },
        { "\xEF\xBB\xBF", "\xEF\xBB\xBF" CLIENT("phone", B), 0 },
        { "# mine\n[server]\nport = 1 # one\n",
          "# mine\n[server]\nport = 1 # one\n\n" CLIENT("phone", B), 0 },
        { "[server]\n\n\n", "[server]\n\n\n" CLIENT("phone", B), 0 },
        { "[server]\r\nport = 1\r\n",
          "[server]\r\nport = 1\r\n\r\n" CLIENT_CRLF("phone", B), 0 },
        { "[server]\nport = 1\n#[[clients]]\n#name = \"laptop\"\n",
          "[server]\nport = 1\n#[[clients]]\n#name = \"laptop\"\n\n" CLIENT(
              "phone", B),
          0 },
    };

    APPROVED(edited, &phone);
}

static void a_last_line_without_an_end_stays_one(void)
{
    static const struct edited edited[] = {
        { "[server]\nport = 1",
          "[server]\nport = 1\n\n[[clients]]\nname = \"phone\"\n"
          "token_sha256 = \"" B "\"\nsources = [\"agent-*\"]\nupload = true",
          0 },
        { "[server] # x",
          "[server] # x\n\n[[clients]]\nname = \"phone\"\n"
          "token_sha256 = \"" B "\"\nsources = [\"agent-*\"]\nupload = true",
          0 },
    };
    static const struct edited revoked[] = {
        { "[[clients]]\r\nname = \"laptop\"\r\ntoken_env = \"KEY\"",
          "[[clients]]\r\nname = \"laptop\"\r\ntoken_env = \"KEY\"\r\n"
          "revoked = true",
          0 },
    };

    APPROVED(edited, &phone);
    REVOKED(revoked);
}

static void a_device_stands_behind_those_that_are_there(void)
{
    static const struct edited edited[] = {
        { CLIENT("laptop", A), CLIENT("laptop", A) "\n" CLIENT("phone", B), 0 },
        { CLIENT("laptop", A) "\n[server]\nport = 1\n",
          CLIENT("laptop", A) "\n" CLIENT("phone", B) "\n[server]\nport = 1\n",
          0 },
        { CLIENT("laptop", A) "[server]\n",
          CLIENT("laptop", A) "\n" CLIENT("phone", B) "\n[server]\n", 0 },
        /* Comments right below belong to the client … */
        { CLIENT("laptop", A) "# Ask first.\n  # Twice.\n\n[server]\n",
          CLIENT("laptop", A) "# Ask first.\n  # Twice.\n\n" CLIENT(
              "phone", B) "\n[server]\n",
          0 },
        { CLIENT("laptop", A) "# Ask first.\n",
          CLIENT("laptop", A) "# Ask first.\n\n" CLIENT("phone", B), 0 },
        /* … unless a header follows at once. */
        { CLIENT("laptop", A) "# Where it listens.\n[server]\n",
          CLIENT("laptop",
                 A) "\n" CLIENT("phone", B) "\n# Where it listens.\n[server]\n",
          0 },
        { CLIENT("laptop", A) "\n# Others\n[server]\n\n" CLIENT("desk", C),
          CLIENT("laptop", A) "\n# Others\n[server]\n\n" CLIENT(
              "desk", C) "\n" CLIENT("phone", B),
          0 },
        { "[[clients]]\ntoken_env = \"K\"\nname = \"laptop\"\nsources = [\n"
          "  \"a\", # one\n]\n[ingest]\n",
          "[[clients]]\ntoken_env = \"K\"\nname = \"laptop\"\nsources = [\n"
          "  \"a\", # one\n]\n\n" CLIENT("phone", B) "\n[ingest]\n",
          0 },
    };

    APPROVED(edited, &phone);
}

static void clients_in_an_array_get_another_element(void)
{
    static const struct edited edited[] = {
        { "clients = []", "clients = [" INLINE("phone", B) "]", 0 },
        { "clients = [ # none\n]\n",
          "clients = [" INLINE("phone", B) " # none\n]\n", 0 },
        { "clients = [" INLINE("a", A) "]",
          "clients = [" INLINE("a", A) ", " INLINE("phone", B) "]", 0 },
        { "clients = [ " INLINE("a", A) ", ]",
          "clients = [ " INLINE("a", A) ", " INLINE("phone", B) ", ]", 0 },
        { "clients = [\n  " INLINE("a", A) "\n]\n[server]\n",
          "clients = [\n  " INLINE("a", A) ",\n  " INLINE("phone",
                                                          B) "\n]\n[server]\n",
          0 },
        { "clients = [\r\n\t" INLINE("a", A) ", # his, [old]\r\n]\r\n",
          "clients = [\r\n\t" INLINE("a", A) ", # his, [old]\r\n\t" INLINE(
              "phone", B) ",\r\n]\r\n",
          0 },
        { "clients = [\n" INLINE("a", A) " # his, [old]\n]\n",
          "clients = [\n" INLINE("a", A) ", # his, [old]\n" INLINE("phone",
                                                                   B) "\n]\n",
          0 },
        { "clients = [\n" INLINE("a", A) " # his\n , ]\n",
          "clients = [\n" INLINE("a", A) " # his\n , " INLINE("phone",
                                                              B) ", ]\n",
          0 },
        { "clients = [\n" INLINE("a", A) " ]\n",
          "clients = [\n" INLINE("a", A) ", " INLINE("phone", B) " ]\n", 0 },
    };

    APPROVED(edited, &phone);
}

static void a_read_only_device_gets_no_upload(void)
{
    static const struct clients_approval reader = { "phone", B, true, false };
    static const struct edited edited[] = {
        { "",
          "[[clients]]\nname = \"phone\"\ntoken_sha256 = \"" B "\"\n"
          "sources = [\"agent-*\"]\n",
          0 },
        { "clients = []",
          "clients = [{ name = \"phone\", token_sha256 = \"" B "\", "
          "sources = [\"agent-*\"] }]",
          0 },
    };

    APPROVED(edited, &reader);
}

static void a_digest_is_written_in_lower_case(void)
{
    static const struct clients_approval upper = {
        "phone",
        "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
        false, false
    };
    static const struct edited edited[] = {
        { "", CLIENT("phone", B), 0 },
        { CLIENT("phone", B), NULL, CLIENTS_EDIT_SAME },
        { CLIENT("laptop", B), NULL, JZ_EINVAL },
    };

    APPROVED(edited, &upper);
}

static void what_is_taken_is_refused(void)
{
    static const struct edited edited[] = {
        /* The name with another key, with the same, and with other rights. */
        { CLIENT("phone", A), NULL, JZ_EINVAL },
        { CLIENT("phone", B), NULL, CLIENTS_EDIT_SAME },
        { "[[clients]]\nname = \"phone\"\ntoken_sha256 = \"" B "\"\n", NULL,
          JZ_EINVAL },
        { "[[clients]]\nname = \"phone\"\ntoken_env = \"K\"\n", NULL,
          JZ_EINVAL },
        /* The key under another name, revoked or not. */
        { CLIENT("laptop", B), NULL, JZ_EINVAL },
        { CLIENT("laptop", B) "revoked = true\n", NULL, JZ_EINVAL },
        /* The name was revoked. */
        { CLIENT("phone", A) "revoked = true\n", NULL, JZ_EINVAL },
        { CLIENT("phone", B) "revoked = true\n", NULL, JZ_EINVAL },
        { CLIENT("phone", A) "revoked = true\n" CLIENT("phone", C), NULL,
          JZ_EINVAL },
        /* No configuration. */
        { "clients = 1", NULL, JZ_EINVAL },
        { "[[clients]]\n", NULL, JZ_EINVAL },
        { "[sever]\n", NULL, JZ_EINVAL },
        { "[server\n", NULL, JZ_EINVAL },
    };

    APPROVED(edited, &phone);
}

static void a_revoked_name_is_taken_again_with_the_rights_of_a_new_one(void)
{
    static const struct clients_approval again = { "phone", B, false, true };
    static const struct edited edited[] = {
        { "", CLIENT("phone", B), 0 },
        { CLIENT("phone", A) "revoked = true\n", CLIENT("phone", B), 0 },
        { "# 1\n[[clients]] # 2\n  # 3\n  name   = \"phone\" # 4\n"
          "  token_sha256=\"" A "\" # 5\n  revoked = true # 6\n"
          "  sources = [] # 7\n  upload = false # 8\n"
          "  metrics = true # 9\n# 10\n",
          "# 1\n[[clients]] # 2\n  # 3\n  name   = \"phone\" # 4\n"
          "  token_sha256=\"" B "\" # 5\n  # 6\n"
          "  sources = [\"agent-*\"] # 7\n  upload = true # 8\n"
          "  metrics = false # 9\n# 10\n",
          0 },
        /* Without sources the old one might read everything. */
        { "[[clients]]\r\n\ttoken_env = \"K\" # x\r\n\tname = \"phone\"\r\n"
          "\trevoked = true",
          "[[clients]]\r\n\ttoken_sha256 = \"" B "\" # x\r\n"
          "\tsources = [\"agent-*\"]\r\n\tupload = true\r\n"
          "\tname = \"phone\"\r\n",
          0 },
        { "[[clients]]\nname = \"phone\"\nrevoked = true\ntoken_env = \"K\"",
          "[[clients]]\nname = \"phone\"\ntoken_sha256 = \"" B "\"\n"
          "sources = [\"agent-*\"]\nupload = true",
          0 },
        { "clients = [{revoked = true , name = \"phone\", token_env = \"K\"}]",
          "clients = [{name = \"phone\", token_sha256 = \"" B "\", "
          "sources = [\"agent-*\"], upload = true}]",
          0 },
        { "clients = [{ name = \"phone\", revoked = true, sources = [\n"
          "\"x\" ], token_sha256 = \"" A "\" }]",
          "clients = [{ name = \"phone\", sources = [\"agent-*\"], "
          "token_sha256 = \"" B "\", upload = true }]",
          0 },
        { CLIENT("phone", A) "revoked = true\n" CLIENT("laptop", B), NULL,
          JZ_EINVAL },
        { CLIENT("phone", A), NULL, JZ_EINVAL },
    };
    static const struct clients_approval reader = { "phone", B, true, true };
    static const struct edited read_only[] = {
        { CLIENT("phone", B) "revoked = true\n",
          "[[clients]]\nname = \"phone\"\ntoken_sha256 = \"" B "\"\n"
          "sources = [\"agent-*\"]\nupload = false\n",
          0 },
    };

    APPROVED(edited, &again);
    APPROVED(read_only, &reader);
}

static void a_revoked_device_says_so_in_its_own_entry(void)
{
    static const struct edited edited[] = {
        { CLIENT("laptop", A), CLIENT("laptop", A) "revoked = true\n", 0 },
        { CLIENT("laptop", A) "# why\n\n" CLIENT("phone", B),
          CLIENT("laptop", A) "revoked = true\n# why\n\n" CLIENT("phone", B),
          0 },
        { CLIENT("phone", B) CLIENT("laptop", A),
          CLIENT("phone", B) CLIENT("laptop", A) "revoked = true\n", 0 },
        { "[[clients]]\n  name = \"laptop\"\n  \"revoked\" = false # why\n"
          "  token_env = \"K\"\n",
          "[[clients]]\n  name = \"laptop\"\n  \"revoked\" = true # why\n"
          "  token_env = \"K\"\n",
          0 },
        { "[[ 'clients' ]]\n\t'name' = '''laptop'''\n\ttoken_env = \"K\" # k\n",
          "[[ 'clients' ]]\n\t'name' = '''laptop'''\n\ttoken_env = \"K\" # k\n"
          "\trevoked = true\n",
          0 },
        { "clients = [" INLINE("laptop", A) ", " INLINE("b", B) "] # end\n",
          "clients = [{ name = \"laptop\", token_sha256 = \"" A "\", "
          "sources = [\"agent-*\"], upload = true, revoked = true "
          "}, " INLINE("b", B) "] # end\n",
          0 },
        /* Twice there: both are disabled, and both are revoked. */
        { CLIENT("laptop", A)
              CLIENT("laptop", B) "revoked = true\n" CLIENT("laptop", C),
          CLIENT("laptop", A) "revoked = true\n" CLIENT(
              "laptop", B) "revoked = true\n" CLIENT("laptop",
                                                     C) "revoked = true\n",
          0 },
        { CLIENT("laptop", A) "revoked = true\n", NULL, CLIENTS_EDIT_SAME },
        { CLIENT("phone", A), NULL, JZ_ENOTFOUND },
        { "", NULL, JZ_ENOTFOUND },
        { "[sever]", NULL, JZ_EINVAL },
    };

    REVOKED(edited);
}

static void messages_name_the_line_and_the_way_out(void)
{
    static const struct clients_approval again = { "laptop", B, false, false };
    struct jz__buf out = JZ__BUF_INIT;
    struct jz__error error = { 0 };

    CHECK_INT(clients_edit_approve(
                  &out, JZ__STR("\n" CLIENT("laptop", A) "revoked = true\n"),
                  &origin, &again, &error),
              JZ_EINVAL);
    CHECK_STR(error.message,
              "'laptop' was revoked (line 2): another device of this name "
              "would read what that one sent. Choose another name, or say "
              "--reuse");
    CHECK_INT(clients_edit_approve(&out, JZ__STR(CLIENT("desk", B)), &origin,
                                   &again, &error),
              JZ_EINVAL);
    CHECK_STR(error.message, "this key belongs to 'desk' (line 1): a device "
                             "needs a key of its own");
    CHECK_INT(clients_edit_approve(
                  &out,
                  JZ__STR("[[connectors]]\ntype = \"codex\"\npath = \"/x\"\n"
                          "name = \"agent-codex-laptop\"\n"),
                  &origin, &again, &error),
              JZ_EINVAL);
    CHECK_STR(error.message,
              "a device named 'laptop' would read the sessions that connector "
              "'agent-codex-laptop' takes in on the server, as its own. Choose "
              "another name");
    CHECK_INT(clients_edit_revoke(&out, JZ__STR(""), &origin, "laptop", &error),
              JZ_ENOTFOUND);
    CHECK_STR(error.message, "jezero.toml has no device 'laptop'");
    jz__buf_finish(&out);
}

static void names_are_those_of_folders(void)
{
    char name[152];

    CHECK_STR(clients_edit_check_name("laptop"), NULL);
    CHECK_STR(clients_edit_check_name("A-z_0.9"), NULL);
    CHECK_STR(clients_edit_check_name("-"), NULL);
    CHECK(clients_edit_check_name("") != NULL);
    CHECK(clients_edit_check_name(".") != NULL);
    CHECK(clients_edit_check_name("..") != NULL);
    CHECK(clients_edit_check_name(".hidden") != NULL);
    CHECK(clients_edit_check_name("a/b") != NULL);
    CHECK(clients_edit_check_name("a b") != NULL);
    CHECK(clients_edit_check_name("caf\xc3\xa9") != NULL);
    CHECK(clients_edit_check_name("a\nb") != NULL);
    CHECK(clients_edit_check_name("*") != NULL);
    memset(name, 'a', sizeof(name));
    name[150] = '\0';
    CHECK_STR(clients_edit_check_name(name), NULL);
    name[150] = 'a';
    name[151] = '\0';
    CHECK(clients_edit_check_name(name) != NULL);
}

static void a_key_in_the_place_of_its_digest_is_recognised(void)
{
    static const char key[] = "q0-Zp3kV9_1mXaBcDeFgHiJkLmNoPqRsTuVwXyZ0123";
    const char *why = clients_edit_check_digest(key);

    CHECK(why != NULL && strstr(why, "the key itself") != NULL);
    CHECK(why != NULL && strstr(why, key) == NULL);
    CHECK_STR(clients_edit_check_digest(A), NULL);
    CHECK(clients_edit_check_digest(A "a") != NULL);
    CHECK(clients_edit_check_digest("") != NULL);
    CHECK(clients_edit_check_digest("gaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                    "aaaaaaaaaaaaaaaaaaaaaa") != NULL);
}

int main(void)
{
    TAP_RUN(the_first_device_is_written_at_the_end);
    TAP_RUN(a_last_line_without_an_end_stays_one);
    TAP_RUN(a_device_stands_behind_those_that_are_there);
    TAP_RUN(clients_in_an_array_get_another_element);
    TAP_RUN(a_read_only_device_gets_no_upload);
    TAP_RUN(a_digest_is_written_in_lower_case);
    TAP_RUN(what_is_taken_is_refused);
    TAP_RUN(a_revoked_name_is_taken_again_with_the_rights_of_a_new_one);
    TAP_RUN(a_revoked_device_says_so_in_its_own_entry);
    TAP_RUN(messages_name_the_line_and_the_way_out);
    TAP_RUN(names_are_those_of_folders);
    TAP_RUN(a_key_in_the_place_of_its_digest_is_recognised);
    return tap_done();
}
