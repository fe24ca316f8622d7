// workers.hpp: threads that live for the whole run, and the all-reduce between them.
#pragma once

#include "xtimer.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

// What the main thread hands its workers each step. The path is that of the section open on the
// main thread: the workers' own sections open beneath it.
struct job {
    long step;
    float rate;
    xtimer::path parent;
};

class crew {
  public:
    crew(std::size_t count, std::function<void(std::size_t, const job &)> work)
        : work_(std::move(work)) {
        try {
            for (std::size_t worker = 0; worker < count; ++worker)
                threads_.emplace_back([this, worker] { serve(worker); });
        } catch (const std::system_error &error) {
            dismiss();
            throw std::runtime_error(std::string("cannot start a worker thread: ") + error.what());
        }
    }
    ~crew() { dismiss(); }
    crew(const crew &) = delete;
    crew &operator=(const crew &) = delete;

    // Every worker does this job; returns when the last one has.
    void run(const job &job) {
        std::unique_lock lock(mutex_);
        job_ = &job;
        busy_ = threads_.size();
        ++round_;
        called_.notify_all();
        done_.wait(lock, [this] { return busy_ == 0; });
    }

  private:
    void serve(std::size_t worker) {
        std::unique_lock lock(mutex_);
        for (std::size_t seen = 0;; ++seen) {
            called_.wait(lock, [&] { return dismissed_ || round_ > seen; });
            if (dismissed_) return;
            const job &job = *job_;
            lock.unlock();
            work_(worker, job);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    void dismiss() {
        {
            std::lock_guard lock(mutex_);
            dismissed_ = true;
        }
        called_.notify_all();
        for (std::thread &thread : threads_) thread.join();
    }

    std::function<void(std::size_t, const job &)> work_;
    std::mutex mutex_;
    std::condition_variable called_, done_;
    const job *job_ = nullptr;
    std::size_t round_ = 0, busy_ = 0;
    bool dismissed_ = false;
    std::vector<std::thread> threads_;
};

// Nobody leaves before all have come.
class barrier {
  public:
    explicit barrier(std::size_t count) : count_(count) {}

    void wait() {
        std::unique_lock lock(mutex_);
        const std::size_t round = round_;
        if (++here_ == count_) {
            here_ = 0;
            ++round_;
            all_here_.notify_all();
        } else {
            all_here_.wait(lock, [&] { return round_ != round; });
        }
    }

  private:
    const std::size_t count_;
    std::size_t here_ = 0, round_ = 0;
    std::mutex mutex_;
    std::condition_variable all_here_;
};

// Leaves the sum of all workers' numbers in every worker's buffer: each adds up its slice of all
// buffers (reduce-scatter), then copies the others' finished slices (all-gather). The sum of a
// slice is made once, so that all workers get the same bits.
class all_reduce {
  public:
    explicit all_reduce(std::size_t count) : buffers_(count), barrier_(count) {}

    void sum(std::size_t worker, std::vector<float> &numbers) {
        XTIMER_SCOPE("all-reduce", "comm");
        buffers_[worker] = numbers.data();
        {
            // Time spent here is the slowest worker's fault, not the transfer's.
            XTIMER_SCOPE("wait for the others", "comm");
            barrier_.wait();
        }
        const std::size_t size = numbers.size(), count = buffers_.size();
        const auto begin = [&](std::size_t slice) { return size * slice / count; };
        for (std::size_t k = 1; k < count; ++k) {
            const float *other = buffers_[(worker + k) % count];
            for (std::size_t i = begin(worker); i < begin(worker + 1); ++i)
                numbers[i] += other[i];
        }
        barrier_.wait();
        for (std::size_t k = 1; k < count; ++k) {
            const std::size_t slice = (worker + k) % count;
            std::copy(buffers_[slice] + begin(slice), buffers_[slice] + begin(slice + 1),
                      numbers.data() + begin(slice));
        }
        barrier_.wait(); // nobody touches a buffer that another still copies
    }

  private:
    std::vector<const float *> buffers_;
    barrier barrier_;
};
