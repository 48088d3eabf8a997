// The Python module: addresses and sizes in, nothing out. Shapes and dtypes were checked in Python (kernels/native).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "isa.h"
#include "launch.h"
#include "pool.h"

namespace nb = nanobind;
using namespace tonnelle;

namespace {

using Address = uintptr_t;

template <class T>
T* at(Address address) {
    return reinterpret_cast<T*>(address);
}

// Kernels of one instruction set.
class Isa {
public:
    explicit Isa(const KernelTable* table) : table_(*table) {}

    std::string name() const { return table_.name; }

    void linear(Address x, Address weight, Address bias, Address y, int64_t rows, int64_t in, int64_t out,
                int dtype) const {
        const nb::gil_scoped_release release;
        run_linear(table_,
                   {at<float>(x), at<void>(weight), at<float>(bias), at<float>(y), rows, in, out, DType(dtype)});
    }

    // These take a microsecond or two for a token, so they keep the GIL.
    void rms_norm(Address x, Address weight, Address y, int64_t rows, int64_t size, float eps) const {
        run_rms_norm(table_, {at<float>(x), at<float>(weight), at<float>(y), size, eps}, rows);
    }

    void rotate(Address x, Address cos, Address sin, Address y, int64_t tokens, int64_t heads, int64_t dim,
                int64_t half) const {
        run_rotate(table_, {at<float>(x), at<float>(cos), at<float>(sin), at<float>(y), heads, dim, half}, tokens);
    }

    void gated(Address gate, Address up, Address y, int64_t elements, int activation) const {
        run_gated(table_, {at<float>(gate), at<float>(up), at<float>(y), Activation(activation)}, elements);
    }

    void write_kv(Address k, Address v, Address k_cache, Address v_cache, Address slots, int64_t tokens, int64_t size,
                  int64_t cache_slots, int dtype) const {
        const WriteArgs args{at<float>(k),       at<float>(v),       at<void>(k_cache), at<void>(v_cache),
                             at<int64_t>(slots), size,               DType(dtype)};
        run_write_kv(table_, args, tokens, cache_slots);
    }

    // sizes: heads, kv_heads, dim, page_tokens, window (0: none), sequences, pages of a row of the table, tokens,
    // pages of the caches, most queries of a sequence.
    void attention(Address q, Address k, Address v, Address out, Address page_table, Address query_start,
                   Address kv_len, const std::vector<int64_t>& sizes, float scale, int dtype) const {
        const nb::gil_scoped_release release;
        if (sizes.size() != 10) throw std::invalid_argument("attention takes ten sizes");
        const AttentionArgs args{at<float>(q), at<void>(k), at<void>(v), at<float>(out), sizes[0], sizes[1],
                                 sizes[2],     sizes[3],    sizes[4],    scale,          DType(dtype), nullptr};
        const Sequences sequences{at<int32_t>(page_table), at<int32_t>(query_start), at<int32_t>(kv_len), sizes[5],
                                  sizes[6],                sizes[7],                 sizes[8],            sizes[9]};
        run_attention(table_, args, sequences);
    }

    // sizes: rows, in, out, in and out of the weight, halves of bits of a weight, codebook.
    void exl3_linear(Address x, Address trellis, Address suh, Address svh, Address bias, Address y,
                     const std::vector<int64_t>& sizes, bool fast) const {
        const nb::gil_scoped_release release;
        Exl3Args args = exl3_args(trellis, sizes);
        args.x = at<float>(x);
        args.suh = at<void>(suh);
        args.svh = at<void>(svh);
        args.bias = at<float>(bias);
        args.y = at<float>(y);
        run_exl3_linear(table_, args, fast);
    }

    void exl3_turn(Address x, Address suh, Address turned, const std::vector<int64_t>& sizes) const {
        const nb::gil_scoped_release release;
        Exl3Args args = exl3_args(0, sizes);
        args.x = at<float>(x);
        args.suh = at<void>(suh);
        args.turned = at<float>(turned);
        args.tile_stride = 16;
        args.row_stride = args.weight.in;
        run_exl3_turn(table_, args);
    }

    void exl3_decode(Address trellis, Address to, int64_t first, int64_t last, const std::vector<int64_t>& sizes) const {
        const nb::gil_scoped_release release;
        run_exl3_decode(table_, exl3_args(trellis, sizes).weight, at<float>(to), first, last);
    }

    void exl3_finish(Address product, Address svh, Address bias, Address y, const std::vector<int64_t>& sizes) const {
        const nb::gil_scoped_release release;
        Exl3Args args = exl3_args(0, sizes);
        args.product = at<float>(product);
        args.svh = at<void>(svh);
        args.bias = at<float>(bias);
        args.y = at<float>(y);
        run_exl3_finish(table_, args);
    }

    int64_t read(Address from, int64_t bytes) const {
        const nb::gil_scoped_release release;
        return run_read(table_, at<void>(from), bytes);
    }

private:
    static Exl3Args exl3_args(Address trellis, const std::vector<int64_t>& sizes) {
        if (sizes.size() != 7) throw std::invalid_argument("the ops of EXL3 take seven sizes");
        Exl3Args args{};
        args.rows = sizes[0];
        args.in = sizes[1];
        args.out = sizes[2];
        const bool whole = sizes[5] % 2 == 0 && sizes[5] >= 2 && sizes[5] <= 16;
        if (!whole && (sizes[6] != kMul1 || (sizes[5] != 3 && sizes[5] != 5 && sizes[5] != 7)))
            throw std::invalid_argument("EXL3 has no such rate with this codebook");
        args.weight = {at<uint16_t>(trellis), sizes[3], sizes[4], static_cast<int32_t>(sizes[5]), Codebook(sizes[6])};
        return args;
    }

    const KernelTable& table_;
};

std::vector<Isa> usable() {
    std::vector<Isa> isas;
    for (const KernelTable* table : usable_tables()) isas.emplace_back(table);
    return isas;
}

}  // namespace

NB_MODULE(_native, module) {
    nb::set_leak_warnings(false);  // Python keeps the chosen Isa until the process ends
    nb::class_<Isa>(module, "Isa")
        .def_prop_ro("name", &Isa::name)
        .def("linear", &Isa::linear)
        .def("rms_norm", &Isa::rms_norm)
        .def("rotate", &Isa::rotate)
        .def("gated", &Isa::gated)
        .def("write_kv", &Isa::write_kv)
        .def("attention", &Isa::attention)
        .def("exl3_linear", &Isa::exl3_linear)
        .def("exl3_turn", &Isa::exl3_turn)
        .def("exl3_decode", &Isa::exl3_decode)
        .def("exl3_finish", &Isa::exl3_finish)
        .def("read", &Isa::read);
    module.def("usable", &usable, "Instruction sets of this processor, best last.");
    module.def("set_threads", [](int count) {
        const nb::gil_scoped_release release;  // a run in progress may be waited for
        Pool::shared().resize(count);
    });
    module.def("threads", [] { return Pool::shared().threads(); });
}
