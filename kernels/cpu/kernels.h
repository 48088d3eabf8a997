// What every instruction set provides: the kernels as a table of functions over raw pointers.
// Plain types only, since the files of an instruction set must not instantiate anything another file shares.
#pragma once
#include <stdint.h>

namespace tonnelle {

enum DType : int32_t { kFloat32 = 0, kBFloat16 = 1, kFloat16 = 2 };
enum Activation : int32_t { kSilu = 0, kGeluTanh = 1, kRelu = 2, kRelu2 = 3 };

// y[rows, out] = x[rows, in] w[out, in]^T + bias[out]; bias may be null.
struct LinearArgs {
    const float* x;
    const void* weight;
    const float* bias;
    float* y;
    int64_t rows, in, out;
    DType dtype;  // of weight
};

// y = x / sqrt(mean(x^2) + eps) * weight, over rows of `size`.
struct NormArgs {
    const float *x, *weight;
    float* y;
    int64_t size;
    float eps;
};

// x, y: [tokens, heads, dim]; cos, sin: [tokens, half], 2 half <= dim.
struct RotateArgs {
    const float *x, *cos, *sin;
    float* y;
    int64_t heads, dim, half;
};

struct GatedArgs {
    const float *gate, *up;
    float* y;
    Activation activation;
};

// k, v: [tokens, size]; caches: [slots of all pages, size].
struct WriteArgs {
    const float *k, *v;
    void *k_cache, *v_cache;
    const int64_t* slots;
    int64_t size;
    DType dtype;  // of the caches
};

// q, out: [tokens, heads, dim]; k, v: [pages, page_tokens, kv_heads, dim]; window: 0 for none.
struct AttentionArgs {
    const float* q;
    const void *k, *v;
    float* out;
    int64_t heads, kv_heads, dim, page_tokens, window;
    float scale;
    DType dtype;      // of k and v
    float* partials;  // rows of a maximum, a sum, and `dim` weighted values
};

// The keys first..last of one sequence, seen by its queries; a row of partials for each query and head.
struct SplitTask {
    const int32_t* pages;
    int64_t first_query, queries;  // row in q, and how many
    int64_t position;              // of the first query
    int64_t first, last;           // positions of the keys
    int64_t partial;               // where its rows begin
};

// One query's rows of partials, `splits` times `stride` floats apart, become its row of out.
struct MergeTask {
    int64_t query, partial, splits, stride;
};

constexpr int64_t kKeyBlock = 64;  // keys whose scores are held at a time; pages must be multiples of it

inline int64_t partial_size(int64_t dim) { return dim + 2; }

// A function that takes (first, last) computes that part of its outputs, rows or elements.
struct KernelTable {
    const char* name;
    void (*linear)(const LinearArgs&, int64_t first, int64_t last);   // outputs
    void (*rms_norm)(const NormArgs&, int64_t first, int64_t last);   // rows
    void (*rotate)(const RotateArgs&, int64_t first, int64_t last);   // tokens
    void (*gated)(const GatedArgs&, int64_t first, int64_t last);     // elements
    void (*write_kv)(const WriteArgs&, int64_t first, int64_t last);  // tokens
    void (*attend)(const AttentionArgs&, const SplitTask&, int64_t kv_head);
    void (*merge)(const AttentionArgs&, const MergeTask&);
    int64_t (*read)(const void*, int64_t bytes);  // sums 64-bit words: what the memory can give
};

extern const KernelTable kGeneric;
#if defined(TONNELLE_X86)
extern const KernelTable kAvx2;
extern const KernelTable kAvx512;
#endif

}  // namespace tonnelle
