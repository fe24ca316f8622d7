/* Profiles: bytes from a timer, back from bytes and files, gathered over a transport. */
#include "check.h"

#include <math.h>

static xtimer_t timer_with(uint64_t load_ns) {
    xtimer_config_t config = check_config();
    xtimer_t timer;
    CHECK_OK(xtimer_create(&config, &timer));
    xtimer_token_t step = xtimer_timer_begin(timer, "step", "compute");
    xtimer_token_t load = xtimer_timer_begin(timer, "load", "io");
    check_now += load_ns;
    CHECK_OK(xtimer_timer_end(timer, load));
    check_now += 10;
    CHECK_OK(xtimer_timer_end(timer, step));
    return timer;
}

static size_t encode(xtimer_t timer, uint32_t rank, const char *label, uint8_t *buffer,
                     size_t capacity) {
    size_t needed = 0;
    CHECK_OK(xtimer_timer_export_profile(timer, rank, label, buffer, capacity, &needed));
    return needed;
}

/* The buffer's contract. */
static void check_buffer(xtimer_t timer) {
    uint8_t buffer[1024];
    size_t needed = 0, again = 0, i;
    CHECK_STATUS(xtimer_timer_export_profile(timer, 1, "here", NULL, 0, &needed),
                 XTIMER_STATUS_TOO_SMALL);
    CHECK(needed > 60 && needed < sizeof buffer);
    memset(buffer, '#', sizeof buffer);
    CHECK_STATUS(xtimer_timer_export_profile(timer, 1, "here", buffer, needed - 1, &again),
                 XTIMER_STATUS_TOO_SMALL);
    CHECK(again == needed);
    for (i = 0; i < sizeof buffer; ++i) CHECK(buffer[i] == '#');
    CHECK_OK(xtimer_timer_export_profile(timer, 1, "here", buffer, needed, NULL));
    for (i = needed; i < sizeof buffer; ++i) CHECK(buffer[i] == '#');
    CHECK(memcmp(buffer, "\x89XTP\1\0\1\0", 8) == 0 && buffer[8] == needed % 256);
    CHECK_STATUS(xtimer_timer_export_profile(timer, 1, "\xff", buffer, sizeof buffer, NULL),
                 XTIMER_STATUS_INVALID_TEXT);
}

/* Two ranks in one run of bytes, as a transport or a file puts them together. */
struct world {
    uint8_t bytes[2048];
    size_t length;
    int failure, nothing, calls;
};

static int32_t carry(void *data, const uint8_t *bytes, size_t length, const uint8_t **all,
                     size_t *all_length) {
    struct world *world = (struct world *)data;
    ++world->calls;
    if (world->failure != 0) return world->failure;
    if (world->nothing) return 0;
    CHECK(world->length + length <= sizeof world->bytes);
    memcpy(world->bytes + world->length, bytes, length);
    *all = world->bytes;
    *all_length = world->length + length;
    return 0;
}

static void check_sections(xtimer_gathered_t gathered) {
    const char *path[] = {"step", "load"};
    xtimer_gathered_info_t info;
    size_t index = 9;
    CHECK(xtimer_gathered_rank_count(gathered) == 2 && xtimer_gathered_count(gathered) == 2);
    CHECK_OK(xtimer_gathered_at(gathered, 0, &info));
    CHECK(strcmp(info.name, "step") == 0 && info.path_length == 1 && info.count == 2);
    CHECK_OK(xtimer_gathered_find(gathered, path, 2, &index));
    CHECK(index == 1);
    CHECK_OK(xtimer_gathered_at(gathered, index, &info));
    CHECK(info.path_length == 2 && strcmp(info.path[0], "step") == 0);
    CHECK(strcmp(info.path[1], "load") == 0 && strcmp(info.category, "io") == 0);
    CHECK(info.rank_count == 2 && info.count == 2 && info.sum_ns == 400);
    CHECK(info.min_ns == 100 && info.max_ns == 300 && info.mean_ns == 200.0);
    CHECK(info.std_ns > 141.4213562373 && info.std_ns < 141.4213562374);
    CHECK(info.slowest_rank == 5 && info.slowest_ns == 300 && info.fastest_rank == 1);
    CHECK(info.fastest_ns == 100 && info.rank_mean_ns == 200.0 && info.imbalance == 1.5);
    CHECK(xtimer_gathered_category_ns(gathered, 5, "io") == 300);
    CHECK(xtimer_gathered_category_ns(gathered, 5, "gpu") == 0);
    CHECK_STATUS(xtimer_gathered_at(gathered, 2, &info), XTIMER_STATUS_NOT_FOUND);
    CHECK_ERROR("There are 2 sections, none 2.");
    CHECK_STATUS(xtimer_gathered_find(gathered, path + 1, 1, &index), XTIMER_STATUS_NOT_FOUND);
    CHECK_ERROR("No rank has the section 'load'.");
    CHECK(isnan(xtimer_gathered_percentile_ns(gathered, 7, 50.0)));
}

int main(void) {
    static struct world world;
    xtimer_t slow = timer_with(300), fast = timer_with(100);
    xtimer_gathered_t gathered = {77}, other = {0};

    check_buffer(fast);
    world.length = encode(slow, 5, NULL, world.bytes, sizeof world.bytes);
    CHECK_OK(xtimer_gather(fast, 1, "fast", carry, &world, &gathered));
    CHECK(world.calls == 1 && gathered.handle != 0);
    check_sections(gathered);

    CHECK_OK(xtimer_gathered_save(gathered, "ranks.xtp"));
    CHECK_OK(xtimer_gathered_load("ranks.xtp", &other));
    check_sections(other);
    CHECK(remove("ranks.xtp") == 0);
    CHECK_OK(xtimer_gathered_free(other));
    CHECK_STATUS(xtimer_gathered_free(other), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK(xtimer_gathered_count(other) == 0 && xtimer_gathered_count(gathered) == 2);
    CHECK_OK(xtimer_gathered_free(gathered));

    /* Where another rank gets them; a transport that fails; a rank twice. */
    world.nothing = 1;
    CHECK_OK(xtimer_gather(fast, 1, NULL, carry, &world, &gathered));
    CHECK(gathered.handle == 0);
    world.nothing = 0;
    world.failure = 17;
    CHECK_STATUS(xtimer_gather(fast, 1, NULL, carry, &world, &gathered), XTIMER_STATUS_IO);
    CHECK_ERROR("the transport returned 17");
    world.failure = 0;
    CHECK_STATUS(xtimer_gather(fast, 5, "again", carry, &world, &gathered),
                 XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_ERROR("Two profiles are of rank 5");
    CHECK_STATUS(xtimer_gather(fast, 1, NULL, NULL, NULL, &gathered),
                 XTIMER_STATUS_INVALID_ARGUMENT);

    /* Damage, and files. */
    world.bytes[20] ^= 1;
    CHECK_STATUS(xtimer_gathered_decode(world.bytes, world.length, &gathered),
                 XTIMER_STATUS_BAD_PROFILE);
    CHECK_ERROR("the checksum is");
    CHECK_STATUS(xtimer_gathered_decode(NULL, 0, &gathered), XTIMER_STATUS_INVALID_ARGUMENT);
    CHECK_STATUS(xtimer_gathered_load("nowhere.xtp", &gathered), XTIMER_STATUS_IO);
    CHECK_OK(xtimer_timer_save_profile(fast, "one.xtp", 3, "saved"));
    CHECK_OK(xtimer_gathered_load("one.xtp", &gathered));
    CHECK(xtimer_gathered_rank_count(gathered) == 1);
    CHECK(xtimer_gathered_category_ns(gathered, 3, "compute") == 110);
    CHECK_OK(xtimer_gathered_free(gathered));
    CHECK(remove("one.xtp") == 0);
    CHECK_STATUS(xtimer_timer_save_profile(fast, "no/where/p.xtp", 3, NULL), XTIMER_STATUS_IO);
    CHECK_ERROR("'no/where/p.xtp'");

    /* The default timer. */
    CHECK_OK(xtimer_end(xtimer_begin("main", NULL)));
    CHECK_OK(xtimer_save_profile("default.xtp", 0, NULL));
    CHECK(remove("default.xtp") == 0);
    world.length = sizeof world.bytes;
    CHECK_OK(xtimer_export_profile(0, NULL, world.bytes, sizeof world.bytes, &world.length));
    CHECK_OK(xtimer_gathered_decode(world.bytes, world.length, &gathered));
    CHECK_OK(xtimer_gathered_free(gathered));
    CHECK_OK(xtimer_destroy(slow));
    CHECK_OK(xtimer_destroy(fast));
    return 0;
}
