"""Timings of the processor's kernels against what they replace; see NOTES.md."""
