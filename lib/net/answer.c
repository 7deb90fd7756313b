/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers always carry a length, so that a connection can be kept and a cut
 * answer is seen as cut. They are written with HTTP/1.1 whatever the request's
 * version was, as RFC 9112 asks for.
 */
#include "net/answer.h"

#include <assert.h>
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

/* At least so many digits. Heads are written for every answer, and printf()
 * takes longer than all the rest of it. */
static void put_number(struct jz__buf *out, size_t value, size_t digits)
{
    char text[20];
    size_t at = sizeof(text);

    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || sizeof(text) - at < digits);
    jz__buf_append(out, text + at, sizeof(text) - at);
}

/* A part of a date, and the mark behind it. */
static void put_field(struct jz__buf *out, int value, const char *behind)
{
    put_number(out, (size_t)value, 2);
    jz__buf_puts(out, behind);
}

/* By hand, because strftime() speaks the language of the locale. */
static void put_date(struct jz__buf *out, int64_t date)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t seconds = (time_t)date;
    struct tm tm;

    /* A clock that is wrong by ages is no reason to send nonsense: the header
     * may be left out by a server without a clock. */
    if (gmtime_r(&seconds, &tm) == NULL || tm.tm_year < -1900) {
        return;
    }
    jz__buf_puts(out, "Date: ");
    jz__buf_append(out, days + (size_t)tm.tm_wday * 3, 3);
    jz__buf_puts(out, ", ");
    put_field(out, tm.tm_mday, " ");
    jz__buf_append(out, months + (size_t)tm.tm_mon * 3, 3);
    jz__buf_puts(out, " ");
    put_number(out, (size_t)tm.tm_year + 1900, 4);
    jz__buf_puts(out, " ");
    put_field(out, tm.tm_hour, ":");
    put_field(out, tm.tm_min, ":");
    put_field(out, tm.tm_sec, " GMT\r\n");
}

static void put_line(struct jz__buf *out, const char *name, const char *value)
{
    jz__buf_puts(out, name);
    jz__buf_puts(out, value);
    jz__buf_puts(out, "\r\n");
}

/* A client reads the length as the promise of so many bytes: it is always the
 * body's, also for HEAD. */
void jz__answer_put_head(struct jz__buf *out, const struct jz__answer *answer)
{
    assert(answer->status >= 200 && answer->status <= 599);

    jz__buf_puts(out, "HTTP/1.1 ");
    put_number(out, (size_t)answer->status, 3);
    put_line(out, " ", jz__answer_reason(answer->status));
    put_date(out, answer->date);
    if (answer->content_type != NULL) {
        put_line(out, "Content-Type: ", answer->content_type);
    }
    /* RFC 9110 forbids a length with 204, which never has a body. */
    if (answer->status != 204) {
        jz__buf_puts(out, "Content-Length: ");
        put_number(out, answer->content_length, 1);
        jz__buf_puts(out, "\r\n");
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
