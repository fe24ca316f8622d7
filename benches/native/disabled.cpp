// A loop with a scope that is compiled out, and the same loop without one.
#define XTIMER_DISABLE
#include <cstdint>

#include "xtimer.hpp"

static std::uint32_t step(std::uint32_t value) {
    // A loop that the compiler can't shorten.
    asm volatile("" : "+r"(value));
    return value * 2654435761u + 1;
}

extern "C" std::uint32_t xtimer_bench_cpp_disabled(std::uint32_t pairs) {
    std::uint32_t value = 1;
    for (std::uint32_t pair = 0; pair < pairs; pair++) {
        XTIMER_SCOPE("left behind by XTIMER_DISABLE");
        value = step(value);
    }
    return value;
}

extern "C" std::uint32_t xtimer_bench_cpp_bare(std::uint32_t pairs) {
    std::uint32_t value = 1;
    for (std::uint32_t pair = 0; pair < pairs; pair++) {
        value = step(value);
    }
    return value;
}
