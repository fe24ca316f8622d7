/* Begin and end: tokens, their misuse, and the sentences that name the culprit. */
#include "check.h"

static xtimer_site_t step_site = XTIMER_SITE("step", "compute");
static xtimer_site_t null_name = XTIMER_SITE(NULL, NULL);

static uint64_t total_of(const char *outer, const char *inner, uint64_t *count) {
    const char *path[2];
    xtimer_section_info_t info;
    path[0] = outer;
    path[1] = inner;
    CHECK_OK(xtimer_section_info(path, inner ? 2 : 1, true, &info));
    *count = info.count;
    return info.total_ns;
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_token_t outer, inner, again;
    uint64_t count = 0;
    int i;

    CHECK(strcmp(xtimer_last_error(), "") == 0);
    CHECK_OK(xtimer_configure(&config));

    outer = xtimer_begin("outer", NULL);
    CHECK(outer != 0);
    for (i = 0; i < 5; ++i) {
        xtimer_token_t by_site = xtimer_begin_at(&step_site);
        xtimer_token_t by_name;
        check_now += 7;
        CHECK_OK(xtimer_end(by_site));
        by_name = xtimer_begin("step", "compute");
        check_now += 3;
        CHECK_OK(xtimer_end(by_name));
    }
    CHECK_OK(xtimer_end(outer));
    CHECK(total_of("outer", NULL, &count) == 50 && count == 1);
    CHECK(total_of("outer", "step", &count) == 50 && count == 10);

    /* A token that is no longer open, one that never was, the null token. */
    CHECK_STATUS(xtimer_end(outer), XTIMER_STATUS_NOT_OPEN);
    CHECK_ERROR("not open");
    CHECK(xtimer_end(0xdeadbeefcafef00dULL) != XTIMER_STATUS_OK);
    CHECK(xtimer_end(UINT64_MAX) != XTIMER_STATUS_OK);
    CHECK_OK(xtimer_end(0));

    /* Ended in the wrong order: the outer one is recorded, the inner one discarded. */
    outer = xtimer_begin("first", NULL);
    inner = xtimer_begin("second", NULL);
    check_now += 11;
    CHECK_STATUS(xtimer_end(outer), XTIMER_STATUS_UNCLOSED);
    CHECK(strcmp(xtimer_last_error(), "'first' exited while 'second' was still active.") == 0);
    CHECK_STATUS(xtimer_end(inner), XTIMER_STATUS_NOT_OPEN);
    CHECK(total_of("first", NULL, &count) == 11 && count == 1);
    CHECK(total_of("first", "second", &count) == 0 && count == 0);

    /* A failed begin leaves the caller balanced, and the newest error is the one that is told. */
    again = xtimer_begin_at(&null_name);
    CHECK(again == 0);
    CHECK_ERROR("name is NULL");
    CHECK_OK(xtimer_end(again));
    CHECK(xtimer_end(inner) != XTIMER_STATUS_OK);
    CHECK_ERROR("not open");
    CHECK(xtimer_begin(NULL, NULL) == 0);
    CHECK_ERROR("name is NULL");
    CHECK(xtimer_begin_at(NULL) == 0);
    CHECK_ERROR("call site is NULL");

    /* Counted sections are one where they are flattened, and apart where not. */
    for (i = -1; i < 2; ++i) {
        xtimer_token_t token = xtimer_begin_counted("batch", i, "io");
        check_now += 5;
        CHECK_OK(xtimer_end(token));
    }
    CHECK(total_of("batch", NULL, &count) == 15 && count == 3);
    {
        const char *path[] = {"batch[-1]"};
        xtimer_section_info_t info;
        CHECK_OK(xtimer_section_info(path, 1, false, &info));
        CHECK(info.total_ns == 5 && info.count == 1 && strcmp(info.category, "io") == 0);
        CHECK_STATUS(xtimer_section_info(path, 1, true, &info), XTIMER_STATUS_NOT_FOUND);
        CHECK_ERROR("'batch[-1]'");
    }

    /* Switched off, nothing is begun, and that is no error. */
    CHECK_OK(xtimer_set_enabled(false));
    CHECK(!xtimer_is_enabled());
    CHECK(xtimer_begin("off", NULL) == 0 && xtimer_begin_at(&step_site) == 0);
    CHECK_OK(xtimer_set_enabled(true));
    CHECK(xtimer_is_enabled());

    /* Clear: what was open is not recorded, what is begun in it afterwards is. */
    outer = xtimer_begin("across", NULL);
    CHECK_OK(xtimer_clear());
    inner = xtimer_begin("after", NULL);
    check_now += 9;
    CHECK_OK(xtimer_end(inner));
    CHECK_OK(xtimer_end(outer));
    CHECK(xtimer_total_ns() == 9);
    CHECK(total_of("across", "after", &count) == 9 && count == 1);

    /* Depth. */
    for (i = 0; i < 1024; ++i) CHECK(xtimer_begin("deep", NULL) != 0);
    CHECK(xtimer_begin("deep", NULL) == 0);
    CHECK_ERROR("deeper than 1024");
    return 0;
}
