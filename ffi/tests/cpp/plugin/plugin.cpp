// What is loaded and unloaded.
#include "xtimer.hpp"

inline void inlined() { XTIMER_SCOPE("inline in a plugin"); }

extern "C" void work();
extern "C" void work() {
    XTIMER_FUNCTION();
    XTIMER_SCOPE("plugin", "plugins");
    inlined();
    for (int i = 0; i < 10; ++i) xtimer::scope scope{"by name"};
    const xtimer::path here = xtimer::current_path();
    xtimer::scope scope{xtimer::beneath{here}, xtimer::counted{"counted", 1}};
}
