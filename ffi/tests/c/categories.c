/* Rules of the process and of single timers; totals by category. */
#include "check.h"

static int is_refused(xtimer_t timer) {
    xtimer_token_t outer = xtimer_timer_begin(timer, "computation", "compute");
    xtimer_token_t inner = xtimer_timer_begin(timer, "file", "io");
    CHECK(outer != 0);
    if (inner == 0)
        CHECK(strcmp(xtimer_last_error(), "Category 'io' is not allowed inside category 'compute'.") ==
              0);
    CHECK_OK(xtimer_timer_end(timer, inner));
    CHECK_OK(xtimer_timer_end(timer, outer));
    return inner == 0;
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_t before, after;
    xtimer_token_t outer, middle, inner;

    CHECK_OK(xtimer_configure(&config));
    CHECK_OK(xtimer_create(&config, &before));

    /* A rule without a timer holds for every timer, those made later included. */
    CHECK(!is_refused(xtimer_default()) && !is_refused(before));
    CHECK_OK(xtimer_forbid("compute", "io"));
    CHECK_OK(xtimer_forbid("compute", "io"));
    CHECK_OK(xtimer_create(&config, &after));
    CHECK(is_refused(xtimer_default()) && is_refused(before) && is_refused(after));

    /* Rules survive clear. Dropping the process's leaves a timer's own, and the other way round. */
    CHECK_OK(xtimer_timer_forbid(before, "compute", "io"));
    CHECK_OK(xtimer_clear());
    CHECK(is_refused(xtimer_default()));
    CHECK_OK(xtimer_clear_rules());
    CHECK(!is_refused(xtimer_default()) && is_refused(before) && !is_refused(after));
    CHECK_OK(xtimer_forbid("compute", "io"));
    CHECK_OK(xtimer_timer_clear_rules(before));
    CHECK(is_refused(before));
    CHECK_OK(xtimer_clear_rules());
    CHECK(!is_refused(before));

    /* More rules than fit. */
    {
        char name[32];
        int i, full = 0;
        for (i = 0; i < 80 && !full; ++i) {
            snprintf(name, sizeof name, "inner %d", i);
            full = xtimer_timer_forbid(after, "outer", name) == XTIMER_STATUS_RULES_FULL;
        }
        CHECK(full && i == 65);
        CHECK_ERROR("does not fit");
        /* One of the process's then fits into the others, and the status tells of this one. */
        CHECK_STATUS(xtimer_forbid("x", "y"), XTIMER_STATUS_RULES_FULL);
        CHECK_OK(xtimer_destroy(after));
    }

    /* Nested in the same category, others in between: counted once. */
    CHECK_OK(xtimer_clear());
    outer = xtimer_begin("a", "io");
    check_now += 1;
    middle = xtimer_begin("b", "compute");
    check_now += 2;
    inner = xtimer_begin("c", "io");
    check_now += 4;
    CHECK_OK(xtimer_end(inner));
    CHECK_OK(xtimer_end(middle));
    CHECK_OK(xtimer_end(outer));
    CHECK(xtimer_category_total_ns("io") == 7);
    CHECK(xtimer_category_total_ns("compute") == 6);
    CHECK(xtimer_category_total("io") == 7e-9);
    CHECK(xtimer_category_total_ns("never") == 0);
    CHECK(xtimer_category_total_ns(NULL) == 0);
    CHECK(xtimer_total() == 7e-9);

    /* No category is "default"; the empty string is one of its own. */
    CHECK_OK(xtimer_record_ns("d", NULL, 100));
    CHECK_OK(xtimer_record_ns("e", "", 30));
    CHECK(xtimer_category_total_ns("default") == 100 && xtimer_category_total_ns(NULL) == 100);
    CHECK(xtimer_category_total_ns("") == 30);

    /* Recorded durations. */
    CHECK_OK(xtimer_record_seconds("f", "gpu", 1.5e-6));
    CHECK(xtimer_category_total_ns("gpu") == 1500);
    CHECK_STATUS(xtimer_record_seconds("f", "gpu", -1e-9), XTIMER_STATUS_BAD_DURATION);
    CHECK_ERROR("'f', -0.000000001, is negative");
    CHECK_STATUS(xtimer_record_seconds("f", "gpu", strtod("nan", NULL)), XTIMER_STATUS_BAD_DURATION);
    CHECK_STATUS(xtimer_record_seconds("f", "gpu", 1e300), XTIMER_STATUS_BAD_DURATION);
    CHECK(xtimer_category_total_ns("gpu") == 1500);
    CHECK_OK(xtimer_forbid("compute", "gpu"));
    outer = xtimer_begin("g", "compute");
    CHECK_STATUS(xtimer_record_ns("h", "gpu", 1), XTIMER_STATUS_FORBIDDEN);
    CHECK_OK(xtimer_end(outer));
    return 0;
}
