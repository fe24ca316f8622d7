/* xtimer.h: times named sections as they nest, by category, without allocation or locks.
 *
 * Written by `cargo xtask header` from ffi/src; changes belong there.
 *
 *     xtimer_token_t token = xtimer_begin("forward", "compute");
 *     ...
 *     xtimer_end(token);
 *     xtimer_report_fd(1);
 *
 * Nothing needs to be initialised. Functions without a timer use the default one; each has a form
 * xtimer_timer_* for timers of your own. Strings end with a zero and are UTF-8; a NULL category is
 * "default". Errors are statuses, or 0 where a token is returned; xtimer_last_error() is the thread's
 * last as a sentence. Outputs are written only on success. No sequence of calls is undefined
 * behaviour as long as pointers lead where they say. (POSIX forbids asynchronous cancellation, and
 * pthread_exit or longjmp in a signal handler, in the middle of any call; so it is here.)
 */

#ifndef XTIMER_H
#define XTIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The initialiser of a call site: static xtimer_site_t site = XTIMER_SITE("forward", "compute"); */
#define XTIMER_SITE(name, category) { { 0, 0 }, name, category }

// What a time is where there is none.
#define XTIMER_NONE UINT64_MAX

// What a call came to. 0 is success; the numbers are never reused.
typedef enum xtimer_status {
    // Done.
    XTIMER_STATUS_OK = 0,
    // The token's section is not open: ended before, or discarded. Nothing changed.
    XTIMER_STATUS_NOT_OPEN = 1,
    // The token is of another thread or timer, or is none. Nothing changed.
    XTIMER_STATUS_OTHER_CONTEXT = 2,
    // The section was ended and recorded; sections inside it that were still open were discarded.
    XTIMER_STATUS_UNCLOSED = 3,
    // A rule forbids the category directly inside its parent's. Nothing was entered.
    XTIMER_STATUS_FORBIDDEN = 4,
    // Sections are nested deeper than the timer's stack holds. Nothing was entered.
    XTIMER_STATUS_TOO_DEEP = 5,
    // All lanes of the timer are taken.
    XTIMER_STATUS_NO_LANE = 6,
    // The rule does not fit into the timer's tables.
    XTIMER_STATUS_RULES_FULL = 7,
    // A duration is negative, not a number, or too long.
    XTIMER_STATUS_BAD_DURATION = 8,
    // The path or detached section belongs to another timer.
    XTIMER_STATUS_OTHER_TIMER = 9,
    // Taken just now by another snapshot, clear or change of rules, or by the call that a signal
    // handler interrupted. Try again.
    XTIMER_STATUS_BUSY = 10,
    // The buffer is too small; nothing was written to it.
    XTIMER_STATUS_TOO_SMALL = 11,
    // A capacity cannot work.
    XTIMER_STATUS_CONFIG = 12,
    // Memory could not be had.
    XTIMER_STATUS_NO_MEMORY = 13,
    // Eight timers are enabled on this thread already.
    XTIMER_STATUS_TOO_MANY_ENABLED = 14,
    // A snapshot was flattened, or is a window, where the numbers of one moment are needed.
    XTIMER_STATUS_FLATTENED = 15,
    // An argument is NULL or out of range.
    XTIMER_STATUS_INVALID_ARGUMENT = 32,
    // A string is not UTF-8.
    XTIMER_STATUS_INVALID_TEXT = 33,
    // The handle's timer was destroyed, or never was one.
    XTIMER_STATUS_NO_TIMER = 34,
    // As many timers exist as there can be.
    XTIMER_STATUS_TOO_MANY_TIMERS = 35,
    // The thread is ending, all lanes are taken and there are no late contexts, or memory could not be
    // had.
    XTIMER_STATUS_NO_CONTEXT = 36,
    // No such section is recorded, or no such entry exists.
    XTIMER_STATUS_NOT_FOUND = 37,
    // A file or descriptor could not be written.
    XTIMER_STATUS_IO = 38,
    // The default timer was in use already; it stays as it is.
    XTIMER_STATUS_ALREADY_MADE = 39,
    // An error in the library itself.
    XTIMER_STATUS_INTERNAL = 40,
    // The bytes are no profile, or were damaged.
    XTIMER_STATUS_BAD_PROFILE = 41,
} xtimer_status;

// The statistics kept of each section, besides its number of entries and total time. What is not
// kept shows as absent in reports.
typedef enum xtimer_statistics {
    // No others.
    XTIMER_STATISTICS_COUNT_TOTAL = 0,
    // And the shortest and longest duration.
    XTIMER_STATISTICS_MIN_MAX = 1,
    // And the time not spent in nested sections.
    XTIMER_STATISTICS_EXCLUSIVE = 2,
    // And the sum of squares, for the standard deviation.
    XTIMER_STATISTICS_FULL = 3,
} xtimer_statistics;

// Which samples a full ring keeps.
typedef enum xtimer_keep {
    // The newest: a new sample takes the place of the oldest.
    XTIMER_KEEP_NEWEST = 0,
    // The oldest since the last clear: a new one is dropped.
    XTIMER_KEEP_OLDEST = 1,
} xtimer_keep;

// A status, as functions return it.
typedef enum xtimer_status xtimer_status_t;

// What a begin returns and xtimer_end takes back; 0: not recorded. Any number is safe to give to
// xtimer_end: one that is no open section's is refused.
typedef uint64_t xtimer_token_t;

// A timer, as a checked handle: once destroyed, each use is refused with XTIMER_STATUS_NO_TIMER and
// does no harm. A value: copy it. All zero is no timer. Any thread may use any handle.
typedef struct xtimer_t {
    // The library's own.
    uint64_t handle;
} xtimer_t;

// The path of a section, to begin sections beneath it from another thread or later. A value: copy
// it, keep it; it stays good after its section ended. All zero is the top.
//
// It has a place for each timer that the section went to (xtimer_enable_begin), so that what is enabled
// is inherited with it.
typedef struct xtimer_path_t {
    // The library's own.
    uint64_t value[8];
} xtimer_path_t;

// A call site. Make it `static` with XTIMER_SITE(name, category) and give its address to
// xtimer_begin_at; name and category live as long as it does. Any number of threads may share one.
typedef struct xtimer_site_t {
    // What earlier calls came to. All zero at first; the library's own from then on.
    uint64_t word[2];
    // The section's name: UTF-8, not NULL.
    const char *name;
    // The section's category: UTF-8; NULL means "default".
    const char *category;
} xtimer_site_t;

// A section held by value, for work that is on no thread's stack: an awaiting task, a pair of GPU
// events, a callback. Finish it once, on any thread; all zero is a section that was not begun.
typedef struct xtimer_detached_t {
    // The library's own, as all fields; here and below an entry for each timer it went to.
    uint64_t start[8];
    // When, in clears.
    uint64_t epoch[8];
    // Where.
    uint64_t path[8];
    // 1: begun; 2: finished.
    uint64_t state;
} xtimer_detached_t;

// How a report or JSON is to look. All zero is compact and keeps counted sections apart.
typedef struct xtimer_export_options_t {
    // Unites counted sections, such as `step[3]`, under their base name.
    bool flatten;
    // Spaces by which JSON indents a level (more than 16 count as 16); 0: compact, in one line.
    uint32_t indent;
} xtimer_export_options_t;

// One section's numbers. Times are nanoseconds; where a time is not kept or there is none yet it is
// XTIMER_NONE, and a mean or deviation is not a number.
typedef struct xtimer_section_info_t {
    // Its name: the last of its path.
    const char *name;
    // The names of its path, outermost first; its own is the last.
    const char *const *path;
    // How many names the path has.
    size_t path_length;
    // The category it was last begun with.
    const char *category;
    // How often it was ended or recorded.
    uint64_t count;
    // Its time.
    uint64_t total_ns;
    // Its time not spent in sections nested in it on the same stack.
    uint64_t exclusive_ns;
    // Its shortest duration.
    uint64_t min_ns;
    // Its longest duration.
    uint64_t max_ns;
    // Its mean duration.
    double mean_ns;
    // The sample standard deviation of its durations (divisor n-1).
    double std_ns;
    // For how long the first of its open entries has been open.
    uint64_t open_ns;
    // How many of its entries are open.
    uint32_t open;
    // How many recorded sections it is nested in.
    uint32_t depth;
    // A writer was stopped in the middle: count and times may be one entry apart.
    bool busy;
    // Threads that found no lane added to it: no deviation.
    bool late;
    // Its mean is so near to the timer's own cost that the numbers say as much of that.
    bool near_price;
    // The sections beneath it took longer: they ran beside it.
    bool exceeded;
} xtimer_section_info_t;

// One measured duration. Times are nanoseconds.
typedef struct xtimer_sample_t {
    // When it began, by the timer's clock, which may begin anywhere.
    uint64_t start_ns;
    // How long it took.
    uint64_t duration_ns;
    // The lane that it was measured in: a thread's, at one time.
    uint32_t lane;
} xtimer_sample_t;

// A snapshot, as a checked handle: once freed, each use is refused. All zero is none.
typedef struct xtimer_snapshot_t {
    // The library's own.
    uint64_t handle;
} xtimer_snapshot_t;

// What was not recorded, or not as asked, since the last clear.
typedef struct xtimer_losses_t {
    // Sections discarded because an outer one was ended, or their thread.
    uint64_t unclosed;
    // Begins refused because the stack was full.
    uint64_t too_deep;
    // Begins refused by a rule.
    uint64_t refused;
    // Ends with a token whose section was not open.
    uint64_t not_open;
    // Sections that took no time because the clock stepped back.
    uint64_t steps_back;
    // Counted sections recorded under their base name, because theirs did not fit.
    uint64_t base_name;
    // Begins of new paths that found the table full.
    uint64_t no_slot;
    // Entries of signal handlers, not recorded: they met the section in the middle of a change.
    uint64_t interrupted;
    // Begins with a category that did not fit (since the timer was made).
    uint64_t categories;
    // Threads that found no lane (since the timer was made).
    uint64_t late_contexts;
} xtimer_losses_t;

// Profiles of ranks, as a checked handle: once freed, each use is refused. All zero is none.
typedef struct xtimer_gathered_t {
    // The library's own.
    uint64_t handle;
} xtimer_gathered_t;

// Carries this rank's bytes to the others.
//
// It is given `length` bytes at `bytes`. On success it returns 0 and sets `all` and `all_length` to the
// bytes of all ranks, one rank's behind the other's, which must stand until xtimer_gather returns; where
// another rank gets them, it leaves `all` as it is, NULL. Any other number is a failure, told in the
// sentence. It returns: no exception, no longjmp.
typedef int32_t (*xtimer_transport_t)(void *data,
                                      const uint8_t *bytes,
                                      size_t length,
                                      const uint8_t **all,
                                      size_t *all_length);

// The times of one section, gathered from ranks. Times are nanoseconds; where there is none it is
// XTIMER_NONE, and a mean or deviation is not a number. Count, sum, mean, deviation and extremes are of
// all durations, also where samples were dropped or never kept.
typedef struct xtimer_gathered_info_t {
    // Its name: the last of its path.
    const char *name;
    // The names of its path, outermost first; its own is the last.
    const char *const *path;
    // How many names the path has.
    size_t path_length;
    // Its category; NULL where ranks have it with different ones.
    const char *category;
    // How many ranks have it.
    size_t rank_count;
    // How often it was ended or recorded, on all ranks.
    uint64_t count;
    // All durations together; it stops at the largest number.
    uint64_t sum_ns;
    // The shortest duration.
    uint64_t min_ns;
    // The longest duration.
    uint64_t max_ns;
    // The mean duration.
    double mean_ns;
    // The sample standard deviation of the durations (divisor n-1).
    double std_ns;
    // What it took on the slowest rank.
    uint64_t slowest_ns;
    // What it took on the fastest rank that has it.
    uint64_t fastest_ns;
    // What it took on a rank, on average over those that have it.
    double rank_mean_ns;
    // The slowest rank over the mean of ranks: 1 where all took the same.
    double imbalance;
    // The rank where it took longest; of several the lowest.
    uint32_t slowest_rank;
    // The rank where it took least.
    uint32_t fastest_rank;
    // How many samples there are, and in each of the three arrays: by rank, then start.
    size_t sample_count;
    // The samples' durations.
    const uint64_t *durations_ns;
    // When each began, by its rank's clock; 0 where that is not known.
    const uint64_t *starts_ns;
    // The rank of each.
    const uint32_t *ranks;
    // How many samples were dropped.
    uint64_t dropped;
} xtimer_gathered_info_t;

// A clock: returns ticks. Called by any thread, by several at once, and from signal handlers where
// they time sections. It returns: no exception, no longjmp.
typedef uint64_t (*xtimer_clock_t)(void *data);

// What a timer is made with. Get one from xtimer_config_default and change what should differ.
typedef struct xtimer_config_t {
    // Bytes of this struct, as xtimer_config_default wrote it: tells its version.
    size_t size;
    // Distinct section paths.
    uint32_t sections;
    // Sections open at once in one thread.
    uint32_t depth;
    // Threads with statistics of their own at the same time.
    uint32_t lanes;
    // Categories, "default" and the reserved "(other)" among them.
    uint32_t categories;
    // Forbidden nestings, the process's among them.
    uint32_t rules;
    // Bytes of all distinct names and categories, with 12 for each.
    uint32_t name_bytes;
    // Snapshots and reports that may be taken at the same time, 64 at most.
    uint32_t scratch;
    // Whether threads beyond `lanes` share slots (1: slower, no standard deviation) or are refused
    // (0).
    uint32_t late;
    // One of xtimer_statistics.
    uint32_t statistics;
    // Durations that each thread's lane keeps one by one, with their starts, 16 bytes each; 0: none.
    // One of 2^44 ticks or more (an hour at least) takes the place of two.
    uint32_t samples_per_lane;
    // One of xtimer_keep: which samples stay where there are more.
    uint32_t keep;
    // Whether each section has a histogram of its durations, for percentiles (1), or none (0). Costs
    // 15,360 bytes of address space for each section in each lane, 16 GiB with the default
    // capacities, so ask for fewer lanes or sections; few of its pages are ever touched.
    uint32_t histograms;
    // Significant bits of the clock function's ticks, 1 to 64; ignored where `clock` is NULL.
    uint32_t clock_width;
    // Ticks a second of the clock function; ignored where `clock` is NULL.
    uint64_t clock_hertz;
    // The clock to read; NULL for the machine's best.
    xtimer_clock_t clock;
    // What the clock function is called with; lives as long as the timer. Ignored where `clock` is
    // NULL.
    void *clock_data;
} xtimer_config_t;

// That a timer is enabled on a thread, from xtimer_enable_begin to xtimer_enable_end. A value; all
// zero: nothing is enabled.
typedef struct xtimer_enabled_t {
    // The library's own, as both fields.
    uint64_t thread;
    // Which.
    uint64_t scope;
} xtimer_enabled_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Says why this thread's last call that failed did so.
//
// One sentence without a line break, in UTF-8, "" if no call of this thread has failed. A success
// does not change it. The text is the thread's and stands until the next call of this function or
// the next failure of this thread. Any thread.
const char *xtimer_last_error(void);

// The status of what xtimer_last_error tells of: why a begin gave 0, a total 0 or not a number.
//
// XTIMER_STATUS_OK if no call of this thread has failed; a success does not change it. Any thread.
xtimer_status_t xtimer_last_status(void);

// A status in words, in general: `xtimer_last_error` names the culprit. Never NULL; static. Any
// number, any thread.
const char *xtimer_status_text(int status);

// The library's version, such as "0.1.0". Static. Any thread.
const char *xtimer_version(void);

// Begins a section of the default timer inside the thread's innermost open section.
//
// As all functions without a timer: where timers are enabled on this thread (xtimer_enable_begin), it
// begins in each of those instead.
//
// `name` is UTF-8; `category` is UTF-8, NULL means "default". Neither needs to live on. Returns the
// token that xtimer_end takes back; 0 where it was not begun (the timer is switched off, or
// xtimer_last_error says why), which xtimer_end accepts and ignores. Any thread; end it on the same
// thread. Literals are recognised by address and content; a call site (xtimer_begin_at) is faster.
// A thread's context ends with its thread-local objects: in later destructors of them, and in
// handlers of atexit, it is 0. Signal handlers may call it on a thread that has used this timer
// before: a thread's first use allocates.
//
// Requires:
// Each string is NULL or ends with a zero.
xtimer_token_t xtimer_begin(const char *name,
                            const char *category);

// As xtimer_begin, in a timer of your own.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_timer_begin(struct xtimer_t timer, const char *name, const char *category);

// Begins the counted section `name[index]` of the default timer: kept apart from other indices, and
// united with them where a report flattens. As xtimer_begin in all else.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_begin_counted(const char *name, int64_t index, const char *category);

// As xtimer_begin_counted, in a timer of your own.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_timer_begin_counted(struct xtimer_t timer,
                                          const char *name,
                                          int64_t index,
                                          const char *category);

// Begins a section beneath a path, often of another thread, whose section may have ended by now, in each
// timer of that path. What is begun next on this thread nests inside it, in those timers.
//
// All zero: at the top of the timers that are enabled on this thread, or of the default one. Timers
// that were destroyed meanwhile are passed over; XTIMER_STATUS_OTHER_TIMER: none is left, or the path
// is not good. A thread's first use of a timer allocates. As xtimer_begin in all else. Its time does
// not reduce the exclusive time of the section it is beneath, since it runs beside it.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_begin_beneath(struct xtimer_path_t parent,
                                    const char *name,
                                    const char *category);

// As xtimer_begin_beneath, in this timer alone, whose path it is.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_timer_begin_beneath(struct xtimer_t timer,
                                          struct xtimer_path_t parent,
                                          const char *name,
                                          const char *category);

// Begins the counted section `name[index]` beneath a path. As xtimer_begin_beneath and
// xtimer_begin_counted.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_begin_counted_beneath(struct xtimer_path_t parent,
                                            const char *name,
                                            int64_t index,
                                            const char *category);

// As xtimer_begin_counted_beneath, in this timer alone, whose path it is.
//
// Requires:
// As for xtimer_begin.
xtimer_token_t xtimer_timer_begin_counted_beneath(struct xtimer_t timer,
                                                  struct xtimer_path_t parent,
                                                  const char *name,
                                                  int64_t index,
                                                  const char *category);

// Ends a section and records it, in each timer that it went to, whatever is enabled by now. On the
// thread that began it.
//
// The token 0 is ignored. XTIMER_STATUS_UNCLOSED: it was recorded, and sections inside it that were
// still open were discarded and counted. XTIMER_STATUS_NOT_OPEN, XTIMER_STATUS_OTHER_CONTEXT:
// nothing changed. XTIMER_STATUS_NO_CONTEXT: the thread's context has ended, as in handlers of
// atexit, and its open sections with it. Wait-free; never allocates, locks, or waits. Signal
// handlers may call it.
xtimer_status_t xtimer_end(xtimer_token_t token);

// As xtimer_end, in a timer of your own.
xtimer_status_t xtimer_timer_end(struct xtimer_t timer, xtimer_token_t token);

// The path of this thread's innermost open section of the default timer, or of each timer that is
// enabled here; all zero where none is open and none enabled. Any thread.
struct xtimer_path_t xtimer_current_path(void);

// As xtimer_current_path, in a timer of your own; all zero where the handle is none.
struct xtimer_path_t xtimer_timer_current_path(struct xtimer_t timer);

// The path of an open section of the default timer by its token, the thread's innermost section or
// not: to begin sections beneath it, or record into it, from here or another thread.
//
// Written to `path` on success. XTIMER_STATUS_NOT_OPEN: the section has ended, or the token is 0;
// XTIMER_STATUS_OTHER_CONTEXT: it is another thread's. On the thread that began it.
//
// Requires:
// `path` is NULL (an error) or may be written.
xtimer_status_t xtimer_path_of(xtimer_token_t token, struct xtimer_path_t *path);

// As xtimer_path_of, in a timer of your own.
//
// Requires:
// As for xtimer_path_of.
xtimer_status_t xtimer_timer_path_of(struct xtimer_t timer,
                                     xtimer_token_t token,
                                     struct xtimer_path_t *path);

// Begins a section of the default timer at a call site, inside the thread's innermost open section.
//
// Returns the token that xtimer_end takes back; 0 where it was not begun (the timer is switched off,
// or xtimer_last_error says why), which xtimer_end accepts and ignores. Any thread; end it on the
// same thread. A few nanoseconds where the site was last begun inside the same section. Never
// allocates, locks, or waits, but for a thread's first use, which allocates. Signal handlers may call
// it on a thread that has used this timer before.
//
// Requires:
// `site` is NULL (an error) or points to a call site that lives and that only this library changes.
xtimer_token_t xtimer_begin_at(struct xtimer_site_t *site);

// As xtimer_begin_at, in a timer of your own.
//
// Requires:
// As for xtimer_begin_at.
xtimer_token_t xtimer_timer_begin_at(struct xtimer_t timer, struct xtimer_site_t *site);

// Begins a section of the default timer that is on no stack, inside this thread's innermost open
// section. It reduces no exclusive time, and nothing nests in it but by its path.
//
// All zero where it was not begun (the timer is switched off, or xtimer_last_error says why);
// finishing that does nothing. Never finished, it counts as begun and took no time. Any thread.
// Signal handlers may call it, and xtimer_finish, on a thread that began a section before.
//
// Requires:
// Each string is NULL or ends with a zero.
struct xtimer_detached_t xtimer_detach(const char *name, const char *category);

// As xtimer_detach, in a timer of your own.
//
// Requires:
// As for xtimer_detach.
struct xtimer_detached_t xtimer_timer_detach(struct xtimer_t timer,
                                             const char *name,
                                             const char *category);

// As xtimer_detach, beneath a path instead of the innermost open section.
//
// Requires:
// As for xtimer_detach.
struct xtimer_detached_t xtimer_detach_beneath(struct xtimer_path_t parent,
                                               const char *name,
                                               const char *category);

// As xtimer_detach_beneath, in a timer of your own, whose path it is.
//
// Requires:
// As for xtimer_detach.
struct xtimer_detached_t xtimer_timer_detach_beneath(struct xtimer_t timer,
                                                     struct xtimer_path_t parent,
                                                     const char *name,
                                                     const char *category);

// Finishes a detached section: records it, in each timer that it went to and that still exists. On any
// thread, once: a second time is XTIMER_STATUS_NOT_OPEN. One that was not begun is ignored.
//
// Requires:
// `detached` is NULL (an error) or points to a section that no other thread uses now.
xtimer_status_t xtimer_finish(struct xtimer_detached_t *detached);

// As xtimer_finish, in the timer that it was begun in.
//
// Requires:
// As for xtimer_finish.
xtimer_status_t xtimer_timer_finish(struct xtimer_t timer, struct xtimer_detached_t *detached);

// The path of a detached section, to begin sections beneath it; all zero for NULL and for one that
// was not begun. Any thread.
//
// Requires:
// `detached` is NULL or points to a section that no other thread changes now.
struct xtimer_path_t xtimer_detached_path(const struct xtimer_detached_t *detached);

// Ends the section of the default timer whose token is at `token` and begins its sibling, at one reading
// of the clock: no time passes between them. Writes the next one's token there, or 0 where it was not
// begun.
//
// The sibling is begun beneath what the ended section was beneath. The token 0 has nothing to end: the
// section begins inside the thread's innermost open one, as the first phase, or the one behind a phase
// that was refused. While the timer is switched off the section ends and none begins.
// XTIMER_STATUS_UNCLOSED: the next one was begun, and sections still open inside the ended one were
// discarded and counted. XTIMER_STATUS_NOT_OPEN, XTIMER_STATUS_OTHER_CONTEXT: nothing was ended or begun;
// another thread's token stays. Any other failure: the section ended, the next one was not begun.
// On the thread that began it. A call site (xtimer_switch_at) is faster.
//
// Requires:
// `token` is NULL (an error) or may be read and written. Each string is NULL or ends with a zero.
xtimer_status_t xtimer_switch(xtimer_token_t *token,
                              const char *name,
                              const char *category);

// As xtimer_switch, in a timer of your own.
//
// Requires:
// As for xtimer_switch.
xtimer_status_t xtimer_timer_switch(struct xtimer_t timer,
                                    xtimer_token_t *token,
                                    const char *name,
                                    const char *category);

// As xtimer_switch, by a call site: about one clock reading where the site was begun before inside the
// same section. Never allocates, locks, or waits, but for a thread's first use, which allocates. Signal
// handlers may call it on a thread that has used this timer before.
//
// Requires:
// `token` is NULL (an error) or may be read and written. `site` is NULL (an error) or points to a call
// site that lives and that only this library changes.
xtimer_status_t xtimer_switch_at(xtimer_token_t *token,
                                 struct xtimer_site_t *site);

// As xtimer_switch_at, in a timer of your own.
//
// Requires:
// As for xtimer_switch_at.
xtimer_status_t xtimer_timer_switch_at(struct xtimer_t timer,
                                       xtimer_token_t *token,
                                       struct xtimer_site_t *site);

// Adds a duration of `nanoseconds` to the section `name` inside this thread's innermost open
// section of the default timer, as if it had been timed once.
//
// It does not reduce the exclusive time of the section it is in. Rules are checked:
// XTIMER_STATUS_FORBIDDEN. NULL for `category` means "default". Any thread, signal handlers
// included.
//
// Requires:
// Each string is NULL or ends with a zero.
xtimer_status_t xtimer_record_ns(const char *name, const char *category, uint64_t nanoseconds);

// As xtimer_record_ns, in a timer of your own.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_timer_record_ns(struct xtimer_t timer,
                                       const char *name,
                                       const char *category,
                                       uint64_t nanoseconds);

// As xtimer_record_ns, with a duration in seconds. XTIMER_STATUS_BAD_DURATION: it is negative, not
// a number, or longer than 2^64 ns; nothing was recorded.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_record_seconds(const char *name, const char *category, double seconds);

// As xtimer_record_seconds, in a timer of your own.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_timer_record_seconds(struct xtimer_t timer,
                                            const char *name,
                                            const char *category,
                                            double seconds);

// As xtimer_record_ns, into the section `name` beneath a path instead of the innermost open section.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_record_beneath_ns(struct xtimer_path_t parent,
                                         const char *name,
                                         const char *category,
                                         uint64_t nanoseconds);

// As xtimer_record_beneath_ns, in a timer of your own, whose path it is.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_timer_record_beneath_ns(struct xtimer_t timer,
                                               struct xtimer_path_t parent,
                                               const char *name,
                                               const char *category,
                                               uint64_t nanoseconds);

// As xtimer_record_beneath_ns, with a duration in seconds, as xtimer_record_seconds takes it.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_record_beneath_seconds(struct xtimer_path_t parent,
                                              const char *name,
                                              const char *category,
                                              double seconds);

// As xtimer_record_beneath_seconds, in a timer of your own, whose path it is.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_timer_record_beneath_seconds(struct xtimer_t timer,
                                                    struct xtimer_path_t parent,
                                                    const char *name,
                                                    const char *category,
                                                    double seconds);

// As xtimer_record_ns, into the section `name` inside an open section of this thread by its token,
// the innermost or not. The token 0 is ignored, as in xtimer_end: what was not begun has no
// sections in it.
//
// XTIMER_STATUS_NOT_OPEN: it has ended; XTIMER_STATUS_OTHER_CONTEXT: it is another thread's. Nothing
// was recorded.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_record_in_ns(xtimer_token_t parent,
                                    const char *name,
                                    const char *category,
                                    uint64_t nanoseconds);

// As xtimer_record_in_ns, in a timer of your own.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_timer_record_in_ns(struct xtimer_t timer,
                                          xtimer_token_t parent,
                                          const char *name,
                                          const char *category,
                                          uint64_t nanoseconds);

// As xtimer_record_in_ns, with a duration in seconds, as xtimer_record_seconds takes it.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_record_in_seconds(xtimer_token_t parent,
                                         const char *name,
                                         const char *category,
                                         double seconds);

// As xtimer_record_in_seconds, in a timer of your own.
//
// Requires:
// As for xtimer_record_ns.
xtimer_status_t xtimer_timer_record_in_seconds(struct xtimer_t timer,
                                               xtimer_token_t parent,
                                               const char *name,
                                               const char *category,
                                               double seconds);

// Forbids sections of category `inner` directly inside sections that were begun with category
// `outer`, in every timer of the process, those made later included.
//
// Such a begin returns 0, and xtimer_last_error names both categories. NULL means "default". A rule
// that stands already is no error. Rules survive xtimer_clear, and a fork in its child.
// XTIMER_STATUS_RULES_FULL: it did not fit into some timer, or could not into the default one, which
// is not made for it; the other timers keep it. Any thread; not from a signal handler.
//
// Requires:
// Each string is NULL or ends with a zero.
xtimer_status_t xtimer_forbid(const char *outer,
                              const char *inner);

// As xtimer_forbid, in this timer alone (with xtimer_default: in all).
//
// Requires:
// As for xtimer_forbid.
xtimer_status_t xtimer_timer_forbid(struct xtimer_t timer, const char *outer, const char *inner);

// Drops the rules of the process; those that a timer of your own added for itself stay. Any thread;
// not from a signal handler.
xtimer_status_t xtimer_clear_rules(void);

// Drops the rules that this timer added for itself; those of the process stay (with xtimer_default:
// as xtimer_clear_rules).
xtimer_status_t xtimer_timer_clear_rules(struct xtimer_t timer);

// A category's total in the default timer, in nanoseconds: the time of its sections, none counted
// that is nested, at any depth, in a recorded one of the same category.
//
// 0 where it has no sections; also on an error, which xtimer_last_error tells. NULL means
// "default". Any thread, signal handlers included.
//
// Requires:
// `category` is NULL or ends with a zero.
uint64_t xtimer_category_total_ns(const char *category);

// As xtimer_category_total_ns, in a timer of your own.
//
// Requires:
// As for xtimer_category_total_ns.
uint64_t xtimer_timer_category_total_ns(struct xtimer_t timer, const char *category);

// As xtimer_category_total_ns, in seconds; not a number on an error.
//
// Requires:
// As for xtimer_category_total_ns.
double xtimer_category_total(const char *category);

// As xtimer_category_total, in a timer of your own.
//
// Requires:
// As for xtimer_category_total_ns.
double xtimer_timer_category_total(struct xtimer_t timer, const char *category);

// Time of all sections of the default timer that have no recorded parent, in nanoseconds.
//
// 0 also on an error, which xtimer_last_error tells. Any thread, signal handlers included.
uint64_t xtimer_total_ns(void);

// As xtimer_total_ns, in a timer of your own.
uint64_t xtimer_timer_total_ns(struct xtimer_t timer);

// As xtimer_total_ns, in seconds; not a number on an error.
double xtimer_total(void);

// As xtimer_total, in a timer of your own.
double xtimer_timer_total(struct xtimer_t timer);

// Drops all timings of the default timer, and keeps names, rules and open sections. A section open
// now is not recorded when it ends; those begun in it afterwards are, and count as top-level.
//
// XTIMER_STATUS_BUSY: another clear is at work; nothing was cleared. Any thread, signal handlers
// included.
xtimer_status_t xtimer_clear(void);

// As xtimer_clear, in a timer of your own.
xtimer_status_t xtimer_timer_clear(struct xtimer_t timer);

// Switches the default timer off (false) or on (true, as it is at first).
//
// While it is off, a begin costs a load and a branch, returns 0 and is no error. Sections open by
// then are recorded when they end. Any thread, signal handlers included.
xtimer_status_t xtimer_set_enabled(bool enabled);

// As xtimer_set_enabled, for a timer of your own.
xtimer_status_t xtimer_timer_set_enabled(struct xtimer_t timer, bool enabled);

// Whether the default timer is switched on. Any thread, signal handlers included.
bool xtimer_is_enabled(void);

// As xtimer_is_enabled, of a timer of your own; false where the handle is none.
bool xtimer_timer_is_enabled(struct xtimer_t timer);

// Writes the default timer's profile as JSON into `buffer`, ended by a zero.
//
// Compact, counted sections united; the keys are in the project's guide. `needed`, where not NULL,
// gets the bytes it takes with the zero. XTIMER_STATUS_TOO_SMALL: `capacity` is less, or `buffer`
// NULL, and nothing was written to it; the profile may grow before the next call.
// XTIMER_STATUS_BUSY: other snapshots are being taken. No allocation, no lock: any thread, signal
// handlers included. Times are in seconds.
//
// Requires:
// `buffer` is NULL or `capacity` bytes there may be written; `needed` is NULL or may be written.
xtimer_status_t xtimer_export_json(char *buffer, size_t capacity, size_t *needed);

// As xtimer_export_json, with options; NULL for those of xtimer_export_json.
//
// Requires:
// As for xtimer_export_json; `options` is NULL or may be read.
xtimer_status_t xtimer_export_json_with(const struct xtimer_export_options_t *options,
                                        char *buffer,
                                        size_t capacity,
                                        size_t *needed);

// As xtimer_export_json_with, of a timer of your own.
//
// Requires:
// As for xtimer_export_json_with.
xtimer_status_t xtimer_timer_export_json(struct xtimer_t timer,
                                         const struct xtimer_export_options_t *options,
                                         char *buffer,
                                         size_t capacity,
                                         size_t *needed);

// Writes the default timer's report for people into `buffer`, ended by a zero; "" when nothing was
// recorded. As xtimer_export_json in all else.
//
// Requires:
// As for xtimer_export_json.
xtimer_status_t xtimer_report(char *buffer, size_t capacity, size_t *needed);

// As xtimer_report, with options; NULL for those of xtimer_report.
//
// Requires:
// As for xtimer_export_json_with.
xtimer_status_t xtimer_report_with(const struct xtimer_export_options_t *options,
                                   char *buffer,
                                   size_t capacity,
                                   size_t *needed);

// As xtimer_report_with, of a timer of your own.
//
// Requires:
// As for xtimer_export_json_with.
xtimer_status_t xtimer_timer_report(struct xtimer_t timer,
                                    const struct xtimer_export_options_t *options,
                                    char *buffer,
                                    size_t capacity,
                                    size_t *needed);

// Writes the default timer's report to a file descriptor, with a newline at the end; nothing when
// nothing was recorded.
//
// Made for signal handlers: no allocation, no lock, write(2) alone, errno is kept. Counted sections
// are united. XTIMER_STATUS_IO: the descriptor took a part of it or nothing. XTIMER_STATUS_BUSY:
// other snapshots are being taken; nothing was written. It goes around stdio: fflush a stream of
// the same descriptor first, where the order matters. It wants 12 KiB of stack: an alternate one of
// a handler is larger than MINSIGSTKSZ. Any thread.
xtimer_status_t xtimer_report_fd(int fd);

// As xtimer_report_fd, with options; NULL for those of xtimer_report_fd.
//
// Requires:
// `options` is NULL or may be read.
xtimer_status_t xtimer_report_fd_with(const struct xtimer_export_options_t *options, int fd);

// As xtimer_report_fd_with, of a timer of your own.
//
// Requires:
// As for xtimer_report_fd_with.
xtimer_status_t xtimer_timer_report_fd(struct xtimer_t timer,
                                       const struct xtimer_export_options_t *options,
                                       int fd);

// Writes the default timer's profile as compact JSON to a file descriptor, with a newline at the
// end. As xtimer_report_fd in all else.
xtimer_status_t xtimer_json_fd(int fd);

// As xtimer_json_fd, with options; NULL for those of xtimer_json_fd.
//
// Requires:
// As for xtimer_report_fd_with.
xtimer_status_t xtimer_json_fd_with(const struct xtimer_export_options_t *options, int fd);

// As xtimer_json_fd_with, of a timer of your own.
//
// Requires:
// As for xtimer_report_fd_with.
xtimer_status_t xtimer_timer_json_fd(struct xtimer_t timer,
                                     const struct xtimer_export_options_t *options,
                                     int fd);

// Saves the default timer's profile as JSON, ended by a newline, at `path`.
//
// It is written beside the path and then renamed, so that a reader finds the old file or the new one
// whole; the file keeps its permissions, and a symbolic link its place. What is no file, such as a
// device or a FIFO that is read from, is written in place. `options` as for
// xtimer_export_json_with. XTIMER_STATUS_IO: nothing is changed at `path`, and xtimer_last_error
// says why. It allocates: any thread, not from a signal handler.
//
// Requires:
// `path` is NULL (an error) or ends with a zero; `options` is NULL or may be read.
xtimer_status_t xtimer_save_json(const char *path,
                                 const struct xtimer_export_options_t *options);

// As xtimer_save_json, of a timer of your own.
//
// Requires:
// As for xtimer_save_json.
xtimer_status_t xtimer_timer_save_json(struct xtimer_t timer,
                                       const char *path,
                                       const struct xtimer_export_options_t *options);

// Writes to `info` the numbers of the section of the default timer whose path is `names`, outermost
// first, `count` of them.
//
// With `flatten`, counted sections are united first, and the names are those without counters.
// `info->path` and `info->name` are the caller's own `names`; `info->category` is the thread's and
// stands until its next call of this function. XTIMER_STATUS_NOT_FOUND: no such section is recorded;
// nothing was written. Any thread; not from a signal handler.
//
// Requires:
// `names` is NULL (an error) or `count` strings that each are NULL or end with a zero; `info` is NULL
// (an error) or may be written.
xtimer_status_t xtimer_section_info(const char *const *names,
                                    size_t count,
                                    bool flatten,
                                    struct xtimer_section_info_t *info);

// As xtimer_section_info, of a timer of your own.
//
// Requires:
// As for xtimer_section_info.
xtimer_status_t xtimer_timer_section_info(struct xtimer_t timer,
                                          const char *const *names,
                                          size_t count,
                                          bool flatten,
                                          struct xtimer_section_info_t *info);

// Writes to `samples` the samples of the section of the default timer whose path is `names`,
// outermost first, `count` of them: by start, across all threads. The default timer keeps none unless
// it was made with a config that says so.
//
// `needed`, where not NULL, gets how many there are, and `dropped`, where not NULL, how many durations
// more were measured since the last clear whose samples are not kept: because the ring was full, by a
// thread without a lane, by a signal handler in the middle of an end, or while they were read. A path
// that was never timed has none. XTIMER_STATUS_TOO_SMALL: `capacity` is less, or `samples` NULL, and
// nothing was written to it; there may be more before the next call. It allocates: any thread, not
// from a signal handler.
//
// Requires:
// `names` is NULL (an error) or `count` strings that each are NULL or end with a zero; `samples` is
// NULL or `capacity` of them there may be written; `needed` and `dropped` are NULL or may be written.
xtimer_status_t xtimer_samples(const char *const *names,
                               size_t count,
                               struct xtimer_sample_t *samples,
                               size_t capacity,
                               size_t *needed,
                               uint64_t *dropped);

// As xtimer_samples, of a timer of your own.
//
// Requires:
// As for xtimer_samples.
xtimer_status_t xtimer_timer_samples(struct xtimer_t timer,
                                     const char *const *names,
                                     size_t count,
                                     struct xtimer_sample_t *samples,
                                     size_t capacity,
                                     size_t *needed,
                                     uint64_t *dropped);

// Writes to `duration_ns` the duration that a share of the section's durations don't exceed, the share
// in millionths: 500000 is the median, 990000 the 99th percentile. At most 1/32 off.
//
// With `flatten`, counted sections are united first, and the names are those without counters.
// XTIMER_STATUS_NOT_FOUND: no such section is recorded, it has no duration yet, or the timer keeps no
// histograms; nothing was written. Any thread; not from a signal handler.
//
// Requires:
// `names` is NULL (an error) or `count` strings that each are NULL or end with a zero; `duration_ns`
// is NULL (an error) or may be written.
xtimer_status_t xtimer_percentile_ns(const char *const *names,
                                     size_t count,
                                     bool flatten,
                                     uint32_t millionths,
                                     uint64_t *duration_ns);

// As xtimer_percentile_ns, of a timer of your own.
//
// Requires:
// As for xtimer_percentile_ns.
xtimer_status_t xtimer_timer_percentile_ns(struct xtimer_t timer,
                                           const char *const *names,
                                           size_t count,
                                           bool flatten,
                                           uint32_t millionths,
                                           uint64_t *duration_ns);

// Copies all numbers of the default timer as of now. With `flatten`, counted sections such as
// `step[3]` are united under their base name.
//
// On success the handle is written to `snapshot`; free it with xtimer_snapshot_free. The copy stays
// as it is whatever the timer does. XTIMER_STATUS_BUSY: other snapshots are being taken. It
// allocates: any thread, not from a signal handler.
//
// Requires:
// `snapshot` is NULL (an error) or may be written.
xtimer_status_t xtimer_snapshot_take(bool flatten, struct xtimer_snapshot_t *snapshot);

// As xtimer_snapshot_take, of a timer of your own.
//
// Requires:
// As for xtimer_snapshot_take.
xtimer_status_t xtimer_timer_snapshot_take(struct xtimer_t timer,
                                           bool flatten,
                                           struct xtimer_snapshot_t *snapshot);

// Frees a snapshot: what its infos point to goes with it. A second time is an error and no more.
// Any thread; not from a signal handler.
xtimer_status_t xtimer_snapshot_free(struct xtimer_snapshot_t snapshot);

// How many sections a snapshot has; 0 where the handle is none. Any thread.
size_t xtimer_snapshot_count(struct xtimer_snapshot_t snapshot);

// Writes to `info` a section of a snapshot: depth first, in order of first entry, from 0 on.
//
// What its pointers lead to stands until the snapshot is freed. XTIMER_STATUS_NOT_FOUND: there are
// not so many; nothing was written. Any thread.
//
// Requires:
// `info` is NULL (an error) or may be written.
xtimer_status_t xtimer_snapshot_at(struct xtimer_snapshot_t snapshot,
                                   size_t index,
                                   struct xtimer_section_info_t *info);

// Time of a snapshot's sections without a recorded parent, in nanoseconds; 0 where the handle is
// none. Any thread.
uint64_t xtimer_snapshot_total_ns(struct xtimer_snapshot_t snapshot);

// How many categories a snapshot's sections have; 0 where the handle is none. Any thread.
size_t xtimer_snapshot_category_count(struct xtimer_snapshot_t snapshot);

// Writes to `category` and `total_ns` a category of a snapshot, sorted by code point, from 0 on, and
// its total in nanoseconds.
//
// The string stands until the snapshot is freed. XTIMER_STATUS_NOT_FOUND: there are not so many;
// nothing was written. Any thread.
//
// Requires:
// `category` and `total_ns` are NULL (an error) or may be written.
xtimer_status_t xtimer_snapshot_category_at(struct xtimer_snapshot_t snapshot,
                                            size_t index,
                                            const char **category,
                                            uint64_t *total_ns);

// Writes to `losses` what had not been recorded, or not as asked, when a snapshot was taken. Any
// thread.
//
// Requires:
// `losses` is NULL (an error) or may be written.
xtimer_status_t xtimer_snapshot_losses(struct xtimer_snapshot_t snapshot,
                                       struct xtimer_losses_t *losses);

// Begins the steps of the default timer, anew where they had begun: the first window begins here, and
// the last `windows` ones that xtimer_step closes are kept (0 counts as 1).
//
// Memory: 144 bytes a recorded section and window, and as much for each section the timer can hold.
// Without it the steps begin with the timings, and 16 windows are kept. Any thread; it allocates: not
// from a signal handler.
xtimer_status_t xtimer_steps_begin(size_t windows);

// As xtimer_steps_begin, of a timer of your own.
xtimer_status_t xtimer_timer_steps_begin(struct xtimer_t timer, size_t windows);

// Closes a window of the default timer and begins the next. Timing goes on meanwhile, and waits for
// nothing. Without xtimer_steps_begin the first window is all that was recorded so far.
//
// XTIMER_STATUS_BUSY: the timer is being cleared again and again; the window goes on. Any thread; it
// allocates: not from a signal handler.
xtimer_status_t xtimer_step(void);

// As xtimer_step, of a timer of your own.
xtimer_status_t xtimer_timer_step(struct xtimer_t timer);

// The warm-up of the default timer's steps is over: what xtimer_window_take and xtimer_window_report
// give for 0 windows begins at the last xtimer_step. Any thread; not from a signal handler.
xtimer_status_t xtimer_steps_warm_up(void);

// As xtimer_steps_warm_up, of a timer of your own.
xtimer_status_t xtimer_timer_steps_warm_up(struct xtimer_t timer);

// Copies the numbers of the last `windows` closed windows of the default timer, as one: what was recorded
// between two steps. 0: all since xtimer_steps_warm_up, or since the beginning.
//
// As many windows as are kept; empty before the first step. A section counts in the window in which it
// ended, with all its time; what neither ended there nor was open at its end, nor has others inside, is
// left out. Where the timer was cleared in between the window begins at the clear. min_ns and max_ns are
// XTIMER_NONE. As xtimer_snapshot_take in all else.
//
// Requires:
// `snapshot` is NULL (an error) or may be written.
xtimer_status_t xtimer_window_take(size_t windows,
                                   bool flatten,
                                   struct xtimer_snapshot_t *snapshot);

// As xtimer_window_take, of a timer of your own.
//
// Requires:
// As for xtimer_window_take.
xtimer_status_t xtimer_timer_window_take(struct xtimer_t timer,
                                         size_t windows,
                                         bool flatten,
                                         struct xtimer_snapshot_t *snapshot);

// Writes the report of the last `windows` closed windows of the default timer (0: those since warm-up)
// for people into `buffer`, ended by a zero. `options` NULL: those of xtimer_report. The buffer as for
// xtimer_report, the window as for xtimer_window_take. Any thread; not from a signal handler.
//
// Requires:
// As for xtimer_report_with.
xtimer_status_t xtimer_window_report(size_t windows,
                                     const struct xtimer_export_options_t *options,
                                     char *buffer,
                                     size_t capacity,
                                     size_t *needed);

// As xtimer_window_report, of a timer of your own.
//
// Requires:
// As for xtimer_window_report.
xtimer_status_t xtimer_timer_window_report(struct xtimer_t timer,
                                           size_t windows,
                                           const struct xtimer_export_options_t *options,
                                           char *buffer,
                                           size_t capacity,
                                           size_t *needed);

// As xtimer_window_report, as JSON.
//
// Requires:
// As for xtimer_window_report.
xtimer_status_t xtimer_window_export_json(size_t windows,
                                          const struct xtimer_export_options_t *options,
                                          char *buffer,
                                          size_t capacity,
                                          size_t *needed);

// As xtimer_window_export_json, of a timer of your own.
//
// Requires:
// As for xtimer_window_report.
xtimer_status_t xtimer_timer_window_export_json(struct xtimer_t timer,
                                                size_t windows,
                                                const struct xtimer_export_options_t *options,
                                                char *buffer,
                                                size_t capacity,
                                                size_t *needed);

// Decodes `length` bytes at `bytes`: profiles of ranks one behind another, one at least.
//
// On success the handle is written to `gathered`; free it with xtimer_gathered_free. The bytes are not
// needed any more. XTIMER_STATUS_BAD_PROFILE: they are none, and xtimer_last_error says what is wrong
// at which byte. XTIMER_STATUS_INVALID_ARGUMENT: two are of one rank. It allocates: any thread, not from
// a signal handler.
//
// Requires:
// `length` bytes at `bytes` may be read, or it is NULL (an error); `gathered` is NULL (an error) or may
// be written.
xtimer_status_t xtimer_gathered_decode(const uint8_t *bytes,
                                       size_t length,
                                       struct xtimer_gathered_t *gathered);

// Loads profiles of ranks, one behind another, from a file. As xtimer_gathered_decode in all else;
// XTIMER_STATUS_IO: the file cannot be read.
//
// Requires:
// `path` is NULL (an error) or ends with a zero; `gathered` is NULL (an error) or may be written.
xtimer_status_t xtimer_gathered_load(const char *path, struct xtimer_gathered_t *gathered);

// Saves gathered profiles as a file, as xtimer_save_profile does.
//
// Requires:
// `path` is NULL (an error) or ends with a zero.
xtimer_status_t xtimer_gathered_save(struct xtimer_gathered_t gathered, const char *path);

// Gathers a timer's profile from all ranks over a transport of yours: MPI, sockets, a queue.
//
// Each rank calls it with its own `rank`; `label` is a text for people, or NULL. `transport` is called
// once, with `data`, outside of any lock. Where it gives the bytes of all ranks, the handle is written
// to `gathered`, to be freed by xtimer_gathered_free; where another rank gets them, a handle of 0 is.
// XTIMER_STATUS_IO: the transport failed; else as xtimer_gathered_decode.
//
// Requires:
// `label` is NULL or ends with a zero; `transport` does what its type says; `gathered` is NULL (an
// error) or may be written.
xtimer_status_t xtimer_gather(struct xtimer_t timer,
                              uint32_t rank,
                              const char *label,
                              xtimer_transport_t transport,
                              void *data,
                              struct xtimer_gathered_t *gathered);

// Frees gathered profiles: what their infos point to goes with them. A second time is an error and no
// more. Any thread; not from a signal handler.
xtimer_status_t xtimer_gathered_free(struct xtimer_gathered_t gathered);

// How many ranks gathered profiles have; 0 where the handle is none. Any thread.
size_t xtimer_gathered_rank_count(struct xtimer_gathered_t gathered);

// How many sections gathered profiles have: distinct paths; 0 where the handle is none. Any thread.
size_t xtimer_gathered_count(struct xtimer_gathered_t gathered);

// Writes to `info` the times of a section: depth first, in order of first entry, from 0 on.
//
// What its pointers lead to stands until the profiles are freed. XTIMER_STATUS_NOT_FOUND: there are not
// so many; nothing was written. Any thread.
//
// Requires:
// `info` is NULL (an error) or may be written.
xtimer_status_t xtimer_gathered_at(struct xtimer_gathered_t gathered,
                                   size_t index,
                                   struct xtimer_gathered_info_t *info);

// Writes to `index` the place of the section whose path is `names`, outermost first, `count` of them.
// XTIMER_STATUS_NOT_FOUND: no rank has it; nothing was written. Any thread.
//
// Requires:
// `names` leads to `count` strings that end with a zero, or is NULL (an error); `index` is NULL (an
// error) or may be written.
xtimer_status_t xtimer_gathered_find(struct xtimer_gathered_t gathered,
                                     const char *const *names,
                                     size_t count,
                                     size_t *index);

// A percentile, 0 to 100, of the durations of the section at `index`, in nanoseconds: from the samples
// by linear interpolation, or from histograms, off by a 64th at most. Not a number where there is none.
// Any thread; not from a signal handler.
double xtimer_gathered_percentile_ns(struct xtimer_gathered_t gathered,
                                     size_t index,
                                     double percent);

// The total of a category on a rank, in nanoseconds; 0 where the rank has none. NULL is `default`. Any
// thread.
//
// Requires:
// `category` is NULL or ends with a zero.
uint64_t xtimer_gathered_category_ns(struct xtimer_gathered_t gathered,
                                     uint32_t rank,
                                     const char *category);

// Encodes the default timer's profile into `buffer`, as the bytes of docs/format.md.
//
// `rank` says where it comes from: an MPI rank, a worker, 0 where there is one; `label` is a text for
// people, or NULL. `needed`, where not NULL, gets the number of bytes. XTIMER_STATUS_TOO_SMALL:
// `capacity` is less, or `buffer` NULL, and nothing was written to it; the profile may grow before
// the next call. XTIMER_STATUS_BUSY: other snapshots are being taken. No allocation, no lock: any
// thread, signal handlers included. Samples and histograms are left out, which xtimer_save_profile and
// xtimer_gather take along.
//
// Requires:
// `label` is NULL or ends with a zero; `buffer` is NULL or `capacity` bytes there may be written;
// `needed` is NULL or may be written.
xtimer_status_t xtimer_export_profile(uint32_t rank,
                                      const char *label,
                                      uint8_t *buffer,
                                      size_t capacity,
                                      size_t *needed);

// As xtimer_export_profile, of a timer of your own.
//
// Requires:
// As for xtimer_export_profile.
xtimer_status_t xtimer_timer_export_profile(struct xtimer_t timer,
                                            uint32_t rank,
                                            const char *label,
                                            uint8_t *buffer,
                                            size_t capacity,
                                            size_t *needed);

// Saves the default timer's profile at `path`, as the bytes of docs/format.md, with its samples and
// histograms.
//
// It is written beside the path, synced and renamed, so that after a crash or on a full disk the old
// file or the new one is there, whole; the file keeps its permissions, and a symbolic link its place.
// `rank` and `label` as for xtimer_export_profile. XTIMER_STATUS_IO: nothing is changed at `path`, and
// xtimer_last_error says why. It allocates: any thread, not from a signal handler.
//
// Requires:
// `path` is NULL (an error) or ends with a zero; `label` is NULL or ends with a zero.
xtimer_status_t xtimer_save_profile(const char *path,
                                    uint32_t rank,
                                    const char *label);

// As xtimer_save_profile, of a timer of your own.
//
// Requires:
// As for xtimer_save_profile.
xtimer_status_t xtimer_timer_save_profile(struct xtimer_t timer,
                                          const char *path,
                                          uint32_t rank,
                                          const char *label);

// The config of the default timer: 4,096 sections, depth 1,024, 256 lanes, 256 categories, all
// statistics, the machine's best clock. Any thread.
struct xtimer_config_t xtimer_config_default(void);

// The default timer's handle, for the functions that take one. It needs no making and cannot be
// destroyed. Any thread.
struct xtimer_t xtimer_default(void);

// Makes a timer with the capacities and clock of `config`, or with the defaults where that is NULL.
//
// On success its handle is written to `timer`. It allocates its memory once, and whatever is not
// touched costs no physical memory. 64 timers can exist at once. The rules of the process hold in
// it; XTIMER_STATUS_RULES_FULL: they do not fit. Any thread; not from a signal handler.
//
// Requires:
// `config` is NULL or points to a config made by xtimer_config_default; `timer` is NULL (an error)
// or may be written. A clock function of the config is safe to call as the config says, for as long
// as the timer exists.
xtimer_status_t xtimer_create(const struct xtimer_config_t *config, struct xtimer_t *timer);

// Destroys a timer: its handle is refused from here on, everywhere.
//
// Where it is enabled it records nothing more. Its memory is given back when the last thread that timed
// sections in it has ended, or uses or makes another timer, and the scopes it is enabled for have ended.
// A second time is an error and no more; so is the default timer, which lives as long as the process.
// Any thread; not from a signal handler.
xtimer_status_t xtimer_destroy(struct xtimer_t timer);

// Gives the default timer other capacities or another clock, before it is first used.
//
// Not needed: without it, it has those of xtimer_config_default. Where the default timer was used or
// configured before, it stays as it is, and the status is XTIMER_STATUS_ALREADY_MADE. Any thread;
// not from a signal handler.
//
// Requires:
// As for xtimer_create; the clock function is called until the process ends.
xtimer_status_t xtimer_configure(const struct xtimer_config_t *config);

// Enables a timer on this thread until xtimer_enable_end: what functions without a timer begin, record
// or detach there goes to each timer that is enabled, and not to the default one. (Whether a timer
// records at all is xtimer_timer_set_enabled's.)
//
// Up to eight may be enabled, once each, xtimer_default() among them; nested, one adds to the others.
// It is inherited by sections begun beneath a path of xtimer_current_path on other threads. A section
// ends in the timers that it was begun in, whatever is enabled by then; one that a timer refuses is
// recorded by none, and xtimer_last_error names the culprit. Functions with a timer are not concerned.
//
// On success what xtimer_enable_end takes back is written to `enabled`. XTIMER_STATUS_TOO_MANY_ENABLED:
// eight others are enabled; XTIMER_STATUS_NO_LANE, XTIMER_STATUS_NO_MEMORY: this thread can't have a
// context in it. A thread's first use of a timer allocates. Any thread; not from a signal handler,
// where it is refused (XTIMER_STATUS_BUSY) if it interrupts a call. A begin and end take some 100 ns for
// each timer meanwhile; signal handlers may call them, and nest in each timer where they interrupt it.
//
// Requires:
// `enabled` is NULL (an error) or may be written.
xtimer_status_t xtimer_enable_begin(struct xtimer_t timer,
                                    struct xtimer_enabled_t *enabled);

// Ends what xtimer_enable_begin began; what is then enabled is what it was without it, also where
// scopes end out of order. Sections that are open stay open. All zero is ignored.
//
// XTIMER_STATUS_NOT_OPEN: it ended before; XTIMER_STATUS_OTHER_CONTEXT: it is another thread's. Nothing
// changed. A thread that ends ends its own. On the thread that began it; not from a signal handler.
xtimer_status_t xtimer_enable_end(struct xtimer_enabled_t enabled);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* XTIMER_H */
