// Timers: what is read from one and done to it, timers of one's own, timers enabled for a scope. A part of
// xtimer.hpp.
#ifndef XTIMER_TIMER_HPP
#define XTIMER_TIMER_HPP

#include "snapshot.hpp"

namespace xtimer {

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
    status record(text name, std::chrono::duration<Rep, Period> time) const {
        return record(name, nullptr, time);
    }
    template <typename Rep, typename Period>
    status record(beneath where, text name, std::chrono::duration<Rep, Period> time) const {
        return record(where, name, nullptr, time);
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
        return take_snapshot(flatten).sections();
    }
    // All numbers of one moment.
    snapshot take_snapshot(bool flatten = true) const {
        xtimer_snapshot_t taken{};
        status made(xtimer_timer_snapshot_take(handle_, flatten, &taken));
        return snapshot(taken, std::move(made));
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
        return take_window(windows, flatten).sections();
    }
    snapshot take_window(std::size_t windows = 1, bool flatten = true) const {
        xtimer_snapshot_t taken{};
        status made(xtimer_timer_window_take(handle_, windows, flatten, &taken));
        return snapshot(taken, std::move(made));
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

} // namespace timed
} // namespace xtimer

#endif // XTIMER_TIMER_HPP
