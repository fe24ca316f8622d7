/* A handler that times sections through its thread's own timers, at any instant of a thread that does
 * the same with several enabled: each timer counts every section. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIGNALS = 2000, TIMERS = 3 };

static volatile sig_atomic_t handled;
static xtimer_t timers[TIMERS], another;
static xtimer_path_t place;

static void handler(int number) {
    xtimer_enabled_t refused;
    xtimer_token_t outer = xtimer_begin("handler", "h");
    xtimer_token_t beneath = xtimer_begin_beneath(place, "beneath", "h");
    if (outer == 0 || beneath == 0) _exit(3);
    if (xtimer_end(beneath) != XTIMER_STATUS_OK) _exit(4);
    if (xtimer_end(outer) != XTIMER_STATUS_OK) _exit(5);
    /* Misuse: enabled or refused, and nothing breaks. */
    if (!UNDER_THREAD_SANITIZER && handled % 50 == 0 && xtimer_enable_begin(another, &refused) == XTIMER_STATUS_OK)
        if (xtimer_enable_end(refused) != XTIMER_STATUS_OK) _exit(6);
    handled = handled + 1;
    (void)number;
}

/* Entries of all sections of this name. */
static uint64_t entries(xtimer_t timer, const char *name) {
    xtimer_snapshot_t snapshot;
    uint64_t sum = 0;
    size_t i;
    CHECK_OK(xtimer_timer_snapshot_take(timer, false, &snapshot));
    for (i = 0; i < xtimer_snapshot_count(snapshot); ++i) {
        xtimer_section_info_t info;
        CHECK_OK(xtimer_snapshot_at(snapshot, i, &info));
        if (strcmp(info.name, name) == 0) sum += info.count;
    }
    CHECK_OK(xtimer_snapshot_free(snapshot));
    return sum;
}

int main(void) {
    struct sigaction action;
    struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    xtimer_enabled_t scopes[TIMERS];
    uint64_t rounds = 0, levels = 0;
    int i;

    for (i = 0; i < TIMERS; ++i) {
        CHECK_OK(xtimer_create(NULL, &timers[i]));
        CHECK_OK(xtimer_enable_begin(timers[i], &scopes[i]));
    }
    CHECK_OK(xtimer_create(NULL, &another));
    place = xtimer_current_path();
    CHECK(place.value[TIMERS - 1] != 0);

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
    while (handled < SIGNALS) {
        xtimer_token_t token = xtimer_begin("main", "m"), beneath;
        CHECK(token != 0);
        if (rounds % 3 == 0) {
            beneath = xtimer_begin_beneath(place, "level", "m");
            CHECK_OK(xtimer_end(xtimer_begin("nested", "m")));
            CHECK_OK(xtimer_end(beneath));
            ++levels;
        }
        if (rounds % 7 == 0) {
            CHECK_OK(xtimer_enable_end(scopes[TIMERS - 1]));
            CHECK_OK(xtimer_enable_begin(timers[TIMERS - 1], &scopes[TIMERS - 1]));
        }
        CHECK_OK(xtimer_end(token));
        ++rounds;
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);

    for (i = 0; i < TIMERS; ++i) {
        CHECK(entries(timers[i], "main") == rounds);
        CHECK(entries(timers[i], "level") == levels && entries(timers[i], "nested") == levels);
        CHECK(entries(timers[i], "beneath") == (uint64_t)handled);
        /* The last is not enabled for an instant now and then. */
        if (i < TIMERS - 1) CHECK(entries(timers[i], "handler") == (uint64_t)handled);
        CHECK_OK(xtimer_enable_end(scopes[i]));
    }
    CHECK(xtimer_total_ns() == 0);
    return 0;
}
