/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd in pieces, where the build found libzstd. Without it opening says so, and
 * whoever has such a file names it as skipped.
 */
#include "base/zip.h"

#include <assert.h>
#include <stdlib.h>

#include "jezero.h"

#if JZ_HAVE_ZSTD

#include <zstd.h>

/* A frame that asks for a larger window is refused: 128 MiB is what the program
 * itself takes without being told to. */
#define WINDOW_LOG_MOST 27

struct jz__zip_zstd {
    ZSTD_DStream *stream;
    size_t hint; /* 0: at the end of a frame */
    bool has_begun;
};

int jz__zip_zstd_open(struct jz__zip_zstd **out)
{
    struct jz__zip_zstd *zstd = calloc(1, sizeof(*zstd));

    *out = NULL;
    if (zstd == NULL) {
        return JZ_ENOMEM;
    }
    zstd->stream = ZSTD_createDStream();
    if (zstd->stream == NULL ||
        ZSTD_isError(ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax,
                                            WINDOW_LOG_MOST))) {
        jz__zip_zstd_close(zstd);
        return JZ_ENOMEM;
    }
    *out = zstd;
    return JZ_OK;
}

void jz__zip_zstd_close(struct jz__zip_zstd *zstd)
{
    if (zstd != NULL) {
        (void)ZSTD_freeDStream(zstd->stream);
        free(zstd);
    }
}

int jz__zip_zstd_next(size_t *length, struct jz__zip_zstd *zstd,
                      struct jz__str *in, char *out, size_t room)
{
    ZSTD_inBuffer input = { in->data, in->length, 0 };
    ZSTD_outBuffer output = { out, room, 0 };

    assert(room > 0);

    *length = 0;
    zstd->has_begun = zstd->has_begun || in->length > 0;
    /* An empty input asks for what did not fit into the last out. */
    do {
        size_t hint = ZSTD_decompressStream(zstd->stream, &output, &input);

        if (ZSTD_isError(hint)) {
            return JZ_ECORRUPT;
        }
        zstd->hint = hint;
    } while (input.pos < input.size && output.pos < output.size);
    in->data += input.pos;
    in->length -= input.pos;
    *length = output.pos;
    return JZ_OK;
}

bool jz__zip_zstd_is_complete(const struct jz__zip_zstd *zstd)
{
    return zstd->has_begun && zstd->hint == 0;
}

#else

struct jz__zip_zstd {
    bool unused;
};

int jz__zip_zstd_open(struct jz__zip_zstd **out)
{
    *out = NULL;
    return JZ_EINVAL;
}

void jz__zip_zstd_close(struct jz__zip_zstd *zstd)
{
    assert(zstd == NULL);
    (void)zstd;
}

int jz__zip_zstd_next(size_t *length, struct jz__zip_zstd *zstd,
                      struct jz__str *in, char *out, size_t room)
{
    (void)zstd;
    (void)in;
    (void)out;
    (void)room;
    *length = 0;
    return JZ_EINVAL;
}

bool jz__zip_zstd_is_complete(const struct jz__zip_zstd *zstd)
{
    (void)zstd;
    return false;
}

#endif
