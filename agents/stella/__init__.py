"""Strategies for Stella: Dixit Universe, one a file."""
