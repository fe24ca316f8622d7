// Samples and percentiles through the C++ header.
#include "xtimer.hpp"

#include <cstdio>
#include <cstdlib>
#include <thread>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);     \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

using std::chrono::nanoseconds;

int main() {
    xtimer::config config = xtimer::default_config();
    config.sections = 16;
    config.lanes = 4;
    config.samples_per_lane = 100;
    config.keep = XTIMER_KEEP_OLDEST;
    config.histograms = 1;
    const xtimer::timer timer{config};
    CHECK(timer.made());
    CHECK(timer.samples({"step"}).kept.empty());
    CHECK(timer.percentile({"step"}, 50) == nanoseconds::min());

    const auto work = [&] {
        for (int i = 1; i <= 60; ++i) {
            xtimer::scope step{timer, "step"};
            (void)timer.record("load", "io", nanoseconds(i));
        }
    };
    std::thread one{work}, two{work};
    one.join();
    two.join();
    const xtimer::samples load = timer.samples({"step", "load"});
    const xtimer::samples step = timer.samples({"step"});
    // Each lane keeps 100 of 120, if the threads had one each.
    CHECK(load.kept.size() + load.dropped == 120 && step.kept.size() + step.dropped == 120);
    CHECK(load.kept.size() + step.kept.size() <= 200);
    CHECK(load.kept.size() + step.kept.size() >= 100);
    for (std::size_t i = 1; i < step.kept.size(); ++i) {
        CHECK(step.kept[i - 1].start <= step.kept[i].start);
        CHECK(step.kept[i].duration >= nanoseconds(0) && step.kept[i].lane < 4);
    }
    const nanoseconds median = timer.percentile({"step", "load"}, 50);
    CHECK(median >= nanoseconds(29) && median <= nanoseconds(31));
    CHECK(timer.percentile({"step"}, 99.9) >= timer.percentile({"step"}, 50));
    CHECK(timer.percentile({"step"}, 101) == nanoseconds::min());
    CHECK(timer.percentile({"never"}, 50) == nanoseconds::min());
    CHECK(timer.clear());
    CHECK(timer.samples({"step"}).kept.empty() && timer.samples({"step"}).dropped == 0);
    return 0;
}
