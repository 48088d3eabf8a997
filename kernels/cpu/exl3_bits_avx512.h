// Bits: sixteen 32-bit words, or thirty-two 16-bit halves of words, in an AVX-512 register.
#pragma once
#include "unroll.h"
#include "vec_avx512.h"

namespace {

struct Bits {
    static constexpr int kLanes = 16;
    __m512i v;
};

inline Bits fill32(uint32_t value) { return {_mm512_set1_epi32(static_cast<int>(value))}; }
inline Bits fill16(uint16_t value) { return {_mm512_set1_epi16(static_cast<short>(value))}; }
inline Bits load_bits(const void* from) { return {_mm512_loadu_si512(from)}; }
// The first n words if there are fewer than lanes; the others are 0.
inline Bits load_bits_n(const void* from, int n) {
    return n >= Bits::kLanes ? load_bits(from) : Bits{_mm512_maskz_loadu_epi32(lanes(n), from)};
}

inline void store_bits(uint32_t* to, Bits a) { _mm512_storeu_si512(to, a.v); }

inline Bits operator|(Bits a, Bits b) { return {_mm512_or_si512(a.v, b.v)}; }
// (a & kept) ^ flipped
inline Bits keep_flip(Bits a, uint32_t kept, uint32_t flipped) {
    return {_mm512_ternarylogic_epi32(a.v, fill32(kept).v, fill32(flipped).v, 0x6a)};
}
template <int N>
inline Bits left32(Bits a) { return {_mm512_slli_epi32(a.v, N)}; }
template <int N>
inline Bits right32(Bits a) { return {_mm512_srli_epi32(a.v, N)}; }
template <int N>
inline Bits signed_right32(Bits a) { return {_mm512_srai_epi32(a.v, N)}; }
inline Bits add32(Bits a, Bits b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline Bits add16(Bits a, Bits b) { return {_mm512_add_epi16(a.v, b.v)}; }
// The 16 bits that begin N bits into the 32 of a half of `before` followed by one of `after`; N from 1 to 15.
template <int N>
inline Bits join16(Bits before, Bits after) {
#if defined(TONNELLE_VNNI)
    return {_mm512_shldi_epi16(before.v, after.v, N)};
#else
    return {_mm512_or_si512(_mm512_slli_epi16(before.v, N), _mm512_srli_epi16(after.v, 16 - N))};
#endif
}
inline Bits low_product16(Bits a, Bits b) { return {_mm512_mullo_epi16(a.v, b.v)}; }
inline Bits high_product16(Bits a, Bits b) { return {_mm512_mulhi_epu16(a.v, b.v)}; }
// a, and one more where b < than as signed numbers
inline Bits add_one_if_less16(Bits a, Bits b, Bits than) {
    const __mmask32 less = _mm512_cmplt_epi16_mask(b.v, than.v);
    return {_mm512_mask_add_epi16(a.v, less, a.v, _mm512_set1_epi16(1))};
}
// The sum of the two bytes of every half.
inline Bits sum_bytes16(Bits a) { return {_mm512_maddubs_epi16(a.v, _mm512_set1_epi8(1))}; }
// a, and the product of the low halves plus that of the high ones, as signed numbers.
inline Bits dot16(Bits a, Bits b, Bits c) {
#if defined(TONNELLE_VNNI)
    return {_mm512_dpwssd_epi32(a.v, b.v, c.v)};
#else
    return {_mm512_add_epi32(a.v, _mm512_madd_epi16(b.v, c.v))};
#endif
}
// Low halves of a, high halves of b.
inline Bits halves(Bits a, Bits b) { return {_mm512_ternarylogic_epi32(fill32(0xffff).v, a.v, b.v, 0xca)}; }
// Words of a where the lane is even, of b where it is odd.
inline Bits even_odd(Bits a, Bits b) { return {_mm512_mask_blend_epi32(0xaaaa, a.v, b.v)}; }
// Every lane takes the word of the lane before it; the first of eight that of the last.
inline Bits turn_eight(Bits a) {
    const __m512i lanes = _mm512_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14);
    return {_mm512_permutexvar_epi32(lanes, a.v)};
}

// Where the words i * M / 2 + W lie, of the lanes i, in registers or pairs of them.
template <int M, int W>
struct Places {
    int32_t lane[16];
    constexpr Places() : lane() {
        for (int i = 0; i < 16; ++i) lane[i] = word(i) % 32;
    }
    static constexpr int word(int lane) { return lane * M / 2 + W; }
    // Lanes whose word is in this pair.
    static constexpr uint16_t taking(int pair) {
        uint32_t bits = 0;
        for (int i = 0; i < 16; ++i)
            if (word(i) / 32 == pair) bits |= 1u << i;
        return static_cast<uint16_t>(bits);
    }
    // Places in this register that are wanted.
    static constexpr uint16_t wanted(int of) {
        uint32_t bits = 0;
        for (int i = 0; i < 16; ++i)
            if (word(i) / 16 == of) bits |= 1u << word(i) % 16;
        return static_cast<uint16_t>(bits);
    }
    // No two have the same place in their registers, so that all fit into one before they are put in order.
    static constexpr bool distinct() {
        uint32_t seen = 0;
        for (int i = 0; i < 16; ++i) seen |= 1u << word(i) % 16;
        return seen == 0xffff;
    }
};

template <class P, int N>
TONNELLE_INLINE __m512i gather(const Bits (&from)[N], __m512i lanes) {
    __m512i result = from[0].v;
    if constexpr (P::distinct()) {
        unroll<1, N>([&](auto i) { result = _mm512_mask_mov_epi32(result, P::wanted(i.value), from[i.value].v); });
        return _mm512_permutexvar_epi32(lanes, result);
    }
    unroll<0, (N + 1) / 2>([&](auto pair) {
        constexpr int first = 2 * pair.value, second = first + 1 < N ? first + 1 : first;
        const __m512i one = _mm512_permutex2var_epi32(from[first].v, lanes, from[second].v);
        result = pair.value ? _mm512_mask_mov_epi32(result, P::taking(pair.value), one) : one;
    });
    return result;
}

// Lane i of word[w] takes the word i * M / 2 + w of two tiles.
template <int M, int N>
TONNELLE_INLINE void load_groups(const uint16_t* tiles, Bits (&word)[N]) {
    constexpr int registers = (8 * M + 15) / 16;
    Bits from[registers];
    for (int i = 0; i < registers; ++i) from[i] = load_bits_n(tiles + 32 * i, 8 * M - 16 * i);
    unroll<0, N>([&](auto w) {
        using P = Places<M, w.value>;
        alignas(64) static constexpr P places;
        word[w.value] = {gather<P>(from, _mm512_load_si512(places.lane))};
    });
}

inline Vec float_of_int(Bits a) { return {_mm512_cvtepi32_ps(a.v)}; }
inline Vec as_float(Bits a) { return {_mm512_castsi512_ps(a.v)}; }
inline Bits as_bits(Vec a) { return {_mm512_castps_si512(a.v)}; }

// Lanes are the columns of one half of a tile, and those of the same half of the next tile.
inline void store_columns(float* to, Vec a) {
    _mm256_storeu_ps(to, _mm512_castps512_ps256(a.v));
    _mm256_storeu_ps(to + 16, _mm512_extractf32x8_ps(a.v, 1));
}

}  // namespace
