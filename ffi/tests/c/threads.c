/* Threads: end elsewhere, exit inside a section, more threads than lanes, beneath another's path. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

enum { THREADS = 40, ROUNDS = 500 };

static xtimer_path_t parent;
static pthread_barrier_t barrier;
static pthread_key_t key;

static void *end_elsewhere(void *token) {
    CHECK_STATUS(xtimer_end(*(xtimer_token_t *)token), XTIMER_STATUS_OTHER_CONTEXT);
    CHECK_ERROR("another thread");
    return NULL;
}

static void *exit_inside(void *unused) {
    CHECK(xtimer_begin("unfinished", NULL) != 0);
    CHECK(strcmp(xtimer_last_error(), "") == 0); /* no other thread's error */
    pthread_exit(unused);
}

static void *work(void *unused) {
    int i;
    xtimer_token_t outer = xtimer_begin_beneath(parent, "worker", "compute");
    CHECK(outer != 0);
    pthread_barrier_wait(&barrier);
    for (i = 0; i < ROUNDS; ++i) {
        xtimer_token_t token = xtimer_begin("round", "compute");
        CHECK(token != 0);
        CHECK_OK(xtimer_end(token));
    }
    CHECK_OK(xtimer_end(outer));
    return unused;
}

/* Runs when a thread has ended: whatever it finds of its context, nothing may break. */
static void at_thread_end(void *unused) {
    xtimer_token_t token = xtimer_begin("in a destructor", NULL);
    (void)xtimer_end(token);
    (void)xtimer_last_error();
    (void)unused;
}

static void *with_destructor(void *unused) {
    CHECK(pthread_setspecific(key, &key) == 0);
    CHECK_OK(xtimer_end(xtimer_begin("before", NULL)));
    return unused;
}

int main(void) {
    xtimer_config_t config = xtimer_config_default();
    pthread_t threads[THREADS];
    xtimer_snapshot_t snapshot;
    xtimer_losses_t losses;
    xtimer_section_info_t info;
    xtimer_token_t token;
    const char *path[] = {"main", "worker", "round"};
    int i;

    config.lanes = 8; /* fewer than threads */
    CHECK_OK(xtimer_configure(&config));

    token = xtimer_begin("main", NULL);
    CHECK(pthread_create(&threads[0], NULL, end_elsewhere, &token) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0);
    for (i = 0; i < 20; ++i) {
        CHECK(pthread_create(&threads[0], NULL, exit_inside, NULL) == 0);
        CHECK(pthread_join(threads[0], NULL) == 0);
    }
    parent = xtimer_current_path();
    CHECK(parent.value[0] != 0);

    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_OK(xtimer_end(token));

    CHECK_OK(xtimer_section_info(path, 3, true, &info));
    CHECK(info.count == THREADS * ROUNDS && info.late);
    CHECK_OK(xtimer_section_info(path, 2, true, &info));
    CHECK(info.count == THREADS);
    CHECK_OK(xtimer_snapshot_take(true, &snapshot));
    CHECK_OK(xtimer_snapshot_losses(snapshot, &losses));
    CHECK(losses.unclosed == 20 && losses.late_contexts >= THREADS - 8);
    CHECK_OK(xtimer_snapshot_free(snapshot));

    CHECK(pthread_key_create(&key, at_thread_end) == 0);
    for (i = 0; i < 20; ++i) {
        CHECK(pthread_create(&threads[0], NULL, with_destructor, NULL) == 0);
        CHECK(pthread_join(threads[0], NULL) == 0);
    }
    return 0;
}
