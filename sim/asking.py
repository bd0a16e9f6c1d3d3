"""Asking agents, and what happens when a reply is no good.

A reply is checked against the rules before the game goes on. What is wrong with it, or an exception inside the agent,
becomes an `AgentError` with the address of a game that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from sim.errors import AgentError
from sim.views import View

RAISED = (Exception, SystemExit)
"""What becomes an `AgentError`: `exit()` inside an agent, too, which must not end a run as if all were well."""


class Group(NamedTuple):
    """Equal agents, served by one call for all their seats."""

    agent: Any
    seats: NDArray[np.int64]


@dataclass(frozen=True)
class Address:
    """Where a batch of games stands: enough to play any of them again."""

    seed: int
    deals: NDArray[np.int64]
    seating: int

    def of(self, game: int) -> str:
        """The address of one game of the batch, in words."""
        return f"seed={self.seed}, deal={int(self.deals[game])}, seating={self.seating}"

    def take(self, rows: Any) -> Address:
        """The addresses of some of the games."""
        return Address(self.seed, self.deals[rows], self.seating)


@dataclass(frozen=True)
class Question:
    """One decision put to one group of agents; raises `AgentError` for whatever goes wrong with the answer."""

    group: Group
    decision: str
    view: View[Any, Any, Any]
    address: Address
    when: str

    def ask(self) -> Any:
        """The agent's raw reply."""
        try:
            return getattr(self.group.agent, self.decision)(self.view)
        except RAISED as error:
            game = self._first_that_raises()
            self.refuse(game, f"raised {type(error).__name__}: {error}", cause=error)

    def array(
        self, reply: Any, shape: tuple[int, ...], kinds: str, expected: str, kind_kept: type | None = None
    ) -> NDArray[Any]:
        """The reply as an array of the given shape, of one of NumPy's kinds ("b" bool, "i" integer, "f" real).

        kind_kept: the type to turn it into, C-contiguous, so that kernels are compiled once; None: as it is.
        """
        try:
            array = np.asarray(reply)
        except Exception as error:
            self.refuse(0, f"expected {expected}; received {type(reply).__name__} ({error})", cause=error)
        kind = "i" if array.dtype.kind == "u" else array.dtype.kind
        if array.shape != shape:
            self.refuse(0, f"expected {expected} of shape {shape}; received {_kind(array)} of shape {array.shape}")
        if kind not in kinds:
            self.refuse(0, f"expected {expected} of shape {shape}; received {_kind(array)}{_example(array)}")
        return array if kind_kept is None else np.ascontiguousarray(array, kind_kept)

    def refuse(self, game: int, problem: str, seat: int | None = None, cause: BaseException | None = None) -> NoReturn:
        """Raise AgentError: who was asked what, the problem, and the address of a game that shows it."""
        where = f", seat {seat}" if seat is not None else ""
        raise AgentError(
            f"agent {self.group.agent}, decision {self.decision}: {problem} "
            f"(game {self.address.of(game)}{where}, {self.when})"
        ) from cause

    def refuse_at(self, game: int, i: int, problem: str) -> NoReturn:
        """As `refuse`, with the agent's i-th seat."""
        self.refuse(game, problem, int(self.group.seats[i]))

    def _first_that_raises(self) -> int:
        n = len(self.address.deals)
        for game in range(n if n > 1 else 0):
            try:
                getattr(self.group.agent, self.decision)(self.view.take([game]))
            except RAISED:
                return game
        return 0


def _kind(array: NDArray[Any]) -> str:
    return str(array.dtype)


def _example(array: NDArray[Any]) -> str:
    if array.dtype.kind == "f" and np.isnan(array).any():
        return " with NaN"
    return ""
