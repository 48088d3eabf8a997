// The same product with the mul1 codebook in integers: about half the instructions.
//
// A weight is taken as scale * (n - 510) + rest, n being the sum of the four bytes: what the format then rounds to
// float16. Every run of sixteen transformed inputs becomes integers of 16 bits that share a scale. Sums over a run are
// exact, so rows still depend on nothing else in the batch.
#pragma once
#include "exl3.h"

namespace {

using tonnelle::Exl3Run;

constexpr int32_t kMiddle = 510;
constexpr float kLargest = 32767.0f;
constexpr float kSmallest = 0x1p-100f;  // below, the inverse of a scale would overflow: taken for 0
constexpr float kRest = Mul1::kOffset + kMiddle * Mul1::kScale;

// Sums of bytes of the states i in the low and i + 16 in the high halves, which are neighbours in kRowOrder:
// f(pair of rows, half of a tile, sums).
template <int M, class F>
TONNELLE_INLINE void each_sums(const uint16_t* tiles, F f) {
    const Stream<M> stream(tiles);
    unroll<0, 16>([&](auto i) {
        constexpr int half = i.value / 4 % 2, pair = i.value % 4 + i.value / 8 * 4;
        f(pair, half, Mul1::sums(stream.template states<i.value>()));
    });
}

inline void add_run(float* to, Bits total, const Exl3Run& run) {
    store(to, fma(float_of_int(total), fill(run.scale), load(to)));
}

// To [8 pairs of rows, 2 halves of a tile, lanes].
template <int M>
void decode_sums(const uint16_t* tiles, uint32_t* sums) {
    each_sums<M>(tiles, [&](int pair, int half, Bits n) { store_bits(sums + (2 * pair + half) * Bits::kLanes, n); });
}

template <int M>
void multiply_run(const uint16_t* tiles, const Exl3Run& run, float* sums) {
    Bits total[2] = {fill32(run.start), fill32(run.start)};
    each_sums<M>(tiles, [&](int pair, int half, Bits n) {
        total[half] = dot16(total[half], n, fill32(run.pairs[pair]));
    });
    add_run(sums, total[0], run);
    add_run(sums + Bits::kLanes, total[1], run);
}

// What is written out for a rate.
struct FastPiece {
    void (*decode)(const uint16_t* tiles, uint32_t* sums);
    void (*multiply)(const uint16_t* tiles, const Exl3Run& run, float* sums);
};

inline FastPiece fast_piece_of(int halves) {
    switch (halves) {
        case 2: return {decode_sums<2>, multiply_run<2>};
        case 3: return {decode_sums<3>, multiply_run<3>};
        case 4: return {decode_sums<4>, multiply_run<4>};
        case 5: return {decode_sums<5>, multiply_run<5>};
        case 6: return {decode_sums<6>, multiply_run<6>};
        case 7: return {decode_sums<7>, multiply_run<7>};
        case 8: return {decode_sums<8>, multiply_run<8>};
        case 10: return {decode_sums<10>, multiply_run<10>};
        case 12: return {decode_sums<12>, multiply_run<12>};
        case 14: return {decode_sums<14>, multiply_run<14>};
        default: return {decode_sums<16>, multiply_run<16>};
    }
}

// R rows times a piece; to: [R, 2, lanes].
template <int R>
inline void add_runs(const uint32_t* sums, const Exl3Run* runs, float* to) {
    Bits total[R][2];
    for (int r = 0; r < R; ++r) total[r][0] = total[r][1] = fill32(runs[r].start);
    for (int pair = 0; pair < kTile / 2; ++pair) {
        const uint32_t* both = sums + 2 * pair * Bits::kLanes;
        const Bits left = load_bits(both), right = load_bits(both + Bits::kLanes);
        for (int r = 0; r < R; ++r) {
            const Bits inputs = fill32(runs[r].pairs[pair]);
            total[r][0] = dot16(total[r][0], left, inputs);
            total[r][1] = dot16(total[r][1], right, inputs);
        }
    }
    for (int r = 0; r < R; ++r)
        for (int half = 0; half < 2; ++half) add_run(to + (2 * r + half) * Bits::kLanes, total[r][half], runs[r]);
}

inline void add_all_runs(const uint32_t* sums, const Exl3Run* runs, int64_t rows, float* to) {
    constexpr int row_size = 2 * Bits::kLanes;
    int64_t row = 0;
    for (; row + Vec::kTileRows <= rows; row += Vec::kTileRows)
        add_runs<Vec::kTileRows>(sums, runs + row, to + row * row_size);
    if constexpr (Vec::kTileRows > 4)
        for (; row + 4 <= rows; row += 4) add_runs<4>(sums, runs + row, to + row * row_size);
    for (; row < rows; ++row) add_runs<1>(sums, runs + row, to + row * row_size);
}

void multiply_columns_fast(const Exl3Args& args, const FastPiece& piece, int64_t first, int64_t last) {
    alignas(64) float sums[kExl3MostRows * kExl3Block];
    alignas(64) uint32_t bytes[kPiece / 2];
    const Exl3Weight& weight = args.weight;
    const int64_t tile_rows = weight.in / kTile, ahead = kAhead * tile_size(weight) * (weight.out / kTile);
    for (int64_t i = 0; i < args.rows * (last - first); ++i) sums[i] = 0;
    for (int64_t tile_row = 0; tile_row < tile_rows; ++tile_row) {
        const Exl3Run* runs = args.runs + tile_row * args.rows;
        float* to = sums;
        for (int64_t column = first; column < last; column += kPieceColumns, to += args.rows * kPieceColumns) {
            const uint16_t* tiles = tile_at(weight, tile_row, column);
            for (int64_t i = 0; i < tile_size(weight) * kTilesAtOnce; i += 32) prefetch(tiles + ahead + i);
            if (args.rows == 1) {
                piece.multiply(tiles, *runs, to);
                continue;
            }
            piece.decode(tiles, bytes);
            add_all_runs(bytes, runs, args.rows, to);
        }
    }
    for (int64_t row = 0; row < args.rows; ++row) {
        float inputs = 0;
        for (int64_t tile_row = 0; tile_row < tile_rows; ++tile_row) {
            const Exl3Run& run = args.runs[tile_row * args.rows + row];
            inputs += run.scale * static_cast<float>(static_cast<int32_t>(run.start) / -kMiddle);
        }
        store_sums(args, sums, row, first, last, fill(Mul1::kScale), fill(kRest * inputs));
    }
}

void exl3_multiply_fast(const Exl3Args& args, int64_t first, int64_t last) {
    const FastPiece piece = fast_piece_of(args.weight.halves);
    each_block(args, first, last, [&](int64_t column, int64_t end) {
        multiply_columns_fast(args, piece, column, end);
    });
}

// The nearest integers when the largest is 32767; if one is not finite, all are 0 and the scale is NaN.
inline Exl3Run run_of(const float* inputs) {
    Vec most = fill(0.0f), zeros = fill(0.0f);
    for (int k = 0; k < kTile; k += Vec::kLanes) {
        const Vec part = load(inputs + k);
        most = max(most, max(part, fill(0.0f) - part));
        zeros = fma(part, fill(0.0f), zeros);
    }
    const float zero = sum(zeros), largest_input = largest(most);  // NaN if one is not finite; meant only if it is 0
    const bool usable = zero == 0 && largest_input > kSmallest;
    float whole[kTile] = {};
    if (usable)
        for (int k = 0; k < kTile; k += Vec::kLanes)
            store(whole + k, nearest_integer(load(inputs + k) * fill(kLargest / largest_input)));
    Exl3Run run{};
    int32_t total = 0;
    for (int pair = 0; pair < kTile / 2; ++pair) {
        const auto low = static_cast<int32_t>(whole[kRowOrder[2 * pair]]);
        const auto high = static_cast<int32_t>(whole[kRowOrder[2 * pair + 1]]);
        total += low + high;
        run.pairs[pair] = static_cast<uint32_t>(high) << 16 | (static_cast<uint32_t>(low) & 0xffff);
    }
    run.start = static_cast<uint32_t>(total * -kMiddle);
    run.scale = usable ? largest_input / kLargest : zero;
    return run;
}

// As exl3_turn, into runs.
void exl3_turn_fast(const Exl3Args& args, int64_t first, int64_t last) {
    each_turned(args, first, last, [&](int64_t tile_row, int64_t row, const float* inputs) {
        args.runs[tile_row * args.rows + row] = run_of(inputs);
    });
}

}  // namespace
