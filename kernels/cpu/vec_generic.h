// Vec: eight floats in plain C++, which compilers turn into what the processor has at least.
#pragma once
#include "half.h"

namespace {

struct Vec {
    static constexpr int64_t kLanes = 8;
    static constexpr int kTileRows = 1, kTileOutputs = 4;
    float lane[kLanes];
};

template <class F>
inline Vec each(F f) {
    Vec result;
    for (int i = 0; i < Vec::kLanes; ++i) result.lane[i] = f(i);
    return result;
}

inline void prefetch(const void*) {}
inline Vec fill(float value) {
    return each([=](int) { return value; });
}

template <class T>
inline Vec load(const T* from) {
    return each([=](int i) { return widen(from[i]); });
}

// The first n lanes; the others are 0.
template <class T>
inline Vec load_n(const T* from, int64_t n) {
    return each([=](int i) { return i < n ? widen(from[i]) : 0.0f; });
}

template <class T>
inline void store(T* to, Vec a) {
    for (int i = 0; i < Vec::kLanes; ++i) narrow(a.lane[i], to + i);
}

template <class T>
inline void store_n(T* to, Vec a, int64_t n) {
    for (int i = 0; i < n; ++i) narrow(a.lane[i], to + i);
}

inline Vec operator+(Vec a, Vec b) {
    return each([&](int i) { return a.lane[i] + b.lane[i]; });
}
inline Vec operator-(Vec a, Vec b) {
    return each([&](int i) { return a.lane[i] - b.lane[i]; });
}
inline Vec operator*(Vec a, Vec b) {
    return each([&](int i) { return a.lane[i] * b.lane[i]; });
}
inline Vec operator/(Vec a, Vec b) {
    return each([&](int i) { return a.lane[i] / b.lane[i]; });
}
inline Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }

// Of max and min: NaN where a is NaN.
inline Vec max(Vec a, Vec b) {
    return each([&](int i) { return a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i]; });
}
inline Vec min(Vec a, Vec b) {
    return each([&](int i) { return b.lane[i] < a.lane[i] ? b.lane[i] : a.lane[i]; });
}

inline float sum(Vec a) {
    float total = 0;
    for (int i = 0; i < Vec::kLanes; ++i) total += a.lane[i];
    return total;
}

// The sums of as many vectors as there are lanes, in two steps, each lane in the same order of additions.
// quad: lane 4 i + j is the sum of part i (four lanes) of vector j. join: of the quads of all vectors.
inline Vec quad(const Vec (&a)[4]) {
    return each([&](int i) {
        const float* part = a[i % 4].lane + i / 4 * 4;
        return (part[0] + part[2]) + (part[1] + part[3]);
    });
}
inline Vec join(const Vec (&quads)[2]) {
    return each([&](int i) { return quads[i / 4].lane[i % 4] + quads[i / 4].lane[i % 4 + 4]; });
}

inline float largest(Vec a) {
    float most = a.lane[0];
    for (int i = 1; i < Vec::kLanes; ++i) most = most < a.lane[i] ? a.lane[i] : most;
    return most;
}

// A float of this size has no bits for fractions, so the sum rounds; the difference is exact.
inline Vec nearest_integer(Vec a) {
    return each([&](int i) { return a.lane[i] + 0x1.8p23f - 0x1.8p23f; });
}
inline Vec power_of_two(Vec n) {
    return each([&](int i) { return float_of(static_cast<uint32_t>(static_cast<int32_t>(n.lane[i]) + 127) << 23); });
}

}  // namespace

#include "exponential.h"
