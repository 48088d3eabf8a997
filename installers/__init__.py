"""How Tonnelle comes onto a machine: standard library only, nothing of ours but the version."""
