"""Where a model goes and what it needs: pure functions, without torch."""
