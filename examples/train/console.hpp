// console.hpp: what the user types and what moves on the screen: options and the progress bar.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <vector>

struct options {
    std::vector<std::string> text;
    std::string root = ".", json = "train.json", profiles = "train",
                checkpoint = "train.checkpoint";
    long steps = 4000, slow_worker = -1;
    std::size_t workers = 2;
    double seconds = 40;
    std::uint64_t seed = 1;
    bool quiet = false, help = false;
};

inline constexpr const char *usage =
    "train: trains a small language model on text files, timed by xtimer\n"
    "\n"
    "  --text FILE...     train on these files (else: the Markdown files beneath the root)\n"
    "  --root DIR         where to look for Markdown files (.)\n"
    "  --steps N          training steps (4000)\n"
    "  --seconds S        stop after S seconds, whatever the steps (40)\n"
    "  --workers N        worker threads, 1 to 64 (2)\n"
    "  --slow-worker K    let worker K compute everything twice, to see the others wait\n"
    "  --seed N           where the random numbers begin (1)\n"
    "  --json FILE        where the profile goes (train.json)\n"
    "  --profiles PREFIX  where each worker's profile goes: PREFIX.0.xtp, PREFIX.1.xtp (train)\n"
    "  --checkpoint FILE  where the best model goes (train.checkpoint)\n"
    "  --quiet            no progress\n"
    "  --help             this text\n";

struct bad_option : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline options parse(int count, char **words) {
    options result;
    int next = 1;
    const auto value_follows = [&] {
        return next < count && std::string(words[next]).rfind("--", 0) != 0;
    };
    while (next < count) {
        const std::string name = words[next++];
        const auto value = [&]() -> std::string {
            if (!value_follows()) throw bad_option(name + " needs a value");
            return words[next++];
        };
        const auto number = [&](auto &target, long low, long high) {
            using type = std::remove_reference_t<decltype(target)>;
            const std::string word = value();
            char *end = nullptr;
            const double n = std::strtod(word.c_str(), &end);
            if (word.empty() || *end || !(n >= static_cast<double>(low)) ||
                n > static_cast<double>(high) || (std::is_integral_v<type> && n != std::floor(n)))
                throw bad_option(name + " needs a " + (std::is_integral_v<type> ? "whole " : "") +
                                 "number from " + std::to_string(low) + " to " +
                                 std::to_string(high) + ", not '" + word + "'");
            target = static_cast<type>(n);
        };
        if (name == "--help") result.help = true;
        else if (name == "--quiet") result.quiet = true;
        else if (name == "--root") result.root = value();
        else if (name == "--json") result.json = value();
        else if (name == "--profiles") result.profiles = value();
        else if (name == "--checkpoint") result.checkpoint = value();
        else if (name == "--steps") number(result.steps, 1, 1000000000);
        else if (name == "--seconds") number(result.seconds, 0, 1000000);
        else if (name == "--workers") number(result.workers, 1, 64);
        else if (name == "--slow-worker") number(result.slow_worker, 0, 63);
        else if (name == "--seed") number(result.seed, 0, 1000000000);
        else if (name == "--text")
            do result.text.push_back(value());
            while (value_follows());
        else throw bad_option("unknown option '" + name + "'; --help lists them all");
    }
    if (result.slow_worker >= static_cast<long>(result.workers))
        throw bad_option("--slow-worker " + std::to_string(result.slow_worker) +
                         " is not one of the workers 0 to " + std::to_string(result.workers - 1));
    return result;
}

// A bar on a terminal, else a line now and then, on stderr.
class progress {
  public:
    progress(long steps, bool quiet) : steps_(steps), quiet_(quiet), bar_(isatty(2) == 1) {}
    ~progress() {
        if (bar_ && !quiet_) std::fputs("\r\033[K", stderr);
    }
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    void show(long step, double training, double validation) {
        const auto now = std::chrono::steady_clock::now();
        if (quiet_ || (step < steps_ && now < next_)) return;
        next_ = now + std::chrono::milliseconds(bar_ ? 100 : 5000);
        if (bar_) {
            const auto filled = static_cast<std::size_t>(30 * step / steps_);
            std::fprintf(stderr, "\r[%s%s] ", std::string(filled, '=').c_str(),
                         std::string(30 - filled, ' ').c_str());
        }
        std::fprintf(stderr, "step %ld of %ld, loss %.3f, validation %.3f%s", step, steps_,
                     training, validation, bar_ ? "\033[K" : "\n");
    }

  private:
    long steps_;
    bool quiet_, bar_;
    std::chrono::steady_clock::time_point next_{};
};
