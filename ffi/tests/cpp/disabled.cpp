// Compiled to nothing: the same program, and no symbol of the library in it.
#define XTIMER_DISABLE
#include "xtimer.hpp"

struct job {
    xtimer::path parent;
};

static int work(const job &job) {
    XTIMER_FUNCTION("compute");
    XTIMER_SCOPE("a"); XTIMER_SCOPE("b", "io");
    xtimer::scope unused{"unused"};
    xtimer::scope scope{xtimer::beneath{job.parent}, xtimer::counted{"worker", 1}, "compute"};
    return scope.stop() && !scope.is_open() ? 0 : 1;
}

int main() {
    xtimer::timer own;
    xtimer::scope in_own{own, "own"};
    const bool all = xtimer::forbid("compute", "io") && xtimer::clear() && own.clear() &&
                     xtimer::record("gpu", "gpu", std::chrono::nanoseconds(5)) &&
                     xtimer::record(xtimer::beneath{in_own.path()}, "gpu", "gpu",
                                    std::chrono::nanoseconds(5)) &&
                     xtimer::save_json("not written.json") && xtimer::clear_rules() &&
                     xtimer::set_enabled(true);
    return work({xtimer::current_path()}) + !all + !xtimer::report().empty() +
           !xtimer::export_json().empty() + !xtimer::sections().empty() +
           !xtimer::last_error().empty() + (xtimer::total() != xtimer::seconds(0)) +
           (xtimer::category_total("io") != xtimer::seconds(0)) + xtimer::is_enabled();
}
