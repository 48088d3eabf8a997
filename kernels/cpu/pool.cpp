#include "pool.h"

#include <chrono>

#if defined(TONNELLE_X86)
#include <immintrin.h>
#endif

namespace tonnelle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::microseconds(50);  // longer than what lies between two ops of a step

void pause() {
#if defined(TONNELLE_X86)
    _mm_pause();
#endif
}

// Returns when value differs from old: looks for a moment, then sleeps until notified.
template <class T>
void await_change(const std::atomic<T>& value, T old) {
    const auto deadline = Clock::now() + kPatience;
    do {
        for (int i = 0; i < 64; ++i) {
            if (value.load(std::memory_order_acquire) != old) return;
            pause();
        }
    } while (Clock::now() < deadline);
    value.wait(old, std::memory_order_acquire);
}

}  // namespace

Pool& Pool::shared() {
    static Pool* const pool = new Pool;
    return *pool;
}

void Pool::resize(int threads) {
    const std::lock_guard<std::mutex> lock(owner_);
    if (threads == this->threads()) return;
    ending_.store(true, std::memory_order_release);
    wake();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    threads_.store(1, std::memory_order_relaxed);
    ending_.store(false, std::memory_order_release);
    for (int i = 1; i < threads; ++i) {
        workers_.emplace_back([this] { worker(); });
        threads_.store(i + 1, std::memory_order_relaxed);
    }
}

void Pool::run(int32_t tasks, Function function, void* state) {
    std::unique_lock<std::mutex> lock(owner_, std::defer_lock);
    if (tasks <= 1 || !lock.try_lock() || workers_.empty()) {
        for (int32_t task = 0; task < tasks; ++task) function(state, task);
        return;
    }
    function_ = function;
    state_ = state;
    tasks_ = tasks;
    done_.store(0, std::memory_order_relaxed);
    left_.store(tasks, std::memory_order_release);
    wake();
    work();
    for (int32_t done; (done = done_.load(std::memory_order_acquire)) != tasks;) await_change(done_, done);
}

void Pool::wake() {
    epoch_.fetch_add(1, std::memory_order_acq_rel);
    epoch_.notify_all();
}

void Pool::work() {
    for (int32_t left; (left = left_.fetch_sub(1, std::memory_order_acq_rel)) > 0;) {
        const int32_t tasks = tasks_;  // the run may end, and another begin, as soon as this task is counted
        function_(state_, tasks - left);
        if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == tasks) done_.notify_one();
    }
}

void Pool::worker() {
    uint32_t seen = epoch_.load(std::memory_order_acquire);
    while (!ending_.load(std::memory_order_acquire)) {
        work();
        await_change(epoch_, seen);
        seen = epoch_.load(std::memory_order_acquire);
    }
}

}  // namespace tonnelle
