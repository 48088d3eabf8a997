"""What a model is, read from its files, as pure data without torch."""
