"""Tonnelle's window: what people see. It never imports torch; the engine runs in a process of its own."""
