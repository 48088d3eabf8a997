// The small ops between the matrices: norm, rotary embedding, gated activation, cache write.
#pragma once
#include <math.h>

#include "each.h"
#include "kernels.h"

namespace {

using tonnelle::GatedArgs;
using tonnelle::NormArgs;
using tonnelle::RotateArgs;
using tonnelle::WriteArgs;

void rms_norm(const NormArgs& args, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
        const float* x = args.x + row * args.size;
        float* y = args.y + row * args.size;
        Vec squares = fill(0.0f);
        each_vector(args.size, [&](int64_t k, int64_t n) {
            const Vec part = get(x + k, n);
            squares = fma(part, part, squares);
        });
        const Vec scale = fill(1.0f / sqrtf(sum(squares) / static_cast<float>(args.size) + args.eps));
        each_vector(args.size, [&](int64_t k, int64_t n) {
            put(y + k, get(x + k, n) * scale * get(args.weight + k, n), n);
        });
    }
}

void rotate(const RotateArgs& args, int64_t first, int64_t last) {
    for (int64_t token = first; token < last; ++token) {
        const float *cosine = args.cos + token * args.half, *sine = args.sin + token * args.half;
        for (int64_t head = 0; head < args.heads; ++head) {
            const int64_t start = (token * args.heads + head) * args.dim;
            const float *x = args.x + start, *x2 = x + args.half;
            float *y = args.y + start, *y2 = y + args.half;
            each_vector(args.half, [&](int64_t k, int64_t n) {
                const Vec c = get(cosine + k, n), s = get(sine + k, n), a = get(x + k, n), b = get(x2 + k, n);
                put(y + k, a * c - b * s, n);
                put(y2 + k, fma(b, c, a * s), n);
            });
            for (int64_t k = 2 * args.half; k < args.dim; ++k) y[k] = x[k];
        }
    }
}

inline Vec sigmoid(Vec a) { return fill(1.0f) / (fill(1.0f) + exponential(fill(0.0f) - a)); }

template <class F>
void gated_by(const GatedArgs& args, int64_t first, int64_t last, F activation) {
    const float *gate = args.gate + first, *up = args.up + first;
    float* y = args.y + first;
    each_vector(last - first, [&](int64_t k, int64_t n) {
        put(y + k, activation(get(gate + k, n)) * get(up + k, n), n);
    });
}

void gated(const GatedArgs& args, int64_t first, int64_t last) {
    const auto rectified = [](Vec a) { return max(a, fill(0.0f)); };
    switch (args.activation) {
        case tonnelle::kSilu: return gated_by(args, first, last, [](Vec a) { return a * sigmoid(a); });
        case tonnelle::kGeluTanh:  // (1 + tanh u) / 2 = sigmoid(2 u), u = sqrt(2 / pi) (a + 0.044715 a^3)
            return gated_by(args, first, last, [](Vec a) {
                const Vec inner = fma(a * a * a, fill(0.044715f), a);
                return a * sigmoid(inner * fill(1.5957691216057308f));
            });
        case tonnelle::kRelu: return gated_by(args, first, last, rectified);
        case tonnelle::kRelu2:
            return gated_by(args, first, last, [&](Vec a) { return rectified(a) * rectified(a); });
    }
}

template <class C>
void write_as(const WriteArgs& args, int64_t first, int64_t last) {
    for (int64_t token = first; token < last; ++token) {
        const float *k = args.k + token * args.size, *v = args.v + token * args.size;
        C* k_to = static_cast<C*>(args.k_cache) + args.slots[token] * args.size;
        C* v_to = static_cast<C*>(args.v_cache) + args.slots[token] * args.size;
        each_vector(args.size, [&](int64_t at, int64_t n) {
            put(k_to + at, get(k + at, n), n);
            put(v_to + at, get(v + at, n), n);
        });
    }
}

void write_kv(const WriteArgs& args, int64_t first, int64_t last) {
    switch (args.dtype) {
        case tonnelle::kFloat32: return write_as<float>(args, first, last);
        case tonnelle::kBFloat16: return write_as<BFloat16>(args, first, last);
        case tonnelle::kFloat16: return write_as<Float16>(args, first, last);
    }
}

int64_t read(const void* from, int64_t bytes) {
    const int64_t* words = static_cast<const int64_t*>(from);
    int64_t total = 0;
    for (int64_t i = 0; i < bytes / 8; ++i) total += words[i];
    return total;
}

}  // namespace
