/* A handler that times more names than a thread remembers, after each single instruction of begin and
 * end in turn: wherever it interrupts, each entry goes to the name that was asked for. It acts once in
 * a call, since acting at every instruction would never let the call find what it remembered. */
#define _GNU_SOURCE
#include "stepping.h"

#ifndef CANNOT_STEP

#include <signal.h>
#include <unistd.h>

enum { NAMES = 256 };

static char names[NAMES][24];
static unsigned long long asked[NAMES];
/* Instructions stepped over in this call, and the one after which the handler acts. */
static unsigned long step, target;

/* Each name twice, so that the second is remembered with what it came to. */
static void time_all(void) {
    int i;
    for (i = 0; i < 2 * NAMES; ++i) {
        xtimer_token_t token = xtimer_begin(names[i / 2], NULL);
        if (token == 0 || xtimer_end(token) != XTIMER_STATUS_OK) _exit(3);
        ++asked[i / 2];
    }
}

static void handler(int number) {
    if (step++ == target) time_all();
    (void)number;
}

int main(void) {
    unsigned long long rounds = 0;
    struct sigaction action;
    xtimer_snapshot_t snapshot;
    size_t at;
    int i;

    for (i = 0; i < NAMES; ++i) snprintf(names[i], sizeof names[i], "handler %d", i);
    time_all(); /* the timer and all paths at the top exist */
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);

    do {
        xtimer_token_t token;
        xtimer_status_t status;
        /* Twice: remembered, and what it came to as well. */
        CHECK_OK(xtimer_end(xtimer_begin("main name", "main")));
        CHECK_OK(xtimer_end(xtimer_begin("main name", "main")));
        step = 0;
        STEPPING("orq $0x100,");
        token = xtimer_begin("main name", "main");
        status = xtimer_end(token);
        STEPPING("andq $-0x101,");
        CHECK(token != 0);
        CHECK_OK(status);
        rounds += 3;
    } while (target++ < step);
    CHECK(target > 100); /* a begin and an end are not fewer instructions */

    CHECK_OK(xtimer_snapshot_take(false, &snapshot));
    for (at = 0; at < xtimer_snapshot_count(snapshot); ++at) {
        xtimer_section_info_t info;
        CHECK_OK(xtimer_snapshot_at(snapshot, at, &info));
        if (sscanf(info.name, "handler %d", &i) == 1) {
            CHECK(strcmp(info.category, "default") == 0);
            asked[i] -= info.count;
        } else {
            CHECK(strcmp(info.name, "main name") == 0 && info.path_length == 1);
            CHECK(strcmp(info.category, "main") == 0 && info.count == rounds);
        }
    }
    CHECK_OK(xtimer_snapshot_free(snapshot));
    for (i = 0; i < NAMES; ++i) CHECK(asked[i] == 0);
    return 0;
}
#endif
