"""Strategies for Dixit: Odyssey, one a file."""
