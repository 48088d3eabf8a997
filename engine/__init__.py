"""Tonnelle's engine: loads a language model and generates text with it.

Nothing heavy happens at import; the rooms are described in `engine/README.md`.
"""

__version__ = "0.1.0"
