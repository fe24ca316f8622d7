// The rest of the C++ interface: rules, records, exports, timers of one's own.
#include "../c/check.h"
#include "xtimer.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

using namespace std::chrono_literals;

int main() {
    CHECK(xtimer::report().empty() && xtimer::last_error().empty());
    CHECK(xtimer::forbid("compute", "io"));
    {
        XTIMER_SCOPE("computation", "compute");
        xtimer::scope file{"file", "io"};
        CHECK(!file.is_open());
    }
    CHECK(xtimer::last_error() == "Category 'io' is not allowed inside category 'compute'.");
    CHECK(xtimer::clear());

    CHECK(xtimer::record("kernel", "gpu", 1500ns));
    CHECK(xtimer::record("kernel", "gpu", 2ms));
    CHECK(xtimer::record("kernel", "gpu", std::chrono::duration<double>(0.5)));
    CHECK(xtimer::category_total("gpu") == xtimer::seconds(0.5020015));
    CHECK(xtimer::total() == xtimer::category_total("gpu"));
    const auto refused = xtimer::record("kernel", "gpu", -1ns);
    CHECK(!refused && refused.code() == XTIMER_STATUS_BAD_DURATION && !refused.message().empty());
    CHECK(!xtimer::record("kernel", "gpu", std::chrono::duration<float>(NAN)));
    CHECK(!xtimer::forbid("\xff", "io"));

    const std::string report = xtimer::report();
    CHECK(report.find("kernel") != std::string::npos && report.find('\0') == std::string::npos);
    const std::string json = xtimer::export_json();
    CHECK(json.front() == '{' && json.back() == '}');
    CHECK(xtimer::export_json(true, 0).size() < json.size());
    CHECK(xtimer::save_json("api.json"));
    std::stringstream saved;
    saved << std::ifstream("api.json").rdbuf();
    CHECK(saved.str() == json + "\n");
    CHECK(std::remove("api.json") == 0);
    CHECK(!xtimer::save_json("no/such/folder/api.json"));

    // A large report, which the first guess does not hold.
    for (int i = 0; i < 1000; ++i) xtimer::scope many{xtimer::counted{"many", i}};
    CHECK(xtimer::report(false).find("many[999]") != std::string::npos);
    CHECK(xtimer::sections(false).size() == 1001 && xtimer::sections().size() == 2);

    const auto sections = xtimer::sections();
    CHECK(sections[0].path == std::vector<std::string>{"kernel"} && sections[0].category == "gpu");
    CHECK(sections[0].count == 3 && sections[0].total == 502001500ns && sections[0].min == 1500ns);

    // All numbers of one moment, which stay whatever is recorded afterwards.
    {
        xtimer::snapshot then;
        CHECK(then.made() && xtimer::record("kernel", 1s) && xtimer::record("later", 1s));
        const xtimer::snapshot moved = std::move(then);
        CHECK(moved.sections().size() == 2 && moved.sections()[0].total == 502001500ns);
        CHECK(moved.category_total("gpu") == xtimer::seconds(0.5020015));
        CHECK(moved.category_total("default") == moved.category_total(nullptr));
        CHECK(moved.category_totals().size() == 2 && moved.category_totals()[1].first == "gpu");
        CHECK(moved.category_total("none") == xtimer::seconds(0));
        CHECK(std::abs((moved.total() - moved.category_total("gpu") -
                        moved.category_total("default")).count()) < 1e-12);
        CHECK(moved.losses().refused == 0 && then.sections().empty() && then.losses().refused == 0);
        CHECK(xtimer::snapshot(false).sections().size() == 1002);
        // Without a category, a section's is "default".
        CHECK(xtimer::sections()[0].category == "default" && xtimer::sections()[0].count == 4);
        const xtimer::snapshot none = xtimer::timer_view(xtimer_t{}).take_snapshot();
        CHECK(!none.made() && none.made().code() == XTIMER_STATUS_NO_TIMER);
        CHECK(none.sections().empty() && none.total() == xtimer::seconds(0));
    }

    // A timer of one's own ends with its object; a scope of it that is left open is refused then.
    xtimer_t handle;
    {
        xtimer::timer own;
        CHECK(own.made());
        handle = own.handle();
        { xtimer::scope a{own, "a", "x"}; xtimer::scope b{own, xtimer::counted{"b", 1}}; }
        CHECK(own.sections().size() == 2 && own.total() > xtimer::seconds(0));
        CHECK(own.record("c", "y", 5ns) && own.category_total("y") == xtimer::seconds(5e-9));
        { xtimer::scope a{own, "a", "compute"}; xtimer::scope refused_there{own, "file", "io"}; }
        CHECK(own.take_snapshot().losses().refused == 1);
        CHECK(own.set_enabled(false) && !own.is_enabled() && xtimer::is_enabled());
    }
    CHECK(!xtimer::timer_view(handle).clear());
    xtimer_config_t config = xtimer_config_default();
    config.depth = 0;
    xtimer::timer bad(config);
    CHECK(!bad.made() && bad.made().message().find("depth") != std::string::npos);
    xtimer::scope harmless{bad, "nothing"};
    CHECK(!harmless.is_open() && harmless.stop());
    return 0;
}
