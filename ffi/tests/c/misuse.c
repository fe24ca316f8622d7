/* What no caller should do: NULL, bad text, huge text, wild handles. An error each, and no more. */
#include "check.h"

static void rejects(const char *name, const char *category, const char *part) {
    CHECK(xtimer_begin(name, category) == 0);
    CHECK_ERROR(part);
    CHECK(xtimer_begin_counted(name, 1, category) == 0);
    CHECK_STATUS(xtimer_record_ns(name, category, 1),
                 name ? XTIMER_STATUS_INVALID_TEXT : XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(xtimer_detach(name, category).state == 0);
}

int main(void) {
    const size_t huge_size = 10u << 20;
    char *huge = malloc(huge_size + 1);
    char tiny[1] = {'x'};
    size_t needed = 0;
    xtimer_path_t wild_path = {{0xffffffffffffffffULL}};
    xtimer_t wild_timer = {0x1234567800000005ULL};
    xtimer_t null_timer = {0};
    xtimer_snapshot_t wild_snapshot = {0x0000000100000007ULL};
    xtimer_section_info_t info;
    xtimer_losses_t losses;
    xtimer_detached_t wild_detached = {{1}, {2}, {0xffffffff00000003ULL}, 1};
    xtimer_token_t token;
    int i;

    rejects(NULL, "io", "name is NULL");
    rejects("bad\xff name", NULL, "bad\\xff name");
    rejects("name", "\xc3\x28", "category is not UTF-8 at byte 0");
    CHECK_STATUS(xtimer_forbid("\xf0\x9f", "io"), XTIMER_STATUS_INVALID_TEXT);
    CHECK(xtimer_category_total_ns("\xff") == 0);
    CHECK(xtimer_category_total("\xff") != xtimer_category_total("\xff")); /* not a number */
    CHECK(xtimer_total_ns() == 0);

    /* 10 MB: longer than all names together may be. It is timed, and its loss is counted. */
    CHECK(huge != NULL);
    memset(huge, 'n', huge_size);
    huge[huge_size] = 0;
    token = xtimer_begin(huge, huge);
    CHECK(token != 0);
    CHECK_OK(xtimer_end(token));
    {
        xtimer_snapshot_t snapshot;
        CHECK_OK(xtimer_snapshot_take(true, &snapshot));
        CHECK_OK(xtimer_snapshot_losses(snapshot, &losses));
        CHECK(losses.no_slot == 1 && losses.categories == 1);
        CHECK_OK(xtimer_snapshot_free(snapshot));
    }
    memset(huge, '\xff', huge_size);
    CHECK(xtimer_begin(huge, NULL) == 0);
    CHECK_ERROR("not UTF-8 at byte 0");
    CHECK(strlen(xtimer_last_error()) < 1024);

    /* Tiny buffers stay as they are. */
    CHECK_STATUS(xtimer_report(tiny, 1, &needed), XTIMER_STATUS_TOO_SMALL);
    CHECK(tiny[0] == 'x' && needed > 1);
    CHECK_STATUS(xtimer_export_json(NULL, 0, &needed), XTIMER_STATUS_TOO_SMALL);
    CHECK_STATUS(xtimer_export_json(NULL, 0, NULL), XTIMER_STATUS_TOO_SMALL);
    CHECK_STATUS(xtimer_report(tiny, 0, NULL), XTIMER_STATUS_TOO_SMALL);

    /* Wild tokens, in every bit. */
    for (i = 0; i < 64; ++i) CHECK(xtimer_end((xtimer_token_t)1 << i) != XTIMER_STATUS_OK);

    /* Wild paths and detached sections. */
    CHECK(xtimer_begin_beneath(wild_path, "n", NULL) == 0);
    CHECK_ERROR("another timer");
    CHECK_STATUS(xtimer_record_beneath_ns(wild_path, "n", NULL, 1), XTIMER_STATUS_OTHER_TIMER);
    CHECK_STATUS(xtimer_finish(&wild_detached), XTIMER_STATUS_OTHER_TIMER);
    CHECK_STATUS(xtimer_finish(NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(xtimer_detached_path(NULL).value[0] == 0);

    /* Wild timers. */
    CHECK(xtimer_timer_begin(wild_timer, "n", NULL) == 0);
    CHECK_ERROR("destroyed, or never was one");
    CHECK(xtimer_timer_begin(null_timer, "n", NULL) == 0);
    CHECK_ERROR("zero");
    CHECK_STATUS(xtimer_timer_end(wild_timer, 1), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_timer_clear(wild_timer), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_timer_forbid(wild_timer, "a", "b"), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_timer_report(wild_timer, NULL, NULL, 0, NULL), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_destroy(wild_timer), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_destroy(null_timer), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_destroy(xtimer_default()), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(!xtimer_timer_is_enabled(wild_timer));
    CHECK(xtimer_timer_total_ns(wild_timer) == 0);
    CHECK_STATUS(xtimer_create(NULL, NULL), XTIMER_STATUS_INVALID_ARGUMENT);

    /* Wild snapshots. */
    CHECK(xtimer_snapshot_count(wild_snapshot) == 0);
    CHECK_STATUS(xtimer_snapshot_at(wild_snapshot, 0, &info), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_snapshot_free(wild_snapshot), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_snapshot_take(true, NULL), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_section_info(NULL, 1, true, &info), XTIMER_STATUS_INVALID_ARGUMENT);

    /* Files. */
    CHECK_STATUS(xtimer_report_fd(-1), XTIMER_STATUS_IO);
    CHECK_STATUS(xtimer_timer_json_fd(wild_timer, NULL, 1), XTIMER_STATUS_NO_TIMER);
    CHECK_STATUS(xtimer_save_json("no/such/folder/file.json", NULL), XTIMER_STATUS_IO);
    CHECK_ERROR("no/such/folder/file.json");
    CHECK_STATUS(xtimer_save_json(NULL, NULL), XTIMER_STATUS_INVALID_ARGUMENT);

    /* Any number is a status in words. */
    for (i = -2; i < 100; ++i) CHECK(xtimer_status_text(i)[0] != 0);
    free(huge);
    return 0;
}
