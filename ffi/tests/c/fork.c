/* The child of a fork starts clean, in the default timer and in others; the parent goes on. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static xtimer_t own;
static pthread_barrier_t barrier;

/* Has sections open in both timers while the main thread forks. */
static void *stay(void *unused) {
    xtimer_token_t token = xtimer_begin("elsewhere", NULL);
    xtimer_token_t other = xtimer_timer_begin(own, "elsewhere", NULL);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    CHECK_OK(xtimer_timer_end(own, other));
    CHECK_OK(xtimer_end(token));
    return unused;
}

static void in_child(xtimer_token_t token, xtimer_token_t other) {
    int i;
    xtimer_t fresh;
    CHECK(xtimer_total_ns() == 0 && xtimer_timer_total_ns(own) == 0);
    /* Open at the fork: ended, and as after a clear not recorded. */
    CHECK_OK(xtimer_end(token));
    CHECK_OK(xtimer_timer_end(own, other));
    CHECK(xtimer_total_ns() == 0 && xtimer_timer_total_ns(own) == 0);
    CHECK_OK(xtimer_record_ns("child", NULL, 5));
    CHECK_OK(xtimer_timer_record_ns(own, "child", NULL, 6));
    CHECK(xtimer_total_ns() == 5 && xtimer_timer_total_ns(own) == 6);
    /* Rules stay, and nothing is locked. */
    CHECK_OK(xtimer_forbid("c", "d"));
    token = xtimer_begin("a", "a");
    CHECK(xtimer_begin("b", "b") == 0);
    CHECK_OK(xtimer_end(token));
    for (i = 0; i < 100; ++i) {
        CHECK_OK(xtimer_create(NULL, &fresh));
        CHECK_OK(xtimer_timer_record_ns(fresh, "n", NULL, 1));
        CHECK_OK(xtimer_destroy(fresh));
    }
    CHECK_OK(xtimer_destroy(own));
}

int main(void) {
    pthread_t thread;
    xtimer_token_t token, other;
    pid_t child;
    int status = 0, i;

    CHECK_OK(xtimer_create(NULL, &own));
    CHECK_OK(xtimer_forbid("a", "b"));
    CHECK_OK(xtimer_record_ns("parent", NULL, 1000));
    CHECK_OK(xtimer_timer_record_ns(own, "parent", NULL, 2000));
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, stay, NULL) == 0);
    pthread_barrier_wait(&barrier);
    token = xtimer_begin("open", NULL);
    other = xtimer_timer_begin(own, "open", NULL);
    for (i = 0; i < 10; ++i) {
        child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            in_child(token, other);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK_OK(xtimer_timer_end(own, other));
    CHECK_OK(xtimer_end(token));
    pthread_barrier_wait(&barrier);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(xtimer_total_ns() >= 1000 && xtimer_timer_total_ns(own) >= 2000);
    return 0;
}
