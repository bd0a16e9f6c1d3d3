"""The tournament: who sits where, sums against frames, the same result whatever the order, and bad input."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sim
from agents.registry import make
from experiments.contest.crossplay import CrossPlay, per_deal
from experiments.contest.schemes import Sitting, mixed, sittings
from experiments.lab.command import compute, execute, main
from experiments.lab.experiment import Result, Running
from experiments.lab.moments import Moments
from experiments.lab.statistics import mean
from experiments.tournament import EXPERIMENT, Tournament
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

ONE = Running(n_jobs=1)
SMALL = Tournament(agents=("greedy", "people", "random"), n_deals=40)


@pytest.fixture(scope="module")
def small() -> Result:
    return compute(EXPERIMENT, SMALL, ONE)


def test_round_robin_has_every_pair_both_ways_and_half_and_half() -> None:
    found = sittings("round-robin", 4, 4)
    assert Counter(table.kind for table in found) == {"alone": 12, "half": 6, "self": 4}
    assert Sitting("alone", (2, 0, 0, 0)) in found
    assert Sitting("half", (1, 3, 1, 3)) in found
    assert len(set(found)) == len(found)
    assert Counter(table.kind for table in sittings("round-robin", 3, 5)) == {"alone": 6, "self": 3}
    assert Counter(table.kind for table in sittings("round-robin", 3, 2)) == {"alone": 3, "self": 3}


def test_gauntlet_is_one_agent_among_each_other() -> None:
    found = [table for table in sittings("gauntlet", 3, 4, focus=1) if table.kind != "self"]
    assert [table.sides for table in found] == [(1, 0, 0, 0), (1, 2, 2, 2)]


@pytest.mark.parametrize(
    ("agents", "sides", "tables"), [(7, 4, 70), (9, 4, 20), (10, 4, 70), (3, 4, 70), (2, 6, 9), (20, 6, 50)]
)
def test_mixed_tables_are_balanced(agents: int, sides: int, tables: int) -> None:
    found = mixed(agents, sides, tables)
    sat = Counter(agent for table in found for agent in table.sides)
    assert set(sat) == set(range(agents))
    assert max(sat.values()) - min(sat.values()) <= 1
    assert len({tuple(sorted(table.sides)) for table in found}) == len(found) <= tables
    each = [Counter(table.sides) for table in found]
    assert all(max(count.values()) - min(count.get(a, 0) for a in range(agents)) <= 1 for count in each)


@pytest.mark.parametrize("game", ["stella", "odyssey", "team"])
def test_sums_are_those_of_the_frame(game: str) -> None:
    """Every column of the reducer, recomputed from one row per game and member."""
    rules = {
        "stella": StellaRules(players=4),
        "odyssey": OdysseyRules(players=4),
        "team": OdysseyRules(players=8, variant="team"),
    }[game]
    lineup = [
        make("stella" if game == "stella" else "odyssey", spec) for spec in ("greedy", "random", "greedy", "people")
    ]
    games = sim.simulate(sim.Match(lineup * (rules.players // 4), rules), 9, seed=3)
    sums = per_deal(games)
    frame = games.to_frame()
    frame = frame[frame.member < 4]
    agents = ["greedy", "random", "people"]
    for name, scale in (("win_share", 27_720), ("score", 1)):
        expected = frame.groupby(["deal", "agent"], observed=False)[name].sum().unstack()[agents].to_numpy() * scale
        assert sums["wins" if name == "win_share" else name] == pytest.approx(expected)
    total = frame.groupby(["deal", "seating"])["score"].transform("sum")
    margin = frame.assign(margin=frame.score - (total - frame.score) / 3)
    expected = margin.groupby(["deal", "agent"], observed=False)["margin"].sum().unstack()[agents].to_numpy() * 3
    assert sums["margin"] == pytest.approx(expected)
    winners = (frame.win_share > 0).groupby([frame.deal, frame.seating]).sum()
    assert sums["winners"].sum(axis=0).tolist() == [int((winners == k).sum()) for k in (1, 2, 3, 4)]
    ahead = np.zeros((9, 3, 3))
    for (deal, _), table in frame.groupby(["deal", "seating"]):
        for _, one in table.iterrows():
            for _, other in table.iterrows():
                ahead[deal, agents.index(one.agent), agents.index(other.agent)] += np.sign(one.score - other.score) + 1
    assert sums["ahead"] == pytest.approx(ahead)
    first = frame[frame.member == 1].pivot(index="deal", columns="seating", values="win_share").to_numpy()
    assert sums["seated"][:, 1] / 27_720 == pytest.approx(first)


def test_streamed_means_are_students() -> None:
    x = np.random.default_rng(1).normal(3, 2, size=(50, 4))
    parts = [Moments.of(part) for part in (x[:7], x[7:30], x[30:])]
    found, expected = (parts[0] + parts[1] + parts[2]).estimates(), mean(x)
    assert found.value == pytest.approx(expected.value)
    assert found.low == pytest.approx(expected.low)
    constant = Moments.of(np.array([[0.0, 1.0, 0.25]] * 30)).estimates(shares=True)
    assert constant[0].high == pytest.approx(1 - 0.025 ** (1 / 30))
    assert constant[1].low == pytest.approx(0.025 ** (1 / 30))
    assert not constant[2].has_interval


def test_chunks_of_deals_add_up_to_the_whole() -> None:
    tables = sittings("round-robin", 2, 4)
    agents = [make("stella", spec) for spec in ("greedy", "people")]
    matches = [sim.Match([agents[a] for a in table.sides], StellaRules()) for table in tables]

    def added(*chunks: tuple[int, int]) -> CrossPlay:
        play = CrossPlay(tables, 2, 4, key=1)
        for first, n in chunks:
            play.add([sim.simulate(match, n, first, seed=2, keep=per_deal) for match in matches])
        return play

    whole, parts = added((0, 30)), added((0, 11), (11, 19))
    assert (whole.games == parts.games).all()
    for one, other in zip(whole.played(), parts.played(), strict=True):
        assert (one.wins == other.wins).all()
        assert (one.ties == other.ties).all()
    for name, moments in whole.moments.items():
        assert parts.moments[name].mean == pytest.approx(moments.mean, nan_ok=True), name
        assert parts.moments[name].sd == pytest.approx(moments.sd, abs=1e-12, nan_ok=True), name


def test_tables_agree_with_each_other(small: Result) -> None:
    """What one row says follows from others: shares of a table sum to 1, differences are differences."""
    pairs = small.tables["pairwise"].set_index(["agent", "among"])
    residuals = small.tables["residuals"].set_index(["table", "agent"])["win_share"]
    for (a, b), row in pairs.iterrows():
        others = residuals[f"{a} alone among {b}", b]
        assert row.win_share + 3 * others == pytest.approx(1)
        assert row.win_share_minus_reverse == pytest.approx(row.win_share - pairs.win_share[b, a])
        assert row.half_win_share + pairs.half_win_share[b, a] == pytest.approx(1)
        assert row.ahead + pairs.ahead[b, a] == pytest.approx(1)
        assert row.win_share_low <= row.win_share <= row.win_share_high
    summary = small.summary.set_index("agent")
    for agent, row in summary.iterrows():
        own = residuals[[key for key in residuals.index if key[1] == agent]]
        assert row.win_share == pytest.approx(own.mean())
        assert row.tables == len(own) == 6
        assert row.alone_win_share == pytest.approx(pairs.win_share[agent].mean())
    assert (summary.rating.diff().dropna() <= 0).all()
    assert summary.rating.sum() == pytest.approx(0, abs=1e-6)
    assert small.tables["ties"].share_of_games.sum() == pytest.approx(1)
    variance = small.tables["variance"]
    assert (variance.iloc[:3].table == "all its tables").all()
    percent = variance[["deal_percent", "seating_percent", "rest_percent"]].sum(axis=1)[3:]
    assert set(np.round(percent, 6)) <= {0.0, 100.0}
    assert (variance.deals_needed >= 2).all()
    assert "fair share 0.25" in small.sentence
    assert any("Worst residual" in note for note in small.notes)


def test_agents_may_come_in_any_order(small: Result) -> None:
    other = compute(EXPERIMENT, SMALL.replace(agents=("random", "people", "greedy")), ONE)
    pd.testing.assert_frame_equal(small.summary, other.summary)
    assert small.sentence == other.sentence


def test_jobs_and_backend_change_no_byte(tmp_path: Path) -> None:
    folders = []
    for name, running in (
        ("one", ONE),
        ("two", Running(n_jobs=2)),
        ("threads", Running(n_jobs=2, backend="threading")),
    ):
        settings = Tournament(agents=("people", "random"), n_deals=30)
        out = Running(n_jobs=running.n_jobs, backend=running.backend, out=tmp_path / name)
        folders.append(execute(EXPERIMENT, settings, out).folder)
    files = sorted(path.name for path in folders[0].iterdir() if path.name != "run.json")
    assert "figure.png" in files
    for folder in folders[1:]:
        for name in files:
            assert (folder / name).read_bytes() == (folders[0] / name).read_bytes(), name


def test_precision_plays_until_narrow_and_stops_at_the_latest() -> None:
    agents = ("greedy", "people")
    found = compute(EXPERIMENT, Tournament(agents=agents, n_deals=60, precision=0.04, max_deals=2_000), ONE)
    half = (found.summary.win_share_high - found.summary.win_share_low) / 2
    assert half.max() <= 0.04
    assert 60 <= found.summary.n_deals[0] < 2_000
    stopped = compute(EXPERIMENT, Tournament(agents=agents, n_deals=50, precision=0.001, max_deals=70), ONE)
    assert stopped.summary.n_deals.tolist() == [70, 70]
    assert any("stopped by --max-deals" in note for note in stopped.notes)


@pytest.mark.parametrize(
    "settings",
    [
        Tournament(game="odyssey", players=4, n_deals=12, agents=("random", "people", "greedy")),
        Tournament(game="odyssey", players=6, n_deals=6, set=("variant=team",), agents=("random", "people")),
        Tournament(game="odyssey", n_deals=6, set=("variant=party",), agents=("random", "people")),
        Tournament(scheme="gauntlet", focus="threshold:fit=0.5", agents=("people", "random"), n_deals=20),
        Tournament(scheme="mixed", agents=("people", "random", "greedy", "threshold", "top"), n_deals=20),
        Tournament(scheme="mixed", agents=("people", "random"), players=5, n_deals=20),
        Tournament(players=2, agents=("people", "random", "greedy"), n_deals=20),
        Tournament(players=3, agents=("people", "random"), n_deals=1),
    ],
    ids=["odyssey", "team", "party", "gauntlet", "mixed", "few in mixed", "two players", "one deal"],
)
def test_other_games_and_schemes(settings: Tournament) -> None:
    found = compute(EXPERIMENT, settings, ONE)
    n = len(settings.agents) + (settings.focus is not None)
    assert len(found.summary) == n
    assert found.summary.win_share.between(0, 1).all()
    assert found.figure is not None
    assert found.sentence.endswith(".")
    if settings.scheme == "gauntlet":
        assert len(found.tables["pairwise"]) == n - 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agents", "people"], "at least two"),
        (["--agents", "people", "people"], "people is there twice"),
        (["--agents", "avoider", "people", "avoider:risk=0.2"], "avoider and avoider:risk=0.2 are the same"),
        (["--agents", "people", "tuned"], "'tuned' plays odyssey, not stella"),
        (["--game", "odyssey", "--agents", "people", "top:k=5"], "'top' plays stella, not odyssey"),
        (["--agents", "people", "greedi"], "Did you mean 'greedy'?"),
        (["--focus", "people"], "only with --scheme gauntlet"),
        (["--tables", "5"], "only with --scheme mixed"),
        (["--players", "13"], "players = 13"),
        (["--game", "odyssey", "--players", "7", "--set", "variant=team"], "players"),
        (["--precision", "0"], "precision = 0"),
        (["--set", "players=3"], "this experiment sets players itself"),
        (["--save-games", "games.csv"], "expected the name of a .parquet file"),
        (["--save-games", "/nowhere/games.parquet"], "cannot write there"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(EXPERIMENT, [*arguments, "--out", str(tmp_path / "out")]) == 2
    error = " ".join(capsys.readouterr().err.replace("│", " ").replace("|", " ").split())
    assert said in error
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rules", "experiments/rules/odyssey_race_to_21.toml"], "rules of odyssey, but the game is stella"),
        (["--max-deals", "5"], "only with --precision"),
    ],
)
def test_what_would_have_no_effect_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent)
    assert main(EXPERIMENT, ["--quick", "--agents", "people", "greedy", *arguments]) == 2
    assert message in capsys.readouterr().err
