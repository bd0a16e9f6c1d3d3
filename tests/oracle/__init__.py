"""The rulebook as slow, obvious Python: one game at a time, nothing shared with the engine but the key schema."""
