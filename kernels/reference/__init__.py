"""Every op in plain PyTorch: the definition, the oracle of the tests, and the fallback on any device.

Computed in float32, or in float64 where the activations are float64.
"""
