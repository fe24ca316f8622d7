// xtimer.hpp: times named sections as they nest, by category. C++17, header only, over xtimer.h.
//
//     void forward() {
//         XTIMER_FUNCTION("compute");              // until the end of the function
//         {
//             XTIMER_SCOPE("attention");           // until the end of the block; category "default"
//         }
//         xtimer::scope save{"save", "io"};        // by name; ends early with save.stop()
//     }
//     std::puts(xtimer::report().c_str());
//
// Names and categories are UTF-8. Functions without a timer use the default one, which needs no
// making, or the timers that an xtimer::enabled has enabled. Nothing throws but std::bad_alloc, where a
// std::string or vector is returned. With XTIMER_DISABLE defined all of it compiles to nothing, and the
// library is not needed; what a program calls of xtimer.h itself stays as it is.

#ifndef XTIMER_HPP
#define XTIMER_HPP

#ifdef XTIMER_DISABLE
#include "xtimer/disabled.hpp"
#else
#include "xtimer/scope.hpp"
#endif

#endif // XTIMER_HPP
