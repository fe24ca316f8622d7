/* Wild tokens leave the stack as it is, on a lane and on a late context, in every near miss. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

/* Ends what is no token, then checks that nesting still is what it was. */
static void try_all(void) {
    xtimer_token_t outer, inner;
    xtimer_path_t path;
    int bit;
    for (bit = 0; bit < 64; ++bit) CHECK(xtimer_end((xtimer_token_t)1 << bit) != XTIMER_STATUS_OK);
    CHECK(xtimer_current_path().value[0] == 0);
    outer = xtimer_begin("outer", NULL);
    inner = xtimer_begin("inner", NULL);
    CHECK(outer != 0 && inner != 0);
    path = xtimer_current_path();
    for (bit = 0; bit < 64; ++bit) {
        const xtimer_token_t wild = inner ^ (xtimer_token_t)1 << bit;
        if (wild == outer) continue; /* the generation before: a token that is open */
        CHECK(xtimer_end(wild) != XTIMER_STATUS_OK);
        CHECK(check_same_path(xtimer_current_path(), path));
    }
    CHECK_OK(xtimer_end(inner));
    CHECK_OK(xtimer_end(outer));
    CHECK(xtimer_current_path().value[0] == 0);
}

static void *late(void *unused) {
    CHECK_OK(xtimer_end(xtimer_begin("late", NULL)));
    try_all();
    return unused;
}

int main(void) {
    xtimer_config_t config = xtimer_config_default();
    xtimer_section_info_t info;
    const char *path[] = {"outer", "inner"};
    pthread_t thread;

    config.lanes = 1;
    CHECK_OK(xtimer_configure(&config));
    try_all(); /* takes the only lane */
    CHECK(pthread_create(&thread, NULL, late, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(xtimer_section_info(path, 2, true, &info));
    CHECK(info.count == 2 && info.late);
    return 0;
}
