/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getaddrinfo() has no time limit: with a name server that does not answer it
 * takes 10 s and more. So it runs in a thread that nobody waits for longer than
 * the deadline. What the two share has two owners, and the one that lets go last
 * frees it: an abandoned thread ends some time later and leaves nothing behind.
 *
 * The thread takes no signals, which are meant for the program's own threads.
 */
#include "net/resolve.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/mem.h"
#include "net/phrase.h"

struct lookup {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int owners;
    bool is_done;
    int status; /* of getaddrinfo() */
    int number; /* errno, if the status is EAI_SYSTEM */
    struct jz__resolve found;
    char host[]; /* with its NUL */
};

/* --- what both sides share --- */

static void release(struct lookup *lookup)
{
    bool is_last;

    (void)pthread_mutex_lock(&lookup->lock);
    is_last = --lookup->owners == 0;
    (void)pthread_mutex_unlock(&lookup->lock);
    if (is_last) {
        (void)pthread_cond_destroy(&lookup->changed);
        (void)pthread_mutex_destroy(&lookup->lock);
        free(lookup);
    }
}

static void releasep(struct lookup **lookup)
{
    if (*lookup != NULL) {
        release(*lookup);
    }
}

/* On the clock of deadlines, where the system can: the other one may be set. */
static int init_condition(pthread_cond_t *condition)
{
#ifdef __APPLE__
    return pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    int r = pthread_condattr_init(&attributes);

    if (r != 0) {
        return r;
    }
    r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (r == 0) {
        r = pthread_cond_init(condition, &attributes);
    }
    (void)pthread_condattr_destroy(&attributes);
    return r;
#endif
}

/* With one owner; NULL: out of memory. */
static struct lookup *lookup_new(const char *host)
{
    size_t length = strlen(host) + 1;
    struct lookup *lookup = calloc(1, sizeof(*lookup) + length);

    if (lookup == NULL) {
        return NULL;
    }
    memcpy(lookup->host, host, length);
    lookup->owners = 1;
    if (pthread_mutex_init(&lookup->lock, NULL) != 0) {
        free(lookup);
        return NULL;
    }
    if (init_condition(&lookup->changed) != 0) {
        (void)pthread_mutex_destroy(&lookup->lock);
        free(lookup);
        return NULL;
    }
    return lookup;
}

/* --- the thread --- */

static bool read_address(struct jz__address *out, const struct addrinfo *info)
{
    *out = (struct jz__address){ .is_v6 = info->ai_family == AF_INET6 };
    if (info->ai_family == AF_INET) {
        struct sockaddr_in v4;

        memcpy(&v4, info->ai_addr, sizeof(v4));
        memcpy(out->bytes, &v4.sin_addr, 4);
        return true;
    }
    if (info->ai_family == AF_INET6) {
        struct sockaddr_in6 v6;

        memcpy(&v6, info->ai_addr, sizeof(v6));
        memcpy(out->bytes, &v6.sin6_addr, 16);
        out->scope = v6.sin6_scope_id;
        return true;
    }
    return false;
}

/* The next address of a family at or behind *info, which moves behind it. */
static bool next_of_family(struct jz__address *out,
                           const struct addrinfo **info, bool is_v6)
{
    for (; *info != NULL; *info = (*info)->ai_next) {
        if (read_address(out, *info) && out->is_v6 == is_v6) {
            *info = (*info)->ai_next;
            return true;
        }
    }
    return false;
}

/* The families by turns, so that one of them being dead costs one wait only. */
static void interleave(struct jz__resolve *out, const struct addrinfo *list)
{
    bool is_v6 = list != NULL && list->ai_family == AF_INET6;
    const struct addrinfo *next[2] = { list, list };
    size_t misses = 0;

    out->count = 0;
    while (out->count < JZ__RESOLVE_MOST && misses < 2) {
        if (next_of_family(&out->addresses[out->count], &next[is_v6], is_v6)) {
            out->count++;
            misses = 0;
        } else {
            misses++;
        }
        is_v6 = !is_v6;
    }
}

static void *look_up(void *data)
{
    static const struct addrinfo hints = { .ai_family = AF_UNSPEC,
                                           .ai_socktype = SOCK_STREAM };
    struct lookup *lookup = data;
    struct addrinfo *list = NULL;
    struct jz__resolve found = { .count = 0 };
    int status = getaddrinfo(lookup->host, NULL, &hints, &list);
    int number = errno;

    if (status == 0) {
        interleave(&found, list);
        freeaddrinfo(list);
    }
    (void)pthread_mutex_lock(&lookup->lock);
    lookup->found = found;
    lookup->status = status;
    lookup->number = number;
    lookup->is_done = true;
    (void)pthread_cond_signal(&lookup->changed);
    (void)pthread_mutex_unlock(&lookup->lock);
    release(lookup);
    return NULL;
}

/* 0, or the number of an error. The thread owns its share if it runs. */
static int start_thread(struct lookup *lookup)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    int r;

    lookup->owners++;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    r = pthread_create(&thread, NULL, look_up, lookup);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r != 0) {
        lookup->owners--;
        return r;
    }
    (void)pthread_detach(thread);
    return 0;
}

/* --- the side that waits --- */

static void wait_once(struct lookup *lookup, int left_ms)
{
    struct timespec until;

#ifdef __APPLE__
    until.tv_sec = left_ms / 1000;
    until.tv_nsec = left_ms % 1000 * 1000000L;
    (void)pthread_cond_timedwait_relative_np(&lookup->changed, &lookup->lock,
                                             &until);
#else
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += left_ms / 1000;
    until.tv_nsec += left_ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    (void)pthread_cond_timedwait(&lookup->changed, &lookup->lock, &until);
#endif
}

/* Is the result there in time? What it is may then be read without the lock,
 * as the thread does not touch it any more. */
static bool wait_done(struct lookup *lookup,
                      const struct jz__deadline *deadline)
{
    bool is_done;
    int left;

    (void)pthread_mutex_lock(&lookup->lock);
    while (!lookup->is_done && (left = jz__deadline_left_ms(deadline)) > 0) {
        wait_once(lookup, left);
    }
    is_done = lookup->is_done;
    (void)pthread_mutex_unlock(&lookup->lock);
    return is_done;
}

/* The words of the C library are for people who know it. */
static const char *reason_of(char out[JZ__PHRASE_SIZE],
                             const struct lookup *lookup)
{
    switch (lookup->status) {
    case 0:
        return "it has no address";
    case EAI_NONAME:
        return "there is no such name";
    case EAI_AGAIN:
        return "the name server does not answer";
    case EAI_SYSTEM:
        return jz__phrase_errno(out, lookup->number);
    default:
        return jz__phrase_lower(out, gai_strerror(lookup->status));
    }
}

static int look_up_in_time(struct jz__resolve *out, const char *host,
                           const struct jz__deadline *deadline,
                           struct jz__error *error)
{
    JZ_CLEANUP(releasep) struct lookup *lookup = lookup_new(host);
    char span[JZ__DEADLINE_TEXT_SIZE];
    char reason[JZ__PHRASE_SIZE];
    int r;

    if (lookup == NULL) {
        return jz__fail_memory(error);
    }
    r = start_thread(lookup);
    if (r != 0) {
        return jz__fail(error, JZ_EIO, "cannot find %s: no thread: %s", host,
                        jz__phrase_errno(reason, r));
    }
    if (!wait_done(lookup, deadline)) {
        return jz__fail(error, JZ_EIO,
                        "cannot find %s: no answer of the name server within "
                        "%s",
                        host, jz__deadline_show(span, deadline));
    }
    if (lookup->status == EAI_MEMORY) {
        return jz__fail_memory(error);
    }
    if (lookup->found.count == 0) {
        return jz__fail(error, JZ_EIO, "cannot find %s: %s", host,
                        reason_of(reason, lookup));
    }
    *out = lookup->found;
    return 0;
}

int jz__resolve_host(struct jz__resolve *out, const char *host,
                     const struct jz__deadline *deadline,
                     struct jz__error *error)
{
    struct jz__str name = jz__str_of(host);

    assert(out != NULL && host != NULL && deadline != NULL);

    out->count = 0;
    if (jz__address_parse(&out->addresses[0], name)) {
        out->count = 1;
        return 0;
    }
    /* Never looked up: a name server that answers for it would be a fault, and
     * some systems know only one of the two. */
    if (jz__str_is_nocase(name, "localhost") ||
        jz__str_is_nocase(name, "localhost.")) {
        (void)jz__address_parse(&out->addresses[0], JZ__STR("::1"));
        (void)jz__address_parse(&out->addresses[1], JZ__STR("127.0.0.1"));
        out->count = 2;
        return 0;
    }
    return look_up_in_time(out, host, deadline, error);
}
