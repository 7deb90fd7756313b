/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read from /proc where there is one, and by POSIX otherwise. A few files of
 * the kernel's memory: it takes some 100 microseconds with a thousand open
 * connections, so the loop may do it when somebody asks for the metrics.
 */
#include "process.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Sizes in pages: the first number is all of it, the second what is resident.
 * A text of this format is the only thing that is ever in the file. */
static void read_memory(struct process_state *out)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long long page = (long long)sysconf(_SC_PAGESIZE);
    long long total;
    long long resident;

    if (file == NULL) {
        return;
    }
    if (page > 0 && fscanf(file, "%lld %lld", &total, &resident) == 2) {
        out->virtual_bytes = (int64_t)(total * page);
        out->resident_bytes = (int64_t)(resident * page);
    }
    (void)fclose(file);
}

/* Of all threads, also those that have ended. */
static void read_cpu(struct process_state *out)
{
    struct timespec used;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0) {
        out->cpu_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    }
}

/* Without the one that this look opens. */
static void count_files(struct process_state *out)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    if (folder == NULL) {
        return;
    }
    out->open_files = -1;
    while ((entry = readdir(folder)) != NULL) {
        out->open_files += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
}

static void read_limit(struct process_state *out)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY) {
        out->open_files_most = (int64_t)limit.rlim_cur;
    }
}

void process_read(struct process_state *out)
{
    *out = (struct process_state){ .resident_bytes = -1,
                                   .virtual_bytes = -1,
                                   .cpu_ns = -1,
                                   .open_files = -1,
                                   .open_files_most = -1 };
    read_memory(out);
    read_cpu(out);
    count_files(out);
    read_limit(out);
}
