// Vec: sixteen floats in an AVX-512 register; needs F, BW, VL and DQ.
#pragma once
#include <immintrin.h>

#include "half.h"

namespace {

struct Vec {
    static constexpr int64_t kLanes = 16;
    static constexpr int kTileRows = 8, kTileOutputs = 3;  // 24 of 32 registers hold sums
    __m512 v;
};

inline __mmask16 lanes(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
inline __m512 from_bfloat16(__m256i bits) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
inline __m256i to_bfloat16(__m512 a) {
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __mmask16 nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    const __m512i safe = _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(safe, 16));
}
inline __m256i to_float16(__m512 a) { return _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT); }

inline void prefetch(const void* from) { _mm_prefetch(static_cast<const char*>(from), _MM_HINT_T1); }
inline Vec fill(float value) { return {_mm512_set1_ps(value)}; }
inline Vec load(const float* from) { return {_mm512_loadu_ps(from)}; }
inline Vec load(const BFloat16* from) { return {from_bfloat16(_mm256_loadu_epi16(from))}; }
inline Vec load(const Float16* from) { return {_mm512_cvtph_ps(_mm256_loadu_epi16(from))}; }

// The first n lanes; the others are 0.
inline Vec load_n(const float* from, int64_t n) { return {_mm512_maskz_loadu_ps(lanes(n), from)}; }
inline Vec load_n(const BFloat16* from, int64_t n) {
    return {from_bfloat16(_mm256_maskz_loadu_epi16(lanes(n), from))};
}
inline Vec load_n(const Float16* from, int64_t n) {
    return {_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(lanes(n), from))};
}

inline void store(float* to, Vec a) { _mm512_storeu_ps(to, a.v); }
inline void store(BFloat16* to, Vec a) { _mm256_storeu_epi16(to, to_bfloat16(a.v)); }
inline void store(Float16* to, Vec a) { _mm256_storeu_epi16(to, to_float16(a.v)); }
inline void store_n(float* to, Vec a, int64_t n) { _mm512_mask_storeu_ps(to, lanes(n), a.v); }
inline void store_n(BFloat16* to, Vec a, int64_t n) { _mm256_mask_storeu_epi16(to, lanes(n), to_bfloat16(a.v)); }
inline void store_n(Float16* to, Vec a, int64_t n) { _mm256_mask_storeu_epi16(to, lanes(n), to_float16(a.v)); }

inline Vec operator+(Vec a, Vec b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Vec operator-(Vec a, Vec b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline Vec operator*(Vec a, Vec b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Vec operator/(Vec a, Vec b) { return {_mm512_div_ps(a.v, b.v)}; }
inline Vec fma(Vec a, Vec b, Vec c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }

// NaN where a is NaN: the instructions return their second operand then.
inline Vec max(Vec a, Vec b) { return {_mm512_max_ps(b.v, a.v)}; }
inline Vec min(Vec a, Vec b) { return {_mm512_min_ps(b.v, a.v)}; }

inline float sum(Vec a) { return _mm512_reduce_add_ps(a.v); }
// The sums of as many vectors as there are lanes, in two steps, each lane in the same order of additions.
// quad: lane 4 i + j is the sum of part i (four lanes) of vector j. join: of the quads of all vectors.
inline Vec quad(const Vec (&a)[4]) {
    const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a[0].v, a[1].v), _mm512_unpackhi_ps(a[0].v, a[1].v));
    const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(a[2].v, a[3].v), _mm512_unpackhi_ps(a[2].v, a[3].v));
    return {_mm512_add_ps(_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xee))};
}
inline __m512 halves(__m512 a, __m512 b) {  // sums of neighbouring parts: of a, then of b
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}
inline Vec join(const Vec (&quads)[4]) {
    return {halves(halves(quads[0].v, quads[1].v), halves(quads[2].v, quads[3].v))};
}

inline float largest(Vec a) { return _mm512_reduce_max_ps(a.v); }

inline Vec nearest_integer(Vec a) {
    return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
inline Vec power_of_two(Vec n) {
    const __m512i biased = _mm512_add_epi32(_mm512_cvtps_epi32(n.v), _mm512_set1_epi32(127));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(biased, 23))};
}

}  // namespace

#include "exponential.h"
