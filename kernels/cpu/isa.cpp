// CPUID says what the processor has, XGETBV whether the operating system saves its registers: both must hold
// (Intel SDM volume 1, chapters 14.3 and 15.2).
#include "isa.h"

#if defined(TONNELLE_X86)
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

namespace tonnelle {

#if defined(TONNELLE_X86)
namespace {

struct Leaf {
    uint32_t a, b, c, d;
};

Leaf cpuid(uint32_t leaf, uint32_t subleaf) {
    Leaf r{};
#if defined(_MSC_VER)
    int words[4];
    __cpuidex(words, static_cast<int>(leaf), static_cast<int>(subleaf));
    r = {static_cast<uint32_t>(words[0]), static_cast<uint32_t>(words[1]), static_cast<uint32_t>(words[2]),
         static_cast<uint32_t>(words[3])};
#else
    __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
#endif
    return r;
}

uint64_t saved_registers() {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<uint64_t>(high) << 32 | low;
#endif
}

bool all(uint64_t word, uint64_t bits) { return (word & bits) == bits; }
constexpr uint64_t bit(int n) { return uint64_t{1} << n; }

struct Sets {
    bool avx2 = false, avx512 = false, avx512vnni = false;
};

Sets probe() {
    if (cpuid(0, 0).a < 7) return {};
    if (!all(cpuid(1, 0).c, bit(12) | bit(27) | bit(28) | bit(29))) return {};  // FMA, OSXSAVE, AVX, F16C
    const Leaf extended = cpuid(7, 0);
    const uint64_t saved = saved_registers();
    Sets sets;
    sets.avx2 = all(saved, 0x6) && all(extended.b, bit(5));
    const bool saves = sets.avx2 && all(saved, 0xe6);
    sets.avx512 = saves && all(extended.b, bit(16) | bit(17) | bit(30) | bit(31));  // F, DQ, BW, VL
    sets.avx512vnni = sets.avx512 && all(extended.c, bit(6) | bit(11));  // VBMI2, VNNI
    return sets;
}

}  // namespace
#endif

std::vector<const KernelTable*> usable_tables() {
    std::vector<const KernelTable*> tables{&kGeneric};
#if defined(TONNELLE_X86)
    const Sets sets = probe();
    if (sets.avx2) tables.push_back(&kAvx2);
    if (sets.avx512) tables.push_back(&kAvx512);
    if (sets.avx512vnni) tables.push_back(&kAvx512Vnni);
#endif
    return tables;
}

}  // namespace tonnelle
