// Loops whose counter is a constant of its own type in every step, and functions that belong into them: compilers hold
// back where one that is used often is long.
#pragma once

#if defined(TONNELLE_INLINE)  // by who knows better
#elif defined(_MSC_VER)
#define TONNELLE_INLINE __forceinline
#else
#define TONNELLE_INLINE inline __attribute__((always_inline))
#endif

namespace {

template <int I>
struct Index {
    static constexpr int value = I;
};

// f(Index<i>{}) for i from First to Last - 1.
template <int First, int Last, class F>
inline void unroll(F&& f) {
    if constexpr (First < Last) {
        f(Index<First>{});
        unroll<First + 1, Last>(f);
    }
}

}  // namespace
