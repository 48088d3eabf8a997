// Which instruction sets this processor and its operating system have.
#pragma once
#include <vector>

#include "kernels.h"

namespace tonnelle {

// Best last; generic is always there.
std::vector<const KernelTable*> usable_tables();

}  // namespace tonnelle
