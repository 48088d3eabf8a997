// y = svh * P(P(x * suh) W) + bias with W in packed tiles, decoded a few at a time where they are multiplied.
//
// Bound by decoding, so a tile's weights are made once for all rows of x. They and the inputs are kept in the order in
// which states come, not rows; the sums run over the inputs in that order for any number of rows and columns at a time,
// so a row depends on nothing else in the batch, nor an output on how the work is split.
#pragma once
#include "each.h"
#include "exl3_codebook.h"
#include "exl3_ring.h"
#include "kernels.h"

namespace {

using tonnelle::Exl3Args;
using tonnelle::Exl3Weight;
using tonnelle::kExl3Block;
using tonnelle::kExl3MostRows;
using tonnelle::kExl3Strip;

constexpr int kTile = 16;
constexpr int kPieceColumns = kTilesAtOnce * kTile;
constexpr int kPiece = kTile * kPieceColumns;
constexpr int64_t kAhead = 4;  // rows of tiles that are fetched before they are decoded

// Rows of a tile in the order of states: 0 and 16 of a group, 1 and 17, ...; columns 8 to 15 have the same.
constexpr int kRowOrder[kTile] = {0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15};

// f(row, half of a tile, weights) for all weights of kTilesAtOnce tiles side by side, rows counted by kRowOrder.
template <int M, class Codebook, class F>
TONNELLE_INLINE void each_weights(const uint16_t* tiles, F f) {
    const Stream<M> stream(tiles);
    unroll<0, 16>([&](auto i) {
        constexpr int half = i.value / 4 % 2, row = 2 * (i.value % 4 + i.value / 8 * 4);
        const Weights w = Codebook::of(stream.template states<i.value>());
        f(row, half, w.low);
        f(row + 1, half, w.high);
    });
}

// Weights of a piece, [16 rows, 2 halves of a tile, lanes].
template <int M, class Codebook>
void decode_piece(const uint16_t* tiles, float* weights) {
    const auto keep = [&](int row, int half, Vec w) { store(weights + (2 * row + half) * Bits::kLanes, w); };
    each_weights<M, Codebook>(tiles, keep);
}

// Sixteen inputs times a piece, added to sums, [2, lanes].
template <int M, class Codebook>
void multiply_piece(const uint16_t* tiles, const float* x, float* sums) {
    Vec sum[2] = {load(sums), load(sums + Bits::kLanes)};
    each_weights<M, Codebook>(tiles, [&](int row, int half, Vec w) { sum[half] = fma(w, fill(x[row]), sum[half]); });
    store(sums, sum[0]);
    store(sums + Bits::kLanes, sum[1]);
}

// What is written out for a rate and a codebook.
struct Piece {
    void (*decode)(const uint16_t* tiles, float* weights);
    void (*multiply)(const uint16_t* tiles, const float* x, float* sums);
};

template <int M, class Codebook>
Piece piece() {
    return {decode_piece<M, Codebook>, multiply_piece<M, Codebook>};
}

template <class Codebook>
Piece piece_of(int halves) {
    switch (halves) {
        case 2: return piece<2, Codebook>();
        case 4: return piece<4, Codebook>();
        case 6: return piece<6, Codebook>();
        case 8: return piece<8, Codebook>();
        case 10: return piece<10, Codebook>();
        case 12: return piece<12, Codebook>();
        case 14: return piece<14, Codebook>();
        default: return piece<16, Codebook>();
    }
}

inline Piece piece_of(const Exl3Weight& weight) {
    if (weight.codebook == tonnelle::k3Inst) return piece_of<ThreeInst>(weight.halves);
    if (weight.codebook == tonnelle::kMcg) return piece_of<Mcg>(weight.halves);
    switch (weight.halves) {
        case 3: return piece<3, Mul1>();
        case 5: return piece<5, Mul1>();
        case 7: return piece<7, Mul1>();
        default: return piece_of<Mul1>(weight.halves);
    }
}

// The stored halves of a tile, and where the tile begins.
inline int64_t tile_size(const Exl3Weight& weight) { return 8 * weight.halves; }
inline const uint16_t* tile_at(const Exl3Weight& weight, int64_t tile_row, int64_t column) {
    return weight.trellis + (tile_row * (weight.out / kTile) + column / kTile) * tile_size(weight);
}

// R rows of x, `stride` apart, times a piece; sums: [R, 2, lanes].
template <int R>
inline void add_rows(const float* weights, const float* x, int64_t stride, float* sums) {
    constexpr int lanes = Bits::kLanes;
    Vec sum[R][2];
    for (int r = 0; r < R; ++r)
        for (int half = 0; half < 2; ++half) sum[r][half] = load(sums + (2 * r + half) * lanes);
    for (int k = 0; k < kTile; ++k) {
        const Vec left = load(weights + 2 * k * lanes), right = load(weights + (2 * k + 1) * lanes);
        for (int r = 0; r < R; ++r) {
            const Vec input = fill(x[r * stride + k]);
            sum[r][0] = fma(left, input, sum[r][0]);
            sum[r][1] = fma(right, input, sum[r][1]);
        }
    }
    for (int r = 0; r < R; ++r)
        for (int half = 0; half < 2; ++half) store(sums + (2 * r + half) * lanes, sum[r][half]);
}

inline void add_all_rows(const float* weights, const float* x, int64_t stride, int64_t rows, float* sums) {
    constexpr int row_size = 2 * Bits::kLanes;
    int64_t row = 0;
    for (; row + Vec::kTileRows <= rows; row += Vec::kTileRows)
        add_rows<Vec::kTileRows>(weights, x + row * stride, stride, sums + row * row_size);
    if constexpr (Vec::kTileRows > 4)
        for (; row + 4 <= rows; row += 4) add_rows<4>(weights, x + row * stride, stride, sums + row * row_size);
    if constexpr (Vec::kTileRows > 2)
        for (; row + 2 <= rows; row += 2) add_rows<2>(weights, x + row * stride, stride, sums + row * row_size);
    for (; row < rows; ++row) add_rows<1>(weights, x + row * stride, stride, sums + row * row_size);
}

// sums times scale plus offset, from [pieces, rows, 2 halves of a tile, lanes] to the columns of a row.
inline void store_sums(const Exl3Args& args, const float* sums, int64_t row, int64_t first, int64_t last, Vec scale,
                       Vec offset) {
    for (int64_t column = first; column < last; column += kPieceColumns) {
        const float* from = sums + (column - first) * args.rows + row * kPieceColumns;
        float* to = args.product + row * args.weight.out + column;
        store_columns(to, fma(load(from), scale, offset));
        store_columns(to + 8, fma(load(from + Bits::kLanes), scale, offset));
    }
}

// As many columns as there is room for sums, for all rows.
void multiply_columns(const Exl3Args& args, const Piece& piece, int64_t first, int64_t last) {
    alignas(64) float sums[kExl3MostRows * kExl3Block], weights[kPiece];
    const Exl3Weight& weight = args.weight;
    const int64_t piece_sums = args.rows * kPieceColumns, ahead = kAhead * tile_size(weight) * (weight.out / kTile);
    for (int64_t i = 0; i < args.rows * (last - first); ++i) sums[i] = 0;
    for (int64_t tile_row = 0; tile_row < weight.in / kTile; ++tile_row) {
        const float* x = args.turned + tile_row * args.tile_stride;
        float* to = sums;
        for (int64_t column = first; column < last; column += kPieceColumns, to += piece_sums) {
            const uint16_t* tiles = tile_at(weight, tile_row, column);
            for (int64_t i = 0; i < tile_size(weight) * kTilesAtOnce; i += 32) prefetch(tiles + ahead + i);
            if (args.rows == 1) {
                piece.multiply(tiles, x, to);
                continue;
            }
            piece.decode(tiles, weights);
            add_all_rows(weights, x, args.row_stride, args.rows, to);
        }
    }
    for (int64_t row = 0; row < args.rows; ++row) store_sums(args, sums, row, first, last, fill(1.0f), fill(0.0f));
}

// f(first, last) for the columns of the strips, as many at a time as there is room for sums: the wider, the longer the
// runs of tiles that are read.
template <class F>
inline void each_block(const Exl3Args& args, int64_t first, int64_t last, F f) {
    constexpr int64_t wide = 8;
    const int64_t end = last * kExl3Strip, columns = args.rows <= kExl3MostRows / wide ? wide * kExl3Block : kExl3Block;
    for (int64_t column = first * kExl3Strip; column < end; column += columns)
        f(column, column + columns < end ? column + columns : end);
}

void exl3_multiply(const Exl3Args& args, int64_t first, int64_t last) {
    const Piece piece = piece_of(args.weight);
    each_block(args, first, last, [&](int64_t column, int64_t end) { multiply_columns(args, piece, column, end); });
}

// Strips of columns from `first` on, to [in, stride] from the column of strip `origin` on, rows in kRowOrder.
void exl3_decode(const Exl3Weight& weight, float* to, int64_t stride, int64_t origin, int64_t first, int64_t last) {
    alignas(64) float weights[kPiece];
    const Piece piece = piece_of(weight);
    for (int64_t tile_row = 0; tile_row < weight.in / kTile; ++tile_row)
        for (int64_t column = first * kExl3Strip; column < last * kExl3Strip; column += kPieceColumns) {
            piece.decode(tile_at(weight, tile_row, column), weights);
            float* at = to + tile_row * kTile * stride + column - origin * kExl3Strip;
            for (int k = 0; k < kTile; ++k, at += stride) {
                store_columns(at, load(weights + 2 * k * Bits::kLanes));
                store_columns(at + 8, load(weights + (2 * k + 1) * Bits::kLanes));
            }
        }
}

// Times the orthonormal Hadamard matrix in natural order. A stage pairs the halves of the block and deals their sums
// and differences out in turn; after seven of them everything is back in its place.
inline void hadamard(float* block) {
    alignas(64) float other[kExl3Block];
    float *from = block, *to = other;
    for (int size = 1; size < kExl3Block; size *= 2) {
        for (int i = 0; i < kExl3Block / 2; ++i) {
            const float a = from[i], b = from[i + kExl3Block / 2];
            to[2 * i] = a + b;
            to[2 * i + 1] = a - b;
        }
        float* const next = from;
        from = to;
        to = next;
    }
    for (int i = 0; i < kExl3Block; ++i) block[i] = from[i] * 0x1.6a09e6p-4f;
}

// f(tile_row, row, sixteen inputs) of P(x * suh) for blocks counted through all rows.
template <class F>
inline void each_turned(const Exl3Args& args, int64_t first, int64_t last, F f) {
    const int64_t blocks = args.weight.in / kExl3Block;
    for (int64_t i = first; i < last; ++i) {
        const int64_t row = i / blocks, start = i % blocks * kExl3Block;
        const Float16* scale = static_cast<const Float16*>(args.suh) + start;
        alignas(64) float block[kExl3Block];
        const float* x = args.x + row * args.in + start;
        const int64_t there = args.in - start;
        for (int64_t k = 0; k < kExl3Block; k += Vec::kLanes) {
            const int64_t n = there - k < 0 ? 0 : there - k < Vec::kLanes ? there - k : Vec::kLanes;
            store(block + k, get(x + k, n) * load(scale + k));
        }
        hadamard(block);
        for (int64_t k = 0; k < kExl3Block; k += kTile) f((start + k) / kTile, row, block + k);
    }
}

// In the order in which products take it.
void exl3_turn(const Exl3Args& args, int64_t first, int64_t last) {
    each_turned(args, first, last, [&](int64_t tile_row, int64_t row, const float* inputs) {
        float* to = args.turned + tile_row * args.tile_stride + row * args.row_stride;
        for (int k = 0; k < kTile; ++k) to[k] = inputs[kRowOrder[k]];
    });
}

// svh * P(product) + bias for blocks counted through all rows.
void exl3_finish(const Exl3Args& args, int64_t first, int64_t last) {
    const int64_t blocks = args.weight.out / kExl3Block;
    for (int64_t i = first; i < last; ++i) {
        const int64_t row = i / blocks, start = i % blocks * kExl3Block;
        const Float16* scale = static_cast<const Float16*>(args.svh) + start;
        float* block = args.product + row * args.weight.out + start;
        hadamard(block);
        float* y = args.y + row * args.out + start;
        const int64_t wanted = args.out - start < kExl3Block ? args.out - start : kExl3Block;
        each_vector(wanted, [&](int64_t k, int64_t n) {
            const Vec bias = args.bias ? get(args.bias + start + k, n) : fill(0.0f);
            put(y + k, fma(load(block + k), load(scale + k), bias), n);
        });
    }
}

}  // namespace
