/* Detached sections: on no stack, finished once, on any thread. */
#include "check.h"

#include <pthread.h>

static void *finish(void *detached) {
    CHECK_OK(xtimer_finish(detached));
    return NULL;
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_detached_t first, second, below, none;
    xtimer_section_info_t info;
    xtimer_token_t outer;
    xtimer_path_t path;
    pthread_t thread;
    const char *names[] = {"outer", "transfer", "part"};

    CHECK_OK(xtimer_configure(&config));
    outer = xtimer_begin("outer", NULL);
    first = xtimer_detach("transfer", "gpu");
    check_now += 10;
    second = xtimer_detach("transfer", "gpu"); /* two at once, overlapping */
    path = xtimer_detached_path(&first);
    below = xtimer_detach_beneath(path, "part", NULL);
    check_now += 5;
    CHECK(pthread_create(&thread, NULL, finish, &first) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(xtimer_end(outer));
    check_now += 100;
    CHECK_OK(xtimer_finish(&second));
    CHECK_OK(xtimer_finish(&below));

    CHECK_OK(xtimer_section_info(names, 1, true, &info));
    CHECK(info.total_ns == 15 && info.exclusive_ns == 15); /* it runs beside */
    CHECK_OK(xtimer_section_info(names, 2, true, &info));
    CHECK(info.count == 2 && info.total_ns == 15 + 105 && strcmp(info.category, "gpu") == 0);
    CHECK_OK(xtimer_section_info(names, 3, true, &info));
    CHECK(info.count == 1 && info.total_ns == 105);

    CHECK_STATUS(xtimer_finish(&first), XTIMER_STATUS_NOT_OPEN);
    CHECK_ERROR("finished before");

    /* Refused: finishing it does nothing, as often as one likes. */
    none = xtimer_detach(NULL, NULL);
    CHECK_OK(xtimer_finish(&none));
    CHECK_OK(xtimer_finish(&none));

    /* Of another timer. */
    {
        xtimer_t other;
        CHECK_OK(xtimer_create(&config, &other));
        none = xtimer_timer_detach(other, "n", NULL);
        CHECK_STATUS(xtimer_timer_finish(xtimer_default(), &none), XTIMER_STATUS_OTHER_TIMER);
        check_now += 3;
        CHECK_OK(xtimer_timer_finish(other, &none));
        none = xtimer_timer_detach(other, "n", NULL);
        check_now += 4;
        CHECK_OK(xtimer_finish(&none)); /* it knows its timer */
        CHECK(xtimer_timer_total_ns(other) == 7);
        none = xtimer_timer_detach(other, "n", NULL);
        CHECK_OK(xtimer_destroy(other));
        CHECK_STATUS(xtimer_finish(&none), XTIMER_STATUS_OTHER_TIMER);
    }

    /* Begun before a clear: not recorded. */
    first = xtimer_detach("across", NULL);
    CHECK_OK(xtimer_clear());
    CHECK_OK(xtimer_finish(&first));
    CHECK(xtimer_total_ns() == 0);
    return 0;
}
