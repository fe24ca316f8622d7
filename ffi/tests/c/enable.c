/* Timers enabled for a scope: where sections go, what is refused, what threads and forks inherit. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static xtimer_t first, second;
static xtimer_path_t parent;
static xtimer_token_t foreign;
static xtimer_enabled_t foreign_scope;

static uint64_t count_in(xtimer_t timer, const char *outer, const char *inner) {
    const char *names[] = {outer, inner};
    xtimer_section_info_t info;
    if (xtimer_timer_section_info(timer, names, inner ? 2 : 1, false, &info) != XTIMER_STATUS_OK)
        return UINT64_MAX;
    return info.count;
}

static void *worker(void *unused) {
    xtimer_token_t token, plain = xtimer_begin("plain", NULL);
    xtimer_detached_t detached;
    CHECK_STATUS(xtimer_end(foreign), XTIMER_STATUS_OTHER_CONTEXT);
    CHECK_STATUS(xtimer_enable_end(foreign_scope), XTIMER_STATUS_OTHER_CONTEXT);
    CHECK_ERROR("another thread");
    token = xtimer_begin_beneath(parent, "worker", NULL);
    CHECK(token != 0);
    CHECK_OK(xtimer_end(xtimer_begin("nested", NULL)));
    detached = xtimer_detach("detached", NULL);
    CHECK_OK(xtimer_end(plain)); /* of the default timer, whatever is enabled */
    CHECK_OK(xtimer_end(token));
    CHECK_OK(xtimer_end(xtimer_begin("plain", NULL)));
    check_now += 6;
    CHECK_OK(xtimer_finish(&detached));
    CHECK_STATUS(xtimer_finish(&detached), XTIMER_STATUS_NOT_OPEN);
    /* Ends inside a section and a scope. */
    CHECK_OK(xtimer_enable_begin(second, &foreign_scope));
    CHECK(xtimer_begin("left", NULL) != 0);
    return unused;
}

static void in_child(xtimer_token_t open) {
    CHECK(xtimer_timer_total_ns(first) == 0 && xtimer_timer_total_ns(second) == 0);
    CHECK_OK(xtimer_end(open)); /* open at the fork: as after a clear, not recorded */
    CHECK(count_in(first, "open", NULL) == UINT64_MAX);
    CHECK_OK(xtimer_record_ns("child", NULL, 5));
    CHECK(xtimer_timer_total_ns(first) == 5 && xtimer_timer_total_ns(second) == 5);
    CHECK(xtimer_total_ns() == 0);
}

int main(void) {
    static xtimer_site_t site = XTIMER_SITE("site", NULL);
    const xtimer_enabled_t none = {0, 0};
    xtimer_config_t config = check_config();
    xtimer_enabled_t scopes[9], scope, other;
    xtimer_t timers[9];
    xtimer_token_t token, inner;
    xtimer_detached_t detached;
    xtimer_path_t path;
    pthread_t thread;
    int i, status;

    CHECK_OK(xtimer_configure(&config));
    CHECK_OK(xtimer_create(&config, &first));
    CHECK_OK(xtimer_create(&config, &second));

    /* Functions without a timer go to those that are enabled, once each. */
    CHECK_OK(xtimer_enable_begin(first, &scope));
    CHECK_OK(xtimer_enable_begin(first, &other));
    CHECK_OK(xtimer_enable_end(other));
    token = xtimer_begin("outer", "x");
    CHECK_OK(xtimer_enable_begin(second, &other));
    inner = xtimer_begin_counted("inner", 3, NULL);
    check_now += 10;
    CHECK_OK(xtimer_end(inner));
    CHECK_OK(xtimer_end(xtimer_begin_at(&site)));
    CHECK_OK(xtimer_record_ns("recorded", NULL, 100));
    CHECK_OK(xtimer_record_seconds("recorded", NULL, 1e-7));
    CHECK_OK(xtimer_record_in_ns(token, "in", NULL, 1)); /* in `first` alone */
    CHECK_STATUS(xtimer_record_seconds("recorded", NULL, -1), XTIMER_STATUS_BAD_DURATION);
    CHECK_OK(xtimer_enable_end(other));
    /* A timer's own functions are not concerned, and share the thread's context. */
    CHECK_OK(xtimer_timer_end(first, xtimer_timer_begin(first, "explicit", NULL)));
    CHECK_OK(xtimer_timer_end(xtimer_default(), xtimer_timer_begin(xtimer_default(), "d", NULL)));
    CHECK_OK(xtimer_enable_end(scope));
    CHECK_OK(xtimer_end(token)); /* the scope has ended, the section had not */
    CHECK(count_in(first, "outer", "inner[3]") == 1 && count_in(second, "inner[3]", NULL) == 1);
    CHECK(count_in(first, "outer", "site") == 1 && count_in(second, "site", NULL) == 1);
    CHECK(count_in(first, "outer", "recorded") == 2 && count_in(second, "recorded", NULL) == 2);
    CHECK(count_in(first, "outer", "in") == 1 && count_in(second, "in", NULL) == UINT64_MAX);
    CHECK(count_in(first, "outer", "explicit") == 1);
    CHECK(xtimer_timer_total_ns(first) == 10 && xtimer_timer_total_ns(second) == 210);
    CHECK(count_in(xtimer_default(), "d", NULL) == 1);

    /* Stale, and wrong. */
    CHECK_STATUS(xtimer_end(token), XTIMER_STATUS_NOT_OPEN);
    CHECK_STATUS(xtimer_path_of(token, &path), XTIMER_STATUS_NOT_OPEN);
    CHECK_STATUS(xtimer_enable_end(scope), XTIMER_STATUS_NOT_OPEN);
    CHECK_ERROR("ended before");
    CHECK_OK(xtimer_enable_end(none));
    CHECK_STATUS(xtimer_enable_begin(first, NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_enable_begin((xtimer_t){0}, &scope), XTIMER_STATUS_NO_TIMER);

    /* At most eight, the default one among them. */
    CHECK_OK(xtimer_enable_begin(xtimer_default(), &scopes[0]));
    for (i = 1; i < 9; ++i) {
        CHECK_OK(xtimer_create(&config, &timers[i]));
        status = xtimer_enable_begin(timers[i], &scopes[i]);
        CHECK(status == (i < 8 ? XTIMER_STATUS_OK : XTIMER_STATUS_TOO_MANY_ENABLED));
    }
    CHECK_ERROR("Eight timers");
    CHECK_OK(xtimer_end(xtimer_begin("eight", NULL)));
    detached = xtimer_detach("detached", NULL);
    path = xtimer_detached_path(&detached);
    CHECK(path.value[7] != 0);
    check_now += 2;
    CHECK_OK(xtimer_destroy(timers[1])); /* passed over from here on */
    CHECK_OK(xtimer_end(xtimer_begin("seven", NULL)));
    CHECK_OK(xtimer_finish(&detached));
    for (i = 0; i < 8; ++i) CHECK_OK(xtimer_enable_end(scopes[i]));
    for (i = 2; i < 8; ++i) {
        CHECK(count_in(timers[i], "eight", NULL) == 1 && count_in(timers[i], "seven", NULL) == 1);
        CHECK(xtimer_timer_total_ns(timers[i]) == 2);
    }
    CHECK(count_in(timers[8], "eight", NULL) == UINT64_MAX);
    CHECK(count_in(xtimer_default(), "eight", NULL) == 1);
    /* Timers made in the same places are others. */
    for (i = 1; i < 9; ++i) (void)xtimer_destroy(timers[i]);
    CHECK_OK(xtimer_create(&config, &timers[0]));
    CHECK_OK(xtimer_enable_begin(timers[0], &scope));
    CHECK_OK(xtimer_end(xtimer_begin("new", NULL)));
    CHECK_OK(xtimer_enable_end(scope));
    CHECK(count_in(timers[0], "new", NULL) == 1 && count_in(timers[0], "eight", NULL) == UINT64_MAX);
    CHECK_OK(xtimer_destroy(timers[0]));
    CHECK_STATUS(xtimer_enable_begin(timers[0], &scope), XTIMER_STATUS_NO_TIMER);
    path = xtimer_current_path();
    CHECK(path.value[0] == 0);

    /* What one refuses is recorded by none; the sentence has the names of the one that refuses. */
    CHECK_OK(xtimer_timer_clear(first));
    CHECK_OK(xtimer_timer_clear(second));
    CHECK_OK(xtimer_timer_forbid(second, "gpu", "cpu"));
    CHECK_OK(xtimer_enable_begin(first, &scope));
    CHECK_OK(xtimer_enable_begin(second, &other));
    token = xtimer_begin("outer", "gpu");
    CHECK(xtimer_begin("inner", "cpu") == 0);
    CHECK_ERROR("Category 'cpu' is not allowed inside category 'gpu'.");
    CHECK_STATUS(xtimer_record_ns("inner", "cpu", 4), XTIMER_STATUS_FORBIDDEN);
    CHECK_ERROR("'cpu'");
    CHECK(xtimer_detach("inner", "cpu").state == 0);
    inner = xtimer_begin("open", NULL);
    CHECK_STATUS(xtimer_end(token), XTIMER_STATUS_UNCLOSED);
    CHECK_ERROR("'outer' exited while 'open' was still active.");
    CHECK_STATUS(xtimer_end(inner), XTIMER_STATUS_NOT_OPEN);
    CHECK(count_in(first, "outer", "inner") == UINT64_MAX);
    CHECK(count_in(second, "outer", "inner") == UINT64_MAX);

    /* A thread inherits what is enabled, beneath a path. */
    foreign = xtimer_begin("foreign", NULL);
    foreign_scope = scope;
    CHECK_OK(xtimer_path_of(foreign, &parent));
    CHECK(check_same_path(parent, xtimer_current_path()) && parent.value[1] != 0);
    CHECK(pthread_create(&thread, NULL, worker, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(xtimer_end(foreign));
    {
        const char *nested[] = {"foreign", "worker", "nested"};
        xtimer_section_info_t info;
        CHECK_OK(xtimer_timer_section_info(first, nested, 3, false, &info));
        CHECK(info.count == 1);
        CHECK_OK(xtimer_timer_section_info(second, nested, 3, false, &info));
        nested[2] = "detached";
        CHECK_OK(xtimer_timer_section_info(second, nested, 3, false, &info));
        CHECK(info.total_ns == 6);
        CHECK(count_in(xtimer_default(), "plain", NULL) == 2);
        CHECK(count_in(second, "left", NULL) == 0 && count_in(first, "left", NULL) == UINT64_MAX);
    }
    /* A path of several timers names the one that a function is given. */
    token = xtimer_timer_begin_beneath(second, parent, "by timer", NULL);
    CHECK_OK(xtimer_timer_end(second, token));
    CHECK(count_in(second, "foreign", "by timer") == 1);
    CHECK(count_in(first, "foreign", "by timer") == UINT64_MAX);

    /* The child of a fork starts clean, in the same scopes and sections. */
    token = xtimer_begin("open", NULL);
    for (i = 0; i < 5; ++i) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            in_child(token);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK_OK(xtimer_end(token));
    CHECK(count_in(first, "open", NULL) == 1);

    /* Destroyed inside a section: the rest goes on, and the scope's end is no error. */
    token = xtimer_begin("both", NULL);
    CHECK_OK(xtimer_destroy(second));
    CHECK_OK(xtimer_end(token));
    token = xtimer_begin_beneath(parent, "left one", NULL);
    CHECK_OK(xtimer_end(token));
    CHECK_OK(xtimer_enable_end(other));
    CHECK_OK(xtimer_enable_end(scope));
    CHECK(count_in(first, "both", NULL) == 1 && count_in(first, "foreign", "left one") == 1);
    CHECK_OK(xtimer_destroy(first));
    CHECK(xtimer_begin_beneath(parent, "none", NULL) == 0);
    CHECK_ERROR("another timer");
    return 0;
}
