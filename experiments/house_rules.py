"""House rules: what any rules do to a game, measured against the printed rules on the same deals.

Compare rule sets (`--compare`; without any option, all that come with the lab), sweep one or two fields (`--sweep`),
or search fields for goals (`--tune`, `--goal`). Every rule set is played by agents that stay as they are and by agents
tuned to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from annotated_types import Ge, Le

from agents.registry import make
from experiments.house import pictures, reports, rule_sets
from experiments.house.comparison import PRINTED, Entry, compare
from experiments.house.goals import read_goals
from experiments.house.measures import AnyRules, measures
from experiments.house.retuning import Retuning
from experiments.house.rule_cards import card_rows, cards
from experiments.house.rule_sets import RuleSet, Varied
from experiments.house.search import Goal, search
from experiments.lab.command import run
from experiments.lab.experiment import Experiment, Game, Result, Settings
from experiments.lab.given import RULES, refuse_other_game

if TYPE_CHECKING:
    from experiments.lab.context import Context

Appended = Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="FIELD=VALUES")]


@dataclass(frozen=True, kw_only=True)
class HouseRules(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {"n_deals": 200, "trials": 16}

    game: Game = "odyssey"
    """The game whose rules are compared."""
    compare: Annotated[
        tuple[str, ...],
        tyro.conf.arg(
            metavar="FILE.toml|NAME|'NAME: FIELD=VALUE, ...'", help_behavior_hint="(default: all that the lab has)"
        ),
    ] = ()
    """Rule sets: files, names of those that the lab has, or fields under a name."""
    sweep: Appended = ()
    """A field and its values, a,b,c or low..high; give it once or twice."""
    tune: Appended = ()
    """A field to search, and the values it may take, a,b,c or low..high; any number of fields."""
    goal: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="MEASURE=VALUE|high|low")] = ()
    """What --tune is to reach, like turns=12, storyteller_share=0.2 or skill=high; several give a Pareto front."""
    trials: Annotated[int, Ge(1), Le(10_000)] = 64
    """Rule sets that --tune tries."""
    batch: Annotated[int, Ge(1), Le(1_000)] = 8
    """Rule sets that --tune tries at a time."""
    winners: Annotated[int, Ge(1), Le(50)] = 5
    """Rule sets that --tune measures again on fresh deals."""
    agent: Annotated[
        str | None,
        tyro.conf.arg(metavar="SPEC", help_behavior_hint="(default: as is best under the printed rules)"),
    ] = None
    """The agents that stay unchanged."""

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = [name for name in ("compare", "sweep", "tune") if getattr(self, name)]
        if len(chosen) > 1:
            raise ValueError(f"--{chosen[0]} and --{chosen[1]}: choose one of --compare, --sweep and --tune")
        if self.goal and not self.tune:
            raise ValueError("--goal: needs --tune, which says what may be changed, like --tune target_score=15..45")
        if self.tune and not self.goal:
            raise ValueError("--tune: needs at least one --goal, like --goal turns=12")
        if not self.tune and self.trials not in (type(self).trials, self.quick_values["trials"]):
            raise ValueError(f"--trials {self.trials}: needs --tune")
        if self.tune and self.agent:
            raise ValueError("--agent and --tune: agents are tuned to every rule set that is tried; leave --agent out")
        if len(self.sweep) > 2:
            raise ValueError(
                f"--sweep: given {len(self.sweep)} times, at most 2 fields can be swept (search more with --tune)"
            )

    @cached_property
    def rule_sets(self) -> tuple[RuleSet, ...]:
        """The rule sets to compare."""
        if self.sweep or self.tune:
            return ()
        if not self.compare:
            return rule_sets.shipped(self.game)
        return tuple(rule_sets.read(text, self.game) for text in self.compare)

    def plain(self) -> dict[str, Any]:
        """As for all settings, with the content of rule sets in place of file names."""
        return super().plain() | {"compare": [str(rule_set) for rule_set in self.rule_sets]}


def answer(settings: HouseRules, context: Context) -> Result:
    """Compare, sweep or search."""
    _check_given(settings, context)
    if settings.tune:
        return _tuned(settings, context)
    return _swept(settings, context) if settings.sweep else _compared(settings, context)


def _compared(settings: HouseRules, context: Context) -> Result:
    import pandas as pd

    entries, left_out = _entries(settings, context)
    agent = None if settings.agent is None else make(settings.game, settings.agent)
    compared = compare(context, entries, measures(settings.game), Retuning(context), agent)
    title = f"How each rule set differs from the {compared.standard} (same players, same deals; 95 % intervals)"
    return Result(
        summary=compared.frame(),
        table=reports.main_table(compared),
        tables={"in_short": pd.DataFrame(card_rows(compared))},
        files={"rule_cards.txt": cards(compared, settings.n_deals)},
        figure=pictures.differences(compared, title) if len(entries) > 1 else None,
        sentence=reports.sentence(compared, settings.game),
        notes=reports.notes(compared, left_out),
    )


def _swept(settings: HouseRules, context: Context) -> Result:
    import pandas as pd

    fields = _varied(settings.sweep, "--sweep", settings.game)
    reference = _reference(settings, context)
    entries = [
        Entry(rule_set.name, _rules(settings, context, rule_set, "--sweep"), reference.name)
        for rule_set in rule_sets.product(fields)
    ]
    agent = None if settings.agent is None else make(settings.game, settings.agent)
    compared = compare(context, [reference, *entries], measures(settings.game), Retuning(context), agent)
    swept = " and ".join(one.field.replace("_", " ") for one in fields)
    title = f"What {swept} {'does' if len(fields) == 1 else 'do'} to the game (95 % intervals)"
    return Result(
        summary=compared.frame(),
        table=reports.main_table(compared, differences=False),
        tables={"in_short": pd.DataFrame(card_rows(compared))},
        files={"rule_cards.txt": cards(compared, settings.n_deals)},
        figure=pictures.sweep(compared, fields, entries, reference, title),
        sentence=reports.sentence(compared, settings.game),
        notes=reports.notes(compared, differences=False),
    )


def _tuned(settings: HouseRules, context: Context) -> Result:
    fields = _varied(settings.tune, "--tune", settings.game)
    goals: tuple[Goal, ...] = read_goals(settings.goal, settings.game)
    reference = _reference(settings, context)
    retuning = Retuning(context)

    def resolve(given: Mapping[str, Any]) -> AnyRules:
        return context.rules(settings.game, **given)

    searched = search(context, resolve, fields, goals, retuning, settings.trials, settings.batch, settings.seed)
    winners = searched.winners(settings.winners)
    entries = [Entry(trial.name, trial.rules, reference.name) for trial in winners if trial.rules is not None]
    compared = compare(context, [reference, *entries], measures(settings.game), retuning, first_deal=settings.n_deals)
    return Result(
        summary=compared.frame(),
        table=reports.tune_table(searched, compared, winners),
        tables={"trials": searched.frame()},
        files={"rule_cards.txt": cards(compared, settings.n_deals)},
        figure=pictures.search(searched, compared, winners, "Searching rules for " + ", ".join(map(str, goals))),
        sentence=reports.tune_sentence(searched, compared, winners),
        notes=reports.tune_notes(searched, compared),
    )


def _entries(settings: HouseRules, context: Context) -> tuple[list[Entry], list[str]]:
    """The rule sets of a comparison, each after the rules it is compared with, and the names of those left out."""
    first = _reference(settings, context)
    entries = {first.name: first}
    left_out = []
    for rule_set in settings.rule_sets:
        if not settings.compare and any(name in context.given.fixed for name, _ in rule_set.fields):
            left_out.append(rule_set.name)
            continue
        rules = _rules(settings, context, rule_set, "--compare")
        reference = first
        if rules.players != first.rules.players:
            printed = context.rules(settings.game, players=rules.players)
            reference = Entry(
                f"{first.name}, {rules.players} players", printed, f"{first.name}, {rules.players} players"
            )
            entries.setdefault(reference.name, reference)
        if rules == reference.rules:
            entries[reference.name] = Entry(reference.name, rules, reference.name, rule_set.comment)
        elif rule_set.name in entries:
            raise ValueError(f"--compare: two rule sets are called {rule_set.name!r}; give them different names")
        else:
            entries[rule_set.name] = Entry(rule_set.name, rules, reference.name, rule_set.comment)
    return list(entries.values()), left_out


def _reference(settings: HouseRules, context: Context) -> Entry:
    """What everything is compared with: the printed rules, or what --rules and --set made of them."""
    rules = context.rules(settings.game)
    name = PRINTED if rules == RULES[settings.game](players=rules.players) else "rules given"
    return Entry(name, rules, name)


def _rules(settings: HouseRules, context: Context, rule_set: RuleSet, option: str) -> AnyRules:
    both = [name for name, _ in rule_set.fields if name in context.given.fixed]
    if both:
        raise ValueError(f"--set {both[0]}=...: {option} ({rule_set.name}) sets {both[0]} too; leave one of them out")
    try:
        return context.rules(settings.game, **dict(rule_set.fields))
    except ValueError as error:
        raise ValueError(f"{option}, rule set {rule_set.name!r}: {error}") from None


def _varied(texts: tuple[str, ...], option: str, game: Game) -> tuple[Varied, ...]:
    fields = tuple(rule_sets.varied(text, option, game) for text in texts)
    names = [one.field for one in fields]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"{option} {twice}=...: {twice} is there twice")
    return fields


def _check_given(settings: HouseRules, context: Context) -> None:
    """ValueError for a rules file or a --set field of the other game, and for a --set of what is swept or tuned."""
    refuse_other_game(settings, settings.game)
    for name in sorted(context.given.fixed):
        rule_sets.known_field(f"--set {name}=...", name, settings.game)
    for option in ("sweep", "tune"):
        for text in getattr(settings, option):
            name = text.partition("=")[0].strip()
            if name in context.given.fixed:
                raise ValueError(f"--set {name}=...: --{option} sets {name} too; leave one of them out")


EXPERIMENT = Experiment(
    name="house_rules",
    question="What do house rules do to the game, and which rules reach a designer's goals?",
    settings=HouseRules,
    run=answer,
    games=("odyssey", "stella"),
    examples=(
        "--game stella",
        "--compare 'race to 21' my_rules.toml 'no cap: vote_points_cap=none'",
        "--set players=4 --agent people",
        "--sweep vote_points_cap=1,2,3,none",
        "--sweep target_score=20..40 --sweep votes=1,2 --n-deals 500",
        "--tune target_score=15..45 --tune vote_points_cap=1,2,3,none --goal turns=12 --goal skill=high",
    ),
)

if __name__ == "__main__":
    run(EXPERIMENT)
