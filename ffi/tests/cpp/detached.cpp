// Sections that move between threads and objects, and what a section's numbers say besides times.
#include "../c/check.h"
#include "xtimer.hpp"

#include <thread>
#include <type_traits>

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<xtimer::detached>);
static_assert(std::is_nothrow_move_constructible_v<xtimer::detached>);
static_assert(std::is_nothrow_move_assignable_v<xtimer::detached>);

static xtimer::section find(xtimer::timer_view timer, const std::vector<std::string> &path) {
    for (const auto &section : timer.sections(false))
        if (section.path == path) return section;
    return {};
}

int main() {
    const xtimer::config config = check_config();
    xtimer::timer own{config};
    CHECK(own.made());

    // Begun here, finished by another thread.
    xtimer::path where;
    {
        xtimer::scope outer{own, "outer"};
        xtimer::detached task{own, "task", "x"};
        CHECK(task.is_open());
        where = task.path();
        std::thread([moved = std::move(task)]() mutable {
            check_now += 5;
            CHECK(moved.finish() && !moved.is_open() && moved.finish());
        }).join();
        CHECK(find(own, {"outer", "task"}).total == 5ns);
        CHECK(!task.is_open() && task.finish()); // moved from
    }
    // By its end; what is assigned over is finished first.
    {
        xtimer::detached first{own, xtimer::beneath{where}, "first"};
        check_now += 7;
        first = xtimer::detached{own, "second"};
        CHECK(find(own, {"outer", "task", "first"}).total == 7ns);
        check_now += 11;
        CHECK(find(own, {"second"}).count == 0);
    }
    CHECK(find(own, {"second"}).total == 11ns);
    CHECK(find(own, {"outer", "task"}).count == 1);

    // In the default timer; one not begun is none.
    xtimer::detached none;
    CHECK(!none.is_open() && none.finish());
    { xtimer::detached held{"held", "x"}; }
    CHECK(find(xtimer::default_timer(), {"held"}).count == 1);

    // A counted section of one's own timer beneath a path; what is open, and for how long.
    {
        xtimer::scope worker{own, xtimer::beneath{where}, xtimer::counted{"worker", 3}, "y"};
        check_now += 13;
        const auto open = find(own, {"outer", "task", "worker[3]"});
        CHECK(open.open == 1 && open.open_time == 13ns && open.category == "y");
        CHECK(open.count == 0 && !open.busy && !open.late);
    }
    // Sections beneath that took longer than it.
    CHECK(find(own, {"outer", "task"}).exceeded && !find(own, {"second"}).exceeded);

    // Shorter than the timer's own cost, and longer.
    CHECK(xtimer::record("short", "x", 0ns));
    CHECK(find(xtimer::default_timer(), {"short"}).near_price);
    CHECK(xtimer::record("long", "x", 1s));
    CHECK(!find(xtimer::default_timer(), {"long"}).near_price);

    // A thread beyond the lanes.
    xtimer::config one = check_config();
    one.lanes = 1;
    xtimer::timer crowded{one};
    { xtimer::scope here{crowded, "here"}; }
    std::thread([&crowded] { xtimer::scope there{crowded, "there"}; }).join();
    CHECK(!find(crowded, {"here"}).late && find(crowded, {"there"}).late);
    return 0;
}
