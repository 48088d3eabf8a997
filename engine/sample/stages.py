"""The stages of sampling: one function each, over the logits of one position.

They run in this order: repetition penalty, temperature, top-k, top-p, min-p. Filters work on candidates sorted
by probability, likeliest first, equal ones by id, and always leave at least one.
"""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor


def penalize_repetition(logits: Tensor, tokens: Collection[int], penalty: float) -> Tensor:
    """Logits [vocab] with those of `tokens` made less likely (Keskar et al. 2019, arXiv 1909.05858)."""
    if penalty == 1.0 or not tokens:
        return logits
    ids = torch.tensor(sorted(tokens), device=logits.device)
    seen = logits[ids]
    return logits.index_copy(0, ids, torch.where(seen > 0, seen / penalty, seen * penalty))


def candidates(logits: Tensor, temperature: float, top_k: int) -> tuple[Tensor, Tensor]:
    """Probabilities, float64 and sorted, and ids of the `top_k` likeliest tokens (all if top_k is off).

    A stable sort resolves ties by id. The temperature divides differences from the largest logit, so that no
    temperature overflows.
    """
    count = logits.numel()
    keep = count if top_k <= 0 else min(top_k, count)
    if keep < count:
        # Everything that could be among the k with ties, then the stable order within.
        threshold = torch.topk(logits, keep).values[-1]
        ids = torch.nonzero(logits >= threshold).flatten()
    else:
        ids = torch.arange(count, device=logits.device)
    chosen = logits[ids].double()
    order = torch.sort(chosen, descending=True, stable=True)
    ids, chosen = ids[order.indices][:keep], order.values[:keep]
    return torch.softmax((chosen - chosen[0]) / temperature, dim=0), ids


def keep_top_p(probabilities: Tensor, top_p: float) -> Tensor:
    """The smallest beginning whose sum reaches `top_p` (Holtzman et al. 2020, arXiv 1904.09751); 0 and 1 are off."""
    if top_p in (0.0, 1.0):
        return probabilities
    before = torch.cumsum(probabilities, dim=0) - probabilities
    kept = int((before < top_p).sum())
    return probabilities[: max(kept, 1)]


def keep_min_p(probabilities: Tensor, min_p: float) -> Tensor:
    """Those at least `min_p` times as likely as the likeliest (Nguyen et al. 2024, arXiv 2407.01082); 0 is off."""
    if min_p == 0.0:
        return probabilities
    kept = int((probabilities >= min_p * probabilities[0]).sum())
    return probabilities[: max(kept, 1)]


def draw(probabilities: Tensor, uniform: float) -> int:
    """Index of the candidate at `uniform` (0 to 1) of the cumulated probabilities, which need not sum to 1."""
    cumulated = torch.cumsum(probabilities, dim=0)
    index = int(torch.searchsorted(cumulated, uniform * cumulated[-1], right=True))
    return min(index, probabilities.numel() - 1)
