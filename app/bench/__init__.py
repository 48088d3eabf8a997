"""Measures the window: `python -m app.bench`."""
