/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration may name connectors that a later version reads. They are
 * accepted, and whoever runs a pass is told that they are left out: silence
 * would look like sessions that have nothing to say. */
#include "connectors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool connectors_reads(struct jz__str type)
{
    return jz__str_is(type, "claude-code") || jz__str_is(type, "codex");
}

int connectors_places(struct intake_place **out, size_t *count,
                      const struct config *config, const char *only,
                      const struct jz__log *log, struct jz__error *error)
{
    size_t named = 0;
    size_t i;

    *count = 0;
    *out = calloc(config->connector_count + 1, sizeof(**out));
    if (*out == NULL) {
        return jz__fail_memory(error);
    }
    for (i = 0; i < config->connector_count; i++) {
        const struct config_connector *connector = &config->connectors[i];

        if (only != NULL && strcmp(only, connector->name) != 0) {
            continue;
        }
        named++;
        /* The others still run: one early connector must not stop a pass. */
        if (!connectors_reads(jz__str_of(connector->type))) {
            jz__log_write(log, JZ_LOG_WARNING,
                          "connector '%s' is left out: this version does not "
                          "read type '%s'",
                          connector->name, connector->type);
            continue;
        }
        (*out)[(*count)++] = (struct intake_place){
            .agent = connector->type,
            .path = connector->path,
            .source = connector->name,
            .is_local = true,
            .must_exist = true,
        };
    }
    if (only != NULL && named == 0) {
        return jz__fail(error, JZ_EINVAL, "there is no connector named '%s'",
                        only);
    }
    return *count > 0 ? 0
                      : jz__fail(error, JZ_EINVAL,
                                 "there is no connector that this version "
                                 "reads");
}
