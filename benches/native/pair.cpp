// Empty pairs through the C++ interface: a scope.
#include <cstdint>

#include "xtimer.hpp"

extern "C" void xtimer_bench_cpp_scope(std::uint32_t pairs) {
    for (std::uint32_t pair = 0; pair < pairs; pair++) {
        XTIMER_SCOPE("pair by C++ scope");
    }
}
