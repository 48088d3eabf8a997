// Attention of a few queries over paged keys and values, read where they are.
//
// The keys of a sequence are cut into splits at fixed positions, each split into blocks of kKeyBlock; a running
// maximum keeps the softmax in range (Milakov and Gimelshein 2018, arXiv 1805.02867). Splits become one row by the
// same rule. Cuts depend on positions only, so neither threads nor the rest of the batch change a result.
#pragma once
#include <math.h>

#include "each.h"
#include "kernels.h"

namespace {

using tonnelle::AttentionArgs;
using tonnelle::kKeyBlock;
using tonnelle::MergeTask;
using tonnelle::partial_size;
using tonnelle::SplitTask;

template <int N>
struct Count {
    static constexpr int value = N;
};

// Keys and values of one head in one page, `stride` elements apart. While a block is computed, the next one is asked of
// the memory: a head's part of a key is too small for the processor to see where this goes (measured: half the time).
template <class C>
struct KeyRange {
    const C *k, *v;
    int64_t stride, count;
    int64_t next;  // where the next block is, in elements from this one
};

// G heads' scores of `keys`, scaled, in scores[g][key]; behind the last key is whatever comes.
template <int G, class C>
inline void score(const float* q, const KeyRange<C>& keys, int64_t dim, float scale, float (*scores)[kKeyBlock]) {
    constexpr int64_t kQuads = Vec::kLanes / 4;
    for (int64_t key = 0; key < keys.count; key += Vec::kLanes) {
        Vec quads[G][kQuads];
        for (int64_t part = 0; part < kQuads; ++part) {
            const C* k[4];
            for (int64_t i = 0; i < 4; ++i) {
                const int64_t at = key + 4 * part + i;
                k[i] = keys.k + (at < keys.count ? at : keys.count - 1) * keys.stride;
            }
            Vec sums[G][4];
            for (int g = 0; g < G; ++g)
                for (int i = 0; i < 4; ++i) sums[g][i] = fill(0.0f);
            each_vector(dim, [&](int64_t c, int64_t n) {
                Vec from[4];
                for (int i = 0; i < 4; ++i) {
                    from[i] = get(k[i] + c, n);
                    prefetch(k[i] + c + keys.next);
                }
                for (int g = 0; g < G; ++g) {
                    const Vec query = get(q + g * dim + c, n);
                    for (int i = 0; i < 4; ++i) sums[g][i] = fma(query, from[i], sums[g][i]);
                }
            });
            for (int g = 0; g < G; ++g) quads[g][part] = quad(sums[g]);
        }
        for (int g = 0; g < G; ++g) store(scores[g] + key, join(quads[g]) * fill(scale));
    }
}

// exp(score - most) in place, most being the larger of the old one and the scores'. Returns what the old sums must be
// multiplied by.
inline float soften(float* scores, int64_t count, float* most, float* total) {
    for (int64_t k = count; k % Vec::kLanes; ++k) scores[k] = -INFINITY;
    Vec top = fill(*most);
    for (int64_t k = 0; k < count; k += Vec::kLanes) top = max(load(scores + k), top);
    const float larger = largest(top);
    Vec sums = fill(0.0f);
    for (int64_t k = 0; k < count; k += Vec::kLanes) {
        const Vec p = exponential(load(scores + k) - fill(larger));
        store(scores + k, p);
        const int64_t left = count - k;
        sums = sums + (left < Vec::kLanes ? load_n(scores + k, left) : p);
    }
    const float rescale = *most == -INFINITY ? 0.0f : expf(*most - larger);
    *most = larger;
    *total = *total * rescale + sum(sums);
    return rescale;
}

// values[g] = values[g] * rescale[g] + sum over keys of scores[g][key] v[key], for N vectors of channels from c on;
// `left`: lanes of the last vector.
template <int G, int N, class C>
inline void mix(float* const* values, const float* rescale, const KeyRange<C>& keys, const float (*scores)[kKeyBlock],
                int64_t c, int64_t left) {
    const auto lanes_of = [&](int i) { return i == N - 1 ? left : Vec::kLanes; };
    Vec sums[G][N];
    for (int g = 0; g < G; ++g)
        for (int i = 0; i < N; ++i) sums[g][i] = get(values[g] + c + i * Vec::kLanes, lanes_of(i)) * fill(rescale[g]);
    for (int64_t key = 0; key < keys.count; ++key) {
        const C* v = keys.v + key * keys.stride + c;
        for (int i = 0; i < N; ++i) {
            const Vec value = get(v + i * Vec::kLanes, lanes_of(i));
            prefetch(v + i * Vec::kLanes + keys.next);
            for (int g = 0; g < G; ++g) sums[g][i] = fma(fill(scores[g][key]), value, sums[g][i]);
        }
    }
    for (int g = 0; g < G; ++g)
        for (int i = 0; i < N; ++i) put(values[g] + c + i * Vec::kLanes, sums[g][i], lanes_of(i));
}

// One block of keys for G heads of one query. partial: of the first of these heads.
template <int G, class C>
inline void attend_block(const float* q, const KeyRange<C>& keys, int64_t dim, float scale, float* partial) {
    alignas(64) float scores[G][kKeyBlock];
    float rescale[G];
    float* values[G];
    score<G>(q, keys, dim, scale, scores);
    for (int g = 0; g < G; ++g) {
        float* own = partial + g * partial_size(dim);
        rescale[g] = soften(scores[g], keys.count, own, own + 1);
        values[g] = own + 2;
    }
    int64_t c = 0;
    for (; c + 2 * Vec::kLanes <= dim; c += 2 * Vec::kLanes) mix<G, 2>(values, rescale, keys, scores, c, Vec::kLanes);
    for (; c + Vec::kLanes <= dim; c += Vec::kLanes) mix<G, 1>(values, rescale, keys, scores, c, Vec::kLanes);
    if (c < dim) mix<G, 1>(values, rescale, keys, scores, c, dim - c);
}

// One block of keys for all heads of one query that share them. partial: of the first of these heads.
template <class C>
inline void attend_heads(const float* q, const KeyRange<C>& keys, const AttentionArgs& args, float* partial) {
    int64_t left = args.heads / args.kv_heads;
    const auto next = [&](auto count) {
        attend_block<decltype(count)::value>(q, keys, args.dim, args.scale, partial);
        q += count.value * args.dim;
        partial += count.value * partial_size(args.dim);
        left -= count.value;
    };
    while (left >= 4) next(Count<4>{});
    if (left == 3) next(Count<3>{});
    if (left == 2) next(Count<2>{});
    if (left == 1) next(Count<1>{});
}

inline void clear_partials(float* partial, int64_t heads, int64_t dim) {
    for (int64_t head = 0; head < heads; ++head, partial += partial_size(dim)) {
        partial[0] = -INFINITY;
        for (int64_t i = 1; i < partial_size(dim); ++i) partial[i] = 0.0f;
    }
}

template <class C>
void attend_in(const AttentionArgs& args, const SplitTask& task, int64_t kv_head) {
    const int64_t group = args.heads / args.kv_heads, stride = args.kv_heads * args.dim;
    const auto place = [&](int64_t key) {
        return (task.pages[key / args.page_tokens] * args.page_tokens + key % args.page_tokens) * stride;
    };
    const auto partial = [&](int64_t query) {
        return args.partials + task.partial + (query * args.heads + kv_head * group) * partial_size(args.dim);
    };
    for (int64_t query = 0; query < task.queries; ++query) clear_partials(partial(query), group, args.dim);
    for (int64_t start = task.first / kKeyBlock * kKeyBlock; start < task.last; start += kKeyBlock) {
        const int64_t end = start + kKeyBlock, next = end < task.last ? place(end) - place(start) : 0;
        for (int64_t query = 0; query < task.queries; ++query) {
            const int64_t position = task.position + query;
            const int64_t oldest = args.window ? position - args.window + 1 : 0;
            const int64_t low = oldest > start ? oldest : start, high = position < end ? position + 1 : end;
            if (high <= low) continue;
            const int64_t at = place(low) + kv_head * args.dim;
            const C *k = static_cast<const C*>(args.k) + at, *v = static_cast<const C*>(args.v) + at;
            const float* q = args.q + ((task.first_query + query) * args.heads + kv_head * group) * args.dim;
            attend_heads<C>(q, {k, v, stride, high - low, next}, args, partial(query));
        }
    }
}

void attend(const AttentionArgs& args, const SplitTask& task, int64_t kv_head) {
    switch (args.dtype) {
        case tonnelle::kFloat32: return attend_in<float>(args, task, kv_head);
        case tonnelle::kBFloat16: return attend_in<BFloat16>(args, task, kv_head);
        case tonnelle::kFloat16: return attend_in<Float16>(args, task, kv_head);
    }
}

void merge(const AttentionArgs& args, const MergeTask& task) {
    const int64_t size = partial_size(args.dim);
    for (int64_t head = 0; head < args.heads; ++head) {
        const float* own = args.partials + task.partial + head * size;
        float* out = args.out + (task.query * args.heads + head) * args.dim;
        float most = -INFINITY, total = 0.0f;
        for (int64_t s = 0; s < task.splits; ++s)
            if (own[s * task.stride] > most) most = own[s * task.stride];
        for (int64_t c = 0; c < args.dim; ++c) out[c] = 0.0f;
        for (int64_t s = 0; s < task.splits; ++s) {
            const float* part = own + s * task.stride;
            if (part[1] == 0.0f) continue;  // none of its keys are seen
            const float share = expf(part[0] - most);
            total += part[1] * share;
            for (int64_t c = 0; c < args.dim; ++c) out[c] += part[2 + c] * share;
        }
        const float inverse = 1.0f / total;
        for (int64_t c = 0; c < args.dim; ++c) out[c] *= inverse;
    }
}

}  // namespace
