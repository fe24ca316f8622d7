// Timers enabled for a block: scopes, threads, exceptions, moves.
#include "../c/check.h"
#include "xtimer.hpp"

#include <memory>
#include <stdexcept>
#include <thread>

namespace {

std::uint64_t count_of(const xtimer::timer_view &timer, const std::vector<std::string> &path) {
    for (const auto &section : timer.sections(false))
        if (section.path == path) return section.count;
    return 0;
}

void throws(const xtimer::timer &timer) {
    xtimer::enabled here{timer};
    XTIMER_SCOPE("throws");
    throw std::runtime_error("on purpose");
}

} // namespace

int main() {
    xtimer::timer first, second;
    {
        xtimer::enabled in_first{first};
        CHECK(in_first.made());
        XTIMER_FUNCTION();
        xtimer::scope outer{"outer", "x"};
        xtimer::detached awaits;
        {
            xtimer::enabled in_second{second};
            XTIMER_SCOPE("both");
            xtimer::scope counted{xtimer::counted{"step", 4}};
            awaits = xtimer::detached{"awaits", "io"};
            CHECK(xtimer::record("recorded", nullptr, std::chrono::microseconds(3)));
            CHECK(outer.path() != counted.path() && !counted.path().is_top());
            const xtimer::path place = xtimer::current_path();
            std::thread([place] {
                XTIMER_SCOPE("elsewhere");
                xtimer::scope worker{xtimer::beneath{place}, "worker"};
                XTIMER_SCOPE("nested");
                CHECK(xtimer::record(xtimer::beneath{place}, "sent", nullptr,
                                     std::chrono::duration<double>(0.5)));
            }).join();
        }
        CHECK(awaits.finish());
        CHECK(outer.stop());
    }
    CHECK(count_of(first, {"main", "outer", "both", "step[4]"}) == 1);
    CHECK(count_of(first, {"main", "outer", "both", "step[4]", "worker", "nested"}) == 1);
    for (const char *name : {"worker", "awaits", "recorded", "sent"})
        CHECK(count_of(second, {"both", "step[4]", name}) == 1);
    CHECK(count_of(xtimer::default_timer(), {"elsewhere"}) == 1);
    CHECK(xtimer::sections().size() == 1);

    try {
        throws(second);
        CHECK(false);
    } catch (const std::runtime_error &) {
    }
    CHECK(count_of(second, {"throws"}) == 1);
    { XTIMER_SCOPE("default again"); }
    CHECK(count_of(xtimer::default_timer(), {"default again"}) == 1);

    // The default timer beside another, and a timer that goes before its scope does.
    auto gone = std::make_unique<xtimer::timer>();
    {
        xtimer::enabled in_default{xtimer::default_timer()};
        xtimer::enabled in_gone{*gone};
        XTIMER_SCOPE("in both");
        gone.reset();
        XTIMER_SCOPE("in default");
    }
    CHECK(count_of(xtimer::default_timer(), {"in both", "in default"}) == 1);

    // A ninth.
    std::vector<std::unique_ptr<xtimer::timer>> timers;
    std::vector<std::unique_ptr<xtimer::enabled>> scopes;
    for (int i = 0; i < 9; ++i) {
        timers.push_back(std::make_unique<xtimer::timer>());
        scopes.push_back(std::make_unique<xtimer::enabled>(*timers.back()));
        CHECK(bool(scopes.back()->made()) == (i < 8));
    }
    CHECK(scopes.back()->made().code() == XTIMER_STATUS_TOO_MANY_ENABLED);
    CHECK(scopes.back()->made().message().find("Eight") != std::string::npos);
    { XTIMER_SCOPE("in eight"); }
    for (int i = 0; i < 9; ++i) CHECK(count_of(*timers[i], {"in eight"}) == (i < 8));
    for (int i = 0; i < 9; ++i) scopes[(i * 4) % 9].reset(); // in any order
    { XTIMER_SCOPE("last"); }
    CHECK(count_of(xtimer::default_timer(), {"last"}) == 1);
    return 0;
}
