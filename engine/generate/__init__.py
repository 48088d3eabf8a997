"""Answers: who runs next, one step for everybody, tokens into text."""
