"""What agents that compute ask of the match's world: the numbers of the probit world, which a custom one may lack."""

from __future__ import annotations

from typing import Any

__all__ = ["parameter_of"]


def parameter_of(world: Any, name: str) -> Any:
    """A parameter of `sim.World`, like agreement_mean. Raises ValueError for a world that has none of that name."""
    try:
        return getattr(world, name)
    except AttributeError:
        raise ValueError(f"agents that infer need a world with {name}; {type(world).__name__} has none") from None
