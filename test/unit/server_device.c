/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stddef.h>

#include "base/mem.h"
#include "tap.h"

static void a_host_name_becomes_its_first_label(void)
{
    static const struct {
        const char *host;
        const char *want;
    } hosts[] = {
        { "laptop", "laptop" },
        { "Adas-MacBook-Pro.local", "adas-macbook-pro" },
        { "build_7.example.com", "build_7" },
        { "Jos\xc3\xa9's Mac", "jossmac" },
        { "../../x", "computer" },
        { "", "computer" },
        { "\xe6\x97\xa5", "computer" },
    };
    size_t i;

    for (i = 0; i < JZ__LENGTH(hosts); i++) {
        char name[DEVICE_SIZE];

        device_clean(name, hosts[i].host);
        CHECK_STR(name, hosts[i].want);
    }
}

static void a_long_name_is_cut(void)
{
    char name[DEVICE_SIZE];
    char host[200];

    memset(host, 'a', sizeof(host));
    host[199] = '\0';
    device_clean(name, host);
    CHECK_INT(strlen(name), DEVICE_SIZE - 1);
}

int main(void)
{
    TAP_RUN(a_host_name_becomes_its_first_label);
    TAP_RUN(a_long_name_is_cut);
    return tap_done();
}
