// Inline functions with several call sites each, in two units that number their macros differently.
#pragma once

#include "xtimer.hpp"

inline void both() {
    XTIMER_SCOPE("outer");
    { XTIMER_SCOPE("inner"); }
}

template <typename T> void generic(T) {
    XTIMER_FUNCTION();
    XTIMER_SCOPE("within");
}

void elsewhere();
