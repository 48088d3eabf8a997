"""A sentencepiece vocabulary (pieces with scores) as byte-pair encoding with merges.

Sentencepiece's BPE (Kudo and Richardson 2018, arXiv 1808.06226) joins, again and again, the two neighbours whose
union is the piece with the best score, the leftmost of equals. Merges ordered by the score of what they make do
the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import tokenizers
from tokenizers import decoders, models, normalizers

from engine.text.pieces import SPACE_MARK


def sentencepiece(
    vocab: Mapping[str, int], scores: Mapping[str, float], unknown: str | None, *, prefix: bool
) -> tokenizers.Tokenizer:
    """The tokenizer without special tokens. scores: of ordinary pieces; the other ones, such as <s> and <0x0A>,
    never come about by joining. unknown: stands for what has neither pieces nor bytes. prefix: a blank is put before
    a text, and before what follows a special token."""
    model = models.BPE(
        vocab=dict(vocab),
        merges=merges(scores),
        unk_token=unknown,
        fuse_unk=True,
        byte_fallback=True,
    )
    library = tokenizers.Tokenizer(model)
    blanks = normalizers.Replace(" ", SPACE_MARK)
    library.normalizer = normalizers.Sequence([normalizers.Prepend(SPACE_MARK), blanks]) if prefix else blanks
    steps = [decoders.Replace(SPACE_MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    library.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    return library


def merges(scores: Mapping[str, float]) -> list[tuple[str, str]]:
    """Pairs of pieces whose union is one, the best first; of equals in the order of the vocabulary."""
    best_first = sorted(scores, key=lambda piece: -scores[piece])
    cuts = ((piece[:cut], piece[cut:]) for piece in best_first for cut in range(1, len(piece)))
    return [(left, right) for left, right in cuts if left in scores and right in scores]
