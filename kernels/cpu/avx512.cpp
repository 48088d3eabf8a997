// x86-64 with AVX-512 F, BW, VL and DQ.
#include "vec_avx512.h"

#include "attention.h"
#include "linear.h"
#include "rows.h"

namespace tonnelle {

extern const KernelTable kAvx512 = {"avx512", linear, rms_norm, rotate, gated, write_kv, attend, merge, read};

}  // namespace tonnelle
