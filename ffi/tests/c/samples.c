/* Each duration read back, percentiles, and what keeps neither. */
#include "check.h"

static const char *const step[] = {"step"};
static const char *const counted[] = {"step[1]"};

static void take(xtimer_t timer, const char *name, uint64_t duration) {
    xtimer_token_t token = xtimer_timer_begin(timer, name, "x");
    CHECK(token != 0);
    check_now += duration;
    CHECK_OK(xtimer_timer_end(timer, token));
}

/* `kept` of the durations 1 to 5, the first of which is `first`. */
static void check_kept(uint32_t keep, uint64_t first) {
    xtimer_config_t config = check_config();
    xtimer_t timer;
    xtimer_sample_t samples[4];
    uint64_t i, dropped = 77;
    size_t needed = 77;

    config.samples_per_lane = 3;
    config.keep = keep;
    CHECK_OK(xtimer_create(&config, &timer));
    CHECK_OK(xtimer_timer_samples(timer, step, 1, NULL, 0, &needed, &dropped));
    CHECK(needed == 0 && dropped == 0); /* never timed */
    for (i = 1; i <= 5; ++i) take(timer, "step", i);
    CHECK_STATUS(xtimer_timer_samples(timer, step, 1, samples, 2, &needed, NULL),
                 XTIMER_STATUS_TOO_SMALL);
    CHECK_ERROR("3 samples");
    CHECK(needed == 3);
    CHECK_OK(xtimer_timer_samples(timer, step, 1, samples, 4, NULL, &dropped));
    CHECK(dropped == 2);
    for (i = 0; i < 3; ++i) {
        CHECK(samples[i].duration_ns == first + i && samples[i].lane == 0);
        CHECK(i == 0 || samples[i].start_ns == samples[i - 1].start_ns + first + i - 1);
    }
    CHECK_OK(xtimer_timer_clear(timer));
    CHECK_OK(xtimer_timer_samples(timer, step, 1, samples, 4, &needed, &dropped));
    CHECK(needed == 0 && dropped == 0);
    CHECK_OK(xtimer_destroy(timer));
    CHECK_STATUS(xtimer_timer_samples(timer, step, 1, samples, 4, &needed, NULL),
                 XTIMER_STATUS_NO_TIMER);
}

static void check_percentiles(void) {
    xtimer_config_t config = check_config();
    xtimer_t timer;
    uint64_t i, found = 77;
    char json[4096];

    config.sections = 16;
    config.lanes = 2;
    config.histograms = 1;
    CHECK_OK(xtimer_create(&config, &timer));
    for (i = 1; i <= 100; ++i) {
        take(timer, "step", 1000 * i);
        take(timer, "step[1]", 31);
    }
    CHECK_OK(xtimer_timer_percentile_ns(timer, step, 1, false, 500000, &found));
    CHECK(found >= 50000 - 50000 / 32 && found <= 50000 + 50000 / 32);
    CHECK_OK(xtimer_timer_percentile_ns(timer, step, 1, false, 1000000, &found));
    CHECK(found >= 100000 - 100000 / 32 && found <= 100000);
    CHECK_OK(xtimer_timer_percentile_ns(timer, counted, 1, false, 500000, &found));
    CHECK(found == 31);
    CHECK_OK(xtimer_timer_percentile_ns(timer, step, 1, true, 500000, &found));
    CHECK(found == 31); /* half of both together */
    CHECK_OK(xtimer_timer_export_json(timer, NULL, json, sizeof json, NULL));
    CHECK(strstr(json, "\"percentiles\":{\"50\":0.000000031,") != NULL);
    CHECK_OK(xtimer_timer_report(timer, NULL, json, sizeof json, NULL));
    CHECK(strstr(json, "p50") != NULL && strstr(json, "p99") != NULL);

    found = 77;
    CHECK_STATUS(xtimer_timer_percentile_ns(timer, step, 1, true, 1000001, &found),
                 XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_timer_percentile_ns(timer, step, 1, true, 1, NULL),
                 XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_timer_percentile_ns(timer, NULL, 1, true, 1, &found),
                 XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_OK(xtimer_timer_clear(timer));
    CHECK_STATUS(xtimer_timer_percentile_ns(timer, step, 1, true, 1, &found),
                 XTIMER_STATUS_NOT_FOUND);
    CHECK(found == 77);
    CHECK_OK(xtimer_destroy(timer));
}

int main(void) {
    xtimer_config_t config = check_config();
    xtimer_t timer;
    xtimer_sample_t sample;
    uint64_t found, dropped = 77;
    size_t needed = 77;

    check_kept(XTIMER_KEEP_NEWEST, 3);
    check_kept(XTIMER_KEEP_OLDEST, 1);
    check_percentiles();

    /* The default timer keeps neither. */
    CHECK_OK(xtimer_end(xtimer_begin("step", NULL)));
    CHECK_OK(xtimer_samples(step, 1, &sample, 1, &needed, &dropped));
    CHECK(needed == 0 && dropped == 0);
    CHECK_STATUS(xtimer_percentile_ns(step, 1, true, 500000, &found), XTIMER_STATUS_NOT_FOUND);
    CHECK_ERROR("no percentile");

    config.keep = 2;
    CHECK_STATUS(xtimer_create(&config, &timer), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_ERROR("keep is 2");
    config.keep = 0;
    config.histograms = 2;
    CHECK_STATUS(xtimer_create(&config, &timer), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_ERROR("histograms is 2");
    config.histograms = 0;
    config.samples_per_lane = 134217729;
    CHECK_STATUS(xtimer_create(&config, &timer), XTIMER_STATUS_CONFIG);
    CHECK_ERROR("samples_per_lane");
    return 0;
}
