// Any processor: what every result can be compared with.
#include "vec_generic.h"

#include "attention.h"
#include "linear.h"
#include "rows.h"

namespace tonnelle {

extern const KernelTable kGeneric = {"generic", linear, rms_norm, rotate, gated, write_kv, attend, merge, read};

}  // namespace tonnelle
