// x86-64 with AVX2, FMA and F16C.
#include "vec_avx2.h"

#include "attention.h"
#include "linear.h"
#include "rows.h"

namespace tonnelle {

extern const KernelTable kAvx2 = {"avx2", linear, rms_norm, rotate, gated, write_kv, attend, merge, read};

}  // namespace tonnelle
