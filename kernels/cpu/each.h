// Walking over floats a vector at a time, the last one as long as it is.
#pragma once
#include "kernels.h"

namespace {

// f(k, n) for each vector of `size` floats; n is below Vec::kLanes in the last one if it is not full.
template <class F>
inline void each_vector(int64_t size, F f) {
    int64_t k = 0;
    for (; k + Vec::kLanes <= size; k += Vec::kLanes) f(k, Vec::kLanes);
    if (k < size) f(k, size - k);
}

template <class T>
inline Vec get(const T* from, int64_t n) { return n == Vec::kLanes ? load(from) : load_n(from, n); }

template <class T>
inline void put(T* to, Vec a, int64_t n) {
    if (n == Vec::kLanes)
        store(to, a);
    else
        store_n(to, a, n);
}

}  // namespace
