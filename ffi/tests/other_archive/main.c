/* Two Rust archives in one program: each counts right and unwinds on its own. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "xtimer.h"

uint64_t other_sum(uint64_t n);
uint64_t other_unwinds(void);

static int differs(const char *what, uint64_t found, uint64_t expected) {
    if (found == expected) {
        return 0;
    }
    fprintf(stderr, "%s is %" PRIu64 " instead of %" PRIu64 "\n", what, found, expected);
    return 1;
}

int main(void) {
    int failures = 0;
    xtimer_token_t token = xtimer_begin("sum", "compute");
    failures += differs("other_sum(1000)", other_sum(1000), 500500);
    failures += differs("other_unwinds()", other_unwinds(), 1);
    failures += differs("other_unwinds()", other_unwinds(), 2);
    failures += differs("xtimer_end", (uint64_t)xtimer_end(token), 0);
    failures += differs("xtimer_record_ns", (uint64_t)xtimer_record_ns("device", "gpu", 1234567), 0);
    failures += differs("xtimer_category_total_ns", xtimer_category_total_ns("gpu"), 1234567);
    if (xtimer_category_total_ns("compute") == 0) {
        fprintf(stderr, "the section took no time\n");
        failures += 1;
    }
    return failures != 0;
}
