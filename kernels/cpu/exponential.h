// exp of a Vec: a = n ln 2 + r with |r| <= ln 2 / 2, then 2^n (1 + r + r^2 q(r)). Included by each Vec at its end.
// q is our least-squares fit on Chebyshev nodes of that interval, relative error 1.1e-8 in exact arithmetic.
#pragma once

namespace {

constexpr float kLog2e = 1.4426950216293335f;
constexpr float kLn2High = 0.693145751953125f;  // 15 bits: its products with n are exact
constexpr float kLn2Low = 1.428606765330187e-06f;

// Saturates at 1.2e-38 and 2.2e38, the ends of the normal numbers; NaN stays NaN.
inline Vec exponential(Vec a) {
    const Vec x = min(max(a, fill(-87.3f)), fill(88.3f));
    const Vec n = nearest_integer(x * fill(kLog2e));
    const Vec r = fma(n, fill(-kLn2Low), fma(n, fill(-kLn2High), x));
    Vec q = fill(0.0013934544986113906f);
    q = fma(q, r, fill(0.008363776840269566f));
    q = fma(q, r, fill(0.04166645556688309f));
    q = fma(q, r, fill(0.16666573286056519f));
    q = fma(q, r, fill(0.5f));
    return (fma(q, r * r, r) + fill(1.0f)) * power_of_two(n);
}

}  // namespace
