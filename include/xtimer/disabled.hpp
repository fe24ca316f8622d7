// With XTIMER_DISABLE defined: the same names, and nothing behind them. A part of xtimer.hpp.
#ifndef XTIMER_DISABLED_HPP
#define XTIMER_DISABLED_HPP

#include "common.hpp"

namespace xtimer {

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

class snapshot {
  public:
    explicit snapshot(bool = true) noexcept {}
    snapshot(xtimer_snapshot_t, status) noexcept {}
    ~snapshot() {}
    snapshot(snapshot &&) noexcept {}
    snapshot &operator=(snapshot &&) noexcept { return *this; }
    status made() const noexcept { return {}; }
    std::vector<section> sections() const { return {}; }
    seconds total() const noexcept { return seconds(0); }
    std::vector<std::pair<std::string, seconds>> category_totals() const { return {}; }
    seconds category_total(text) const noexcept { return seconds(0); }
    xtimer_losses_t losses() const noexcept { return {}; }
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
    template <typename Rep, typename Period>
    status record(text, std::chrono::duration<Rep, Period>) const noexcept {
        return {};
    }
    template <typename Rep, typename Period>
    status record(beneath, text, std::chrono::duration<Rep, Period>) const noexcept {
        return {};
    }
    seconds total() const noexcept { return seconds(0); }
    seconds category_total(text) const noexcept { return seconds(0); }
    std::string report(bool = true) const { return {}; }
    std::string export_json(bool = true, unsigned = 2) const { return {}; }
    status save_json(text, bool = true, unsigned = 2) const noexcept { return {}; }
    std::vector<section> sections(bool = true) const { return {}; }
    snapshot take_snapshot(bool = true) const noexcept { return snapshot(); }
    snapshot take_window(std::size_t = 1, bool = true) const noexcept { return snapshot(); }
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
template <typename Rep, typename Period>
status record(text, std::chrono::duration<Rep, Period>) noexcept {
    return {};
}
template <typename Rep, typename Period>
status record(beneath, text, std::chrono::duration<Rep, Period>) noexcept {
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
} // namespace xtimer

// The constants count as used.
#define XTIMER_SCOPE(...)                                                                          \
    static_assert(sizeof(::xtimer::detail::literal{__VA_ARGS__}) != 0, "XTIMER_DISABLE is defined")
#define XTIMER_FUNCTION(...) static_assert(true, "XTIMER_DISABLE is defined")
#define XTIMER_PHASES(...) static_assert(true, "XTIMER_DISABLE is defined")
#define XTIMER_PHASE(...) static_cast<void>(0)

#endif // XTIMER_DISABLED_HPP
