// Bits: eight 32-bit words, or sixteen 16-bit halves of words, in an AVX register.
#pragma once
#include "unroll.h"
#include "vec_avx2.h"

namespace {

struct Bits {
    static constexpr int kLanes = 8;
    __m256i v;
};

inline Bits fill32(uint32_t value) { return {_mm256_set1_epi32(static_cast<int>(value))}; }
inline Bits fill16(uint16_t value) { return {_mm256_set1_epi16(static_cast<short>(value))}; }
inline Bits load_bits(const void* from) { return {_mm256_loadu_si256(static_cast<const __m256i*>(from))}; }
// The first n words if there are fewer than lanes; the others are 0.
inline Bits load_bits_n(const void* from, int n) {
    if (n >= Bits::kLanes) return load_bits(from);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return {_mm256_maskload_epi32(static_cast<const int*>(from), mask)};
}

inline void store_bits(uint32_t* to, Bits a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a.v); }

inline Bits operator|(Bits a, Bits b) { return {_mm256_or_si256(a.v, b.v)}; }
// (a & kept) ^ flipped
inline Bits keep_flip(Bits a, uint32_t kept, uint32_t flipped) {
    return {_mm256_xor_si256(_mm256_and_si256(a.v, fill32(kept).v), fill32(flipped).v)};
}
template <int N>
inline Bits left32(Bits a) { return {_mm256_slli_epi32(a.v, N)}; }
template <int N>
inline Bits right32(Bits a) { return {_mm256_srli_epi32(a.v, N)}; }
template <int N>
inline Bits signed_right32(Bits a) { return {_mm256_srai_epi32(a.v, N)}; }
inline Bits add32(Bits a, Bits b) { return {_mm256_add_epi32(a.v, b.v)}; }
inline Bits add16(Bits a, Bits b) { return {_mm256_add_epi16(a.v, b.v)}; }
// The 16 bits that begin N bits into the 32 of a half of `before` followed by one of `after`; N from 1 to 15.
template <int N>
inline Bits join16(Bits before, Bits after) {
    return {_mm256_or_si256(_mm256_slli_epi16(before.v, N), _mm256_srli_epi16(after.v, 16 - N))};
}
inline Bits low_product16(Bits a, Bits b) { return {_mm256_mullo_epi16(a.v, b.v)}; }
inline Bits high_product16(Bits a, Bits b) { return {_mm256_mulhi_epu16(a.v, b.v)}; }
// a, and one more where b < than as signed numbers
inline Bits add_one_if_less16(Bits a, Bits b, Bits than) {
    return {_mm256_sub_epi16(a.v, _mm256_cmpgt_epi16(than.v, b.v))};
}
// The sum of the two bytes of every half.
inline Bits sum_bytes16(Bits a) { return {_mm256_maddubs_epi16(a.v, _mm256_set1_epi8(1))}; }
// a, and the product of the low halves plus that of the high ones, as signed numbers.
inline Bits dot16(Bits a, Bits b, Bits c) { return {_mm256_add_epi32(a.v, _mm256_madd_epi16(b.v, c.v))}; }
// Low halves of a, high halves of b.
inline Bits halves(Bits a, Bits b) { return {_mm256_blend_epi16(a.v, b.v, 0xaa)}; }
// Words of a where the lane is even, of b where it is odd.
inline Bits even_odd(Bits a, Bits b) { return {_mm256_blend_epi32(a.v, b.v, 0xaa)}; }
// Every lane takes the word of the lane before it; the first of eight that of the last.
inline Bits turn_eight(Bits a) {
    return {_mm256_permutevar8x32_epi32(a.v, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6))};
}

// Where the words i * M / 2 + W lie, of the lanes i.
template <int M, int W>
struct Places {
    static constexpr int word(int lane) { return lane * M / 2 + W; }
    // A bit for each word of a register that is wanted: at the lane that takes it, or at its own.
    static constexpr int mask(int of, bool own) {
        int bits = 0;
        for (int i = 0; i < 8; ++i)
            if (word(i) / 8 == of) bits |= 1 << (own ? word(i) % 8 : i);
        return bits;
    }
    // No two have the same place in their registers, so that all fit into one before they are put in order.
    static constexpr bool distinct() {
        int seen = 0;
        for (int i = 0; i < 8; ++i) seen |= 1 << word(i) % 8;
        return seen == 0xff;
    }
    static Bits in_order(Bits a) {
        const __m256i lanes = _mm256_setr_epi32(word(0) % 8, word(1) % 8, word(2) % 8, word(3) % 8,
                                                word(4) % 8, word(5) % 8, word(6) % 8, word(7) % 8);
        return {_mm256_permutevar8x32_epi32(a.v, lanes)};
    }
};

template <class P, int I, int N>
TONNELLE_INLINE Bits gather_rest(const Bits (&from)[N], Bits result) {
    if constexpr (I < N) {
        if constexpr (constexpr int mask = P::mask(I, P::distinct()); mask) {
            const Bits one = P::distinct() ? from[I] : P::in_order(from[I]);
            result = {_mm256_blend_epi32(result.v, one.v, mask)};
        }
        return gather_rest<P, I + 1>(from, result);
    }
    return result;
}

// Four words of each of eight groups, which are `size` words long.
TONNELLE_INLINE void transpose_four(const uint32_t* from, int size, Bits* to) {
    __m256i row[4];
    for (int i = 0; i < 4; ++i) {
        const __m256i first = _mm256_castsi128_si256(bits16(from + i * size));
        row[i] = _mm256_inserti128_si256(first, bits16(from + (i + 4) * size), 1);
    }
    const __m256i a = _mm256_unpacklo_epi32(row[0], row[1]), b = _mm256_unpackhi_epi32(row[0], row[1]);
    const __m256i c = _mm256_unpacklo_epi32(row[2], row[3]), d = _mm256_unpackhi_epi32(row[2], row[3]);
    to[0] = {_mm256_unpacklo_epi64(a, c)};
    to[1] = {_mm256_unpackhi_epi64(a, c)};
    to[2] = {_mm256_unpacklo_epi64(b, d)};
    to[3] = {_mm256_unpackhi_epi64(b, d)};
}

// Lane i of word[w] takes the word i * M / 2 + w of a tile.
template <int M, int N>
TONNELLE_INLINE void load_groups(const uint16_t* tile, Bits (&word)[N]) {
    if constexpr (M % 2 == 0 && N >= 4) {
        const uint32_t* from = reinterpret_cast<const uint32_t*>(tile);
        transpose_four(from + N - 4, N, word + N - 4);
        if constexpr (N > 4) transpose_four(from, N, word);
    } else {
        constexpr int registers = (4 * M + 7) / 8;
        Bits from[registers];
        for (int i = 0; i < registers; ++i) from[i] = load_bits_n(tile + 16 * i, 4 * M - 8 * i);
        unroll<0, N>([&](auto w) {
            using P = Places<M, w.value>;
            if constexpr (P::distinct()) word[w.value] = P::in_order(gather_rest<P, 1>(from, from[0]));
            else word[w.value] = gather_rest<P, 1>(from, P::in_order(from[0]));
        });
    }
}

inline Vec float_of_int(Bits a) { return {_mm256_cvtepi32_ps(a.v)}; }
inline Vec as_float(Bits a) { return {_mm256_castsi256_ps(a.v)}; }
inline Bits as_bits(Vec a) { return {_mm256_castps_si256(a.v)}; }

// Lanes are the columns of one half of a tile.
inline void store_columns(float* to, Vec a) { store(to, a); }

}  // namespace
