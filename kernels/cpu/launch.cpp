#include "launch.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "pool.h"

namespace tonnelle {
namespace {

// Bytes of a task: long against handing it out, and still enough tasks for threads of unequal speed.
constexpr int64_t kLeastBytes = 1 << 15, kMostBytes = 1 << 19;
constexpr int64_t kTasksPerThread = 4;
constexpr int64_t kSplitKeys = 512;  // keys of a task of attention; a multiple of kKeyBlock

// body(first, last) over `count` outputs of `bytes` each, in ranges that begin at multiples of `unit`.
template <class F>
void in_ranges(int64_t count, int64_t bytes, int64_t unit, F body) {
    Pool& pool = Pool::shared();
    const int64_t wanted = count * bytes / (pool.threads() * kTasksPerThread);
    const int64_t units = std::clamp(wanted, kLeastBytes, kMostBytes) / std::max<int64_t>(1, bytes * unit);
    const int64_t range = std::max<int64_t>(1, units) * unit, tasks = (count + range - 1) / range;
    pool.run(static_cast<int32_t>(tasks), [&](int32_t task) {
        const int64_t first = task * range;
        body(first, std::min(count, first + range));
    });
}

template <class Args>
using Kernel = void (*)(const Args&, int64_t, int64_t);

template <class Args>
void in_ranges(Kernel<Args> kernel, const Args& args, int64_t count, int64_t bytes, int64_t unit = 1) {
    in_ranges(count, bytes, unit, [&](int64_t first, int64_t last) { kernel(args, first, last); });
}

int64_t size_of(DType dtype) { return dtype == kFloat32 ? 4 : 2; }

// Bytes that take as long to read as it takes to transform a block, or to decode a strip of columns.
constexpr int64_t kTransformBytes = 2048;
int64_t decoded_bytes(const Exl3Weight& weight) { return weight.in * kExl3Strip / 2; }

void require(bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument(rule);
}

// A sequence of the batch: its queries are rows of q, the latest of its keys' positions.
struct Sequence {
    const int32_t* pages;
    int64_t first_query, queries, keys;
};

Sequence sequence(const AttentionArgs& args, const Sequences& all, int64_t s) {
    const int64_t start = all.query_start[s], queries = all.query_start[s + 1] - start, keys = all.kv_len[s];
    const int32_t* pages = all.page_table + s * all.table_pages;
    const bool in_q = start >= 0 && queries >= 0 && start + queries <= all.tokens;
    require(in_q, "query_start must rise from 0 to the rows of q");
    require(queries <= keys && keys <= all.table_pages * args.page_tokens, "kv_len must lie between queries and pages");
    for (int64_t page = 0; page * args.page_tokens < keys; ++page)
        require(pages[page] >= 0 && pages[page] < all.pages, "page_table names a page that the caches do not have");
    return {pages, start, queries, keys};
}

struct Tasks {
    std::vector<SplitTask> splits;
    std::vector<MergeTask> merges;
    int64_t floats = 0;  // of all rows of partials
};

// Splits at multiples of kSplitKeys, and a merge for every query.
void add_tasks(const AttentionArgs& args, const Sequence& one, Tasks& tasks) {
    const int64_t position = one.keys - one.queries;
    const int64_t seen = args.window ? std::max<int64_t>(0, position - args.window + 1) : 0;
    const int64_t begin = seen / kSplitKeys, end = (one.keys + kSplitKeys - 1) / kSplitKeys;
    const int64_t row = args.heads * partial_size(args.dim), stride = one.queries * row;
    for (int64_t query = 0; query < one.queries; ++query)
        tasks.merges.push_back({one.first_query + query, tasks.floats + query * row, end - begin, stride});
    for (int64_t split = begin; split < end; ++split) {
        const int64_t start = split * kSplitKeys;
        const int64_t first = std::max(seen, start), last = std::min(one.keys, start + kSplitKeys);
        tasks.splits.push_back({one.pages, one.first_query, one.queries, position, first, last, tasks.floats});
        tasks.floats += stride;
    }
}

}  // namespace

void run_linear(const KernelTable& table, const LinearArgs& args) {
    in_ranges(table.linear, args, args.out, args.in * size_of(args.dtype), 24);  // whole tiles of 8 and of 3 outputs
}

void run_rms_norm(const KernelTable& table, const NormArgs& args, int64_t rows) {
    in_ranges(table.rms_norm, args, rows, args.size * 8);
}

void run_rotate(const KernelTable& table, const RotateArgs& args, int64_t tokens) {
    in_ranges(table.rotate, args, tokens, args.heads * args.dim * 8);
}

void run_gated(const KernelTable& table, const GatedArgs& args, int64_t elements) {
    in_ranges(table.gated, args, elements, 12, 64);
}

void run_write_kv(const KernelTable& table, const WriteArgs& args, int64_t tokens, int64_t slots) {
    for (int64_t token = 0; token < tokens; ++token)
        require(args.slots[token] >= 0 && args.slots[token] < slots, "slots names a place that the caches do not have");
    in_ranges(table.write_kv, args, tokens, args.size * 12);
}

void run_attention(const KernelTable& table, AttentionArgs args, const Sequences& sequences) {
    Tasks tasks;
    for (int64_t s = 0; s < sequences.count; ++s) {
        const Sequence one = sequence(args, sequences, s);
        if (one.queries > 0 && one.queries <= sequences.most_queries) add_tasks(args, one, tasks);
    }
    const std::unique_ptr<float[]> partials(new float[tasks.floats]);
    args.partials = partials.get();
    Pool& pool = Pool::shared();
    pool.run(static_cast<int32_t>(tasks.splits.size() * args.kv_heads), [&](int32_t task) {
        table.attend(args, tasks.splits[task / args.kv_heads], task % args.kv_heads);
    });
    in_ranges(tasks.merges.size(), args.heads * partial_size(args.dim) * 4, 1, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) table.merge(args, tasks.merges[i]);
    });
}

void run_exl3_turn(const KernelTable& table, const Exl3Args& args) {
    in_ranges(args.rows * args.weight.in / kExl3Block, kTransformBytes, 1,
              [&](int64_t first, int64_t last) { table.exl3_turn(args, first, last); });
}

void run_exl3_finish(const KernelTable& table, const Exl3Args& args) {
    in_ranges(args.rows * args.weight.out / kExl3Block, kTransformBytes, 1,
              [&](int64_t first, int64_t last) { table.exl3_finish(args, first, last); });
}

void run_exl3_decode(const KernelTable& table, const Exl3Weight& weight, float* to, int64_t first, int64_t last) {
    const int64_t stride = (last - first) * kExl3Strip;
    in_ranges(last - first, decoded_bytes(weight), 1, [&](int64_t from, int64_t until) {
        table.exl3_decode(weight, to, stride, first, first + from, first + until);
    });
}

void run_exl3_linear(const KernelTable& table, Exl3Args args, bool fast) {
    require(args.rows <= kExl3MostRows, "exl3_linear takes no more rows than kExl3MostRows");
    require(!fast || args.weight.codebook == kMul1, "the fast product is of mul1 only");
    const std::unique_ptr<float[]> product(new float[args.rows * args.weight.out]);
    const std::unique_ptr<float[]> turned(new float[fast ? 0 : args.rows * args.weight.in]);
    const std::unique_ptr<Exl3Run[]> runs(new Exl3Run[fast ? args.rows * args.weight.in / 16 : 0]);
    args.product = product.get();
    args.turned = turned.get();
    args.tile_stride = args.rows * 16;
    args.row_stride = 16;
    args.runs = runs.get();
    in_ranges(args.rows * args.weight.in / kExl3Block, kTransformBytes, 1,
              [&](int64_t first, int64_t last) { (fast ? table.exl3_turn_fast : table.exl3_turn)(args, first, last); });
    in_ranges(args.weight.out / kExl3Strip, decoded_bytes(args.weight), 1, [&](int64_t first, int64_t last) {
        (fast ? table.exl3_multiply_fast : table.exl3_multiply)(args, first, last);
    });
    run_exl3_finish(table, args);
}

int64_t run_read(const KernelTable& table, const void* from, int64_t bytes) {
    std::atomic<int64_t> total{0};
    in_ranges(bytes, 1, 64, [&](int64_t first, int64_t last) {
        total += table.read(static_cast<const char*>(from) + first, last - first);
    });
    return total;
}

}  // namespace tonnelle
