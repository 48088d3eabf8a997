// Each op over the pool: how its outputs are cut into tasks. No Python here; pointers are trusted, sizes too.
#pragma once
#include "kernels.h"

namespace tonnelle {

void run_linear(const KernelTable&, const LinearArgs&);
void run_rms_norm(const KernelTable&, const NormArgs&, int64_t rows);
void run_rotate(const KernelTable&, const RotateArgs&, int64_t tokens);
void run_gated(const KernelTable&, const GatedArgs&, int64_t elements);

// slots: that the caches have. Throws std::invalid_argument if a token's slot is not one of them.
void run_write_kv(const KernelTable&, const WriteArgs&, int64_t tokens, int64_t slots);

// `AttentionBatch` of Python, over caches of `pages`; sequences with more than most_queries are left out.
struct Sequences {
    const int32_t *page_table, *query_start, *kv_len;
    int64_t count, table_pages, tokens, pages, most_queries;
};

// Throws std::invalid_argument if the sequences speak of memory that is not there.
void run_attention(const KernelTable&, AttentionArgs, const Sequences&);

// The whole product for up to kExl3MostRows rows; finds room for what lies between. Throws std::invalid_argument for
// more, and for a fast one of another codebook than mul1.
void run_exl3_linear(const KernelTable&, Exl3Args, bool fast);

// Its parts, for a product that is made elsewhere. strips first..last of the weight go to [in, (last - first) strips].
void run_exl3_turn(const KernelTable&, const Exl3Args&);
void run_exl3_decode(const KernelTable&, const Exl3Weight&, float* to, int64_t first, int64_t last);
void run_exl3_finish(const KernelTable&, const Exl3Args&);

// The sum of the 64-bit words of a buffer.
int64_t run_read(const KernelTable&, const void* from, int64_t bytes);

}  // namespace tonnelle
