"""Implementations in C++ for the processor: refusals, and calls by address into `kernels._native`.

A torch tensor as argument would cost the compiled module 6 to 9 µs; an address costs 0.4 µs.
"""
