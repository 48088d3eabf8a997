// Any processor: what every result can be compared with.
#include "exl3_bits_generic.h"

#include "attention.h"
#include "exl3.h"
#include "exl3_fast.h"
#include "linear.h"
#include "rows.h"

namespace tonnelle {

extern const KernelTable kGeneric = {"generic", linear, rms_norm, rotate, gated, write_kv, attend, merge,
                                     exl3_turn, exl3_multiply, exl3_turn_fast, exl3_multiply_fast,
                                     exl3_finish, exl3_decode, read};

}  // namespace tonnelle
