/* A handler that times sections by string and writes reports, at any instant of a thread that does
 * the same: counts stay right, and no name is taken for another. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIGNALS = 3000, NAMES = 200 };

static volatile sig_atomic_t handled;
static int null_device;
static char names[NAMES][16];

static void handler(int number) {
    const int kept = errno;
    xtimer_token_t token = xtimer_begin(names[handled % NAMES], "handler");
    errno = 77;
    if (handled % 16 == 0) (void)xtimer_report_fd(null_device);
    if (errno != 77) _exit(3);
    if (xtimer_end(token) != XTIMER_STATUS_OK) _exit(4);
    handled = handled + 1;
    errno = kept; /* the handler changed it, the report did not */
    (void)number;
}

int main(void) {
    struct sigaction action;
    struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    unsigned long long rounds = 0, counted = 0, in_handler = 0;
    xtimer_snapshot_t snapshot;
    size_t i;
    int n;

    null_device = open("/dev/null", O_WRONLY);
    CHECK(null_device >= 0);
    for (n = 0; n < NAMES; ++n) snprintf(names[n], sizeof names[n], "name %d", n);
    CHECK(xtimer_total_ns() == 0); /* the default timer is made outside of the handler */
    CHECK_OK(xtimer_end(xtimer_begin("first", NULL)));

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
    while (handled < SIGNALS) {
        xtimer_token_t token = xtimer_begin(names[rounds % NAMES], "main");
        CHECK(token != 0);
        CHECK_OK(xtimer_end(token));
        ++rounds;
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);

    CHECK_OK(xtimer_snapshot_take(false, &snapshot));
    for (i = 0; i < xtimer_snapshot_count(snapshot); ++i) {
        xtimer_section_info_t info;
        CHECK_OK(xtimer_snapshot_at(snapshot, i, &info));
        if (info.path_length == 1 && strcmp(info.name, "first") != 0) counted += info.count;
        if (info.path_length == 2) in_handler += info.count;
    }
    CHECK_OK(xtimer_snapshot_free(snapshot));
    /* The handler's sections lie beneath the main loop's, or between two of them. */
    if (counted + in_handler != rounds + (unsigned long long)handled) {
        fprintf(stderr, "%llu + %llu instead of %llu + %d\n", counted, in_handler, rounds,
                (int)handled);
        return 1;
    }
    /* A name of the main loop, at its own count: no entry went to a name that was not asked for. */
    for (n = 0; n < NAMES; ++n) {
        const char *path[] = {names[n]};
        xtimer_section_info_t info;
        unsigned long long own = rounds / NAMES + ((unsigned)n < rounds % NAMES);
        CHECK_OK(xtimer_section_info(path, 1, false, &info));
        if (info.count < own || info.count > own + SIGNALS / NAMES + 1) {
            fprintf(stderr, "%s: %llu entries, %llu of its own\n", names[n],
                    (unsigned long long)info.count, own);
            return 1;
        }
    }
    return 0;
}
