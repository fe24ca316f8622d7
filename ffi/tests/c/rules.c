/* Whose a rule is: the process's, made before and after timers, and a timer's own. */
#include "check.h"

static int is_refused(xtimer_t timer, const char *outer, const char *inner) {
    xtimer_token_t around = xtimer_timer_begin(timer, "outer", outer);
    xtimer_token_t token = xtimer_timer_begin(timer, "inner", inner);
    CHECK(around != 0);
    CHECK_OK(xtimer_timer_end(timer, token));
    CHECK_OK(xtimer_timer_end(timer, around));
    return token == 0;
}

int main(void) {
    xtimer_config_t config = check_config(), small = check_config();
    xtimer_t one, other;

    /* A rule does not make the default timer: it can be configured after it, and holds in it. */
    CHECK_OK(xtimer_forbid("a", "b"));
    CHECK_OK(xtimer_configure(&config));
    CHECK(is_refused(xtimer_default(), "a", "b") && !is_refused(xtimer_default(), "b", "a"));

    CHECK_OK(xtimer_create(&config, &one));
    CHECK_OK(xtimer_create(&config, &other));
    CHECK_OK(xtimer_timer_forbid(one, "a", "c"));
    CHECK_OK(xtimer_timer_forbid(one, "a", "b"));
    CHECK(is_refused(one, "a", "b") && is_refused(one, "a", "c"));
    CHECK(is_refused(other, "a", "b") && !is_refused(other, "a", "c"));
    CHECK(!is_refused(xtimer_default(), "a", "c"));

    /* The default timer's handle stands for the process, in both directions. */
    CHECK_OK(xtimer_timer_forbid(xtimer_default(), "d", "e"));
    CHECK(is_refused(one, "d", "e") && is_refused(other, "d", "e"));
    CHECK_OK(xtimer_timer_clear_rules(other));
    CHECK(is_refused(other, "d", "e"));
    CHECK_OK(xtimer_timer_clear_rules(xtimer_default()));
    CHECK(!is_refused(one, "d", "e") && !is_refused(other, "a", "b"));
    CHECK(is_refused(one, "a", "b") && is_refused(one, "a", "c"));
    CHECK_OK(xtimer_timer_clear_rules(one));
    CHECK(!is_refused(one, "a", "b"));

    /* A timer too small for the process's rules cannot be made, and the others keep them. */
    CHECK_OK(xtimer_forbid("a", "b"));
    small.rules = 1;
    CHECK_OK(xtimer_create(&small, &one));
    CHECK_STATUS(xtimer_forbid("c", "d"), XTIMER_STATUS_RULES_FULL);
    CHECK_ERROR("does not fit");
    CHECK(is_refused(one, "a", "b") && !is_refused(one, "c", "d"));
    CHECK(is_refused(other, "c", "d") && is_refused(xtimer_default(), "c", "d"));
    other.handle = 77;
    CHECK_STATUS(xtimer_create(&small, &other), XTIMER_STATUS_RULES_FULL);
    CHECK_ERROR("rules of the process");
    CHECK(other.handle == 77);
    /* Destroyed, it fails for nobody, whoever holds its memory. */
    CHECK_OK(xtimer_destroy(one));
    CHECK_OK(xtimer_forbid("c", "d"));
    CHECK_OK(xtimer_forbid("e", "f"));
    CHECK_STATUS(xtimer_timer_forbid(one, "a", "b"), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_timer_clear_rules(one), XTIMER_STATUS_NO_TIMER);

    /* More of them than fit, each refused alike. */
    {
        char name[32];
        int i, added = 0;
        CHECK_OK(xtimer_clear_rules());
        for (i = 0; i < 80; ++i) {
            snprintf(name, sizeof name, "inner %d", i);
            added += xtimer_forbid("outer", name) == XTIMER_STATUS_OK;
        }
        CHECK(added == 64);
        CHECK(is_refused(xtimer_default(), "outer", "inner 63"));
        CHECK_OK(xtimer_clear_rules());
        CHECK(!is_refused(xtimer_default(), "outer", "inner 63"));
        CHECK_OK(xtimer_create(&small, &one));
        CHECK_OK(xtimer_destroy(one));
    }
    return 0;
}
