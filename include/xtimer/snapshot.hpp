// All numbers of a timer at one moment: sections, totals, losses. A part of xtimer.hpp.
#ifndef XTIMER_SNAPSHOT_HPP
#define XTIMER_SNAPSHOT_HPP

#include "status.hpp"

namespace xtimer {

namespace detail {

inline std::chrono::nanoseconds nanoseconds(std::uint64_t value) {
    using std::chrono::nanoseconds;
    if (value == XTIMER_NONE) return nanoseconds::min();
    const auto most = static_cast<std::uint64_t>(nanoseconds::max().count());
    return nanoseconds(static_cast<nanoseconds::rep>(value < most ? value : most));
}

} // namespace detail

inline namespace timed {

// A copy of a timer's numbers, which stays as it is whatever the timer does: sections, total and
// category totals agree with each other. From timer_view::take_snapshot and take_window, or of the
// default timer. Empty where it could not be taken. Move it; any thread, one at a time.
class snapshot {
  public:
    // Of the default timer as of now; counted sections, such as step[3], united where `flatten`.
    explicit snapshot(bool flatten = true)
        : made_(xtimer_snapshot_take(flatten, &taken_)) {}
    // Takes over what xtimer.h handed out.
    snapshot(xtimer_snapshot_t taken, status made) noexcept
        : taken_(taken), made_(std::move(made)) {}
    ~snapshot() { free(); }
    snapshot(snapshot &&other) noexcept
        : taken_(std::exchange(other.taken_, {})), made_(std::move(other.made_)) {}
    snapshot &operator=(snapshot &&other) noexcept {
        if (this != &other) {
            free();
            taken_ = std::exchange(other.taken_, {});
            made_ = std::move(other.made_);
        }
        return *this;
    }

    // Whether it could be taken.
    const status &made() const noexcept { return made_; }

    // Depth first, in order of first entry.
    std::vector<section> sections() const {
        std::vector<section> found;
        if (taken_.handle == 0) return found;
        const std::size_t count = xtimer_snapshot_count(taken_);
        found.reserve(count);
        for (std::size_t index = 0; index < count; ++index) {
            xtimer_section_info_t info;
            if (xtimer_snapshot_at(taken_, index, &info) != XTIMER_STATUS_OK) break;
            found.push_back(read(info));
        }
        return found;
    }

    // Time of the sections without a recorded parent.
    seconds total() const noexcept {
        return seconds(taken_.handle == 0
                           ? 0.0
                           : static_cast<double>(xtimer_snapshot_total_ns(taken_)) * 1e-9);
    }

    // Each category of a section and its total, sorted by code point.
    std::vector<std::pair<std::string, seconds>> category_totals() const {
        std::vector<std::pair<std::string, seconds>> found;
        if (taken_.handle == 0) return found;
        const std::size_t count = xtimer_snapshot_category_count(taken_);
        found.reserve(count);
        for (std::size_t index = 0; index < count; ++index) {
            const char *name = nullptr;
            std::uint64_t total = 0;
            if (xtimer_snapshot_category_at(taken_, index, &name, &total) != XTIMER_STATUS_OK)
                break;
            found.emplace_back(name, seconds(static_cast<double>(total) * 1e-9));
        }
        return found;
    }

    // Of one category; 0 where no section has it.
    seconds category_total(text category) const {
        const char *asked = category.c_str() == nullptr ? "default" : category.c_str();
        for (const auto &one : category_totals())
            if (one.first == asked) return one.second;
        return seconds(0);
    }

    // What was not recorded, or not as asked, each kind counted.
    xtimer_losses_t losses() const noexcept {
        xtimer_losses_t found{};
        if (taken_.handle != 0) xtimer_snapshot_losses(taken_, &found);
        return found;
    }

  private:
    void free() noexcept {
        if (taken_.handle != 0) xtimer_snapshot_free(taken_);
    }

    static section read(const xtimer_section_info_t &info) {
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
        return next;
    }

    xtimer_snapshot_t taken_{};
    status made_;
};

} // namespace timed
} // namespace xtimer

#endif // XTIMER_SNAPSHOT_HPP
