"""Agents in which one decision is spoiled: it is made at random, or always in the same extreme way.

Everything else is left to the agent inside, which draws from streams of its own: with and without the change, and with
one change or another, it draws the same numbers. `change="nothing"` is the agent inside, to compare with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.choice import best, best_k, top
from agents.odyssey.base import Indices, single_vote
from agents.registry import Game, make
from sim.odyssey import Clue
from sim.odyssey.views import HandInView, TellView, TrapView, VoteView
from sim.stella.views import MarkView, RevealView

__all__ = ["ImpairedOdyssey", "ImpairedStella"]


@dataclass(frozen=True)
class ImpairedOdyssey(Agent):
    """Odyssey: plays like `agent` (a spec), but for one decision.

    slot_first: tells the card in the first slot; vagueness_random, _0, _1: gives every clue at a uniform vagueness, as
    literal as can be, as vague as can be; hand_in_random, _worst: hands in uniform cards, the worst fits; vote_random,
    _worst, _own: one vote for a uniform legal image, the worst fit, the own image (party; else nothing changes)
    second_never, _random, _always: the second vote (for the best other fit) is used never, by a coin's toss, always
    trap_random, _worst: the red token on a uniform image that it may take, on the worst fit
    """

    game: ClassVar[str] = "odyssey"

    agent: str = "greedy"
    change: Literal[
        "nothing", "slot_first", "vagueness_random", "vagueness_0", "vagueness_1", "hand_in_random", "hand_in_worst",
        "vote_random", "vote_worst", "vote_own", "second_never", "second_random", "second_always", "trap_random",
        "trap_worst",
    ] = "nothing"  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "agent", _written("odyssey", self.agent))

    @property
    def inner(self) -> Any:
        """The agent inside."""
        return _made("odyssey", self.agent)

    def tell(self, view: TellView) -> Clue:
        clue: Clue = self.inner.tell(view.with_stream(0))
        if self.change == "slot_first":
            return Clue(np.zeros(view.acting.shape, np.int64), clue.vagueness)
        if self.change == "vagueness_random":
            return Clue(clue.slot, view.with_stream(1).random.uniform(1)[..., 0])
        if self.change in ("vagueness_0", "vagueness_1"):
            return Clue(clue.slot, np.full(view.acting.shape, float(self.change[-1])))
        return clue

    def hand_in(self, view: HandInView) -> Indices:
        count = view.rules.images_handed_in
        if self.change == "hand_in_random":
            return best_k(_uniform(view), count, view.legal)
        if self.change == "hand_in_worst":
            return best_k(-view.fit, count, view.legal)
        slots: Indices = self.inner.hand_in(view.with_stream(0))
        return slots

    def vote(self, view: VoteView) -> Indices:
        votes = view.rules.votes
        if self.change == "vote_random":
            return single_vote(best(_uniform(view), view.legal), votes)
        if self.change == "vote_worst":
            return single_vote(best(-view.fit, view.legal), votes)
        images: Indices = self.inner.vote(view.with_stream(0))
        if self.change == "vote_own" and view.rules.variant == "party":
            return single_vote(np.argmax(view.own, axis=-1), votes)
        if self.change.startswith("second") and votes == 2:
            return _with_second(images[..., 0], self._uses_second(view), view)
        return images

    def _uses_second(self, view: VoteView) -> NDArray[np.bool_]:
        if self.change == "second_random":
            return np.asarray(view.with_stream(1).random.uniform(1)[..., 0] < 0.5)
        return np.full(view.acting.shape, self.change == "second_always")

    def trap(self, view: TrapView) -> Indices:
        if self.change == "trap_random":
            return best(_uniform(view), view.legal)
        if self.change == "trap_worst":
            return best(-view.fit, view.legal)
        image: Indices = self.inner.trap(view.with_stream(0))
        return image


@dataclass(frozen=True)
class ImpairedStella(Agent):
    """Stella: plays like `agent` (a spec), but for one decision. The agent inside may not think again at every reveal.

    number_random, _minimum, _maximum: a uniform legal number of marks, always the fewest, always the most; they are the
    best fits; cards_random, _worst: as many marks as ever, on uniform cards, on the worst fits; order_random, _boldest:
    reveals in a uniform order, the worst fit first
    """

    game: ClassVar[str] = "stella"

    agent: str = "avoider"
    change: Literal[
        "nothing", "number_random", "number_minimum", "number_maximum", "cards_random", "cards_worst", "order_random",
        "order_boldest",
    ] = "nothing"  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "agent", _written("stella", self.agent))
        if hasattr(self.inner, "scout"):
            raise ValueError(
                f"agent = {self.agent} thinks again at every reveal, whatever the order: impair one that does not"
            )

    @property
    def inner(self) -> Any:
        """The agent inside."""
        return _made("stella", self.agent)

    def mark(self, view: MarkView) -> NDArray[np.bool_]:
        rules, shape = view.rules, view.acting.shape
        if self.change == "number_random":
            number = view.with_stream(1).random.integers(rules.minimum_marks, rules.maximum_marks + 1, 1)[..., 0]
            return top(view.fit, number)
        if self.change in ("number_minimum", "number_maximum"):
            return top(
                view.fit,
                np.full(shape, rules.minimum_marks if self.change.endswith("minimum") else rules.maximum_marks),
            )
        marks: NDArray[np.bool_] = self.inner.mark(view.with_stream(0))
        if self.change == "cards_random":
            return top(_uniform(view), marks.sum(-1))
        if self.change == "cards_worst":
            return top(-view.fit, marks.sum(-1))
        return marks

    def reveal_order(self, view: RevealView) -> NDArray[Any]:
        if self.change == "order_random":
            return _uniform(view)
        if self.change == "order_boldest":
            return -view.fit
        order: NDArray[Any] = self.inner.reveal_order(view.with_stream(0))
        return order


def _uniform(view: Any) -> NDArray[np.float64]:
    """A uniform number for every slot, image or card."""
    return np.asarray(view.with_stream(1).random.uniform(view.fit.shape[-1]), np.float64)


def _with_second(first: Indices, used: NDArray[np.bool_], view: VoteView) -> Indices:
    """The first vote as it is, and a second one for the best other fit where it is used (and legal)."""
    others = view.legal & (np.arange(view.legal.shape[-1]) != first[..., None])
    return np.stack([first, np.where(used, best(view.fit, others), -1)], axis=-1)


@lru_cache(maxsize=256)
def _made(game: Game, spec: str) -> Any:
    return make(game, spec[1:-1] if spec.startswith("[") else spec)


def _written(game: Game, spec: str) -> str:
    """A spec as it stands inside another: in brackets where it has a comma."""
    text = str(_made(game, spec))
    return f"[{text}]" if "," in text else text
