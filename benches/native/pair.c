/* Empty pairs through the C interface: by call site, and by string. */
#include <stdint.h>

#include "xtimer.h"

void xtimer_bench_c_handle(uint32_t pairs);
void xtimer_bench_c_string(uint32_t pairs);

void xtimer_bench_c_handle(uint32_t pairs) {
    static xtimer_site_t site = {.name = "pair by C handle"};
    for (uint32_t pair = 0; pair < pairs; pair++) {
        xtimer_end(xtimer_begin_at(&site));
    }
}

void xtimer_bench_c_string(uint32_t pairs) {
    for (uint32_t pair = 0; pair < pairs; pair++) {
        xtimer_end(xtimer_begin("pair by C string", "default"));
    }
}
