/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libjezero and what it depends on takes half of the time that a hook
 * has. It is found as the linker finds the libraries that the program was linked
 * with: beside them when it is installed, in the build folder before.
 */
#include "library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "base/json.h"
#include "base/mem.h"

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)
#define FILE_NAME "libjezero.so." STRING(JZ_VERSION_MAJOR)

/* POSIX promises that a function's address fits into the pointer that dlsym()
 * gives, C does not: so it is copied as bytes. */
static bool find(void *function, void *handle, const char *name,
                 struct jz__error *error)
{
    void *address = dlsym(handle, name);

    if (address == NULL) {
        (void)jz__fail(error, JZ_EINTERNAL,
                       FILE_NAME " has no %s: it is of another version", name);
        return false;
    }
    memcpy(function, &address, sizeof(address));
    return true;
}

static bool find_all(struct library *library, void *handle,
                     struct jz__error *error)
{
#define FIND(member) find(&library->member, handle, "jz_" #member, error)
    return FIND(project_resolve) && FIND(list_sessions) &&
           FIND(export_session) && FIND(library_open) && FIND(library_close) &&
           FIND(mcp_dispatch) && FIND(free);
#undef FIND
}

const struct library *library_load(struct jz__error *error)
{
    static struct library library;
    static bool is_loaded;
    void *handle;

    if (is_loaded) {
        return &library;
    }
    handle = dlopen(FILE_NAME, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        (void)jz__fail(error, JZ_EINTERNAL, "cannot load %s: %s", FILE_NAME,
                       dlerror());
        return NULL;
    }
    if (!find_all(&library, handle, error)) {
        (void)dlclose(handle);
        return NULL;
    }
    is_loaded = true;
    return &library;
}

/* The rules with what they must know of this computer: its user's home and the
 * folder of temporary files are nobody's project. */
static int put_rules(struct jz__buf *out, const char *projects_json)
{
    JZ_CLEANUP(jz__buf_finish) struct jz__buf user = JZ__BUF_INIT;
    JZ_CLEANUP(jz__json_freep) cJSON *rules = NULL;
    const char *temp = getenv("TMPDIR");
    int r = 0;

    if (projects_json != NULL) {
        r = jz__json_parse(&rules, projects_json, strlen(projects_json), NULL);
    } else {
        rules = cJSON_CreateObject();
    }
    agent_put_user_home(&user);
    if (r < 0 || user.error != 0) {
        return r < 0 ? r : JZ_ENOMEM;
    }
    if (cJSON_AddStringToObject(rules, "home",
                                user.length > 0 ? user.data : "") == NULL ||
        cJSON_AddStringToObject(
            rules, "temp", temp != NULL && temp[0] == '/' ? temp : "/tmp") ==
            NULL) {
        return JZ_ENOMEM;
    }
    jz__json_put_tree(out, rules);
    return out->error;
}

static int resolve(struct jz__buf *out, const struct library *library,
                   const char *rules, const char *folder)
{
    JZ_CLEANUP(jz__json_freep) cJSON *answer = NULL;
    char *json = NULL;
    int r = library->project_resolve(&json, rules, folder);

    if (r == 0) {
        r = jz__json_parse(&answer, json, strlen(json), NULL);
    }
    library->free(json);
    jz__buf_puts(out, jz__json_text(answer, "project", ""));
    return r;
}

int library_project(struct jz__buf *out, const char *projects_json,
                    const char *folder, struct jz__error *error)
{
    const struct library *library = library_load(error);
    JZ_CLEANUP(jz__buf_finish) struct jz__buf rules = JZ__BUF_INIT;
    int r;

    if (library == NULL) {
        return JZ_EINTERNAL;
    }
    r = put_rules(&rules, projects_json);
    if (r == 0) {
        r = resolve(out, library, rules.data, folder);
    }
    if (r == JZ_EINVAL) {
        return jz__fail(error, r,
                        "projects in client.json is not {\"paths\": {…}, "
                        "\"roots\": […], \"aliases\": {…}}");
    }
    return r == JZ_ENOMEM || out->error != 0 ? jz__fail_memory(error) : r;
}
