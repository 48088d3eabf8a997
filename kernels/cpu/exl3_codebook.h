// The codebooks: from 16-bit states to weights, exactly as the format defines them.
//
// A state times a 32-bit constant is made of products of halves: the low half of the result is the low half of
// state * low(constant), the high half is its high half plus the low half of state * high(constant).
#pragma once

namespace {

// Weights of the states in the low and in the high halves.
struct Weights {
    Vec low, high;
};

TONNELLE_INLINE Bits product_high(Bits states, uint32_t constant) {
    return add16(high_product16(states, fill16(constant & 0xffff)), low_product16(states, fill16(constant >> 16)));
}

// To float16's eleven bits, ties to even: the upper part of Dekker's splitting (1971). Its ties need not be even, but
// for every value that a codebook has they are.
TONNELLE_INLINE Vec rounded(Vec exact) {
    const Vec scaled = exact * fill(8193.0f);
    return scaled - (scaled - exact);
}

// The sum of the four bytes n of the product gives 1024 + n in float16, times a scale plus an offset, rounded once to
// float16. In float32 that is exact before it is rounded.
struct Mul1 {
    static constexpr uint32_t kMultiplier = 0x83dcd12d;
    static constexpr float kScale = 1774 * 0x1p-18f, kOffset = -1329 * 0x1p-7f + 1024 * kScale;

    static TONNELLE_INLINE Bits sums(Bits states) {
        const Bits low = low_product16(states, fill16(kMultiplier & 0xffff));
        return add16(sum_bytes16(low), sum_bytes16(product_high(states, kMultiplier)));
    }
    static TONNELLE_INLINE Vec value(Bits n) { return rounded(fma(float_of_int(n), fill(kScale), fill(kOffset))); }

    static TONNELLE_INLINE Weights of(Bits states) {
        const Bits n = sums(states);
        return {value(keep_flip(n, 0xffff, 0)), value(right32<16>(n))};
    }
};

// Of 3inst and mcg, each half of the product, but for its upper exponent bits, is a float16; the weight is their sum,
// rounded to float16. In float32 the sum is exact. This is the float32 of the one in the high half of every word.
template <uint32_t flipped = 0>
TONNELLE_INLINE Vec from_high(Bits a) {
    return as_float(keep_flip(signed_right32<3>(a), 0x81ffe000, 0x3f6c0000 ^ flipped));
}

template <uint32_t flipped>
TONNELLE_INLINE Weights sums_of(Bits low, Bits high) {
    return {rounded(from_high<flipped>(left32<16>(low)) + from_high(left32<16>(high))),
            rounded(from_high<flipped>(low) + from_high(high))};
}

struct Mcg {
    static constexpr uint32_t kMultiplier = 0xcbac1fed;

    static TONNELLE_INLINE Weights of(Bits states) {
        return sums_of<0>(low_product16(states, fill16(kMultiplier & 0xffff)), product_high(states, kMultiplier));
    }
};

// A constant is added to the product. The low half is kept with its top bit flipped, so that comparing it as a signed
// number tells whether its sum overflowed; the sign is flipped back where it is used.
struct ThreeInst {
    static constexpr uint32_t kMultiplier = 89226354, kAdded = 64248484;

    static TONNELLE_INLINE Weights of(Bits states) {
        constexpr uint16_t added = (kAdded & 0xffff) ^ 0x8000;
        const Bits low = add16(low_product16(states, fill16(kMultiplier & 0xffff)), fill16(added));
        const Bits high = add16(product_high(states, kMultiplier), fill16(kAdded >> 16));
        return sums_of<0x80000000>(low, add_one_if_less16(high, low, fill16(added)));
    }
};

}  // namespace
