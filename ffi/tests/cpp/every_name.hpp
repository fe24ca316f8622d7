// A program that uses each name of the C++ header, to be compiled as it is and switched off.
#include "xtimer.hpp"

struct job {
    xtimer::path parent;
    xtimer_path_t same = parent.value;
};

// How much of it succeeded: all of it, where it is switched off.
inline int every_name() {
    XTIMER_FUNCTION("compute");
    XTIMER_SCOPE("block");
    xtimer::config config = xtimer::default_config();
    config.sections = 100;
    config.clock = nullptr;
    config.keep = 0;
    xtimer::timer own{config};
    xtimer::timer with_defaults;
    const xtimer::timer_view view = own;
    const xtimer::timer_view same{view.handle()};
    xtimer::scope in_own{own, "own", "x"};
    xtimer::scope counted{own, xtimer::counted{"counted", 1}};
    const job job{in_own.path()};
    xtimer::scope beneath{same, xtimer::beneath{job.parent}, "beneath"};
    xtimer::scope both{same, xtimer::beneath{job.parent}, xtimer::counted{"both", 2}, "x"};
    xtimer::scope in_default{xtimer::beneath{xtimer::current_path()}, xtimer::counted{"both", 2}};
    XTIMER_PHASES("first", "x");
    XTIMER_PHASE("second");
    xtimer::phases phases, in_default_timer{"third"}, in_another{with_defaults};
    xtimer::detached detached{own, xtimer::beneath{job.parent}, "detached"};
    xtimer::detached moved = std::move(detached);
    int good = 0;
    good -= !in_another.next("fourth", "x") || !phases.next(xtimer::counted{"fifth", 3}) ||
            !phases.stop() || phases.is_open();
    const xtimer::status status = both.stop();
    good += status && status.code() == XTIMER_STATUS_OK && status.message().empty();
    good += xtimer::status{XTIMER_STATUS_BUSY}.code() == XTIMER_STATUS_BUSY;
    good += bool(moved.finish()) && !moved.is_open() && moved.path().is_top();
    {
        const xtimer::enabled enabled{own};
        good += bool(enabled.made()) && job.parent == in_own.path() && !(job.parent != job.parent);
    }
    good -= !own.begin_steps(2) || !own.step() || !own.warm_up() || !xtimer::begin_steps(1) ||
            !xtimer::step() || !xtimer::warm_up() || xtimer::window(0).size() > 9 ||
            own.window(1, false).size() > 9 || xtimer::window_report().size() > 9999 ||
            own.window_report(1, false).size() > 9999;
    good += bool(own.made()) && bool(with_defaults.made());
    good += bool(own.record(xtimer::beneath{job.parent}, "a", "x", std::chrono::seconds(1)));
    good += bool(own.record(xtimer::beneath{job.parent}, "a", std::chrono::seconds(1)));
    good -= !own.record("a", std::chrono::seconds(1));
    const xtimer::snapshot snapshot = own.take_snapshot();
    good += bool(snapshot.made()) && snapshot.losses().refused == 0;
    good -= snapshot.sections().size() > 99 || snapshot.category_totals().size() > 99 ||
            snapshot.category_total("none") > snapshot.total() ||
            own.take_window(1, false).sections().size() > 99 || !xtimer::snapshot().made();
    for (const xtimer::section &section : own.sections())
        good -= section.path.empty() || section.open_time < std::chrono::nanoseconds(0) ||
                section.busy || section.late || (section.near_price && section.exceeded);
    const xtimer::samples samples = view.samples({"own"});
    for (const xtimer::sample &sample : samples.kept)
        good -= sample.lane == 0 && sample.start <= sample.duration;
    good -= samples.dropped != 0 || view.percentile({"own"}, 50) > std::chrono::seconds(0);
    return good;
}
