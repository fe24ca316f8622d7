/* Going through a snapshot: order, numbers, what outlives the timer. */
#include "check.h"

#include <math.h>

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_t timer;
    xtimer_snapshot_t snapshot, other;
    xtimer_section_info_t info;
    xtimer_token_t outer, inner;
    const char *category = NULL;
    uint64_t total = 0;

    CHECK_OK(xtimer_create(&config, &timer));
    outer = xtimer_timer_begin(timer, "z first", "io");
    for (int i = 1; i <= 3; ++i) {
        inner = xtimer_timer_begin_counted(timer, "inner", i, "compute");
        check_now += 10 * (uint64_t)i;
        CHECK_OK(xtimer_timer_end(timer, inner));
    }
    check_now += 40;
    CHECK_OK(xtimer_timer_end(timer, outer));
    outer = xtimer_timer_begin(timer, "a second", NULL);
    check_now += 5;

    CHECK_OK(xtimer_timer_snapshot_take(timer, true, &snapshot));
    CHECK_OK(xtimer_timer_snapshot_take(timer, false, &other));
    CHECK_OK(xtimer_timer_end(timer, outer));
    CHECK_OK(xtimer_timer_clear(timer));
    CHECK_OK(xtimer_destroy(timer));

    CHECK(xtimer_snapshot_count(snapshot) == 3 && xtimer_snapshot_count(other) == 5);
    CHECK(xtimer_snapshot_total_ns(snapshot) == 100);
    CHECK_OK(xtimer_snapshot_at(snapshot, 0, &info));
    CHECK(strcmp(info.name, "z first") == 0 && strcmp(info.category, "io") == 0);
    CHECK(info.count == 1 && info.total_ns == 100 && info.exclusive_ns == 40 && info.depth == 0);
    CHECK(isnan(info.std_ns) && info.open == 0);
    CHECK_OK(xtimer_snapshot_at(snapshot, 1, &info));
    CHECK(strcmp(info.name, "inner") == 0 && info.path_length == 2 && info.depth == 1);
    CHECK(strcmp(info.path[0], "z first") == 0 && strcmp(info.path[1], "inner") == 0);
    CHECK(info.count == 3 && info.total_ns == 60 && info.min_ns == 10 && info.max_ns == 30);
    CHECK(info.mean_ns == 20.0 && fabs(info.std_ns - 10.0) < 1e-3);
    CHECK_OK(xtimer_snapshot_at(snapshot, 2, &info));
    CHECK(strcmp(info.name, "a second") == 0 && info.open == 1 && info.open_ns == 5);
    CHECK(info.count == 0 && info.min_ns == XTIMER_NONE && isnan(info.mean_ns));
    CHECK_STATUS(xtimer_snapshot_at(snapshot, 3, &info), XTIMER_STATUS_NOT_FOUND);
    CHECK(strcmp(info.name, "a second") == 0); /* written only on success */

    CHECK(xtimer_snapshot_category_count(snapshot) == 3);
    CHECK_OK(xtimer_snapshot_category_at(snapshot, 0, &category, &total));
    CHECK(strcmp(category, "compute") == 0 && total == 60);
    CHECK_OK(xtimer_snapshot_category_at(snapshot, 2, &category, &total));
    CHECK(strcmp(category, "io") == 0 && total == 100);
    CHECK_STATUS(xtimer_snapshot_category_at(snapshot, 3, &category, &total),
                 XTIMER_STATUS_NOT_FOUND);

    CHECK_OK(xtimer_snapshot_at(other, 3, &info));
    CHECK(strcmp(info.name, "inner[3]") == 0 && info.total_ns == 30);
    CHECK_OK(xtimer_snapshot_free(other));
    CHECK_OK(xtimer_snapshot_free(snapshot));
    CHECK_STATUS(xtimer_snapshot_free(snapshot), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(xtimer_snapshot_count(snapshot) == 0);
    /* The place is given anew; the old handle stays refused. */
    CHECK_OK(xtimer_snapshot_take(true, &other));
    CHECK(other.handle != snapshot.handle);
    CHECK_STATUS(xtimer_snapshot_at(snapshot, 0, &info), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_OK(xtimer_snapshot_free(other));

    /* Statistics that are not kept are absent. */
    config.statistics = XTIMER_STATISTICS_COUNT_TOTAL;
    CHECK_OK(xtimer_create(&config, &timer));
    CHECK_OK(xtimer_timer_record_ns(timer, "n", NULL, 7));
    CHECK_OK(xtimer_timer_snapshot_take(timer, true, &snapshot));
    CHECK_OK(xtimer_snapshot_at(snapshot, 0, &info));
    CHECK(info.total_ns == 7 && info.min_ns == XTIMER_NONE && info.exclusive_ns == XTIMER_NONE);
    CHECK_OK(xtimer_snapshot_free(snapshot));
    CHECK_OK(xtimer_destroy(timer));
    return 0;
}
