/* Timers of one's own: handles, configs, use after destroy, what threads keep. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

static pthread_barrier_t barrier;
static xtimer_t shared;

/* Holds a context in `shared` while the main thread destroys it. */
static void *hold(void *unused) {
    xtimer_token_t token = xtimer_timer_begin(shared, "held", NULL);
    CHECK(token != 0);
    pthread_barrier_wait(&barrier); /* begun */
    pthread_barrier_wait(&barrier); /* destroyed */
    CHECK_STATUS(xtimer_timer_end(shared, token), XTIMER_STATUS_NO_TIMER);
    CHECK(xtimer_timer_begin(shared, "late", NULL) == 0);
    return unused;
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_t timer, other, many[70];
    xtimer_token_t token, foreign;
    pthread_t thread;
    int i;

    CHECK_OK(xtimer_create(&config, &timer));
    CHECK_OK(xtimer_create(&config, &other));
    CHECK(timer.handle != other.handle);

    token = xtimer_timer_begin(timer, "a", "x");
    check_now += 40;
    CHECK_OK(xtimer_timer_end(timer, token));
    CHECK(xtimer_timer_total_ns(timer) == 40 && xtimer_timer_total_ns(other) == 0);
    CHECK(xtimer_total_ns() == 0);

    /* A token or path of another timer is refused. */
    foreign = xtimer_timer_begin(other, "b", NULL);
    CHECK(xtimer_timer_end(timer, foreign) != XTIMER_STATUS_OK);
    CHECK(xtimer_end(foreign) != XTIMER_STATUS_OK);
    CHECK(xtimer_timer_begin_beneath(timer, xtimer_timer_current_path(other), "c", NULL) == 0);
    CHECK_ERROR("another timer");
    CHECK_OK(xtimer_timer_end(other, foreign));

    /* One call site may serve several timers in turn. */
    {
        static xtimer_site_t site = XTIMER_SITE("site", NULL);
        for (i = 0; i < 10; ++i) {
            xtimer_t which = i % 2 ? timer : other;
            token = xtimer_timer_begin_at(which, &site);
            check_now += i % 2 ? 1 : 10;
            CHECK_OK(xtimer_timer_end(which, token));
        }
        CHECK(xtimer_timer_total_ns(timer) == 45 && xtimer_timer_total_ns(other) == 50);
    }

    /* Configs that cannot work. */
    {
        xtimer_config_t bad = config;
        bad.lanes = 0;
        CHECK_STATUS(xtimer_create(&bad, &timer), XTIMER_STATUS_CONFIG);
        CHECK_ERROR("lanes");
        bad = config;
        bad.size = 8;
        CHECK_STATUS(xtimer_create(&bad, &timer), XTIMER_STATUS_INVALID_ARGUMENT);
        bad = config;
        bad.statistics = 9;
        CHECK_STATUS(xtimer_create(&bad, &timer), XTIMER_STATUS_INVALID_ARGUMENT);
        bad = config;
        bad.clock_width = 65;
        CHECK_STATUS(xtimer_create(&bad, &timer), XTIMER_STATUS_INVALID_ARGUMENT);
        bad = config;
        bad.clock_hertz = 0;
        CHECK_STATUS(xtimer_create(&bad, &timer), XTIMER_STATUS_INVALID_ARGUMENT);
        CHECK(xtimer_timer_total_ns(timer) == 45); /* the handle was not overwritten */
    }

    /* A narrow clock of another rate wraps. */
    {
        xtimer_config_t narrow = config;
        xtimer_t wraps;
        narrow.clock_width = 16;
        narrow.clock_hertz = 1000;
        check_now = 65530;
        CHECK_OK(xtimer_create(&narrow, &wraps));
        token = xtimer_timer_begin(wraps, "wraps", NULL);
        check_now = 4;
        CHECK_OK(xtimer_timer_end(wraps, token));
        CHECK(xtimer_timer_total_ns(wraps) == 10000000);
        CHECK_OK(xtimer_destroy(wraps));
    }

    /* Destroyed: an error, twice as well; the other goes on. */
    token = xtimer_timer_begin(timer, "open", NULL);
    CHECK_OK(xtimer_destroy(timer));
    CHECK_STATUS(xtimer_timer_end(timer, token), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_destroy(timer), XTIMER_STATUS_NO_TIMER);
    CHECK(xtimer_timer_begin(timer, "a", NULL) == 0);
    CHECK(xtimer_timer_total_ns(other) == 50);

    /* Another timer in the same place does not take the old handle. */
    for (i = 0; i < 200; ++i) {
        xtimer_t fresh;
        CHECK_OK(xtimer_create(&config, &fresh));
        CHECK_OK(xtimer_timer_end(fresh, xtimer_timer_begin(fresh, "n", NULL)));
        CHECK_STATUS(xtimer_timer_clear(timer), XTIMER_STATUS_NO_TIMER);
        CHECK_OK(xtimer_destroy(fresh));
    }

    /* Destroyed while another thread has a section open in it. */
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK_OK(xtimer_create(&config, &shared));
    CHECK(pthread_create(&thread, NULL, hold, NULL) == 0);
    pthread_barrier_wait(&barrier);
    CHECK_OK(xtimer_destroy(shared));
    pthread_barrier_wait(&barrier);
    CHECK(pthread_join(thread, NULL) == 0);

    /* 64 at once, `other` among them. */
    for (i = 0; i < 70; ++i) {
        xtimer_status_t status = xtimer_create(&config, &many[i]);
        if (status != XTIMER_STATUS_OK) {
            CHECK_STATUS(status, XTIMER_STATUS_TOO_MANY_TIMERS);
            break;
        }
    }
    CHECK(i == 63);
    while (i-- > 0) CHECK_OK(xtimer_destroy(many[i]));

    /* The default timer is configured before its first use, or stays. */
    CHECK_STATUS(xtimer_configure(&config), XTIMER_STATUS_ALREADY_MADE);
    return 0;
}
