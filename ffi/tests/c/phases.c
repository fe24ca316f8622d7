/* Phases: one reading of the clock ends the one and begins the next. */
#include "check.h"

static uint64_t readings;

/* A clock that moves by itself at each reading. */
static uint64_t counting_clock(void *data) {
    (void)data;
    return ++readings;
}

static xtimer_site_t load = XTIMER_SITE("load", "io");
static xtimer_site_t compute = XTIMER_SITE("compute", "cpu");
static xtimer_site_t null_name = XTIMER_SITE(NULL, NULL);

static uint64_t total_of(xtimer_t timer, const char *outer, const char *inner, uint64_t *count) {
    const char *path[2];
    xtimer_section_info_t info;
    path[0] = outer;
    path[1] = inner;
    CHECK_OK(xtimer_timer_section_info(timer, path, inner ? 2 : 1, true, &info));
    *count = info.count;
    return info.total_ns;
}

int main(void) {
    xtimer_config_t config = check_config();
    const xtimer_t standard = xtimer_default();
    xtimer_token_t step, phase = 0, kept;
    xtimer_t own;
    uint64_t count = 0;
    int i;

    CHECK_OK(xtimer_configure(&config));
    step = xtimer_begin("step", NULL);
    for (i = 0; i < 4; ++i) {
        CHECK_OK(xtimer_switch_at(&phase, &load)); /* the first has nothing to end */
        check_now += 3;
        CHECK_OK(xtimer_switch_at(&phase, &compute));
        check_now += 5;
        CHECK_OK(xtimer_switch(&phase, "log", NULL));
        check_now += 1;
    }
    CHECK_OK(xtimer_end(phase));
    CHECK_OK(xtimer_end(step));
    CHECK(total_of(standard, "step", "load", &count) == 12 && count == 4);
    CHECK(total_of(standard, "step", "compute", &count) == 20 && count == 4);
    CHECK(total_of(standard, "step", "log", &count) == 4 && count == 4);
    CHECK(total_of(standard, "step", NULL, &count) == 36 && count == 1);

    /* A phase that ended is refused, and nothing begins; the next one does. */
    kept = phase;
    CHECK_STATUS(xtimer_switch_at(&phase, &load), XTIMER_STATUS_NOT_OPEN);
    CHECK(phase == 0);
    phase = kept;
    CHECK_STATUS(xtimer_switch(&phase, "load", "io"), XTIMER_STATUS_NOT_OPEN);
    CHECK_ERROR("not open");

    /* What can't begin ends the phase before all the same. */
    CHECK_OK(xtimer_forbid("outside", "io"));
    step = xtimer_begin("refusing", "outside");
    phase = xtimer_begin("first", "cpu");
    check_now += 2;
    CHECK_STATUS(xtimer_switch_at(&phase, &load), XTIMER_STATUS_FORBIDDEN);
    CHECK_ERROR("'io' is not allowed inside category 'outside'");
    CHECK(phase == 0);
    CHECK(total_of(standard, "refusing", "first", &count) == 2 && count == 1);
    phase = xtimer_begin("second", "cpu");
    CHECK_STATUS(xtimer_switch_at(&phase, &null_name), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(phase == 0);
    CHECK(total_of(standard, "refusing", "second", &count) == 0 && count == 1);
    phase = xtimer_begin("third", "cpu");
    CHECK(xtimer_begin("inside", "cpu") != 0);
    CHECK_STATUS(xtimer_switch(&phase, "\xff", NULL), XTIMER_STATUS_INVALID_TEXT);
    CHECK_ERROR("UTF-8");
    CHECK(phase == 0);
    phase = xtimer_begin("fourth", "cpu");
    CHECK(xtimer_begin("inside", "cpu") != 0);
    CHECK_STATUS(xtimer_switch_at(&phase, &compute), XTIMER_STATUS_UNCLOSED);
    CHECK_ERROR("'fourth' exited while 'inside' was still active.");
    CHECK(phase != 0);
    CHECK_OK(xtimer_end(phase));
    CHECK_OK(xtimer_end(step));

    CHECK_STATUS(xtimer_switch(NULL, "a", NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_switch_at(NULL, &load), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_switch_at(&phase, NULL), XTIMER_STATUS_INVALID_ARGUMENT);

    /* Switched off, a phase ends and none begins. */
    phase = xtimer_begin("last", NULL);
    CHECK_OK(xtimer_set_enabled(false));
    CHECK_OK(xtimer_switch_at(&phase, &load));
    CHECK(phase == 0);
    CHECK_OK(xtimer_set_enabled(true));
    CHECK(total_of(standard, "last", NULL, &count) == 0 && count == 1);

    /* In a timer of one's own, whose clock counts how often it is read. */
    config.clock = counting_clock;
    CHECK_OK(xtimer_create(&config, &own));
    phase = 0;
    CHECK_OK(xtimer_timer_switch_at(own, &phase, &load));
    CHECK_OK(xtimer_timer_switch_at(own, &phase, &compute));
    CHECK_OK(xtimer_timer_switch_at(own, &phase, &load));
    readings = 100;
    for (i = 0; i < 10; ++i) {
        CHECK_OK(xtimer_timer_switch_at(own, &phase, &compute));
        CHECK_OK(xtimer_timer_switch(own, &phase, "load", "io"));
    }
    CHECK(readings == 120);
    CHECK_STATUS(xtimer_switch_at(&phase, &load), XTIMER_STATUS_OTHER_CONTEXT);
    CHECK(phase != 0); /* it is still open, there */
    CHECK_STATUS(xtimer_timer_switch_at(own, &phase, &null_name), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_timer_switch_at(own, NULL, &load), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(total_of(own, "compute", NULL, &count) == count && count == 11);
    CHECK_OK(xtimer_destroy(own));
    CHECK_STATUS(xtimer_timer_switch_at(own, &phase, &load), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_timer_switch(own, &phase, "load", NULL), XTIMER_STATUS_NO_TIMER);
    return 0;
}
