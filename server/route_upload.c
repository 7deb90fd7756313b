/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of an upload. Everything that can be wrong with it is found here,
 * before a byte of the body is decompressed or the disk is touched.
 */
#include "route_case.h"

#include "jezero.h"
#include "net/percent.h"

/* Bytes of a project's name, decoded. */
#define PROJECT_MOST 200

#define INBOX_PREFIX "/inbox/v1/"

static bool refuse(struct route_case *asked, int status, const char *reason)
{
    route_refuse(asked->result, status, reason);
    return false;
}

static bool read_project(struct route_case *asked)
{
    struct jz__str text;

    if (jz__http_header_count(asked->request, "x-jezero-project") == 0) {
        return true;
    }
    if (jz__http_header(&text, asked->request, "x-jezero-project") &&
        jz__percent_decode(&asked->result->project, text, PROJECT_MOST) !=
            JZ_EINVAL) {
        return true;
    }
    return refuse(asked, 400,
                  "X-Jezero-Project must be percent-encoded UTF-8 of at most "
                  "200 bytes");
}

bool route_check_place(struct route_case *asked)
{
    struct jz__str path = asked->request->path;
    const char *reason = NULL;

    if (asked->result->kind != ROUTE_UPLOAD) {
        return true;
    }
    path.data += sizeof(INBOX_PREFIX) - 1;
    path.length -= sizeof(INBOX_PREFIX) - 1;
    if (!inbox_path_parse(&asked->result->path, &reason, path)) {
        return refuse(asked, 400, reason);
    }
    if (asked->request->has_query) {
        return refuse(asked, 400, "an upload has no query string");
    }
    return read_project(asked);
}

bool route_check_encoding(struct route_case *asked)
{
    struct jz__str encoding;

    if (asked->result->kind != ROUTE_UPLOAD ||
        jz__http_header_count(asked->request, "content-encoding") == 0) {
        return true;
    }
    if (jz__http_header(&encoding, asked->request, "content-encoding")) {
        asked->result->is_gzip = jz__str_is_nocase(encoding, "gzip");
        if (asked->result->is_gzip || jz__str_is_nocase(encoding, "identity")) {
            return true;
        }
    }
    return refuse(asked, 415, "Content-Encoding must be gzip or identity");
}
