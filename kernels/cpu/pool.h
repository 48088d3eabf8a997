// The threads of all kernels: one pool for the process, of the calling thread and some workers.
//
// A run hands out tasks by number, each to whoever is free, and returns when all are done. Workers look for the next
// run for a moment and then sleep, so an idle engine costs nothing and a short pause between two ops little.
#pragma once
#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace tonnelle {

class Pool {
public:
    // Never destroyed: its sleeping workers end with the process, at whatever point of its exit.
    static Pool& shared();

    // threads: the caller included. Waits for a run in progress.
    void resize(int threads);
    int threads() const { return threads_.load(std::memory_order_relaxed); }

    // body(i) for each i below tasks, on all threads; on the caller's alone if another thread is in a run.
    template <class F>
    void run(int32_t tasks, F&& body) {
        using Body = std::remove_reference_t<F>;
        run(tasks, [](void* state, int32_t task) { (*static_cast<Body*>(state))(task); }, &body);
    }

private:
    using Function = void (*)(void*, int32_t);

    Pool() = default;
    void run(int32_t tasks, Function function, void* state);
    void work();
    void worker();
    void wake();

    std::mutex owner_;  // held by the thread whose run it is
    std::vector<std::thread> workers_;
    std::atomic<int> threads_{1};

    // Written before `left_` is, read only by who holds a task, which keeps the run open.
    Function function_ = nullptr;
    void* state_ = nullptr;
    int32_t tasks_ = 0;

    alignas(64) std::atomic<int32_t> left_{0};   // tasks not handed out; below 0 when many asked too late
    alignas(64) std::atomic<int32_t> done_{0};   // 32 bits, as what is slept upon: systems know no other size
    alignas(64) std::atomic<uint32_t> epoch_{0};  // changes with every run, and to end the workers
    std::atomic<bool> ending_{false};
};

}  // namespace tonnelle
