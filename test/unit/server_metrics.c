/* SPDX-License-Identifier: Apache-2.0 */
/* What the counters come to as text; test/server/metrics.py reads it as
 * Prometheus does. */
#include "metrics.h"

#include <pthread.h>
#include <string.h>

#include "prometheus.h"
#include "tap.h"

/* The text of all metrics; the caller frees it. */
static char *put(struct metrics *metrics, const struct metrics_now *now)
{
    struct jz__buf out = JZ__BUF_INIT;

    metrics_put(&out, metrics, now);
    CHECK_INT(out.error, 0);
    return out.data;
}

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    const char *at = text;

    while ((at = strstr(at, line)) != NULL) {
        if ((at == text || at[-1] == '\n') && at[length] == '\n') {
            return true;
        }
        at++;
    }
    return false;
}

static void requests_are_counted_by_route_and_status(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    char *text;

    metrics_count_request(metrics, ROUTE_MCP, 200, 1);
    metrics_count_request(metrics, ROUTE_MCP, 200, 1);
    metrics_count_request(metrics, ROUTE_MCP, 401, 1);
    metrics_count_request(metrics, ROUTE_NONE, 404, 1);
    text = put(metrics, &now);
    CHECK(has_line(text,
                   "jezero_requests_total{route=\"mcp\",status=\"200\"} 2"));
    CHECK(has_line(text,
                   "jezero_requests_total{route=\"mcp\",status=\"401\"} 1"));
    CHECK(has_line(text,
                   "jezero_requests_total{route=\"none\",status=\"404\"} 1"));
    CHECK(strstr(text, "route=\"health\",status") == NULL);
    free(text);
    metrics_free(metrics);
}

#define DURATION "jezero_request_duration_seconds"

static void each_bucket_holds_those_below_it(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    char *text;

    metrics_count_request(metrics, ROUTE_HEALTH, 200, 0);
    metrics_count_request(metrics, ROUTE_HEALTH, 200, 500000);
    metrics_count_request(metrics, ROUTE_HEALTH, 200, 500001);
    metrics_count_request(metrics, ROUTE_HEALTH, 200, 30000000001);
    text = put(metrics, &now);
    CHECK(has_line(text, DURATION "_bucket{route=\"health\",le=\"0.0005\"} 2"));
    CHECK(has_line(text, DURATION "_bucket{route=\"health\",le=\"0.001\"} 3"));
    CHECK(has_line(text, DURATION "_bucket{route=\"health\",le=\"30\"} 3"));
    CHECK(has_line(text, DURATION "_bucket{route=\"health\",le=\"+Inf\"} 4"));
    CHECK(has_line(text, DURATION "_sum{route=\"health\"} 30.001000002"));
    CHECK(has_line(text, DURATION "_count{route=\"health\"} 4"));
    /* One without a request is there as well. */
    CHECK(has_line(text, DURATION "_count{route=\"mcp\"} 0"));
    CHECK(has_line(text, DURATION "_sum{route=\"mcp\"} 0.000000000"));
    free(text);
    metrics_free(metrics);
}

static void uploads_are_counted_with_their_bytes(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    char *text;

    metrics_count_upload(metrics, 9007199254740993); /* no double has it */
    metrics_count_upload(metrics, 0);
    text = put(metrics, &now);
    CHECK(has_line(text, "jezero_uploads_total 2"));
    CHECK(has_line(text, "jezero_upload_bytes_total 9007199254740993"));
    free(text);
    metrics_free(metrics);
}

static void what_the_job_tells_is_there(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_job job = { .queue = 3,
                                     .stored = 12,
                                     .failed = 1,
                                     .items = 40,
                                     .finished_at = 1760000000 };
    const struct metrics_now now = {
        .connections = 5, .clients = 2, .calls = 1, .is_healthy = 1
    };
    char *text;

    metrics_set_job(metrics, &job);
    text = put(metrics, &now);
    CHECK(has_line(text, "jezero_queue 3"));
    CHECK(has_line(text, "jezero_documents_total{state=\"stored\"} 12"));
    CHECK(has_line(text, "jezero_documents_total{state=\"failed\"} 1"));
    CHECK(has_line(text, "jezero_items 40"));
    CHECK(has_line(text, "jezero_ingest_last_end_time_seconds 1760000000"));
    CHECK(has_line(text, "jezero_connections 5"));
    CHECK(has_line(text, "jezero_clients 2"));
    CHECK(has_line(text, "jezero_library_calls 1"));
    CHECK(has_line(text, "jezero_healthy 1"));
    free(text);
    metrics_free(metrics);
}

static void what_is_not_known_is_left_out(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    char *text = put(metrics, &now);

    CHECK(strstr(text, "jezero_items") == NULL);
    CHECK(strstr(text, "jezero_ingest_last_end_time") == NULL);
    CHECK(has_line(text, "jezero_healthy 0"));
    free(text);
    metrics_free(metrics);
}

static void the_process_is_told_of(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    char *text = put(metrics, &now);

    CHECK(strstr(text, "\nprocess_cpu_seconds_total 0.") != NULL);
    CHECK(strstr(text, "\njezero_build_info{version=\"") != NULL);
#ifdef __linux__
    CHECK(strstr(text, "\nprocess_resident_memory_bytes ") != NULL);
    CHECK(strstr(text, "\nprocess_open_fds ") != NULL);
#endif
    free(text);
    metrics_free(metrics);
}

static void labels_are_escaped(void)
{
    struct jz__buf out = JZ__BUF_INIT;

    jz__buf_puts(&out, "x{");
    prometheus_put_label(&out, "a", "q\"b\\s\nn\xC3\xA9");
    prometheus_put_label(&out, "b", "");
    CHECK_STR(out.data, "x{a=\"q\\\"b\\\\s\\nn\xC3\xA9\",b=\"\"");
    jz__buf_finish(&out);
}

/* Every family is described once, before its samples. */
static void each_family_is_described_once(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    char *text = put(metrics, &now);
    const char *at = text;
    int families = 0;

    while ((at = strstr(at, "# TYPE ")) != NULL) {
        char name[100];
        char head[120];
        const char *first;

        CHECK(sscanf(at, "# TYPE %99s", name) == 1);
        (void)snprintf(head, sizeof(head), "# HELP %s ", name);
        first = strstr(text, head);
        CHECK(first != NULL && first < at);
        CHECK(first == NULL || strstr(first + 1, head) == NULL);
        families++;
        at++;
    }
    CHECK(families > 12);
    free(text);
    metrics_free(metrics);
}

static void *set_often(void *metrics)
{
    for (int i = 0; i < 2000; i++) {
        const struct metrics_job job = { .queue = i, .items = i };

        metrics_set_job(metrics, &job);
    }
    return NULL;
}

static void another_thread_may_tell_of_its_job(void)
{
    struct metrics *metrics = metrics_new();
    const struct metrics_now now = { 0 };
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, set_often, metrics) == 0);
    for (int i = 0; i < 50; i++) {
        free(put(metrics, &now));
    }
    (void)pthread_join(thread, NULL);
    char *text = put(metrics, &now);
    CHECK(has_line(text, "jezero_queue 1999"));
    free(text);
    metrics_free(metrics);
}

int main(void)
{
    TAP_RUN(requests_are_counted_by_route_and_status);
    TAP_RUN(each_bucket_holds_those_below_it);
    TAP_RUN(uploads_are_counted_with_their_bytes);
    TAP_RUN(what_the_job_tells_is_there);
    TAP_RUN(what_is_not_known_is_left_out);
    TAP_RUN(the_process_is_told_of);
    TAP_RUN(labels_are_escaped);
    TAP_RUN(each_family_is_described_once);
    TAP_RUN(another_thread_may_tell_of_its_job);
    return tap_done();
}
