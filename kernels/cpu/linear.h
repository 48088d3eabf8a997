// y = x W^T + b for a few rows of x, straight from W as it is stored: bound by reading W once.
//
// A tile is R outputs by T rows of x; its sums are R * T vectors over the inner dimension. Every sum adds the same
// products in the same order in tiles of any size, so a row does not depend on what else is in the batch, nor an
// output on how the work is split.
#pragma once
#include "kernels.h"

namespace {

using tonnelle::LinearArgs;

// What a tile asks of the memory while it computes. Processors follow a row of a page or more by themselves, and need
// only be kept a little ahead of. Of shorter rows they lose track, so the next tile is fetched from its beginning, as
// it lies in memory. (Measured: half of the bandwidth without, nine tenths with.)
template <class W>
struct Ahead {
    const W* from;
    int64_t by_step, by_row;

    Ahead(const W* weight, int64_t in, int64_t rows) {
        constexpr int64_t kPage = 4096, kLead = 512;
        const bool lasting = in * static_cast<int64_t>(sizeof(W)) >= kPage;
        from = weight + (lasting ? kLead / static_cast<int64_t>(sizeof(W)) : rows * in);
        by_step = lasting ? 1 : rows;
        by_row = lasting ? in : Vec::kLanes;
    }
};

template <int R, int T, class W>
inline void linear_tile(const LinearArgs& args, int64_t output, int64_t row) {
    const int64_t in = args.in, whole = in / Vec::kLanes * Vec::kLanes;
    const W* weight = static_cast<const W*>(args.weight) + output * in;
    const float* x = args.x + row * in;
    const Ahead<W> ahead(weight, in, R);
    Vec sums[R][T];
    for (int r = 0; r < R; ++r)
        for (int t = 0; t < T; ++t) sums[r][t] = fill(0.0f);
    for (int64_t k = 0; k < whole; k += Vec::kLanes) {
        Vec part[T];
        for (int t = 0; t < T; ++t) part[t] = load(x + t * in + k);
        for (int r = 0; r < R; ++r) {
            const Vec w = load(weight + r * in + k);
            prefetch(ahead.from + k * ahead.by_step + r * ahead.by_row);
            for (int t = 0; t < T; ++t) sums[r][t] = fma(w, part[t], sums[r][t]);
        }
    }
    if (whole < in)
        for (int r = 0; r < R; ++r) {
            const Vec w = load_n(weight + r * in + whole, in - whole);
            for (int t = 0; t < T; ++t) sums[r][t] = fma(w, load_n(x + t * in + whole, in - whole), sums[r][t]);
        }
    for (int t = 0; t < T; ++t)
        for (int r = 0; r < R; ++r) {
            const float bias = args.bias ? args.bias[output + r] : 0.0f;
            args.y[(row + t) * args.out + output + r] = sum(sums[r][t]) + bias;
        }
}

// All rows of x against R outputs, whose weights stay in the first-level cache meanwhile.
template <int R, class W>
inline void linear_outputs(const LinearArgs& args, int64_t output) {
    int64_t row = 0;
    if constexpr (R <= Vec::kTileOutputs)
        for (; row + Vec::kTileRows <= args.rows; row += Vec::kTileRows)
            linear_tile<R, Vec::kTileRows, W>(args, output, row);
    if constexpr (Vec::kTileRows > 4)
        for (; row + 4 <= args.rows; row += 4) linear_tile<R, 4, W>(args, output, row);
    if constexpr (Vec::kTileRows > 2)
        for (; row + 2 <= args.rows; row += 2) linear_tile<R, 2, W>(args, output, row);
    for (; row < args.rows; ++row) linear_tile<R, 1, W>(args, output, row);
}

template <class W>
void linear_of(const LinearArgs& args, int64_t first, int64_t last) {
    int64_t output = first;
    if (args.rows == 1)  // the fewer rows, the more outputs at a time it takes to hide the latency of their sums
        for (; output + 8 <= last; output += 8) linear_tile<8, 1, W>(args, output, 0);
    else if (args.rows < Vec::kTileRows)
        for (; output + 4 <= last; output += 4) linear_outputs<4, W>(args, output);
    else
        for (; output + Vec::kTileOutputs <= last; output += Vec::kTileOutputs)
            linear_outputs<Vec::kTileOutputs, W>(args, output);
    for (; output < last; ++output) linear_outputs<1, W>(args, output);
}

void linear(const LinearArgs& args, int64_t first, int64_t last) {
    switch (args.dtype) {
        case tonnelle::kFloat32: return linear_of<float>(args, first, last);
        case tonnelle::kBFloat16: return linear_of<BFloat16>(args, first, last);
        case tonnelle::kFloat16: return linear_of<Float16>(args, first, last);
    }
}

}  // namespace
