/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers always carry a length, so that a connection can be kept and a cut
 * answer is seen as cut. They are written with HTTP/1.1 whatever the request's
 * version was, as RFC 9112 asks for.
 */
#include "net/answer.h"

#include <assert.h>
#include <inttypes.h>
#include <time.h>

#include "base/mem.h"

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    { 200, "OK" },
    { 202, "Accepted" },
    { 204, "No Content" },
    { 400, "Bad Request" },
    { 401, "Unauthorized" },
    { 403, "Forbidden" },
    { 404, "Not Found" },
    { 405, "Method Not Allowed" },
    { 406, "Not Acceptable" },
    { 413, "Content Too Large" },
    { 415, "Unsupported Media Type" },
    { 417, "Expectation Failed" },
    { 421, "Misdirected Request" },
    { 429, "Too Many Requests" },
    { 431, "Request Header Fields Too Large" },
    { 500, "Internal Server Error" },
    { 501, "Not Implemented" },
    { 503, "Service Unavailable" },
    { 505, "HTTP Version Not Supported" },
    { 507, "Insufficient Storage" },
};

const char *jz__answer_reason(int status)
{
    for (size_t i = 0; i < JZ__LENGTH(reasons); i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Unknown";
}

/* By hand, because strftime() speaks the language of the locale. */
static void put_date(struct jz__buf *out, int64_t date)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t seconds = (time_t)date;
    struct tm tm;

    if (gmtime_r(&seconds, &tm) == NULL) {
        return;
    }
    jz__buf_printf(out, "Date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT\r\n",
                   days + (size_t)tm.tm_wday * 3, tm.tm_mday,
                   months + (size_t)tm.tm_mon * 3, tm.tm_year + 1900,
                   tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* A client reads the length as the promise of so many bytes: it is always the
 * body's, also for HEAD. */
void jz__answer_put_head(struct jz__buf *out, const struct jz__answer *answer)
{
    assert(answer->status >= 200 && answer->status <= 599);

    jz__buf_printf(out, "HTTP/1.1 %d %s\r\n", answer->status,
                   jz__answer_reason(answer->status));
    put_date(out, answer->date);
    if (answer->content_type != NULL) {
        jz__buf_printf(out, "Content-Type: %s\r\n", answer->content_type);
    }
    /* RFC 9110 forbids a length with 204, which never has a body. */
    if (answer->status != 204) {
        jz__buf_printf(out, "Content-Length: %zu\r\n", answer->content_length);
    }
    if (answer->extra != NULL) {
        jz__buf_puts(out, answer->extra);
    }
    if (!answer->keep_alive) {
        jz__buf_puts(out, "Connection: close\r\n");
    } else if (answer->is_http10) {
        jz__buf_puts(out, "Connection: keep-alive\r\n");
    }
    jz__buf_puts(out, "\r\n");
}
