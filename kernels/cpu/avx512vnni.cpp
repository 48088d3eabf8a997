// x86-64 with AVX-512 F, BW, VL, DQ, VNNI and VBMI2: from Ice Lake and Zen 4 on.
#define TONNELLE_VNNI
#include "exl3_bits_avx512.h"

#include "attention.h"
#include "exl3.h"
#include "exl3_fast.h"
#include "linear.h"
#include "rows.h"

namespace tonnelle {

extern const KernelTable kAvx512Vnni = {"avx512vnni", linear, rms_norm, rotate, gated, write_kv, attend, merge,
                                    exl3_turn, exl3_multiply, exl3_turn_fast, exl3_multiply_fast,
                                    exl3_finish, exl3_decode, read};

}  // namespace tonnelle
