"""Checkpoints: which files a model is in, which tensor goes where, and reading them one by one."""
