// A call site of an inline function is the same one in every unit, under its own name.
#include "shared.hpp"

#include "../../c/check.h"

int main() {
    for (int i = 0; i < 3; ++i) {
        both();
        generic(1);
        elsewhere();
    }
    const std::vector<std::vector<std::string>> expected = {
        {"outer"}, {"outer", "inner"}, {"generic"}, {"generic", "within"}, {"before"}};
    const auto sections = xtimer::sections(false);
    CHECK(sections.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(sections[i].path == expected[i]);
        CHECK(sections[i].count == (i < 4 ? 6 : 3));
    }
    return 0;
}
