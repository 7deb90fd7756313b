/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of http and https addresses. Slices are borrowed from the text. */
#ifndef JZ_NET_URL_H
#define JZ_NET_URL_H

#include <stdbool.h>

#include "base/str.h"

struct jz__url {
    struct jz__str scheme;    /* as written */
    struct jz__str authority; /* "host", "host:port", "[::1]:port" */
    struct jz__str host;      /* without the brackets of an IPv6 address */
    int port;                 /* the scheme's own if none is written */
    struct jz__str path;      /* from its slash to the end, or "" */
};

/* false: no http or https URL, or one with user information. */
bool jz__url_parse(struct jz__url *out, struct jz__str text);

/* Take "name", "name:port", "[v6]" or "[v6]:port" apart: *port is -1 without
 * one. false: empty name, a port that is no number from 0 to 65535, brackets
 * that do not match. */
bool jz__url_split_authority(struct jz__str *host, int *port,
                             struct jz__str authority);

/* Is it this computer? localhost, 127.0.0.0/8 and ::1, with or without
 * brackets. */
bool jz__url_is_loopback(struct jz__str host);

#endif
