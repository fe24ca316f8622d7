// Phases that follow each other: by macros, by an object, in a timer of one's own.
#include "../c/check.h"
#include "xtimer.hpp"

#include <thread>

using namespace std::chrono_literals;

static xtimer::section find(const xtimer::timer_view &timer, const std::vector<std::string> &path) {
    for (const auto &section : timer.sections(false))
        if (section.path == path) return section;
    return {};
}

static void step() {
    XTIMER_SCOPE("step");
    XTIMER_PHASES("load", "io");
    check_now += 3;
    XTIMER_PHASE("forward", "gpu");
    check_now += 5;
    {
        XTIMER_SCOPE("inside");
        check_now += 2;
    }
    if (check_now % 2 == 0) XTIMER_PHASE("even");
    else XTIMER_PHASE("odd");
    check_now += 1;
}

int main() {
    xtimer::config config = check_config();
    CHECK_OK(xtimer_configure(&config));
    const auto standard = xtimer::default_timer();
    for (int i = 0; i < 4; ++i) step();
    CHECK(find(standard, {"step"}).total == 44ns && find(standard, {"step"}).exclusive == 0ns);
    CHECK(find(standard, {"step", "load"}).total == 12ns);
    CHECK(find(standard, {"step", "load"}).category == "io");
    CHECK(find(standard, {"step", "forward"}).total == 28ns);
    CHECK(find(standard, {"step", "forward", "inside"}).total == 8ns);
    CHECK(find(standard, {"step", "even"}).count + find(standard, {"step", "odd"}).count == 4);

    xtimer::timer own{config};
    {
        xtimer::phases phases{own};
        CHECK(!phases.is_open() && phases.stop());
        CHECK(phases.next("read", "io") && phases.is_open());
        check_now += 7;
        for (int i = 0; i < 3; ++i) CHECK(phases.next(xtimer::counted{"layer", i}, "gpu"));
        CHECK(own.forbid("gpu", "io"));
        CHECK(phases.next("write", "io")); // a sibling of the layers, not inside one
        xtimer::scope left{own, "left open"};
        const auto status = phases.next("late");
        CHECK(status.code() == XTIMER_STATUS_UNCLOSED && phases.is_open());
        std::thread([&] { CHECK(phases.next("elsewhere").code() == XTIMER_STATUS_OTHER_CONTEXT); }).join();
        CHECK(phases.is_open() && phases.stop() && !phases.is_open());
        CHECK(phases.next("again"));
        check_now += 11;
    }
    CHECK(find(own, {"read"}).total == 7ns && find(own, {"layer[2]"}).count == 1);
    CHECK(find(own, {"late"}).count == 1 && find(own, {"again"}).total == 11ns);
    return 0;
}
