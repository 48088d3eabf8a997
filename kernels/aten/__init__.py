"""Implementations composed of torch's own (ATen) kernels: bounded memory, matmul units."""
