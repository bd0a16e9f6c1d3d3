"""Normal probabilities, the same bits on every machine: float32 tables and compiled loops of fixed order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sim.compiled import kernel

__all__ = ["HERMITE_NODES", "HERMITE_WEIGHTS", "PHI", "constant", "phi"]

F32 = np.float32
_RANGE = F32(6)
_STEPS = F32(64)
_LAST = F32(12 * 64)


def constant(array: Any, kind: Any = np.float32) -> NDArray[Any]:
    """The same shape, read-only and contiguous, as the compiled loops here take it; copies only if needed."""
    fixed: NDArray[Any] = np.ascontiguousarray(array, kind)
    if fixed.flags.writeable:
        fixed = fixed.view()
        fixed.flags.writeable = False
    return fixed


PHI: Final[NDArray[np.float32]] = constant(ndtr(np.arange(-6 * 64, 6 * 64 + 1) / 64))
"""The normal distribution function at -6, -6 + 1/64, ..., 6."""

_nodes, _weights = np.polynomial.hermite_e.hermegauss(8)
HERMITE_NODES: Final[NDArray[np.float32]] = constant(_nodes)
HERMITE_WEIGHTS: Final[NDArray[np.float32]] = constant(_weights / _weights.sum())
"""8-point Gauss-Hermite: E[g(z)], z standard normal, is the sum of weights times g(nodes)."""


@kernel
def phi(z: Any, table: Any) -> Any:
    """P(standard normal <= z), between the entries of PHI by a straight line (within 1e-5). z, result: float32."""
    place = (z + _RANGE) * _STEPS
    if place <= 0:
        return F32(0)
    if place >= _LAST:
        return F32(1)
    i = np.int32(place)
    below = table[i]
    return below + (place - F32(i)) * (table[i + 1] - below)
