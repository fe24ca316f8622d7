// A user's program: C++ and C in one, both timed by one library.
#include <cstdio>
#include <string>
#include <vector>

#include <xtimer.hpp>

extern "C" int counted_in_c(int number);

int main() {
    int sum = 0;
    {
        XTIMER_SCOPE("outer");
        for (int i = 0; i < 10; ++i) {
            XTIMER_SCOPE("inner", "compute");
            sum += counted_in_c(i);
        }
    }
    std::puts(xtimer::report().c_str());
    const std::vector<xtimer::section> sections = xtimer::sections();
    const bool is_right = sum == 45 && sections.size() == 3 &&
                          sections.back().path == std::vector<std::string>{"outer", "inner", "in c"} &&
                          sections.back().count == 10 && sections.back().category == "io";
    if (!is_right) std::printf("wrong: %d, %zu sections\n", sum, sections.size());
    return is_right ? 0 : 1;
}
