/* The process exits inside sections, with threads at work and handlers that time and report. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

static void at_exit(void) {
    char text[4096];
    /* The main thread's context may have ended by now: then this is refused, with a sentence. */
    xtimer_token_t token = xtimer_begin("at exit", NULL);
    if (token == 0) CHECK_ERROR("thread is ending");
    CHECK_OK(xtimer_end(token));
    CHECK_OK(xtimer_report(text, sizeof text, NULL));
    CHECK(strstr(text, "main") != NULL && strstr(text, "for ever") != NULL);
    CHECK((strstr(text, "at exit") != NULL) == (token != 0));
}

static pthread_barrier_t barrier;

static void *for_ever(void *unused) {
    (void)xtimer_end(xtimer_begin("for ever", NULL));
    pthread_barrier_wait(&barrier);
    for (;;) (void)xtimer_end(xtimer_begin("for ever", NULL));
    return unused;
}

int main(void) {
    pthread_t thread;
    xtimer_t own;
    CHECK(atexit(at_exit) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, for_ever, NULL) == 0);
    pthread_barrier_wait(&barrier);
    CHECK(xtimer_begin("main", NULL) != 0);
    CHECK_OK(xtimer_create(NULL, &own));
    CHECK(xtimer_timer_begin(own, "own", NULL) != 0);
    exit(0);
}
