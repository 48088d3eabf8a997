// Bits: eight 32-bit words, or sixteen 16-bit halves of words, in plain C++.
#pragma once
#define TONNELLE_INLINE inline  // every operation is a loop here: inlined by force, megabytes
#include "unroll.h"
#include "vec_generic.h"

namespace {

struct Bits {
    static constexpr int kLanes = 8;
    uint32_t lane[kLanes];
};

template <class F>
inline Bits each_word(F f) {
    Bits result;
    for (int i = 0; i < Bits::kLanes; ++i) result.lane[i] = f(i);
    return result;
}

// f of the low and of the high half of every word.
template <class F>
inline Bits each_half(F f) {
    return each_word([&](int i) {
        const auto low = static_cast<uint16_t>(f(i, 0)), high = static_cast<uint16_t>(f(i, 16));
        return static_cast<uint32_t>(high) << 16 | low;
    });
}

inline uint32_t half_of(const Bits& a, int i, int shift) { return a.lane[i] >> shift & 0xffff; }

inline Bits fill32(uint32_t value) {
    return each_word([=](int) { return value; });
}
inline Bits fill16(uint16_t value) { return fill32(value * 0x10001u); }
inline Bits load_bits(const uint32_t* from) {
    return each_word([=](int i) { return from[i]; });
}
inline void store_bits(uint32_t* to, Bits a) { memcpy(to, a.lane, sizeof a.lane); }

inline Bits operator|(Bits a, Bits b) {
    return each_word([&](int i) { return a.lane[i] | b.lane[i]; });
}
// (a & kept) ^ flipped
inline Bits keep_flip(Bits a, uint32_t kept, uint32_t flipped) {
    return each_word([&](int i) { return (a.lane[i] & kept) ^ flipped; });
}
template <int N>
inline Bits left32(Bits a) {
    return each_word([&](int i) { return a.lane[i] << N; });
}
template <int N>
inline Bits right32(Bits a) {
    return each_word([&](int i) { return a.lane[i] >> N; });
}
template <int N>
inline Bits signed_right32(Bits a) {
    return each_word([&](int i) { return static_cast<uint32_t>(static_cast<int32_t>(a.lane[i]) >> N); });
}
inline Bits add32(Bits a, Bits b) {
    return each_word([&](int i) { return a.lane[i] + b.lane[i]; });
}
inline Bits add16(Bits a, Bits b) {
    return each_half([&](int i, int s) { return half_of(a, i, s) + half_of(b, i, s); });
}
// The 16 bits that begin N bits into the 32 of a half of `before` followed by one of `after`; N from 1 to 15.
template <int N>
inline Bits join16(Bits before, Bits after) {
    return each_half([&](int i, int s) { return half_of(before, i, s) << N | half_of(after, i, s) >> (16 - N); });
}
inline Bits low_product16(Bits a, Bits b) {
    return each_half([&](int i, int s) { return half_of(a, i, s) * half_of(b, i, s); });
}
inline Bits high_product16(Bits a, Bits b) {
    return each_half([&](int i, int s) { return half_of(a, i, s) * half_of(b, i, s) >> 16; });
}
// a, and one more where b < than as signed numbers
inline Bits add_one_if_less16(Bits a, Bits b, Bits than) {
    return each_half([&](int i, int s) {
        return half_of(a, i, s) +
               (static_cast<int16_t>(half_of(b, i, s)) < static_cast<int16_t>(half_of(than, i, s)) ? 1u : 0u);
    });
}
// The sum of the two bytes of every half.
inline Bits sum_bytes16(Bits a) {
    return each_half([&](int i, int s) { return (a.lane[i] >> s & 0xff) + (a.lane[i] >> (s + 8) & 0xff); });
}
// a, and the product of the low halves plus that of the high ones, as signed numbers.
inline Bits dot16(Bits a, Bits b, Bits c) {
    const auto product = [&](int i, int s) {
        return static_cast<int16_t>(half_of(b, i, s)) * static_cast<int16_t>(half_of(c, i, s));
    };
    return each_word([&](int i) { return a.lane[i] + static_cast<uint32_t>(product(i, 0) + product(i, 16)); });
}
// Low halves of a, high halves of b.
inline Bits halves(Bits a, Bits b) {
    return each_word([&](int i) { return (a.lane[i] & 0xffff) | (b.lane[i] & 0xffff0000); });
}
// Words of a where the lane is even, of b where it is odd.
inline Bits even_odd(Bits a, Bits b) {
    return each_word([&](int i) { return i % 2 ? b.lane[i] : a.lane[i]; });
}
// Every lane takes the word of the lane before it; the first of eight that of the last.
inline Bits turn_eight(Bits a) {
    return each_word([&](int i) { return a.lane[(i + 7) % 8]; });
}

// Lane i of word[w] takes the word i * M / 2 + w of a tile.
template <int M, int N>
TONNELLE_INLINE void load_groups(const uint16_t* tile, Bits (&word)[N]) {
    uint32_t stored[4 * M];
    memcpy(stored, tile, sizeof stored);
    for (int w = 0; w < N; ++w) word[w] = each_word([&](int i) { return stored[i * M / 2 + w]; });
}

inline Vec float_of_int(Bits a) {
    return each([&](int i) { return static_cast<float>(static_cast<int32_t>(a.lane[i])); });
}
inline Vec as_float(Bits a) {
    return each([&](int i) { return float_of(a.lane[i]); });
}
inline Bits as_bits(Vec a) {
    return each_word([&](int i) { return bits_of(a.lane[i]); });
}

// Lanes are the columns of one half of a tile.
inline void store_columns(float* to, Vec a) { store(to, a); }

}  // namespace
