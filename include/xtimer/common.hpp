// What the header needs whether it is switched off or not: words of the compiler, plain values, and what
// is known of a call site when it is compiled. A part of xtimer.hpp.
#ifndef XTIMER_COMMON_HPP
#define XTIMER_COMMON_HPP

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

#include "../xtimer.h"

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

} // namespace xtimer

#endif // XTIMER_COMMON_HPP
