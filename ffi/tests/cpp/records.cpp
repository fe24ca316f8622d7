// Durations measured elsewhere, recorded into open and closed sections by their paths.
#include "../c/check.h"
#include "xtimer.hpp"

using namespace std::chrono_literals;

int main() {
    const xtimer_config_t config = check_config();
    CHECK_OK(xtimer_configure(&config));
    {
        xtimer::scope step{"step"};
        const xtimer::path path = step.path();
        CHECK(path == xtimer::current_path());
        {
            xtimer::scope launch{"launch"};
            CHECK(xtimer::record("queue", "gpu", 1ns));
            CHECK(xtimer::record(xtimer::beneath{step.path()}, "kernel", "gpu", 1500ns));
            CHECK(step.path() == path);
            CHECK(launch.path() == xtimer::current_path());
        }
        CHECK(step.stop());
        CHECK(step.path().is_top());
        CHECK(xtimer::record(xtimer::beneath{path}, "kernel", "gpu", std::chrono::duration<double>(2e-6)));
        const auto negative = xtimer::record(xtimer::beneath{path}, "kernel", "gpu", -1ns);
        CHECK(!negative && negative.code() == XTIMER_STATUS_BAD_DURATION);
    }
    for (const auto &refused : {xtimer::record("hours", "gpu", std::chrono::hours::max()),
                                xtimer::record("hours", "gpu", std::chrono::hours::min()),
                                xtimer::record("seconds", "gpu", std::chrono::seconds(20000000000))})
        CHECK(refused.code() == XTIMER_STATUS_BAD_DURATION);
    bool is_found = false;
    for (const auto &section : xtimer::sections())
        if (section.path == std::vector<std::string>{"step", "kernel"}) {
            is_found = true;
            CHECK(section.count == 2 && section.total == 3500ns && section.min == 1500ns);
        }
    CHECK(is_found && xtimer::sections().size() == 4);

    // A scope of a timer of one's own; its path is no other timer's.
    xtimer::timer own;
    xtimer::scope in_own{own, "own"};
    CHECK(own.record(xtimer::beneath{in_own.path()}, "child", "x", 7ns));
    CHECK(own.category_total("x") == xtimer::seconds(7e-9));
    const xtimer::beneath there{in_own.path()};
    const auto foreign = xtimer::default_timer().record(there, "child", "x", 7ns);
    CHECK(foreign.code() == XTIMER_STATUS_OTHER_TIMER);
    // Without a timer, it goes to the path's.
    CHECK(xtimer::record(there, "child", "x", 7ns));
    CHECK(own.category_total("x") == xtimer::seconds(14e-9) && xtimer::sections().size() == 4);
    return 0;
}
