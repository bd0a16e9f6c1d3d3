"""What a clue means to people: the probit model of shared and private readings, and the interface other worlds take.

In units where a random image has standard deviation 1 for one person:

    fit(player, image) = breadth + sqrt(agreement) * shared(image) + sqrt(1 - agreement) * private(player, image)
    fit(player, storyteller's image) = clarity + sqrt(1 - agreement) * private(player, image)

`shared` and `private` are pure functions of (seed, deal, turn or round, image[, seat]): a person sees an image the same
way in the hand, on the table and on the grid. Person means seat, so that rotating a lineup cancels the luck of reading.
Arithmetic is float32, every operation rounded, in the order written, so that machines agree bit by bit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from sim.compiled import kernel
from sim.errors import WorldError
from sim.parameters import Parameters, Problem, parameter
from sim.randomness import CLUE, LOW16, NORMALS, READING, U64, Keys, c_lane, c_word, purpose_keys

Fits = NDArray[np.float32]
TRIES = 8
"""How often a storyteller with a floor draws the clue again, at most."""
_LEVELS = 4096


class Reading(NamedTuple):
    """One clue or word in n games: all that decides how each seat reads each card."""

    keys: Keys
    """uint64 (n,): the key of this turn's readings."""
    levels: Fits
    """float32 (n, 4): sqrt(agreement), sqrt(1 - agreement), breadth, clarity."""
    source: NDArray[np.int16]
    """int16 (n,): the storyteller's image, -1 where the clue has no source."""


@runtime_checkable
class ReadingModel(Protocol):
    """What the engine asks of a world. Another world (one made of picture and word vectors, say) offers these five.

    Everything returned must be a pure function of the arguments. `keys` are deal keys, uint64 (n,). A `Reading` may be
    anything that the same world's `fit_hands` and `fit_images` understand. Like an agent, a world is a value: equal to
    its pickled copy, and hashable for agents that compute in it ahead (`tuned`). What is no finite number of the right
    shape is refused with a `WorldError`. A world in which everybody reads alike:

        @dataclass(frozen=True)
        class Alike:
            aptness: float = 3

            def clue(self, keys, turn, storyteller, cards, vagueness):
                return purpose_keys(keys, turn, READING), cards, np.float32(self.aptness) * (1 - vagueness)

            def open_clue(self, keys, turn):
                return purpose_keys(keys, turn, READING), np.full(len(keys), -1), np.zeros(len(keys), np.float32)

            def word(self, keys, round):
                return self.open_clue(keys, round)

            def fit_hands(self, reading, seats, hands):
                key, source, fit_of_source = (column[:, None, None] for column in reading)
                fit = NORMALS[word(key, hands) & LOW16]
                return np.where(hands == source, fit_of_source, fit)

            def fit_images(self, reading, seats, images):
                return self.fit_hands(reading, seats, np.repeat(images[:, None], len(seats), 1))

    with `READING`, `NORMALS`, `LOW16`, `purpose_keys` and `word` of `sim.randomness`. It is given as
    `sim.Match(agents, rules, world=Alike())`, and agents find it in `view.world`.
    """

    def clue(self, keys: Keys, turn: int, storyteller: int, cards: NDArray[np.int16], vagueness: Fits) -> Any:
        """A clue for the storyteller's image. cards: int16 (n,); vagueness: float32 (n,), 0..1."""

    def open_clue(self, keys: Keys, turn: int) -> Any:
        """A clue said before anybody looks (party): no image is its source."""

    def word(self, keys: Keys, round: int) -> Any:
        """A word card of Stella."""

    def fit_hands(self, reading: Any, seats: NDArray[np.int64], hands: NDArray[np.int16]) -> Fits:
        """How the cards in the hands of k seats fit, to their owners. hands: int16 -> float32, both (n, k, slots)."""

    def fit_images(self, reading: Any, seats: NDArray[np.int64], images: NDArray[np.int16]) -> Fits:
        """How images that all see fit, to each of k seats. images: int16 (n, m) -> float32 (n, k, m)."""


class World(Parameters):
    """The probit world. Common knowledge: agents know it; nobody sees a clue's drawn agreement, breadth or clarity.

    Defaults and their evidence: people's marks on paintings (agreement), 46 human-told rounds of Dixit (clarity_sd).
    Frozen, equal by value; `.replace(...)`, `.from_toml(path)`, `.to_toml()`, `World.like("people")`.
    """

    _file: ClassVar[str] = "world file"

    agreement_mean: float = parameter(0.40, "mean share of a reading that people have in common", ge=0, le=1)
    agreement_sd: float = parameter(0.15, "its standard deviation from clue to clue (Beta)", ge=0, le=0.5)
    breadth_sd: float = parameter(0.3, "sd of a Stella word's breadth: how much it fits every card", ge=0, le=5)
    clarity_sd: float = parameter(1.15, "sd of how apt a clue comes out, the same for all listeners", ge=0, le=10)
    clarity_span: float = parameter(3.0, "how apt a clue of vagueness 0 is on average, in sd of fit", ge=0, le=20)
    storyteller_floor: float | None = parameter(
        None, "a storyteller draws the clue again below this own fit; none: never", ge=-5, le=5
    )

    def _conflicts(self) -> list[Problem]:
        m, sd = self.agreement_mean, self.agreement_sd
        if sd > 0 and sd * sd >= m * (1 - m):
            most = "0 (constant agreement)"
            if 0 < m < 1:
                most = f"below {(m * (1 - m)) ** 0.5:.4g} for a Beta distribution of mean {m}, or {most}"
            return [self._conflict("agreement_sd", f"must be {most}", "agreement_mean")]
        return []

    @classmethod
    def like(cls, name: str) -> World:
        """A named world: "default", or "people" (nearer to figures of people and of models that tell, see `PEOPLE`)."""
        worlds = {"default": {}, "people": PEOPLE}
        if name not in worlds:
            raise ValueError(f"World.like({name!r}): there is {', '.join(map(repr, sorted(worlds)))}")
        return cls(**worlds[name])

    def clue(self, keys: Keys, turn: int, storyteller: int, cards: NDArray[np.int16], vagueness: Fits) -> Reading:
        """A clue for the storyteller's image. cards: int16 (n,); vagueness: float32 (n,), 0..1."""
        reading = Reading(purpose_keys(keys, turn, READING), np.empty((len(keys), 4), np.float32), cards)
        root, rest = agreement_roots(self.agreement_mean, self.agreement_sd)
        floor = np.float32(-np.inf if self.storyteller_floor is None else self.storyteller_floor)
        _clue(
            purpose_keys(keys, turn, CLUE), reading.keys, storyteller, cards, vagueness, root, rest, NORMALS,
            np.float32(self.clarity_span), np.float32(self.clarity_sd), floor, reading.levels,
        )  # fmt: skip
        return reading

    def open_clue(self, keys: Keys, turn: int) -> Reading:
        """A clue said before anybody looks (party): no image is its source."""
        return self._sourceless(keys, turn, np.float32(0))

    def word(self, keys: Keys, round: int) -> Reading:
        """A word card of Stella."""
        return self._sourceless(keys, round, np.float32(self.breadth_sd))

    def _sourceless(self, keys: Keys, step: int, breadth_sd: np.float32) -> Reading:
        n = len(keys)
        reading = Reading(purpose_keys(keys, step, READING), np.empty((n, 4), np.float32), np.full(n, -1, np.int16))
        root, rest = agreement_roots(self.agreement_mean, self.agreement_sd)
        _sourceless(purpose_keys(keys, step, CLUE), root, rest, NORMALS, breadth_sd, reading.levels)
        return reading

    def fit_hands(self, reading: Reading, seats: NDArray[np.int64], hands: NDArray[np.int16]) -> Fits:
        """How the cards in hands fit, to their owners. hands: int16 -> float32, both (n, k, slots)."""
        cards = hands.reshape(len(hands), -1)
        out = np.empty(cards.shape, np.float32)
        _fit_hands(reading.keys, reading.levels, reading.source, seats, cards, NORMALS, out)
        return out.reshape(hands.shape)

    def fit_images(self, reading: Reading, seats: NDArray[np.int64], images: NDArray[np.int16]) -> Fits:
        """How images that all see fit, to each of k seats. images: int16 (n, m) -> float32 (n, k, m)."""
        out = np.empty((len(images), len(seats), images.shape[1]), np.float32)
        _fit_images(reading.keys, reading.levels, reading.source, seats, images, NORMALS, out)
        return out


class CheckedWorld:
    """A world of the user's own as the engine asks it: what it replies is checked before the game goes on.

    `WorldError` names the world's type, the method, what was expected and what was received.
    """

    def __init__(self, world: ReadingModel) -> None:
        self._world = world

    def clue(self, keys: Keys, turn: int, storyteller: int, cards: NDArray[np.int16], vagueness: Fits) -> Any:
        """As in `ReadingModel`."""
        return self._asked("clue", keys, turn, storyteller, cards, vagueness)

    def open_clue(self, keys: Keys, turn: int) -> Any:
        """As in `ReadingModel`."""
        return self._asked("open_clue", keys, turn)

    def word(self, keys: Keys, round: int) -> Any:
        """As in `ReadingModel`."""
        return self._asked("word", keys, round)

    def fit_hands(self, reading: Any, seats: NDArray[np.int64], hands: NDArray[np.int16]) -> Fits:
        """As in `ReadingModel`."""
        return self._checked("fit_hands", hands, self._asked("fit_hands", reading, seats, hands), seats)

    def fit_images(self, reading: Any, seats: NDArray[np.int64], images: NDArray[np.int16]) -> Fits:
        """As in `ReadingModel`."""
        cards = np.broadcast_to(images[:, None], (len(images), len(seats), images.shape[1]))
        return self._checked("fit_images", cards, self._asked("fit_images", reading, seats, images), seats)

    def _asked(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._world, method)(*arguments)
        except Exception as error:
            raise self._error(method, f"raised {type(error).__name__}: {error}") from error

    def _checked(self, method: str, cards: NDArray[np.int16], reply: Any, seats: NDArray[np.int64]) -> Fits:
        """The reply as an array of its own. cards: (n, k, m), the card numbers that were asked for."""
        expected = f"expected float32 of shape {cards.shape} (games, seats, cards)"
        try:
            array = np.asarray(reply)
        except Exception as error:
            raise self._error(method, f"{expected}; received {type(reply).__name__} ({error})") from error
        if array.dtype.kind != "f" or array.shape != cards.shape:
            kind = array.dtype if array.dtype.kind != "O" else type(reply).__name__
            raise self._error(method, f"{expected}; received {kind} of shape {array.shape}")
        with np.errstate(over="ignore"):
            fits = np.array(array, np.float32, order="C")
        bad = ~np.isfinite(fits)
        if bad.any():
            game, i, m = np.argwhere(bad)[0]
            where = f"seat {seats[i]} and card {cards[game, i, m]}"
            raise self._error(method, f"expected finite float32 numbers; received {array[game, i, m]} for {where}")
        return fits

    def _error(self, method: str, problem: str) -> WorldError:
        return WorldError(f"world {type(self._world).__name__}, method {method}: {problem}")


def checked(world: ReadingModel) -> ReadingModel:
    """The world as the engine asks it: a `World` itself, anything else with its replies checked."""
    return world if type(world) is World else CheckedWorld(world)


PEOPLE: dict[str, Any] = {"agreement_mean": 0.32, "clarity_sd": 1.55}
"""What `World.like("people")` sets apart from the defaults, which figures of people rule out: `calibration` says.

agreement_mean: marks on 4,105 paintings, at the default breadth_sd, need 0.32 (0.30 to 0.35) and rule out 0.40.
clarity_sd: at that agreement, 321 rounds of Dixit (46 told by people, the others by literal and by vague models), each
kind at a vagueness of its own, need 1.55 (1.3 to 1.9) and rule out 1.15. The 46 rounds alone rule out neither.
"""


@lru_cache(maxsize=64)
def agreement_roots(mean: float, sd: float) -> tuple[Fits, Fits]:
    """sqrt(agreement) and sqrt(1 - agreement) at 4,096 Beta quantiles: float32 (4096,) each."""
    if sd == 0:
        agreement = np.full(_LEVELS, mean)
    else:
        weight = mean * (1 - mean) / (sd * sd) - 1
        agreement = betaincinv(mean * weight, (1 - mean) * weight, (np.arange(_LEVELS) + 0.5) / _LEVELS)
    agreement = agreement.astype(np.float32).astype(np.float64)
    return np.sqrt(agreement).astype(np.float32), np.sqrt(1 - agreement).astype(np.float32)


@kernel
def _agreement(w: Any, root: Any, rest: Any, levels: Any) -> None:
    index = c_lane(w, 0) >> U64(4)
    levels[0] = root[index]
    levels[1] = rest[index]


@kernel
def _sourceless(keys: Any, root: Any, rest: Any, normals: Any, breadth_sd: Any, levels: Any) -> None:
    for g in range(len(keys)):
        w = c_word(keys[g], 0)
        _agreement(w, root, rest, levels[g])
        levels[g, 2] = breadth_sd * normals[c_lane(w, 1)]
        levels[g, 3] = 0


@kernel
def _clue(
    keys: Any, reading_keys: Any, storyteller: Any, cards: Any, vagueness: Any, root: Any, rest: Any, normals: Any,
    span: Any, sd: Any, floor: Any, levels: Any,
) -> None:  # fmt: skip
    for g in range(len(keys)):
        _agreement(c_word(keys[g], 0), root, rest, levels[g])
        levels[g, 2] = 0
        aim = span * (np.float32(1) - vagueness[g])
        clarity = aim + sd * normals[c_lane(c_word(keys[g], 1), 0)]
        if floor > -np.inf:
            own = levels[g, 1] * normals[_lane_of(reading_keys[g], cards[g], 1 + storyteller)]
            for again in range(1, TRIES):
                if clarity + own >= floor:
                    break
                other = aim + sd * normals[c_lane(c_word(keys[g], 1 + again // 4), again % 4)]
                if other > clarity:
                    clarity = other
        levels[g, 3] = clarity


@kernel
def _lane_of(key: Any, card: Any, lane: Any) -> Any:
    """The 16 bits of a card's reading: lane 0 is shared, lane 1 + seat is private to that seat."""
    return c_lane(c_word(key, np.int64(card) * 4 + lane // 4), lane % 4)


@kernel
def _fit_hands(keys: Any, levels: Any, source: Any, seats: Any, cards: Any, normals: Any, out: Any) -> None:
    """cards, out: (n, k * slots), the hands of a game one after the other."""
    n, k = len(cards), len(seats)
    m = cards.shape[1] // k
    block, shift = np.empty(k * m, np.int64), np.empty(k * m, U64)
    for i in range(k):
        lane = seats[i] + 1
        block[i * m : (i + 1) * m] = lane // 4
        shift[i * m : (i + 1) * m] = U64(16 * (lane % 4))
    shared, private = np.empty(k * m, U64), np.empty(k * m, U64)
    for g in range(n):
        root, rest, breadth, clarity = levels[g, 0], levels[g, 1], levels[g, 2], levels[g, 3]
        # all words first, then all normals: the processor takes several at a time
        for j in range(k * m):
            card = np.int64(cards[g, j])
            shared[j] = c_word(keys[g], card * 4) & LOW16
            private[j] = (c_word(keys[g], card * 4 + block[j]) >> shift[j]) & LOW16
        for j in range(k * m):
            aptness = breadth + root * normals[shared[j]]
            common = clarity if cards[g, j] == source[g] else aptness
            out[g, j] = common + rest * normals[private[j]]


GAMES = 16
"""Read together in `_fit_images`: enough for the processor to hash several images at a time."""


@kernel
def _fit_images(keys: Any, levels: Any, source: Any, seats: Any, images: Any, normals: Any, out: Any) -> None:
    n, k, m = out.shape
    blocks = (seats.max() + 1) // 4 + 1
    key, index = np.empty(GAMES * m, U64), np.empty(GAMES * m, np.int64)
    words = np.empty((blocks, GAMES * m), U64)
    common = np.empty(m, np.float32)
    for first in range(0, n, GAMES):
        games = min(GAMES, n - first)
        for j in range(games):
            for c in range(m):
                key[j * m + c] = keys[first + j]
                index[j * m + c] = np.int64(images[first + j, c]) * 4
        for block in range(blocks):
            for j in range(games * m):
                words[block, j] = c_word(key[j], index[j] + block)
        for j in range(games):
            g = first + j
            root, rest, breadth, clarity = levels[g, 0], levels[g, 1], levels[g, 2], levels[g, 3]
            for c in range(m):
                aptness = breadth + root * normals[words[0, j * m + c] & LOW16]
                common[c] = clarity if images[g, c] == source[g] else aptness
            for i in range(k):
                lane = seats[i] + 1
                block, shift = lane // 4, U64(16 * (lane % 4))
                for c in range(m):
                    out[g, i, c] = common[c] + rest * normals[(words[block, j * m + c] >> shift) & LOW16]
