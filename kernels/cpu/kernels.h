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

enum Codebook : int32_t { k3Inst = 0, kMcg = 1, kMul1 = 2 };

// Packed tiles, [in / 16, out / 16, 8 halves]; in and out are multiples of kExl3Block.
struct Exl3Weight {
    const uint16_t* trellis;
    int64_t in, out;
    int32_t halves;  // of bits of a weight: twice the rate
    Codebook codebook;
};

// Sixteen transformed inputs in the order of products: integers times a scale.
struct Exl3Run {
    uint32_t pairs[8];  // two signed integers of 16 bits each
    uint32_t start;     // where sums begin: -510 for every 1 of the integers
    float scale;
};

// y[rows, out] = svh * P(P(x[rows, in] * suh) W) + bias[out]; bias may be null. in and out may be less than of the
// weight: x is taken to go on with zeros, and y ends.
struct Exl3Args {
    const float* x;
    Exl3Weight weight;
    const void *suh, *svh;             // float16, as long as the weight is wide
    const float* bias;
    float* y;
    int64_t rows, in, out;
    float* turned;                     // P(x * suh): runs of 16 inputs, these many floats apart
    int64_t tile_stride, row_stride;
    Exl3Run* runs;                     // the same of the fast product: [weight.in / 16, rows]
    float* product;                    // [rows, weight.out]
};

constexpr int64_t kExl3Block = 128;    // inputs or outputs that are transformed together
constexpr int64_t kExl3Strip = 32;     // columns that a task can be cut to
constexpr int64_t kExl3MostRows = 64;  // of exl3_multiply

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
    void (*exl3_turn)(const Exl3Args&, int64_t first, int64_t last);      // blocks of inputs, through all rows
    void (*exl3_multiply)(const Exl3Args&, int64_t first, int64_t last);  // strips
    void (*exl3_turn_fast)(const Exl3Args&, int64_t first, int64_t last);
    void (*exl3_multiply_fast)(const Exl3Args&, int64_t first, int64_t last);
    void (*exl3_finish)(const Exl3Args&, int64_t first, int64_t last);    // blocks of outputs, through all rows
    void (*exl3_decode)(const Exl3Weight&, float* to, int64_t stride, int64_t origin, int64_t first,
                        int64_t last);  // strips
    int64_t (*read)(const void*, int64_t bytes);  // sums 64-bit words: what the memory can give
};

extern const KernelTable kGeneric;
#if defined(TONNELLE_X86)
extern const KernelTable kAvx2;
extern const KernelTable kAvx512;
extern const KernelTable kAvx512Vnni;
#endif

}  // namespace tonnelle
