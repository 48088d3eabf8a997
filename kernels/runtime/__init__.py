"""Finding, loading and choosing implementations."""
