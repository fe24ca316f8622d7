// What a call came to, with the sentence that says why. A part of xtimer.hpp.
#ifndef XTIMER_STATUS_HPP
#define XTIMER_STATUS_HPP

#include "common.hpp"

namespace xtimer {
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

} // namespace timed
} // namespace xtimer

#endif // XTIMER_STATUS_HPP
