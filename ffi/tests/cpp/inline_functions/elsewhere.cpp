// The other unit: macros before the shared header shift what __COUNTER__ gives.
#include "xtimer.hpp"

inline void before() { XTIMER_SCOPE("before"); }

#include "shared.hpp"

void elsewhere() {
    before();
    both();
    generic(1);
}
