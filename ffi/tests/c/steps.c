/* Steps: the last window, the last few, those since warm-up, with a clear in between. */
#include "check.h"

static void work(xtimer_t timer, const char *name, uint64_t ticks) {
    xtimer_token_t token = xtimer_timer_begin(timer, name, "compute");
    check_now += ticks;
    CHECK_OK(xtimer_timer_end(timer, token));
}

/* Time and count of a section in the last windows; 0 where it is not among them. */
static uint64_t total_in(xtimer_t timer, size_t windows, const char *name, uint64_t *count) {
    xtimer_snapshot_t snapshot;
    xtimer_section_info_t info;
    uint64_t total = 0;
    size_t at;
    *count = 0;
    CHECK_OK(xtimer_timer_window_take(timer, windows, true, &snapshot));
    for (at = 0; at < xtimer_snapshot_count(snapshot); ++at) {
        CHECK_OK(xtimer_snapshot_at(snapshot, at, &info));
        CHECK(info.min_ns == XTIMER_NONE && info.max_ns == XTIMER_NONE);
        if (strcmp(info.name, name) != 0) continue;
        total = info.total_ns;
        *count = info.count;
    }
    CHECK_OK(xtimer_snapshot_free(snapshot));
    return total;
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_snapshot_t snapshot;
    xtimer_token_t training;
    xtimer_t own;
    char text[4096];
    size_t needed = 0;
    uint64_t count, step;

    /* The default timer: the first window is all that was recorded so far. */
    CHECK_OK(xtimer_configure(&config));
    work(xtimer_default(), "before", 7);
    CHECK_OK(xtimer_step());
    work(xtimer_default(), "after", 5);
    CHECK(total_in(xtimer_default(), 1, "before", &count) == 7 && count == 1);
    CHECK(total_in(xtimer_default(), 1, "after", &count) == 0 && count == 0);
    CHECK_OK(xtimer_step());
    CHECK(total_in(xtimer_default(), 1, "before", &count) == 0 && count == 0);
    CHECK(total_in(xtimer_default(), 2, "before", &count) == 7);
    CHECK_OK(xtimer_window_report(1, NULL, text, sizeof text, &needed));
    CHECK(needed == strlen(text) + 1 && strstr(text, "after") && !strstr(text, "before"));
    CHECK_OK(xtimer_window_export_json(1, NULL, text, sizeof text, NULL));
    CHECK(strstr(text, "\"min\":null") != NULL);
    CHECK_STATUS(xtimer_window_report(1, NULL, text, 3, NULL), XTIMER_STATUS_TOO_SMALL);
    CHECK_OK(xtimer_steps_warm_up());
    CHECK_OK(xtimer_window_take(0, true, &snapshot));
    CHECK(xtimer_snapshot_count(snapshot) == 0);
    CHECK_OK(xtimer_snapshot_free(snapshot));
    CHECK_OK(xtimer_steps_begin(0));

    /* One's own: three windows are kept of ten steps, two of which are warm-up. */
    CHECK_OK(xtimer_create(&config, &own));
    work(own, "early", 1);
    CHECK_OK(xtimer_timer_steps_begin(own, 3));
    training = xtimer_timer_begin(own, "training", NULL);
    for (step = 1; step <= 10; ++step) {
        work(own, "step", step);
        CHECK_OK(xtimer_timer_step(own));
        if (step == 2) CHECK_OK(xtimer_timer_steps_warm_up(own));
    }
    CHECK(total_in(own, 1, "step", &count) == 10 && count == 1);
    CHECK(total_in(own, 3, "step", &count) == 27 && count == 3);
    CHECK(total_in(own, 100, "step", &count) == 27 && count == 3);
    CHECK(total_in(own, 0, "step", &count) == 52 && count == 8);
    CHECK(total_in(own, 0, "early", &count) == 0 && count == 0);

    /* A clear in between: the window begins there. */
    work(own, "step", 100);
    CHECK_OK(xtimer_timer_end(own, training));
    CHECK_OK(xtimer_timer_clear(own));
    work(own, "step", 4);
    CHECK_OK(xtimer_timer_step(own));
    CHECK(total_in(own, 1, "step", &count) == 4 && count == 1);
    CHECK(total_in(own, 0, "step", &count) == 4 && count == 1);

    CHECK_STATUS(xtimer_window_take(1, true, NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_OK(xtimer_destroy(own));
    CHECK_STATUS(xtimer_timer_step(own), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_timer_window_take(own, 1, true, &snapshot), XTIMER_STATUS_NO_TIMER);
    return 0;
}
