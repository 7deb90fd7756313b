/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is counted, and the one place that names it for Prometheus.
 *
 * The number of series is fixed when the program is built: routes are an enum
 * and statuses are what the server answers. No label is taken from a request or
 * from the configuration; names of clients would be a new series with each
 * reload, for ever. The log tells who asked.
 *
 * A counter of a status appears with the first answer of that status; every
 * route's histogram is there from the start. Buckets reach from what a look at
 * the health takes to the time after which a request is given up.
 */
#include "metrics.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/mem.h"
#include "jezero.h"
#include "process.h"
#include "prometheus.h"

#define STATUS_LEAST 100
#define STATUS_MOST 599

/* The upper limits of the buckets. As a label and as a number, because a double
 * would be printed with digits that nobody chose. */
static const struct {
    const char *label;
    uint64_t most_ns;
} buckets[] = {
    { "0.0005", 500000 }, { "0.001", 1000000 },  { "0.0025", 2500000 },
    { "0.005", 5000000 }, { "0.01", 10000000 },  { "0.025", 25000000 },
    { "0.05", 50000000 }, { "0.1", 100000000 },  { "0.25", 250000000 },
    { "0.5", 500000000 }, { "1", 1000000000 },   { "2.5", 2500000000 },
    { "5", 5000000000 },  { "10", 10000000000 }, { "30", 30000000000 },
};

/* Some 4 KiB each: a table by status needs no search, and a status that nobody
 * thought of is counted as well. */
struct route_counts {
    uint64_t statuses[STATUS_MOST - STATUS_LEAST + 1];
    uint64_t durations[JZ__LENGTH(buckets)]; /* each in its smallest bucket */
    uint64_t requests;
    uint64_t duration_ns;
};

struct metrics {
    struct route_counts routes[ROUTE_KINDS];
    uint64_t uploads;
    uint64_t upload_bytes;
    int64_t started_at;
    uv_mutex_t lock; /* guards what follows */
    struct metrics_job job;
};

struct metrics *metrics_new(void)
{
    struct metrics *metrics = calloc(1, sizeof(*metrics));

    if (metrics == NULL || uv_mutex_init(&metrics->lock) < 0) {
        free(metrics);
        return NULL;
    }
    metrics->started_at = (int64_t)time(NULL);
    metrics->job.items = -1;
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (metrics != NULL) {
        uv_mutex_destroy(&metrics->lock);
        free(metrics);
    }
}

/* --- counting: on every request, so without a lock and without memory --- */

void metrics_count_request(struct metrics *metrics, enum route_kind route,
                           int status, uint64_t duration_ns)
{
    struct route_counts *counts = &metrics->routes[route];
    size_t i = 0;

    assert(route < ROUTE_KINDS);
    assert(status >= STATUS_LEAST && status <= STATUS_MOST);

    counts->requests++;
    counts->statuses[status - STATUS_LEAST]++;
    counts->duration_ns += duration_ns;
    while (i < JZ__LENGTH(buckets) && duration_ns > buckets[i].most_ns) {
        i++;
    }
    if (i < JZ__LENGTH(buckets)) {
        counts->durations[i]++;
    }
}

void metrics_count_upload(struct metrics *metrics, uint64_t bytes)
{
    metrics->uploads++;
    metrics->upload_bytes += bytes;
}

/* The whole of it at once, so that a look never mixes two reports. */
void metrics_set_job(struct metrics *metrics, const struct metrics_job *job)
{
    uv_mutex_lock(&metrics->lock);
    metrics->job = *job;
    uv_mutex_unlock(&metrics->lock);
}

/* --- telling --- */

static void put_requests(struct jz__buf *out, const struct metrics *metrics)
{
    char code[16];

    /* Only what has been there: most of the 500 statuses never are. */
    prometheus_put_family(out, "jezero_requests_total", "counter",
                          "Requests that were answered.");
    for (size_t route = 0; route < ROUTE_KINDS; route++) {
        const struct route_counts *counts = &metrics->routes[route];

        for (int status = STATUS_LEAST; status <= STATUS_MOST; status++) {
            uint64_t count = counts->statuses[status - STATUS_LEAST];

            if (count > 0) {
                (void)snprintf(code, sizeof(code), "%d", status);
                jz__buf_puts(out, "jezero_requests_total{");
                prometheus_put_label(out, "route",
                                     route_kind_name((enum route_kind)route));
                prometheus_put_label(out, "status", code);
                jz__buf_putc(out, '}');
                prometheus_put_whole(out, count);
            }
        }
    }
}

#define DURATION "jezero_request_duration_seconds"

/* Each bucket holds those before it as well. */
static void put_durations(struct jz__buf *out, const char *route,
                          const struct route_counts *counts)
{
    uint64_t sum = 0;

    for (size_t i = 0; i <= JZ__LENGTH(buckets); i++) {
        bool is_last = i == JZ__LENGTH(buckets);

        sum = is_last ? counts->requests : sum + counts->durations[i];
        jz__buf_puts(out, DURATION "_bucket{");
        prometheus_put_label(out, "route", route);
        prometheus_put_label(out, "le", is_last ? "+Inf" : buckets[i].label);
        jz__buf_putc(out, '}');
        prometheus_put_whole(out, sum);
    }
    jz__buf_puts(out, DURATION "_sum{");
    prometheus_put_label(out, "route", route);
    jz__buf_putc(out, '}');
    prometheus_put_seconds(out, counts->duration_ns);
    jz__buf_puts(out, DURATION "_count{");
    prometheus_put_label(out, "route", route);
    jz__buf_putc(out, '}');
    prometheus_put_whole(out, counts->requests);
}

static void put_answers(struct jz__buf *out, const struct metrics *metrics)
{
    put_requests(out, metrics);
    prometheus_put_family(out, DURATION, "histogram",
                          "From the end of a request's head to its answer.");
    for (size_t route = 0; route < ROUTE_KINDS; route++) {
        put_durations(out, route_kind_name((enum route_kind)route),
                      &metrics->routes[route]);
    }
    prometheus_put_single(out, "jezero_uploads_total", "counter",
                          "Uploads that were taken.", metrics->uploads);
    prometheus_put_single(out, "jezero_upload_bytes_total", "counter",
                          "Bytes of those uploads, decompressed.",
                          metrics->upload_bytes);
}

/* A gauge whose value may not be known is then left out: a 0 would be read as
 * an empty library. */
static void put_gauge(struct jz__buf *out, const char *name, const char *help,
                      int64_t value)
{
    if (value >= 0) {
        prometheus_put_single(out, name, "gauge", help, (uint64_t)value);
    }
}

/* The job counts from the start of the process on, as counters do: Prometheus
 * sees a restart by their going back. */
static void put_documents(struct jz__buf *out, const char *state, int64_t count)
{
    jz__buf_puts(out, "jezero_documents_total{");
    prometheus_put_label(out, "state", state);
    jz__buf_putc(out, '}');
    prometheus_put_whole(out, (uint64_t)count);
}

static void put_job(struct jz__buf *out, struct metrics *metrics)
{
    struct metrics_job job;

    uv_mutex_lock(&metrics->lock);
    job = metrics->job;
    uv_mutex_unlock(&metrics->lock);
    put_gauge(out, "jezero_items", "Items in the library.", job.items);
    put_gauge(out, "jezero_queue", "Uploads that wait to be taken in.",
              job.queue);
    prometheus_put_family(out, "jezero_documents_total", "counter",
                          "Documents that were read since the start.");
    put_documents(out, "stored", job.stored);
    put_documents(out, "failed", job.failed);
    if (job.finished_at > 0) {
        put_gauge(out, "jezero_ingest_last_end_time_seconds",
                  "When the last pass over the documents ended.",
                  job.finished_at);
    }
}

/* The label of the version joins with any other metric in a query, which is why
 * it is a metric of its own whose value says nothing. */
static void put_now(struct jz__buf *out, const struct metrics *metrics,
                    const struct metrics_now *now)
{
    put_gauge(out, "jezero_connections", "Open connections.",
              (int64_t)now->connections);
    put_gauge(out, "jezero_clients", "Clients whose key can be used.",
              (int64_t)now->clients);
    put_gauge(out, "jezero_library_calls",
              "Calls of the library that run or wait.", (int64_t)now->calls);
    put_gauge(out, "jezero_healthy", "1 while the library can be read.",
              now->is_healthy != 0);
    put_gauge(out, "jezero_start_time_seconds", "When the server was started.",
              metrics->started_at);
    prometheus_put_family(out, "jezero_build_info", "gauge",
                          "1; the label is what counts.");
    jz__buf_puts(out, "jezero_build_info{");
    prometheus_put_label(out, "version", jz_version());
    jz__buf_puts(out, "} 1\n");
}

/* The names that every program's metrics have, so that the dashboards that
 * exist for them show this one as well. */
static void put_process(struct jz__buf *out)
{
    struct process_state process;

    process_read(&process);
    put_gauge(out, "process_resident_memory_bytes", "Resident memory.",
              process.resident_bytes);
    put_gauge(out, "process_virtual_memory_bytes", "Virtual memory.",
              process.virtual_bytes);
    put_gauge(out, "process_open_fds", "Open file descriptors.",
              process.open_files);
    put_gauge(out, "process_max_fds", "The limit of open file descriptors.",
              process.open_files_most);
    if (process.cpu_ns >= 0) {
        prometheus_put_family(out, "process_cpu_seconds_total", "counter",
                              "CPU time of all threads.");
        jz__buf_puts(out, "process_cpu_seconds_total");
        prometheus_put_seconds(out, (uint64_t)process.cpu_ns);
    }
}

void metrics_put(struct jz__buf *out, struct metrics *metrics,
                 const struct metrics_now *now)
{
    assert(out != NULL && metrics != NULL && now != NULL);

    put_answers(out, metrics);
    put_job(out, metrics);
    put_now(out, metrics, now);
    put_process(out);
}
