"""The parts of a model: each holds its weights and computes one step from tensors and a ForwardContext."""
