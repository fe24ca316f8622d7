// Sections: scopes, phases, sections on no stack, the functions of the default timer, and the macros. A part
// of xtimer.hpp.
#ifndef XTIMER_SCOPE_HPP
#define XTIMER_SCOPE_HPP

#include "timer.hpp"

namespace xtimer {
namespace detail {

// Ends what a token stands for, once; a zero timer is the default one.
inline xtimer_status_t end(xtimer_t timer, xtimer_token_t &token) noexcept {
    if (token == 0) return XTIMER_STATUS_OK;
    const xtimer_status_t ended =
        timer.handle == 0 ? xtimer_end(token) : xtimer_timer_end(timer, token);
    // Refused here, it is still the other thread's to end.
    if (ended != XTIMER_STATUS_OTHER_CONTEXT) token = 0;
    return ended;
}

} // namespace detail

inline namespace timed {

// A section from here to the end of the block. On the thread that made it.
class [[nodiscard]] scope {
  public:
    XTIMER_KEEP explicit scope(text name, text category = nullptr) noexcept
        : token_(xtimer_begin(name.c_str(), category.c_str())) {}
    XTIMER_KEEP explicit scope(const counted &name, text category = nullptr) noexcept
        : token_(xtimer_begin_counted(name.name.c_str(), name.index, category.c_str())) {}
    XTIMER_KEEP scope(beneath where, text name, text category = nullptr) noexcept
        : token_(xtimer_begin_beneath(where.parent.value, name.c_str(), category.c_str())) {}
    XTIMER_KEEP scope(beneath where, const counted &name, text category = nullptr) noexcept
        : token_(xtimer_begin_counted_beneath(where.parent.value, name.name.c_str(), name.index,
                                              category.c_str())) {}

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
                      text category = nullptr) noexcept
        : timer_(timer.handle()), token_(xtimer_timer_begin_counted_beneath(
                                      timer_, where.parent.value, name.name.c_str(), name.index,
                                      category.c_str())) {}

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
    xtimer_status_t end() noexcept { return detail::end(timer_, token_); }
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
    xtimer_status_t end() noexcept { return detail::end(timer_, token_); }
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
template <typename Rep, typename Period>
status record(text name, std::chrono::duration<Rep, Period> time) {
    return record(name, nullptr, time);
}
template <typename Rep, typename Period>
status record(beneath where, text name, std::chrono::duration<Rep, Period> time) {
    return record(where, name, nullptr, time);
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
} // namespace xtimer

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

#endif // XTIMER_SCOPE_HPP
