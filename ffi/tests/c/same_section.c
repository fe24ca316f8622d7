/* A handler that adds to the very section that its thread is in the middle of adding to, entering anew or
 * giving another category, after one instruction of some: what is shown is of one moment, and an entry that
 * could not be made is counted. */
#define _GNU_SOURCE
#include "stepping.h"

#ifndef CANNOT_STEP

#include <signal.h>

/* One instruction of so many: each costs a record that is stepped through. */
enum { STRIDE = 11 };

static xtimer_t timer;
static unsigned long step, target;
static int clears, acted;
static const char *category;

static void handler(int number) {
    const xtimer_path_t top = {0};
    (void)number;
    if (step++ != target) return;
    acted = 1;
    if (clears) (void)xtimer_timer_clear(timer);
    (void)xtimer_timer_record_beneath_ns(timer, top, "section", category, 7);
}

/* Every entry is of 7 ns; so many of `most` were made, or are counted as not made. */
static void check_section(unsigned long long least, unsigned long long most) {
    const char *path[] = {"section"};
    xtimer_section_info_t info;
    xtimer_snapshot_t snapshot;
    xtimer_losses_t losses;
    CHECK_OK(xtimer_timer_snapshot_take(timer, false, &snapshot));
    CHECK_OK(xtimer_snapshot_losses(snapshot, &losses));
    CHECK_OK(xtimer_snapshot_free(snapshot));
    memset(&info, 0, sizeof info);
    /* Where all there was is cleared or counted, there is no such section. */
    if (least > losses.interrupted) {
        CHECK_OK(xtimer_timer_section_info(timer, path, 1, false, &info));
    }
    CHECK(!info.busy && info.total_ns == 7 * info.count && info.exclusive_ns == info.total_ns);
    CHECK(info.count == 0 || (info.min_ns == 7 && info.max_ns == 7));
    CHECK(info.count + losses.interrupted >= least && info.count + losses.interrupted <= most);
}

static void at_each_instruction(unsigned before, const char *now) {
    target = 0;
    do {
        unsigned i, all;
        CHECK_OK(xtimer_timer_clear(timer));
        category = NULL;
        for (i = 0; i < before; ++i) {
            CHECK_OK(xtimer_timer_record_ns(timer, "section", category, 7));
        }
        CHECK_OK(xtimer_timer_record_ns(timer, "other", NULL, 1000000)); /* what the journal held last */
        category = now;
        step = 0;
        acted = 0;
        STEPPING("orq $0x100,");
        (void)xtimer_timer_record_ns(timer, "section", now, 7);
        STEPPING("andq $-0x101,");
        /* After a clear in the handler the thread's own entry may be of before or after it. */
        all = before + 1 + acted;
        check_section(clears && acted ? 1 : all, all);
        CHECK_OK(xtimer_timer_record_ns(timer, "section", now, 7));
        check_section(clears && acted ? 2 : all + 1, all + 1);
        target += STRIDE;
    } while (acted);
    CHECK(target > 100); /* a record is not fewer instructions */
}

int main(void) {
    xtimer_config_t config = check_config();
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
    config.sections = 8;
    config.lanes = 1;
    config.late = 0;
    CHECK_OK(xtimer_create(&config, &timer));
    for (clears = 0; clears < 2; ++clears) {
        at_each_instruction(2, NULL);       /* an add */
        at_each_instruction(0, NULL);       /* a slot that begins anew */
        at_each_instruction(2, "category"); /* another category */
    }
    return 0;
}
#endif
