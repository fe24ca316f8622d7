// xtimer.hpp: times named sections as they nest, by category. C++17, header only, over xtimer.h.
//
//     void forward() {
//         XTIMER_FUNCTION("compute");              // until the end of the function
//         {
//             XTIMER_SCOPE("attention");           // until the end of the block; category "default"
//         }
//         xtimer::scope save{"save", "io"};        // by name; ends early with save.stop()
//     }
//     std::puts(xtimer::report().c_str());
//
// Names and categories are UTF-8. Functions without a timer use the default one, which needs no
// making, or the timers that an xtimer::enabled has enabled. Nothing throws but std::bad_alloc, where a std::string or vector is returned. With
// XTIMER_DISABLE defined all of it compiles to nothing, and the library is not needed; what a
// program calls of xtimer.h itself stays as it is.

#ifndef XTIMER_HPP
#define XTIMER_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "xtimer.h"

// What the header stores belongs to the program or plugin that includes it, and goes with it: a
// symbol that is unique in the process would keep a plugin from being unloaded.
#if defined(__GNUC__)
#define XTIMER_HIDDEN __attribute__((visibility("hidden")))
#define XTIMER_SIGNATURE __PRETTY_FUNCTION__
#elif defined(_MSC_VER)
#define XTIMER_HIDDEN
#define XTIMER_SIGNATURE __FUNCSIG__
#else
#define XTIMER_HIDDEN
#define XTIMER_SIGNATURE __func__
#endif

// Constructors of objects that time until they go: one that is not named times nothing.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 10
#define XTIMER_KEEP
#else
#define XTIMER_KEEP [[nodiscard]]
#endif

namespace xtimer {

// A string that ends with a zero, of whatever a caller has; it must live for the call.
class text {
  public:
    text(const char *characters) noexcept : characters_(characters) {}
    text(const std::string &characters) noexcept : characters_(characters.c_str()) {}
    const char *c_str() const noexcept { return characters_; }

  private:
    const char *characters_;
};

// A name with an index: `step[3]`, kept apart from other indices until a report unites them.
struct counted {
    template <typename Index, typename = std::enable_if_t<std::is_integral_v<Index>>>
    counted(text base, Index number) noexcept
        : name(base), index(static_cast<std::int64_t>(number)) {}
    text name;
    std::int64_t index;
};

using seconds = std::chrono::duration<double>;

// What a timer is made with; get one from default_config().
using config = xtimer_config_t;

// One section's numbers. A time that is not kept is nanoseconds::min().
struct section {
    std::vector<std::string> path; // outermost first
    std::string category;
    std::uint64_t count = 0;
    std::chrono::nanoseconds total{}, exclusive{}, min{}, max{};
    double mean = 0, deviation = 0; // ns; not a number where there is none
    std::uint32_t open = 0, depth = 0;
    std::chrono::nanoseconds open_time{}; // for how long the first open entry has been open
    bool busy = false;       // a writer was stopped midway: count and times may be one entry apart
    bool late = false;       // threads that found no lane added to it: no deviation
    bool near_price = false; // the mean is so short that it says as much of the timer's own cost
    bool exceeded = false;   // the sections beneath it took longer: they ran beside it
};

// One measured duration of a section, where the timer keeps samples (config.samples_per_lane).
struct sample {
    std::chrono::nanoseconds start{}, duration{}; // the start by the timer's clock
    std::uint32_t lane = 0;                       // a thread's, at one time
};

// A section's samples by start, and how many durations more there were whose samples are not kept.
struct samples {
    std::vector<sample> kept;
    std::uint64_t dropped = 0;
};

namespace detail {

// A name and category known at compile time.
struct literal {
    constexpr literal(const char *a_name, const char *a_category = nullptr)
        : name(a_name), category(a_category) {}
    const char *name, *category;
};

constexpr const char *category() { return nullptr; }
constexpr const char *category(const char *given) { return given; }

template <std::size_t N> struct characters {
    char data[N] = {};
};

constexpr bool is_at(const char *signature, std::size_t at, const char *word) {
    for (std::size_t i = 0; word[i] != 0; ++i)
        if (signature[at + i] != word[i]) return false;
    return true;
}

// Where a bracket that closes before `end` was opened; `end` where it was not.
constexpr std::size_t opening(const char *signature, std::size_t end, char open, char close) {
    int depth = 0;
    for (std::size_t at = end; at-- > 0;) {
        if (signature[at] == close) ++depth;
        if (signature[at] == open && --depth == 0) return at;
    }
    return end;
}

// The qualified name within a compiler's full signature: without return type, parameters, and what
// template parameters stand for. `void a::b::f(int) const [with T = int]` gives `a::b::f`.
template <std::size_t N> constexpr characters<N + 10> readable(const char (&signature)[N]) {
    std::size_t end = N - 1;
    if (end > 0 && signature[end - 1] == ']') {
        const std::size_t open = opening(signature, end, '[', ']');
        if (open > 0 && open < end && signature[open - 1] == ' ') end = open - 1;
    }
    // GCC shows a lambda as `outer(int)::<lambda(int)>`, and the outermost function is its name.
    bool is_lambda = false;
    for (std::size_t at = 0; at < end; ++at)
        if (is_at(signature, at, "::<lambda(")) {
            is_lambda = true;
            end = at;
        }
    std::size_t last = end;
    while (last > 0 && signature[last - 1] != ')') --last;
    if (last > 0) end = opening(signature, last, '(', ')');
    // An operator's own name may hold spaces and angle brackets.
    std::size_t start = end;
    for (std::size_t at = 0; at < end; ++at)
        if (is_at(signature, at, "operator") &&
            (at == 0 || signature[at - 1] == ':' || signature[at - 1] == ' ')) {
            start = at;
            break;
        }
    int depth = 0;
    while (start > 0) {
        const char before = signature[start - 1];
        if (before == '>' || before == ')' || before == '}') ++depth;
        if (before == '<' || before == '(' || before == '{') --depth;
        if (depth < 0 || (depth == 0 && before == ' ')) break;
        --start;
    }
    while (start < end && (signature[start] == '*' || signature[start] == '&')) ++start;
    characters<N + 10> name;
    std::size_t used = 0;
    for (std::size_t at = start; at < end; ++at) name.data[used++] = signature[at];
    if (is_lambda)
        for (const char letter : {':', ':', '<', 'l', 'a', 'm', 'b', 'd', 'a', '>'})
            name.data[used++] = letter;
    return name;
}

} // namespace detail

#define XTIMER_JOIN_(left, right) left##right
#define XTIMER_JOIN(left, right) XTIMER_JOIN_(left, right)

#ifndef XTIMER_DISABLE

namespace detail {

// Calls until the text fits.
template <typename Export> std::string exported(Export &&call) {
    std::string text;
    for (int attempt = 0; attempt < 16; ++attempt) {
        std::size_t needed = 0;
        const xtimer_status_t code = call(&text[0], text.size() + 1, &needed);
        if (code == XTIMER_STATUS_OK) {
            text.resize(needed - 1);
            return text;
        }
        if (code != XTIMER_STATUS_TOO_SMALL) break;
        text.resize(needed + needed / 8); // it may grow meanwhile
    }
    return {};
}

inline std::vector<const char *> pointers(const std::vector<std::string> &names) {
    std::vector<const char *> found;
    found.reserve(names.size());
    for (const std::string &name : names) found.push_back(name.c_str());
    return found;
}

// The name of a counted section.
inline std::string spelled(const char *name, std::int64_t number) {
    // std::to_string brings a symbol that would keep a plugin from being unloaded.
    char index[24];
    std::snprintf(index, sizeof index, "[%lld]", static_cast<long long>(number));
    return std::string(name ? name : "") + index;
}

inline std::chrono::nanoseconds nanoseconds(std::uint64_t value) {
    using std::chrono::nanoseconds;
    if (value == XTIMER_NONE) return nanoseconds::min();
    const auto most = static_cast<std::uint64_t>(nanoseconds::max().count());
    return nanoseconds(static_cast<nanoseconds::rep>(value < most ? value : most));
}

// A duration as the library takes it: nanoseconds where it is a whole number and not negative, else
// seconds, which the library judges.
struct duration {
    template <typename Rep, typename Period>
    explicit duration(std::chrono::duration<Rep, Period> time) noexcept {
        if constexpr (std::is_floating_point_v<Rep>) {
            seconds = xtimer::seconds(time).count();
        } else {
            // The cast multiplies first, and must not overflow: what is near 2^63 goes by seconds.
            using factor = std::ratio_divide<Period, std::nano>;
            const long double product = static_cast<long double>(time.count()) * factor::num;
            is_whole = product >= 0 && product < 9.2e18L;
            if (is_whole) {
                const auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(time);
                nanoseconds = static_cast<std::uint64_t>(whole.count());
            } else {
                seconds = std::chrono::duration<double, Period>(time.count()) / xtimer::seconds(1);
            }
        }
    }
    bool is_whole = false;
    std::uint64_t nanoseconds = 0;
    double seconds = 0;
};

// What a call site stores: one for each type, and `Here` is a type for each call site. A variable
// of a function could not be hidden.
template <typename Here>
XTIMER_HIDDEN inline xtimer_site_t site_of = {
    {0, 0}, Here::xtimer_text_().name, Here::xtimer_text_().category};
template <typename Here>
XTIMER_HIDDEN inline constexpr auto name_of = readable(Here::xtimer_signature_());

} // namespace detail

inline namespace timed {

// This thread's last error as a sentence; empty if there was none.
inline std::string last_error() { return xtimer_last_error(); }

// What a call came to: true when it succeeded, else with the reason.
class status {
  public:
    status() noexcept = default;
    explicit status(xtimer_status_t code) : code_(code) {
        if (code != XTIMER_STATUS_OK) message_ = xtimer_last_error();
    }
    explicit operator bool() const noexcept { return code_ == XTIMER_STATUS_OK; }
    xtimer_status_t code() const noexcept { return code_; }
    // A sentence that names the culprit; empty on success.
    const std::string &message() const noexcept { return message_; }

  private:
    xtimer_status_t code_ = XTIMER_STATUS_OK;
    std::string message_;
};

// The path of a section, in each timer that it went to: a value, to begin sections beneath it from
// another thread, in the same timers. The top unless it was taken from current_path or a scope.
struct path {
    xtimer_path_t value{};

    bool is_top() const noexcept { return *this == path{}; }
    friend bool operator==(const path &one, const path &other) noexcept {
        return std::equal(std::begin(one.value.value), std::end(one.value.value),
                          std::begin(other.value.value));
    }
    friend bool operator!=(const path &one, const path &other) noexcept { return !(one == other); }
};

// Where a scope is to begin, or a duration to be recorded, instead of inside the thread's innermost
// section.
struct beneath {
    explicit beneath(path where) noexcept : parent(where) {}
    path parent;
};

// The functions of one timer. A reference: copy it.
class timer_view {
  public:
    explicit timer_view(xtimer_t handle) noexcept : handle_(handle) {}
    xtimer_t handle() const noexcept { return handle_; }

    path current_path() const noexcept { return {xtimer_timer_current_path(handle_)}; }

    // Sections of category `inner` are refused directly inside ones of category `outer`: in this
    // timer, or in all of the process where it is the default one.
    status forbid(text outer, text inner) const {
        return status(xtimer_timer_forbid(handle_, outer.c_str(), inner.c_str()));
    }
    status clear_rules() const { return status(xtimer_timer_clear_rules(handle_)); }

    // Drops all timings; names, rules and open sections stay.
    status clear() const { return status(xtimer_timer_clear(handle_)); }
    status set_enabled(bool enabled) const {
        return status(xtimer_timer_set_enabled(handle_, enabled));
    }
    bool is_enabled() const noexcept { return xtimer_timer_is_enabled(handle_); }

    // Adds a duration measured elsewhere to a section inside the innermost open one.
    template <typename Rep, typename Period>
    status record(text name, text category, std::chrono::duration<Rep, Period> time) const {
        const detail::duration given(time);
        return status(given.is_whole ? xtimer_timer_record_ns(handle_, name.c_str(),
                                                              category.c_str(), given.nanoseconds)
                                     : xtimer_timer_record_seconds(handle_, name.c_str(),
                                                                   category.c_str(),
                                                                   given.seconds));
    }
    template <typename Rep, typename Period>
    status record(beneath where, text name, text category,
                  std::chrono::duration<Rep, Period> time) const {
        const detail::duration given(time);
        const xtimer_path_t parent = where.parent.value;
        return status(given.is_whole
                          ? xtimer_timer_record_beneath_ns(handle_, parent, name.c_str(),
                                                           category.c_str(), given.nanoseconds)
                          : xtimer_timer_record_beneath_seconds(handle_, parent, name.c_str(),
                                                                category.c_str(), given.seconds));
    }

    // Time of the sections without a recorded parent, and of a category; not a number on an error.
    seconds total() const noexcept { return seconds(xtimer_timer_total(handle_)); }
    seconds category_total(text category) const noexcept {
        return seconds(xtimer_timer_category_total(handle_, category.c_str()));
    }

    // For people; empty when nothing was recorded, and on an error.
    std::string report(bool flatten = true) const {
        const xtimer_export_options_t options = {flatten, 0};
        return detail::exported([&](char *buffer, std::size_t capacity, std::size_t *needed) {
            return xtimer_timer_report(handle_, &options, buffer, capacity, needed);
        });
    }
    // For programs; empty on an error.
    std::string export_json(bool flatten = true, unsigned indent = 2) const {
        const xtimer_export_options_t options = {flatten, indent};
        return detail::exported([&](char *buffer, std::size_t capacity, std::size_t *needed) {
            return xtimer_timer_export_json(handle_, &options, buffer, capacity, needed);
        });
    }
    // Written beside the path, then renamed.
    status save_json(text file, bool flatten = true, unsigned indent = 2) const {
        const xtimer_export_options_t options = {flatten, indent};
        return status(xtimer_timer_save_json(handle_, file.c_str(), &options));
    }

    // All sections as of now, depth first in order of first entry; empty on an error.
    std::vector<section> sections(bool flatten = true) const {
        xtimer_snapshot_t snapshot{};
        if (xtimer_timer_snapshot_take(handle_, flatten, &snapshot) != XTIMER_STATUS_OK) return {};
        return read(snapshot);
    }

    // Steps: each step() closes a window, and the last `windows` of them are kept. The first begins at
    // begin_steps(), or without it where the timings do. Nothing is stopped.
    status begin_steps(std::size_t windows) const {
        return status(xtimer_timer_steps_begin(handle_, windows));
    }
    status step() const { return status(xtimer_timer_step(handle_)); }
    // The warm-up is over: 0 windows are all since the last step.
    status warm_up() const { return status(xtimer_timer_steps_warm_up(handle_)); }
    // What was recorded in the last windows that were closed; 0: in all since warm-up. Without min and
    // max; empty on an error.
    std::vector<section> window(std::size_t windows = 1, bool flatten = true) const {
        xtimer_snapshot_t snapshot{};
        if (xtimer_timer_window_take(handle_, windows, flatten, &snapshot) != XTIMER_STATUS_OK)
            return {};
        return read(snapshot);
    }
    std::string window_report(std::size_t windows = 1, bool flatten = true) const {
        const xtimer_export_options_t options = {flatten, 0};
        return detail::exported([&](char *buffer, std::size_t capacity, std::size_t *needed) {
            return xtimer_timer_window_report(handle_, windows, &options, buffer, capacity, needed);
        });
    }

    // The samples of the section at a path of names, outermost first; none on an error.
    ::xtimer::samples samples(const std::vector<std::string> &path) const {
        const std::vector<const char *> names = detail::pointers(path);
        ::xtimer::samples found;
        std::vector<xtimer_sample_t> taken;
        xtimer_status_t outcome;
        // There may be more of them each time.
        do {
            std::size_t needed = 0;
            outcome = xtimer_timer_samples(handle_, names.data(), names.size(), taken.data(),
                                           taken.size(), &needed, &found.dropped);
            if (outcome == XTIMER_STATUS_OK || outcome == XTIMER_STATUS_TOO_SMALL)
                taken.resize(needed);
            else
                return {};
        } while (outcome == XTIMER_STATUS_TOO_SMALL);
        found.kept.reserve(taken.size());
        for (const xtimer_sample_t &one : taken)
            found.kept.push_back({detail::nanoseconds(one.start_ns),
                                  detail::nanoseconds(one.duration_ns), one.lane});
        return found;
    }

    // The duration that `percent` of the section's durations don't exceed, where the timer keeps
    // histograms; nanoseconds::min() where there is none.
    std::chrono::nanoseconds percentile(const std::vector<std::string> &path, double percent,
                                        bool flatten = true) const {
        const std::vector<const char *> names = detail::pointers(path);
        std::uint64_t duration = XTIMER_NONE;
        if (percent >= 0 && percent <= 100)
            xtimer_timer_percentile_ns(handle_, names.data(), names.size(), flatten,
                                       static_cast<std::uint32_t>(percent * 10000 + 0.5),
                                       &duration);
        return detail::nanoseconds(duration);
    }

  private:
    // The sections of a snapshot, which is freed.
    static std::vector<section> read(xtimer_snapshot_t snapshot) {
        struct taken {
            xtimer_snapshot_t snapshot{};
            ~taken() { xtimer_snapshot_free(snapshot); }
        };
        const taken keep{snapshot};
        std::vector<section> found;
        const std::size_t count = xtimer_snapshot_count(snapshot);
        found.reserve(count);
        for (std::size_t index = 0; index < count; ++index) {
            xtimer_section_info_t info;
            if (xtimer_snapshot_at(snapshot, index, &info) != XTIMER_STATUS_OK) break;
            section next;
            next.path.assign(info.path, info.path + info.path_length);
            next.category = info.category;
            next.count = info.count;
            next.total = detail::nanoseconds(info.total_ns);
            next.exclusive = detail::nanoseconds(info.exclusive_ns);
            next.min = detail::nanoseconds(info.min_ns);
            next.max = detail::nanoseconds(info.max_ns);
            next.mean = info.mean_ns;
            next.deviation = info.std_ns;
            next.open = info.open;
            next.depth = info.depth;
            next.open_time = detail::nanoseconds(info.open_ns);
            next.busy = info.busy;
            next.late = info.late;
            next.near_price = info.near_price;
            next.exceeded = info.exceeded;
            found.push_back(std::move(next));
        }
        return found;
    }

    xtimer_t handle_;
};

inline timer_view default_timer() noexcept { return timer_view(xtimer_default()); }

// The config of the default timer: change what should differ.
inline config default_config() noexcept { return xtimer_config_default(); }

// A timer of your own, destroyed with this object; scopes of it that are still open are refused.
class timer : public timer_view {
  public:
    explicit timer(const config &with = default_config()) : timer(make(with)) {}
    ~timer() {
        if (made_) xtimer_destroy(handle());
    }
    timer(const timer &) = delete;
    timer &operator=(const timer &) = delete;
    // Whether it could be made.
    const status &made() const noexcept { return made_; }

  private:
    struct result {
        xtimer_t handle{};
        status made;
    };
    static result make(const config &with) {
        result made;
        made.made = status(xtimer_create(&with, &made.handle));
        return made;
    }
    explicit timer(result &&made) : timer_view(made.handle), made_(std::move(made.made)) {}
    status made_;
};

// A timer is enabled on this thread for as long as this lives: sections without a timer go to each
// timer that is enabled (up to eight, once each), and not to the default one. Nested, one adds to the
// others. Threads that begin beneath a path inherit it. On the thread that made it.
//
//     xtimer::timer request;
//     xtimer::enabled here{request};
class [[nodiscard]] enabled {
  public:
    XTIMER_KEEP explicit enabled(const timer_view &timer)
        : made_(xtimer_enable_begin(timer.handle(), &held_)) {}
    ~enabled() { xtimer_enable_end(held_); }
    enabled(const enabled &) = delete;
    enabled &operator=(const enabled &) = delete;
    // Whether it could be enabled.
    const status &made() const noexcept { return made_; }

  private:
    xtimer_enabled_t held_{};
    status made_;
};

// A section from here to the end of the block. On the thread that made it.
class [[nodiscard]] scope {
  public:
    XTIMER_KEEP explicit scope(text name, text category = nullptr) noexcept
        : token_(xtimer_begin(name.c_str(), category.c_str())) {}
    XTIMER_KEEP explicit scope(const counted &name, text category = nullptr) noexcept
        : token_(xtimer_begin_counted(name.name.c_str(), name.index, category.c_str())) {}
    XTIMER_KEEP scope(beneath where, text name, text category = nullptr) noexcept
        : token_(xtimer_begin_beneath(where.parent.value, name.c_str(), category.c_str())) {}
    XTIMER_KEEP scope(beneath where, const counted &name, text category = nullptr)
        : scope(where, detail::spelled(name.name.c_str(), name.index), category) {}

    XTIMER_KEEP scope(const timer_view &timer, text name, text category = nullptr) noexcept
        : timer_(timer.handle()),
          token_(xtimer_timer_begin(timer_, name.c_str(), category.c_str())) {}
    XTIMER_KEEP scope(const timer_view &timer, const counted &name,
                      text category = nullptr) noexcept
        : timer_(timer.handle()), token_(xtimer_timer_begin_counted(
                                      timer_, name.name.c_str(), name.index, category.c_str())) {}
    XTIMER_KEEP scope(const timer_view &timer, beneath where, text name,
                      text category = nullptr) noexcept
        : timer_(timer.handle()),
          token_(xtimer_timer_begin_beneath(timer_, where.parent.value, name.c_str(),
                                            category.c_str())) {}
    XTIMER_KEEP scope(const timer_view &timer, beneath where, const counted &name,
                      text category = nullptr)
        : scope(timer, where, detail::spelled(name.name.c_str(), name.index), category) {}

    ~scope() { end(); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    // Whether it was begun: not refused, the timer not switched off, not stopped yet.
    bool is_open() const noexcept { return token_ != 0; }

    // Its path, to begin or record beneath it, also while other sections are open inside; the top
    // where it is not open. On the thread that made it.
    ::xtimer::path path() const noexcept {
        ::xtimer::path found;
        if (token_ == 0) return found;
        if (timer_.handle == 0)
            xtimer_path_of(token_, &found.value);
        else
            xtimer_timer_path_of(timer_, token_, &found.value);
        return found;
    }

    // Ends the section now. A second time does nothing; on another thread it is refused, and the
    // section stays open.
    status stop() { return status(end()); }

  private:
    xtimer_status_t end() noexcept {
        if (token_ == 0) return XTIMER_STATUS_OK;
        const xtimer_status_t ended =
            timer_.handle == 0 ? xtimer_end(token_) : xtimer_timer_end(timer_, token_);
        // Refused here, it is still the other thread's to end.
        if (ended != XTIMER_STATUS_OTHER_CONTEXT) token_ = 0;
        return ended;
    }
    xtimer_t timer_{}; // zero: the default one
    xtimer_token_t token_;
};

// A section on no thread's stack: from here until finish(), on any thread, or else the end of the
// object that holds it. For awaiting tasks, callbacks, work on a device. Move it, at the latest into
// what ends it; no two threads may use one at once.
class [[nodiscard]] detached {
  public:
    // One that was not begun.
    detached() noexcept = default;
    XTIMER_KEEP explicit detached(text name, text category = nullptr) noexcept
        : held_(xtimer_detach(name.c_str(), category.c_str())) {}
    XTIMER_KEEP detached(beneath where, text name, text category = nullptr) noexcept
        : held_(xtimer_detach_beneath(where.parent.value, name.c_str(), category.c_str())) {}
    XTIMER_KEEP detached(const timer_view &timer, text name, text category = nullptr) noexcept
        : timer_(timer.handle()),
          held_(xtimer_timer_detach(timer_, name.c_str(), category.c_str())) {}
    XTIMER_KEEP detached(const timer_view &timer, beneath where, text name,
                         text category = nullptr) noexcept
        : timer_(timer.handle()),
          held_(xtimer_timer_detach_beneath(timer_, where.parent.value, name.c_str(),
                                            category.c_str())) {}

    ~detached() { end(); }
    detached(detached &&other) noexcept
        : timer_(other.timer_), held_(std::exchange(other.held_, {})) {}
    // Finishes the section that was held before.
    detached &operator=(detached &&other) noexcept {
        if (this != &other) {
            end();
            timer_ = other.timer_;
            held_ = std::exchange(other.held_, {});
        }
        return *this;
    }

    // Whether it was begun: not refused, the timer not switched off, not finished or moved from.
    bool is_open() const noexcept { return held_.state == 1; }

    // Its path, to begin or record beneath it; the top where it is not open.
    ::xtimer::path path() const noexcept { return {xtimer_detached_path(&held_)}; }

    // Finishes the section now. A second time does nothing.
    status finish() { return status(end()); }

  private:
    xtimer_status_t end() noexcept {
        const xtimer_status_t finished =
            timer_.handle == 0 ? xtimer_finish(&held_) : xtimer_timer_finish(timer_, &held_);
        // Refused, it is another thread's to finish.
        if (finished != XTIMER_STATUS_NO_CONTEXT) held_ = {};
        return finished;
    }
    xtimer_t timer_{}; // zero: the default one
    xtimer_detached_t held_{};
};

// Phases that follow each other: the next one begins where the one before ends, at one reading of the
// clock. The last ends with the object. On the thread that made it.
class [[nodiscard]] phases {
  public:
    // None is begun yet; the first is a section inside the innermost open one.
    phases() noexcept {}
    explicit phases(const timer_view &timer) noexcept : timer_(timer.handle()) {}
    // With the first phase.
    XTIMER_KEEP explicit phases(text name, text category = nullptr) noexcept
        : token_(xtimer_begin(name.c_str(), category.c_str())) {}
    XTIMER_KEEP explicit phases(xtimer_site_t &site) noexcept : token_(xtimer_begin_at(&site)) {}
    ~phases() { end(); }
    phases(const phases &) = delete;
    phases &operator=(const phases &) = delete;

    // Ends the phase and begins the next. One that is refused is not timed, with the reason; the one
    // before ends all the same.
    status next(text name, text category = nullptr) {
        return status(timer_.handle == 0
                          ? xtimer_switch(&token_, name.c_str(), category.c_str())
                          : xtimer_timer_switch(timer_, &token_, name.c_str(), category.c_str()));
    }
    status next(const counted &name, text category = nullptr) {
        return next(detail::spelled(name.name.c_str(), name.index), category);
    }
    // What XTIMER_PHASE calls.
    xtimer_status_t next_at(xtimer_site_t &site) noexcept {
        return timer_.handle == 0 ? xtimer_switch_at(&token_, &site)
                                  : xtimer_timer_switch_at(timer_, &token_, &site);
    }

    // Whether a phase is open: not refused, the timer not switched off, not stopped.
    bool is_open() const noexcept { return token_ != 0; }

    // Ends the phase; the next one may come later.
    status stop() { return status(end()); }

  private:
    xtimer_status_t end() noexcept {
        if (token_ == 0) return XTIMER_STATUS_OK;
        const xtimer_status_t ended =
            timer_.handle == 0 ? xtimer_end(token_) : xtimer_timer_end(timer_, token_);
        // Refused here, it is still the other thread's to end.
        if (ended != XTIMER_STATUS_OTHER_CONTEXT) token_ = 0;
        return ended;
    }
    xtimer_t timer_{}; // zero: the default one
    xtimer_token_t token_ = 0;
};

// What XTIMER_SCOPE makes: a section of the default timer by its call site.
class site_scope {
  public:
    explicit site_scope(xtimer_site_t &site) noexcept : token_(xtimer_begin_at(&site)) {}
    ~site_scope() { xtimer_end(token_); }
    site_scope(const site_scope &) = delete;
    site_scope &operator=(const site_scope &) = delete;

  private:
    xtimer_token_t token_;
};

inline path current_path() noexcept { return {xtimer_current_path()}; }
inline status forbid(text outer, text inner) { return default_timer().forbid(outer, inner); }
inline status clear_rules() { return default_timer().clear_rules(); }
inline status clear() { return default_timer().clear(); }
inline status set_enabled(bool enabled) { return default_timer().set_enabled(enabled); }
inline bool is_enabled() noexcept { return default_timer().is_enabled(); }
template <typename Rep, typename Period>
status record(text name, text category, std::chrono::duration<Rep, Period> time) {
    const detail::duration given(time);
    return status(given.is_whole
                      ? xtimer_record_ns(name.c_str(), category.c_str(), given.nanoseconds)
                      : xtimer_record_seconds(name.c_str(), category.c_str(), given.seconds));
}
template <typename Rep, typename Period>
status record(beneath where, text name, text category, std::chrono::duration<Rep, Period> time) {
    const detail::duration given(time);
    const xtimer_path_t parent = where.parent.value;
    return status(given.is_whole ? xtimer_record_beneath_ns(parent, name.c_str(), category.c_str(),
                                                            given.nanoseconds)
                                 : xtimer_record_beneath_seconds(parent, name.c_str(),
                                                                 category.c_str(), given.seconds));
}
inline seconds total() noexcept { return default_timer().total(); }
inline seconds category_total(text category) noexcept {
    return default_timer().category_total(category);
}
inline std::string report(bool flatten = true) { return default_timer().report(flatten); }
inline std::string export_json(bool flatten = true, unsigned indent = 2) {
    return default_timer().export_json(flatten, indent);
}
inline status save_json(text file, bool flatten = true, unsigned indent = 2) {
    return default_timer().save_json(file, flatten, indent);
}
inline std::vector<section> sections(bool flatten = true) {
    return default_timer().sections(flatten);
}
inline status begin_steps(std::size_t windows) { return default_timer().begin_steps(windows); }
inline status step() { return default_timer().step(); }
inline status warm_up() { return default_timer().warm_up(); }
inline std::vector<section> window(std::size_t windows = 1, bool flatten = true) {
    return default_timer().window(windows, flatten);
}
inline std::string window_report(std::size_t windows = 1, bool flatten = true) {
    return default_timer().window_report(windows, flatten);
}

} // namespace timed

// The call site is that of a type within a lambda: lambdas are numbered within their function, so
// the type is the same in each unit that holds an inline function. What __COUNTER__ names has no
// linkage: it differs between units. Names end with _, so that none hides one in the arguments.

// Times the rest of the block. Name and, optionally, category are constants; for names made at run
// time there is xtimer::scope.
#define XTIMER_SCOPE(...)                                                                          \
    const ::xtimer::site_scope XTIMER_JOIN(xtimer_scope_, __COUNTER__)(                            \
        []() noexcept -> xtimer_site_t & {                                                         \
            struct xtimer_here_ {                                                                  \
                static constexpr ::xtimer::detail::literal xtimer_text_() {                        \
                    return {__VA_ARGS__};                                                          \
                }                                                                                  \
            };                                                                                     \
            return ::xtimer::detail::site_of<xtimer_here_>;                                        \
        }())

// Phases of the rest of the block: XTIMER_PHASES begins the first, each XTIMER_PHASE ends the one before
// and begins the next, at one reading of the clock. Constants, as for XTIMER_SCOPE; one row of phases a
// block.
#define XTIMER_PHASES(...) ::xtimer::phases xtimer_phases_(XTIMER_SITE_(__VA_ARGS__))
#define XTIMER_PHASE(...) static_cast<void>(xtimer_phases_.next_at(XTIMER_SITE_(__VA_ARGS__)))
#define XTIMER_SITE_(...)                                                                          \
    []() noexcept -> xtimer_site_t & {                                                             \
        struct xtimer_here_ {                                                                      \
            static constexpr ::xtimer::detail::literal xtimer_text_() { return {__VA_ARGS__}; }    \
        };                                                                                         \
        return ::xtimer::detail::site_of<xtimer_here_>;                                            \
    }()

// Times the rest of the function under its qualified name; the category is optional.
#define XTIMER_FUNCTION(...) XTIMER_FUNCTION_(__COUNTER__, __VA_ARGS__)
#define XTIMER_FUNCTION_(number, ...)                                                              \
    constexpr const auto &XTIMER_JOIN(xtimer_signature_, number) = XTIMER_SIGNATURE;               \
    const ::xtimer::site_scope XTIMER_JOIN(xtimer_scope_, number)(                                 \
        []() noexcept -> xtimer_site_t & {                                                         \
            struct xtimer_here_ {                                                                  \
                static constexpr const auto &xtimer_signature_() {                                 \
                    return XTIMER_JOIN(xtimer_signature_, number);                                 \
                }                                                                                  \
                static constexpr ::xtimer::detail::literal xtimer_text_() {                        \
                    return {::xtimer::detail::name_of<xtimer_here_>.data,                          \
                            ::xtimer::detail::category(__VA_ARGS__)};                              \
                }                                                                                  \
            };                                                                                     \
            return ::xtimer::detail::site_of<xtimer_here_>;                                        \
        }())

#else // XTIMER_DISABLE: the same names, and nothing behind them

inline namespace untimed {

inline std::string last_error() { return {}; }

class status {
  public:
    status() noexcept = default;
    explicit status(xtimer_status_t code) noexcept : code_(code) {}
    explicit operator bool() const noexcept { return code_ == XTIMER_STATUS_OK; }
    xtimer_status_t code() const noexcept { return code_; }
    std::string message() const { return {}; }

  private:
    xtimer_status_t code_ = XTIMER_STATUS_OK;
};

struct path {
    xtimer_path_t value{};
    bool is_top() const noexcept { return true; }
    friend bool operator==(const path &, const path &) noexcept { return true; }
    friend bool operator!=(const path &, const path &) noexcept { return false; }
};

struct beneath {
    explicit beneath(path where) noexcept : parent(where) {}
    path parent;
};

class timer_view {
  public:
    explicit timer_view(xtimer_t) noexcept {}
    xtimer_t handle() const noexcept { return {}; }
    path current_path() const noexcept { return {}; }
    status forbid(text, text) const noexcept { return {}; }
    status clear_rules() const noexcept { return {}; }
    status clear() const noexcept { return {}; }
    status set_enabled(bool) const noexcept { return {}; }
    bool is_enabled() const noexcept { return false; }
    template <typename Rep, typename Period>
    status record(text, text, std::chrono::duration<Rep, Period>) const noexcept {
        return {};
    }
    template <typename Rep, typename Period>
    status record(beneath, text, text, std::chrono::duration<Rep, Period>) const noexcept {
        return {};
    }
    seconds total() const noexcept { return seconds(0); }
    seconds category_total(text) const noexcept { return seconds(0); }
    std::string report(bool = true) const { return {}; }
    std::string export_json(bool = true, unsigned = 2) const { return {}; }
    status save_json(text, bool = true, unsigned = 2) const noexcept { return {}; }
    std::vector<section> sections(bool = true) const { return {}; }
    status begin_steps(std::size_t) const noexcept { return {}; }
    status step() const noexcept { return {}; }
    status warm_up() const noexcept { return {}; }
    std::vector<section> window(std::size_t = 1, bool = true) const { return {}; }
    std::string window_report(std::size_t = 1, bool = true) const { return {}; }
    ::xtimer::samples samples(const std::vector<std::string> &) const { return {}; }
    std::chrono::nanoseconds percentile(const std::vector<std::string> &, double,
                                        bool = true) const noexcept {
        return (std::chrono::nanoseconds::min)();
    }
};

inline timer_view default_timer() noexcept { return timer_view(xtimer_t{}); }

inline config default_config() noexcept { return {}; }

class timer : public timer_view {
  public:
    explicit timer(const config & = {}) noexcept : timer_view(xtimer_t{}) {}
    ~timer() {}
    timer(const timer &) = delete;
    timer &operator=(const timer &) = delete;
    status made() const noexcept { return {}; }
};

class [[nodiscard]] enabled {
  public:
    XTIMER_KEEP explicit enabled(const timer_view &) noexcept {}
    ~enabled() {}
    enabled(const enabled &) = delete;
    enabled &operator=(const enabled &) = delete;
    status made() const noexcept { return {}; }
};

// Its destructor is not trivial, so that a scope that is never looked at draws no warning.
class [[nodiscard]] scope {
  public:
    XTIMER_KEEP explicit scope(text, text = nullptr) noexcept {}
    XTIMER_KEEP explicit scope(const counted &, text = nullptr) noexcept {}
    XTIMER_KEEP scope(beneath, text, text = nullptr) noexcept {}
    XTIMER_KEEP scope(beneath, const counted &, text = nullptr) noexcept {}
    XTIMER_KEEP scope(const timer_view &, text, text = nullptr) noexcept {}
    XTIMER_KEEP scope(const timer_view &, const counted &, text = nullptr) noexcept {}
    XTIMER_KEEP scope(const timer_view &, beneath, text, text = nullptr) noexcept {}
    XTIMER_KEEP scope(const timer_view &, beneath, const counted &, text = nullptr) noexcept {}
    ~scope() {}
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    bool is_open() const noexcept { return false; }
    ::xtimer::path path() const noexcept { return {}; }
    status stop() noexcept { return {}; }
};

class [[nodiscard]] phases {
  public:
    phases() noexcept {}
    explicit phases(const timer_view &) noexcept {}
    XTIMER_KEEP explicit phases(text, text = nullptr) noexcept {}
    ~phases() {}
    phases(const phases &) = delete;
    phases &operator=(const phases &) = delete;
    status next(text, text = nullptr) noexcept { return {}; }
    status next(const counted &, text = nullptr) noexcept { return {}; }
    bool is_open() const noexcept { return false; }
    status stop() noexcept { return {}; }
};

class [[nodiscard]] detached {
  public:
    detached() noexcept {}
    XTIMER_KEEP explicit detached(text, text = nullptr) noexcept {}
    XTIMER_KEEP detached(beneath, text, text = nullptr) noexcept {}
    XTIMER_KEEP detached(const timer_view &, text, text = nullptr) noexcept {}
    XTIMER_KEEP detached(const timer_view &, beneath, text, text = nullptr) noexcept {}
    ~detached() {}
    detached(detached &&) noexcept {}
    detached &operator=(detached &&) noexcept { return *this; }
    bool is_open() const noexcept { return false; }
    ::xtimer::path path() const noexcept { return {}; }
    status finish() noexcept { return {}; }
};

inline path current_path() noexcept { return {}; }
inline status forbid(text, text) noexcept { return {}; }
inline status clear_rules() noexcept { return {}; }
inline status clear() noexcept { return {}; }
inline status set_enabled(bool) noexcept { return {}; }
inline bool is_enabled() noexcept { return false; }
template <typename Rep, typename Period>
status record(text, text, std::chrono::duration<Rep, Period>) noexcept {
    return {};
}
template <typename Rep, typename Period>
status record(beneath, text, text, std::chrono::duration<Rep, Period>) noexcept {
    return {};
}
inline seconds total() noexcept { return seconds(0); }
inline seconds category_total(text) noexcept { return seconds(0); }
inline std::string report(bool = true) { return {}; }
inline std::string export_json(bool = true, unsigned = 2) { return {}; }
inline status save_json(text, bool = true, unsigned = 2) noexcept { return {}; }
inline std::vector<section> sections(bool = true) { return {}; }
inline status begin_steps(std::size_t) noexcept { return {}; }
inline status step() noexcept { return {}; }
inline status warm_up() noexcept { return {}; }
inline std::vector<section> window(std::size_t = 1, bool = true) { return {}; }
inline std::string window_report(std::size_t = 1, bool = true) { return {}; }

} // namespace untimed

#define XTIMER_SCOPE(...) static_assert(true, "XTIMER_DISABLE is defined")
#define XTIMER_FUNCTION(...) static_assert(true, "XTIMER_DISABLE is defined")
#define XTIMER_PHASES(...) static_assert(true, "XTIMER_DISABLE is defined")
#define XTIMER_PHASE(...) static_cast<void>(0)

#endif // XTIMER_DISABLE

} // namespace xtimer

#endif // XTIMER_HPP
