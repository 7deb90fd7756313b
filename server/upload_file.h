/* SPDX-License-Identifier: Apache-2.0 */
/* The disk's side of one upload: blocking, for one thread at a time. */
#ifndef JEZERO_SERVER_UPLOAD_FILE_H
#define JEZERO_SERVER_UPLOAD_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/zip.h"
#include "inbox_disk.h"
#include "inbox_usage.h"
#include "upload_text.h"

/* What is the same for all uploads; borrowed. */
struct upload_place {
    const char *inbox;
    uint64_t file_most;
    struct inbox_usage *usage; /* NULL: no limit */
};

/* Made by its owner, zeroed but for the first four. */
struct upload_file {
    const struct upload_place *place;
    struct inbox_name name;
    struct jz__buf project;
    bool is_gzip;
    char arriving[32]; /* its name while it arrives */

    struct jz__zip_reader *reader; /* of gzip, once it has begun */
    struct upload_text text;
    bool has_begun;
    bool is_there;              /* under the name `arriving` */
    uint64_t bytes;             /* decompressed */
    struct inbox_room replaces; /* the file that is there already */
    uint64_t taken;             /* of the device's room */

    /* Decided when status is not 0; reason as in struct upload_answer. */
    int status;
    const char *reason;
    int number;       /* errno behind a failure, 0: none */
    bool has_changed; /* 200, and what is in the inbox is new */
};

/* Take the next bytes of the body; is_last: they are the last ones. */
void upload_file_write(struct upload_file *file, struct jz__str data,
                       bool is_last);

/* All bytes are there: put the file in its place. Decides in any case. */
void upload_file_finish(struct upload_file *file);

/* It will not be finished: nothing is left of it. */
void upload_file_drop(struct upload_file *file);

/* Give the memory back. What is on disk stays. */
void upload_file_close(struct upload_file *file);

#endif
