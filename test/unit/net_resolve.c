/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups with a resolver of the test's in the place of getaddrinfo(), linked
 * by --wrap: it answers at once, fails, or hangs until the test lets it go.
 */
#include "net/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>

#include "base/mem.h"
#include "tap.h"

#define PATIENT_MS 20000

int __wrap_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **out);
void __wrap_freeaddrinfo(struct addrinfo *list);

/* --- the resolver --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *addresses; /* separated by blanks */
static int status;
static bool is_hanging;
static int calls;
static int unfreed; /* lists given and not taken back */
static bool takes_signals;

static struct addrinfo *make_info(const char *text)
{
    struct addrinfo *info = calloc(1, sizeof(*info));
    struct sockaddr_in6 *v6 = calloc(1, sizeof(*v6));
    struct sockaddr_in *v4 = (void *)v6;

    info->ai_addr = (void *)v6;
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        info->ai_family = AF_INET6;
        v6->sin6_scope_id = 7;
    } else if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        info->ai_family = AF_INET;
    } else {
        info->ai_family = AF_UNIX;
    }
    return info;
}

static struct addrinfo *make_list(void)
{
    struct addrinfo *first = NULL;
    struct addrinfo **next = &first;
    const char *at = addresses;

    while (*at != '\0') {
        char one[64];
        size_t length = strcspn(at, " ");

        (void)snprintf(one, sizeof(one), "%.*s", (int)length, at);
        *next = make_info(one);
        next = &(*next)->ai_next;
        at += length + (at[length] == ' ');
    }
    return first;
}

int __wrap_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **out)
{
    sigset_t blocked;
    int r;

    (void)host;
    (void)service;
    CHECK_INT(hints->ai_socktype, SOCK_STREAM);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    (void)pthread_mutex_lock(&lock);
    takes_signals = sigismember(&blocked, SIGTERM) == 0;
    calls++;
    while (is_hanging) {
        (void)pthread_cond_wait(&changed, &lock);
    }
    r = status;
    if (r == 0) {
        *out = make_list();
        unfreed++;
    }
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    errno = EMFILE;
    return r;
}

void __wrap_freeaddrinfo(struct addrinfo *list)
{
    while (list != NULL) {
        struct addrinfo *next = list->ai_next;

        free(list->ai_addr);
        free(list);
        list = next;
    }
    (void)pthread_mutex_lock(&lock);
    unfreed--;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

static void prepare(int result, const char *found)
{
    (void)pthread_mutex_lock(&lock);
    status = result;
    addresses = found;
    calls = 0;
    (void)pthread_mutex_unlock(&lock);
}

static void set_hanging(bool value)
{
    (void)pthread_mutex_lock(&lock);
    is_hanging = value;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* --- results as text --- */

static void show(char *out, size_t size, const struct jz__resolve *found)
{
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < found->count; i++) {
        const struct jz__address *one = &found->addresses[i];
        char text[INET6_ADDRSTRLEN];

        (void)inet_ntop(one->is_v6 ? AF_INET6 : AF_INET, one->bytes, text,
                        sizeof(text));
        at += (size_t)snprintf(out + at, size - at, "%s%s", i > 0 ? " " : "",
                               text);
    }
}

static int look_up(char *out, size_t size, const char *host, int span_ms)
{
    struct jz__deadline deadline =
        jz__deadline_until(jz__deadline_now_ms() + span_ms);
    struct jz__resolve found;
    struct jz__error error = { 0 };
    int r = jz__resolve_host(&found, host, &deadline, &error);

    if (r == 0) {
        show(out, size, &found);
    } else {
        (void)snprintf(out, size, "%d %s", r, error.message);
    }
    return r;
}

static void check(const char *host, const char *want)
{
    char got[1100];

    (void)look_up(got, sizeof(got), host, PATIENT_MS);
    CHECK_STR(got, want);
}

/* --- tests --- */

static void addresses_are_not_looked_up(void)
{
    prepare(0, "192.0.2.1");
    check("127.0.0.1", "127.0.0.1");
    check("::1", "::1");
    check("::ffff:192.0.2.9", "192.0.2.9");
    CHECK_INT(calls, 0);
}

static void localhost_is_both_loopback_addresses(void)
{
    prepare(0, "192.0.2.1");
    check("localhost", "::1 127.0.0.1");
    check("LocalHost", "::1 127.0.0.1");
    check("localhost.", "::1 127.0.0.1");
    CHECK_INT(calls, 0);
    check("localhost.example", "192.0.2.1");
    CHECK_INT(calls, 1);
}

static void families_come_by_turns(void)
{
    prepare(0, "2001:db8::1 2001:db8::2 2001:db8::3 192.0.2.1 192.0.2.2");
    check("desk.example", "2001:db8::1 192.0.2.1 2001:db8::2 192.0.2.2 "
                          "2001:db8::3");
    prepare(0, "192.0.2.1 192.0.2.2 2001:db8::1");
    check("desk.example", "192.0.2.1 2001:db8::1 192.0.2.2");
    prepare(0, "192.0.2.1 192.0.2.2");
    check("desk.example", "192.0.2.1 192.0.2.2");
    prepare(0, "x 192.0.2.1 y");
    check("desk.example", "192.0.2.1");
}

static void addresses_are_bounded(void)
{
    char many[512] = "";
    struct jz__deadline deadline =
        jz__deadline_until(jz__deadline_now_ms() + PATIENT_MS);
    struct jz__resolve found;
    struct jz__error error = { 0 };

    for (int i = 0; i < JZ__RESOLVE_MOST + 5; i++) {
        size_t at = strlen(many);

        (void)snprintf(many + at, sizeof(many) - at, "192.0.2.%d ", i);
    }
    prepare(0, many);
    CHECK_INT(jz__resolve_host(&found, "desk.example", &deadline, &error), 0);
    CHECK_INT(found.count, JZ__RESOLVE_MOST);
}

static void scope_is_kept(void)
{
    struct jz__deadline deadline =
        jz__deadline_until(jz__deadline_now_ms() + PATIENT_MS);
    struct jz__resolve found;
    struct jz__error error = { 0 };

    prepare(0, "fe80::1");
    CHECK_INT(jz__resolve_host(&found, "fe80::1%eth0", &deadline, &error), 0);
    CHECK_INT(found.addresses[0].scope, 7);
}

static void failures_are_told(void)
{
    prepare(EAI_NONAME, "");
    check("desk.example", "-6 cannot find desk.example: there is no such name");
    prepare(EAI_AGAIN, "");
    check("desk.example",
          "-6 cannot find desk.example: the name server does not answer");
    prepare(EAI_SYSTEM, "");
    check("desk.example", "-6 cannot find desk.example: too many open files");
    prepare(EAI_MEMORY, "");
    check("desk.example", "-2 out of memory");
    prepare(0, "x");
    check("desk.example", "-6 cannot find desk.example: it has no address");
}

static void thread_takes_no_signals(void)
{
    sigset_t blocked;

    prepare(0, "192.0.2.1");
    check("desk.example", "192.0.2.1");
    CHECK(!takes_signals);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    CHECK_INT(sigismember(&blocked, SIGTERM), 0);
}

/* It ends later, into memory that is still its own; the sanitizers watch. */
static void hanging_look_up_is_left_behind(void)
{
    char got[1100];
    int64_t start = jz__deadline_now_ms();

    prepare(0, "192.0.2.1");
    set_hanging(true);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(look_up(got, sizeof(got), "desk.example", 100), JZ_EIO);
        CHECK_STR(got, "-6 cannot find desk.example: no answer of the name "
                       "server within 100 ms");
    }
    CHECK(jz__deadline_now_ms() - start < PATIENT_MS / 2);
    set_hanging(false);
    check("other.example", "192.0.2.1");
    /* Lists that were made after nobody waited any more are freed as well. */
    (void)pthread_mutex_lock(&lock);
    while (calls < 4 || unfreed > 0) {
        (void)pthread_cond_wait(&changed, &lock);
    }
    (void)pthread_mutex_unlock(&lock);
}

int main(void)
{
    TAP_RUN(addresses_are_not_looked_up);
    TAP_RUN(localhost_is_both_loopback_addresses);
    TAP_RUN(families_come_by_turns);
    TAP_RUN(addresses_are_bounded);
    TAP_RUN(scope_is_kept);
    TAP_RUN(failures_are_told);
    TAP_RUN(thread_takes_no_signals);
    TAP_RUN(hanging_look_up_is_left_behind);
    return tap_done();
}
