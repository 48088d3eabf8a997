// 16-bit floats as storage, and their scalar conversions (IEEE 754 binary16; bfloat16 is the upper half of binary32).
#pragma once
#include <stdint.h>
#include <string.h>

namespace {

struct BFloat16 {
    uint16_t bits;
};
struct Float16 {
    uint16_t bits;
};

inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

inline float widen(float value) { return value; }
inline float widen(BFloat16 value) { return float_of(static_cast<uint32_t>(value.bits) << 16); }

inline float widen(Float16 value) {
    const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
    const uint32_t rest = value.bits & 0x7fff;
    if (rest >= 0x7c00) return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    // The exponent is rebased by a product, which is exact and serves subnormal numbers too.
    return float_of(sign | bits_of(float_of(rest << 13) * 0x1p112f));
}

// Round to nearest, ties to even; NaN stays NaN.
inline void narrow(float value, float* to) { *to = value; }

inline void narrow(float value, BFloat16* to) {
    const uint32_t bits = bits_of(value);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    to->bits = static_cast<uint16_t>(nan ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline void narrow(float value, Float16* to) {
    const uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
    uint32_t half;
    if (magnitude > 0x7f800000) {
        half = 0x7e00;
    } else if (magnitude >= 0x477ff000) {  // 65520 and above round to infinity
        half = 0x7c00;
    } else if (magnitude < 0x38800000) {  // subnormal: adding 0.5 leaves multiples of 2^-24 in the low bits
        half = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000;
    } else {
        half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    }
    to->bits = static_cast<uint16_t>((bits >> 16 & 0x8000) | half);
}

}  // namespace
