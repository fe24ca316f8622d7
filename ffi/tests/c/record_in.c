/* Durations recorded into open sections by their tokens, and beneath the paths of tokens. */
#include "check.h"

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_t own;
    xtimer_token_t step, launch, other;
    xtimer_path_t path = {{77}}, current;

    CHECK_OK(xtimer_configure(&config));
    CHECK_OK(xtimer_create(&config, &own));

    step = xtimer_begin("step", "compute");
    current = xtimer_current_path();
    launch = xtimer_begin("launch", "compute");
    CHECK_OK(xtimer_path_of(step, &path));
    CHECK(check_same_path(path, current));
    CHECK_OK(xtimer_path_of(launch, &path));
    CHECK(check_same_path(path, xtimer_current_path()));

    /* Into the outer one while the inner one is open. */
    CHECK_OK(xtimer_record_in_ns(step, "kernel", "gpu", 100));
    CHECK_OK(xtimer_record_in_ns(launch, "queue", "queue", 10));
    CHECK_OK(xtimer_record_beneath_seconds(current, "kernel", "gpu", 1e-6));
    CHECK_STATUS(xtimer_record_beneath_seconds(current, "kernel", "gpu", -1.0),
                 XTIMER_STATUS_BAD_DURATION);
    CHECK(xtimer_category_total_ns("gpu") == 1100 && xtimer_category_total_ns("queue") == 10);
    CHECK_OK(xtimer_forbid("compute", "io"));
    CHECK_STATUS(xtimer_record_in_ns(step, "file", "io", 1), XTIMER_STATUS_FORBIDDEN);
    CHECK_OK(xtimer_record_in_seconds(step, "seconds", "seconds", 2e-9));
    CHECK_STATUS(xtimer_record_in_seconds(step, "seconds", "seconds", -2e-9),
                 XTIMER_STATUS_BAD_DURATION);
    CHECK_ERROR("'seconds', -0.000000002");
    CHECK(xtimer_category_total_ns("seconds") == 2);

    /* A token of another timer, and the path it gives there. */
    other = xtimer_timer_begin(own, "own", NULL);
    path.value[0] = 77;
    CHECK_STATUS(xtimer_path_of(other, &path), XTIMER_STATUS_OTHER_CONTEXT);
    CHECK(path.value[0] == 77);
    CHECK_STATUS(xtimer_record_in_ns(other, "n", NULL, 1), XTIMER_STATUS_OTHER_CONTEXT);
    CHECK_OK(xtimer_timer_path_of(own, other, &path));
    CHECK_STATUS(xtimer_timer_record_beneath_ns(xtimer_default(), path, "n", NULL, 1),
                 XTIMER_STATUS_OTHER_TIMER);
    CHECK_OK(xtimer_record_beneath_ns(path, "by path", NULL, 1)); /* it names its timer */
    CHECK_OK(xtimer_timer_record_in_ns(own, other, "n", NULL, 5));
    CHECK_OK(xtimer_timer_record_in_seconds(own, other, "n", "seconds", 7e-9));
    CHECK(xtimer_timer_category_total_ns(own, "seconds") == 7 + 5);
    CHECK_OK(xtimer_timer_record_beneath_seconds(own, path, "n", NULL, 5e-9));
    CHECK_OK(xtimer_timer_end(own, other));
    CHECK(xtimer_timer_total_ns(own) == 0); /* the clock stands, and the records are nested */
    CHECK(xtimer_timer_category_total_ns(own, NULL) == 0);

    /* Ended ones, none, and no place for the result. */
    CHECK_OK(xtimer_end(launch));
    CHECK_STATUS(xtimer_path_of(launch, &path), XTIMER_STATUS_NOT_OPEN);
    CHECK_STATUS(xtimer_record_in_ns(launch, "queue", "queue", 10), XTIMER_STATUS_NOT_OPEN);
    CHECK_ERROR("open");
    CHECK_STATUS(xtimer_path_of(0, &path), XTIMER_STATUS_NOT_OPEN);
    CHECK_OK(xtimer_record_in_ns(0, "queue", "queue", 10));
    CHECK_OK(xtimer_record_in_seconds(0, "queue", "queue", -10));
    CHECK_STATUS(xtimer_record_in_seconds(launch, "queue", "queue", 1), XTIMER_STATUS_NOT_OPEN);
    CHECK_STATUS(xtimer_path_of(step, NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_record_in_ns(step, NULL, NULL, 10), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(xtimer_category_total_ns("queue") == 10);
    CHECK_OK(xtimer_end(step));
    CHECK_STATUS(xtimer_timer_path_of((xtimer_t){0}, step, &path), XTIMER_STATUS_NO_TIMER);

    /* None of it counts as an end that was refused. */
    {
        char text[4096];
        CHECK_OK(xtimer_report(text, sizeof text, NULL));
        CHECK(strstr(text, "kernel") != NULL && strstr(text, "not open") == NULL);
    }
    return 0;
}
