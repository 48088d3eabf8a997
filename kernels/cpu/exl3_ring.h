// The rings of packed tiles: from the stored words to the 16-bit states, of many columns at a time.
//
// A tile's ring of 256 states is eight groups of 32, each of the columns g and g + 8 of the tile, whose rows follow the
// same order in every group. So a lane is a group. The two halves of its word are the states i and i + 16 of the
// group: rows r and r + 4 of one column.
//
// M is twice the rate: a group is M halves of stored words, its first 16 states are 8 M bits.
#pragma once

namespace {

constexpr int kTilesAtOnce = Bits::kLanes / 8;

// The words of every lane's group, its first bit the highest of the first word.
template <int M>
struct GroupWords {
    static constexpr int kCount = (M + 1) / 2;
    Bits word[kCount];

    explicit TONNELLE_INLINE GroupWords(const uint16_t* tiles) {
        load_groups<M>(tiles, word);
        if constexpr (M % 2)  // every second group begins in the middle of a stored word
            unroll<0, kCount>([&](auto w) {
                constexpr int next = w.value + 1;
                Bits odd = left32<16>(word[w.value]);
                if constexpr (next < kCount) odd = odd | right32<16>(word[next]);
                word[w.value] = even_odd(word[w.value], odd);
            });
    }

    // In the low half of every word: the 16 bits at 16 H of the group; of the group before if H is -1.
    template <int H>
    TONNELLE_INLINE Bits low() const {
        if constexpr (H < 0) return turn_eight(M % 2 ? right32<16>(word[kCount - 1]) : word[kCount - 1]);
        else if constexpr (H % 2) return word[H / 2];
        else return right32<16>(word[H / 2]);
    }

    // In the high half of every word: the 16 bits at `At` of the group, as far as there are.
    template <int At>
    TONNELLE_INLINE Bits high() const {
        constexpr int first = At / 32, shift = At % 32;
        if constexpr (first >= kCount) return fill32(0);
        else if constexpr (shift == 0) return word[first];
        else if constexpr (shift <= 16 || first + 1 == kCount) return left32<shift>(word[first]);
        else return left32<shift>(word[first]) | right32<32 - shift>(word[first + 1]);
    }
};

// Sixteen bits of the stream after the other, from 16 before a group's first: in the low halves those of states 0 to
// 15, in the high halves those of states 16 to 31.
template <int M>
struct Stream {
    static constexpr int kCount = (8 * M + 15) / 16 + 1;
    Bits part[kCount];

    explicit TONNELLE_INLINE Stream(const uint16_t* tiles) {
        const GroupWords<M> words(tiles);
        unroll<0, kCount>([&](auto i) {
            constexpr int h = i.value - 1;
            part[i.value] = halves(words.template low<h>(), words.template high<16 * h + 8 * M>());
        });
    }

    // The states I and I + 16.
    template <int I>
    TONNELLE_INLINE Bits states() const {
        constexpr int end = (I + 1) * M / 2, last = (end - 1) / 16, into = end - 16 * last;
        if constexpr (into == 16) return part[last + 1];
        else return join16<into>(part[last], part[last + 1]);
    }
};

}  // namespace
