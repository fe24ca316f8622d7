/* The process exits inside sections, with threads at work and handlers that time and report. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

static const char name[] = "main";
static xtimer_site_t site = XTIMER_SITE("main", NULL);
static xtimer_token_t open_token;

/* Leaves an error behind that is none of a missing context's. */
static void other_error(void) {
    CHECK_STATUS(xtimer_path_of(0, NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_ERROR("NULL");
}

/* Each begin and end says so itself, whatever went wrong before. */
static void without_context(void) {
    other_error();
    CHECK(xtimer_begin_at(&site) == 0);
    CHECK_ERROR("is ending");
    other_error();
    CHECK(xtimer_begin(name, NULL) == 0); /* which this thread remembers */
    CHECK_ERROR("is ending");
    other_error();
    CHECK_STATUS(xtimer_end(open_token), XTIMER_STATUS_NO_CONTEXT);
    CHECK_ERROR("is ending");
    other_error();
    CHECK_OK(xtimer_end(0));
    CHECK_ERROR("NULL");
}

static void at_exit(void) {
    char text[4096];
    /* The main thread's context may have ended by now: then this is refused, with a sentence. */
    xtimer_token_t token = xtimer_begin("at exit", NULL);
    if (token == 0) CHECK_ERROR("is ending");
    CHECK_OK(xtimer_end(token));
    if (token == 0) without_context();
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
    open_token = xtimer_begin(name, NULL);
    CHECK(open_token != 0);
    CHECK_OK(xtimer_end(xtimer_begin_at(&site)));
    CHECK_OK(xtimer_create(NULL, &own));
    CHECK(xtimer_timer_begin(own, "own", NULL) != 0);
    exit(0);
}
