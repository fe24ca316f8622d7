// Steps in C++: windows of a timer of one's own, and of the default one.
#include "../c/check.h"
#include "xtimer.hpp"

using namespace std::chrono_literals;

int main() {
    xtimer::timer own{check_config()};
    CHECK(own.begin_steps(2));
    for (int i = 1; i <= 4; ++i) {
        {
            xtimer::scope step{own, xtimer::counted{"step", i}, "compute"};
            check_now += static_cast<std::uint64_t>(i);
        }
        CHECK(own.step());
        if (i == 1) CHECK(own.warm_up());
    }
    const auto last = own.window();
    CHECK(last.size() == 1 && last[0].path.back() == "step" && last[0].total == 4ns);
    CHECK(last[0].min == std::chrono::nanoseconds::min());
    CHECK(own.window(2).at(0).total == 7ns && own.window(9).at(0).count == 2);
    CHECK(own.window(0).at(0).total == 9ns && own.window(0, false).size() == 3);
    CHECK(own.window_report().find("step") != std::string::npos);
    CHECK(xtimer::begin_steps(1) && xtimer::step() && xtimer::warm_up());
    CHECK(xtimer::window().empty() && xtimer::window_report().empty());
    return 0;
}
