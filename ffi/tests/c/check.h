/* What the test programs share: checks that end the program, and a clock that the test moves. */
#ifndef CHECK_H
#define CHECK_H

#include "xtimer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ThreadSanitizer holds signals back until the next call of the C library: there is no handler at each
 * instruction, and it reports a handler that allocates, as misuse does. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif
#ifndef UNDER_THREAD_SANITIZER
#define UNDER_THREAD_SANITIZER 0
#endif

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold; last error: %s\n", __FILE__, __LINE__,       \
                    #condition, xtimer_last_error());                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A call's status, and that the thread's last error is of this status where it failed. */
#define CHECK_STATUS(call, expected)                                                               \
    do {                                                                                           \
        int check_status = (int)(call);                                                            \
        if (check_status != (int)(expected) ||                                                     \
            (check_status != XTIMER_STATUS_OK && (int)xtimer_last_status() != check_status)) {     \
            fprintf(stderr, "%s:%d: %s gives %d (%s) instead of %d; last error: %s\n", __FILE__,   \
                    __LINE__, #call, check_status, xtimer_status_text(check_status),               \
                    (int)(expected), xtimer_last_error());                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_OK(call) CHECK_STATUS(call, XTIMER_STATUS_OK)
#define CHECK_ERROR(part) CHECK(strstr(xtimer_last_error(), part) != NULL)

/* Whether two paths are the same. */
static inline int check_same_path(xtimer_path_t one, xtimer_path_t other) {
    return memcmp(&one, &other, sizeof one) == 0;
}

static uint64_t check_now = 1000;

static inline uint64_t check_clock(void *data) {
    return *(const uint64_t *)data;
}

/* A config with a clock that stands at check_now, in nanoseconds. */
static inline xtimer_config_t check_config(void) {
    xtimer_config_t config = xtimer_config_default();
    config.clock = check_clock;
    config.clock_data = &check_now;
    return config;
}

#endif
