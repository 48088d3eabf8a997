"""A whole model: built from spec, plan and weights; computes logits."""
