"""End-to-end benchmarks: ratios against a peer in one run."""
