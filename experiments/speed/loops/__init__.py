"""The compiled loops: one module a game, and what they share."""
