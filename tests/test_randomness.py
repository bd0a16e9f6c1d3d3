"""Keyed randomness: known answers, three forms equal bit by bit, and a statistical battery."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtri

import sim
from agents.registry import make
from sim import draws as sim_draws
from sim import randomness as rnd
from sim.cards import Pile
from sim.compiled import kernel
from sim.draws import Draws
from sim.randomness import scalar
from sim.stella import StellaRules

WORDS = st.integers(0, 2**64 - 1)
INDEXES = st.integers(0, 2**40)

# First outputs of the reference generator for three seeds (the published splitmix64 test vectors).
KNOWN = {
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821],
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B],
}


@kernel
def _compiled(key, index, out):  # type: ignore[no-untyped-def]
    out[0] = rnd.c_mix(key)
    out[1] = rnd.c_word(key, index)
    out[2] = rnd.c_purpose_key(key, index, 5)
    out[3] = rnd.c_half(key, index)
    for lane in range(4):
        out[4 + lane] = rnd.c_lane(key, lane)


@pytest.mark.parametrize("seed", KNOWN)
def test_known_answers(seed: int) -> None:
    assert [scalar.word(seed, i) for i in range(5)] == KNOWN[seed]
    assert rnd.word(np.uint64(seed), np.arange(5)).tolist() == KNOWN[seed]


@given(key=WORDS, index=INDEXES)
def test_three_forms_are_equal(key: int, index: int) -> None:
    out = np.empty(8, np.uint64)
    _compiled(np.uint64(key), index, out)
    assert out[0] == rnd.mix(np.uint64(key)) == scalar.mix(key)
    assert out[1] == rnd.word(np.uint64(key), index) == scalar.word(key, index)
    assert out[2] == rnd.purpose_keys(np.uint64(key), index, 5) == scalar.purpose_key(key, index, 5)
    assert out[3] == scalar.half(key, index)
    assert out[4:].tolist() == [scalar.lane(key, lane) for lane in range(4)]


@given(seed=WORDS, deals=st.lists(st.integers(0, 2**62), min_size=1, max_size=5))
def test_deal_keys(seed: int, deals: list[int]) -> None:
    assert rnd.deal_keys(seed, np.array(deals)).tolist() == [scalar.deal_key(seed, deal) for deal in deals]


@given(seed=WORDS, size=st.integers(1, 60))
def test_permutations_and_piles(seed: int, size: int) -> None:
    keys = rnd.deal_keys(seed, np.arange(3))
    expected = [scalar.permutation(int(key), list(range(size))) for key in keys]
    assert rnd.permutations(keys, size).tolist() == expected
    pile = Pile(keys, size)
    expected = [scalar.permutation(scalar.purpose_key(int(key), 0, rnd.DEAL), list(range(size))) for key in keys]
    first = size // 2
    drawn = np.concatenate([pile.draw(first), pile.draw(size - first)], 1)
    assert drawn.tolist() == expected  # a pile drawn in parts is the whole shuffle


@given(seed=WORDS, stream=st.integers(0, 2**32 - 1), low=st.integers(-50, 50), span=st.integers(1, 10**6))
def test_draws_of_agents(seed: int, stream: int, low: int, span: int) -> None:
    keys = rnd.deal_keys(seed, np.arange(2))
    games = rnd.purpose_keys(keys, 0, rnd.GAME)
    decision = rnd.purpose_keys(keys, 3, rnd.VOTE)
    draws = Draws(decision, games, np.array([1, 4]))
    for source, base in ((draws, decision), (draws.per_game, games)):
        agent = [[scalar.agent_key(int(key), seat, stream) for seat in (1, 4)] for key in base]
        expected = [[[scalar.uniform(key, i) for i in range(5)] for key in row] for row in agent]
        assert source.uniform(5, stream).tolist() == expected
        expected = [[[scalar.normal(key, i) for i in range(6)] for key in row] for row in agent]
        assert source.normal(6, stream).tolist() == expected
        expected = [[[scalar.integer(key, i, low, low + span) for i in range(3)] for key in row] for row in agent]
        assert source.integers(low, low + span, 3, stream).tolist() == expected


def test_draws_do_not_depend_on_what_was_asked_before_or_on_size() -> None:
    keys = rnd.deal_keys(1, np.arange(4))
    draws = Draws(keys, keys, np.arange(3))
    first = draws.uniform(4)
    draws.normal(9, stream=2)
    assert (draws.uniform(7)[:, :, :4] == first).all()
    assert (draws.take([2, 0]).uniform(4) == first[[2, 0]]).all()
    assert (draws.take_seats([2]).uniform(4) == first[:, [2]]).all()
    assert not (draws.family(0).uniform(4) == first).any()
    assert not (draws.family(1).uniform(4) == draws.family(0).uniform(4)).any()


@pytest.mark.parametrize(
    "call", [lambda d: d.integers(3, 3, 1), lambda d: d.uniform(1, stream=-1), lambda d: d.normal(-1)]
)
def test_draws_refuse_what_makes_no_sense(call) -> None:  # type: ignore[no-untyped-def]
    keys = rnd.deal_keys(1, np.arange(2))
    with pytest.raises(ValueError, match=r"high must be above low|stream = -1|size = -1"):
        call(Draws(keys, keys, np.arange(2)))


def test_keys_of_draws_are_read_only_and_compiled_for_once() -> None:
    keys, seats = rnd.deal_keys(1, np.arange(4)), np.arange(3)
    draws = Draws(keys, keys, seats)
    for source in (draws, draws.take([1]), draws.take_seats([0]), draws.per_game, draws.family(2)):
        for hidden in (source._keys, source._game_keys, source._seats):
            with pytest.raises(ValueError, match="read-only"):
                hidden[0] = 0
        source.uniform(1)
    assert keys.flags.writeable and seats.flags.writeable  # the caller's own arrays are left alone
    sim.simulate(sim.Match([make("stella", "random")] * 3, StellaRules(players=3)), 2)
    assert len(sim_draws._uniform.signatures) == 1


def test_normal_table() -> None:
    table = rnd.NORMALS.astype(float)
    assert (table == -table[::-1]).all()
    assert (np.diff(table) > 0).all()
    assert np.abs(table - ndtri((np.arange(65536) + 0.5) / 65536)).max() < 5e-7
    assert abs(table.std() - 1) < 1e-4


# The battery: deterministic, so a pass stays a pass. Every statistic is a z score or a p value over many numbers.

N = 1 << 16


def _axes() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Pairs of word sequences that differ in one coordinate by one: neighbouring games, turns, cards, and so on."""
    deals = rnd.deal_keys(11, np.arange(N + 1))
    reading = rnd.purpose_keys(deals[0], np.arange(N + 1) // 64, rnd.READING)
    cards = rnd.word(reading[0], np.arange(N + 4))
    game_words = rnd.word(rnd.purpose_keys(deals, 2, rnd.READING), 7)
    seeds = rnd.word(rnd.purpose_keys(rnd.deal_keys(0, 0), 0, rnd.READING), 0)
    by_seed = np.array([rnd.word(rnd.deal_keys(seed, 5), 0) for seed in range(4097)])
    assert seeds.shape == ()
    return {
        "games": (game_words[:-1], game_words[1:]),
        "turns": (
            rnd.word(rnd.purpose_keys(deals[:-1], 3, rnd.READING), 9),
            rnd.word(rnd.purpose_keys(deals[:-1], 4, rnd.READING), 9),
        ),
        "cards": (cards[:N], cards[4 : N + 4]),
        "words of a card": (cards[:N], cards[1 : N + 1]),
        "purposes": (
            rnd.word(rnd.purpose_keys(deals[:-1], 3, rnd.READING), 0),
            rnd.word(rnd.purpose_keys(deals[:-1], 3, rnd.CLUE), 0),
        ),
        "seats": (
            rnd.word(rnd.word(rnd.purpose_keys(deals[:-1], 3, rnd.VOTE), 1), 0),
            rnd.word(rnd.word(rnd.purpose_keys(deals[:-1], 3, rnd.VOTE), 2), 0),
        ),
        "seeds": (by_seed[:-1], by_seed[1:]),
    }


AXES = _axes()
WORST_P = 1e-4


@pytest.mark.parametrize("axis", AXES)
def test_lanes_are_uniform(axis: str) -> None:
    words = AXES[axis][0]
    for lane in range(4):
        counts = np.bincount(
            (((words >> np.uint64(16 * lane)) & np.uint64(0xFFFF)) >> np.uint64(8)).astype(int), minlength=256
        )
        assert stats.chisquare(counts).pvalue > WORST_P, f"lane {lane}"
        counts = np.bincount(((words >> np.uint64(16 * lane)) & np.uint64(0xFF)).astype(int), minlength=256)
        assert stats.chisquare(counts).pvalue > WORST_P, f"low bits of lane {lane}"


@pytest.mark.parametrize("axis", AXES)
def test_neighbours_are_not_correlated(axis: str) -> None:
    first, second = AXES[axis]
    for a in range(4):
        for b in range(4):
            x = rnd.NORMALS[((first >> np.uint64(16 * a)) & np.uint64(0xFFFF)).astype(int)]
            y = rnd.NORMALS[((second >> np.uint64(16 * b)) & np.uint64(0xFFFF)).astype(int)]
            for power in (1, 2):  # the values, and how far they are from 0
                assert stats.pearsonr(x**power, y**power).pvalue > WORST_P, f"lanes {a} and {b}, power {power}"


@pytest.mark.parametrize("axis", AXES)
def test_neighbours_differ_in_half_of_their_bits(axis: str) -> None:
    first, second = AXES[axis]
    bits = np.unpackbits((first ^ second).view(np.uint8)).reshape(len(first), 64)
    z = (bits.mean(0) - 0.5) * 2 * np.sqrt(len(first))
    assert np.abs(z).max() < stats.norm.isf(WORST_P / 128)


@pytest.mark.parametrize("axis", AXES)
def test_pairs_fill_the_square(axis: str) -> None:
    first, second = AXES[axis]
    cell = (first >> np.uint64(60)) * np.uint64(16) + (second >> np.uint64(60))
    assert stats.chisquare(np.bincount(cell.astype(int), minlength=256)).pvalue > WORST_P


def test_shuffles_are_fair() -> None:
    """Every card is equally likely in every place, and all 24 orders of 4 cards are equally likely."""
    orders = rnd.permutations(rnd.deal_keys(5, np.arange(24_000)), 4)
    counts = np.unique(orders @ np.array([64, 16, 4, 1]), return_counts=True)[1]
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > WORST_P
    places = rnd.permutations(rnd.deal_keys(6, np.arange(20_000)), 84)
    for place in (0, 1, 41, 82, 83):
        assert stats.chisquare(np.bincount(places[:, place], minlength=84)).pvalue > WORST_P
