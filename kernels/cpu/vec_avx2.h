// Vec: eight floats in an AVX register; needs AVX2, FMA and F16C.
#pragma once
#include <immintrin.h>

#include "half.h"

namespace {

struct Vec {
    static constexpr int64_t kLanes = 8;
    static constexpr int kTileRows = 4, kTileOutputs = 3;  // 12 of 16 registers hold sums
    __m256 v;
};

inline __m128i bits16(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
inline void prefetch(const void* from) { _mm_prefetch(static_cast<const char*>(from), _MM_HINT_T1); }
inline Vec fill(float value) { return {_mm256_set1_ps(value)}; }
inline Vec load(const float* from) { return {_mm256_loadu_ps(from)}; }
inline Vec load(const BFloat16* from) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits16(from)), 16))};
}
inline Vec load(const Float16* from) { return {_mm256_cvtph_ps(bits16(from))}; }

// The first n lanes; the others are 0.
template <class T>
inline Vec load_n(const T* from, int64_t n) {
    T copy[Vec::kLanes] = {};
    for (int64_t i = 0; i < n; ++i) copy[i] = from[i];
    return load(copy);
}

inline void store(float* to, Vec a) { _mm256_storeu_ps(to, a.v); }
inline void store(BFloat16* to, Vec a) {
    const __m256i bits = _mm256_castps_si256(a.v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q));
    const __m256i upper = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
}
inline void store(Float16* to, Vec a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT));
}

template <class T>
inline void store_n(T* to, Vec a, int64_t n) {
    T copy[Vec::kLanes];
    store(copy, a);
    for (int64_t i = 0; i < n; ++i) to[i] = copy[i];
}

inline Vec operator+(Vec a, Vec b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Vec operator-(Vec a, Vec b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Vec operator*(Vec a, Vec b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Vec operator/(Vec a, Vec b) { return {_mm256_div_ps(a.v, b.v)}; }
inline Vec fma(Vec a, Vec b, Vec c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }

// NaN where a is NaN: the instructions return their second operand then.
inline Vec max(Vec a, Vec b) { return {_mm256_max_ps(b.v, a.v)}; }
inline Vec min(Vec a, Vec b) { return {_mm256_min_ps(b.v, a.v)}; }

inline float sum(Vec a) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// The sums of as many vectors as there are lanes, in two steps, each lane in the same order of additions.
// quad: lane 4 i + j is the sum of part i (four lanes) of vector j. join: of the quads of all vectors.
inline Vec quad(const Vec (&a)[4]) {
    const __m256 ab = _mm256_add_ps(_mm256_unpacklo_ps(a[0].v, a[1].v), _mm256_unpackhi_ps(a[0].v, a[1].v));
    const __m256 cd = _mm256_add_ps(_mm256_unpacklo_ps(a[2].v, a[3].v), _mm256_unpackhi_ps(a[2].v, a[3].v));
    return {_mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee))};
}
inline Vec join(const Vec (&quads)[2]) {
    return {_mm256_add_ps(_mm256_permute2f128_ps(quads[0].v, quads[1].v, 0x20),
                          _mm256_permute2f128_ps(quads[0].v, quads[1].v, 0x31))};
}

inline float largest(Vec a) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

inline Vec nearest_integer(Vec a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
inline Vec power_of_two(Vec n) {
    const __m256i biased = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(biased, 23))};
}

}  // namespace

#include "exponential.h"
