"""Who sits with whom in a tournament: pairs, a gauntlet, or tables mixed from a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

from sim.randomness import scalar

Scheme = Literal["round-robin", "gauntlet", "mixed"]
Kind = Literal["alone", "half", "self", "mixed"]
MIXED_TABLES = 70
"""Mixed tables at most, unless told otherwise: all combinations of 7 agents by 3 or 4, and of 8 by 4."""
_KEY = 0x7AB1E
_ATTEMPTS = 1_000


@dataclass(frozen=True)
class Sitting:
    """One kind of table, played in every rotation of the seats.

    kind: "alone", one agent at a table of another; "half", two agents by turns; "self", an agent among itself; "mixed".
    sides: the agent of each side in lineup order, as numbers of the pool.
    """

    kind: Kind
    sides: tuple[int, ...]

    @property
    def agents(self) -> tuple[int, ...]:
        """Agents at the table, in the order of their first side."""
        return tuple(dict.fromkeys(self.sides))

    def words(self, names: Sequence[str]) -> str:
        """'greedy alone among people'; names: specs of the pool."""
        seated = [names[agent] for agent in self.agents]
        if self.kind == "alone":
            return f"{seated[0]} alone among {seated[1]}"
        if self.kind == "half":
            return f"{seated[0]} and {seated[1]} by turns"
        if self.kind == "self":
            return f"{seated[0]} among itself"
        return " + ".join(names[agent] for agent in self.sides)


def sittings(scheme: Scheme, n_agents: int, sides: int, focus: int = 0, tables: int | None = None) -> list[Sitting]:
    """The tables of a scheme, and every agent's self-play at the end.

    "round-robin": of every pair one against a table of the other, both ways, and half and half where sides are even;
    "gauntlet": `focus` alone at a table of each other agent; "mixed": see `mixed`. With two sides all tables of a pair
    are one. Agents should be in an order of their own (by name), for mixed tables are drawn by number.
    """
    found: list[Sitting] = []
    if scheme == "mixed":
        found += mixed(n_agents, sides, MIXED_TABLES if tables is None else tables)
    elif scheme == "gauntlet":
        found += [alone(focus, other, sides) for other in range(n_agents) if other != focus]
    else:
        for first, second in combinations(range(n_agents), 2):
            found.append(alone(first, second, sides))
            if sides > 2:
                found.append(alone(second, first, sides))
            if sides > 2 and sides % 2 == 0:
                found.append(Sitting("half", (first, second) * (sides // 2)))
    return found + [Sitting("self", (agent,) * sides) for agent in range(n_agents)]


def alone(agent: int, others: int, sides: int) -> Sitting:
    """One agent at a table of another."""
    return Sitting("alone", (agent, *(others,) * (sides - 1)))


def mixed(n_agents: int, sides: int, tables: int) -> list[Sitting]:
    """Mixed tables from the pool: all combinations if there are at most `tables`, else `tables` drawn ones.

    Drawn so that agents sit at equally many tables, give or take one. With fewer agents than sides all sit at every
    table, and the sides left over go round. The order around the table is drawn too.
    """
    everybody, left = divmod(sides, n_agents)
    chosen = combinations(range(n_agents), left) if comb(n_agents, left) <= tables else _drawn(n_agents, left, tables)
    seated = [(*tuple(range(n_agents)) * everybody, *extra) for extra in chosen]
    return [Sitting("mixed", tuple(_shuffled(agents, row))) for row, agents in enumerate(seated)]


def _drawn(n_agents: int, size: int, tables: int) -> list[tuple[int, ...]]:
    """That many different combinations: each takes those who sat least so far, a keyed order telling equals apart."""
    found: dict[tuple[int, ...], None] = {}
    sat = [0] * n_agents
    for row in range(tables):
        for attempt in range(_ATTEMPTS):
            order = _shuffled(range(n_agents), (attempt + 1 << 32) + row)
            # late attempts look at who sat least less and less closely: there is always another table in the end
            order.sort(key=lambda agent: sat[agent] // (1 + attempt // 100))
            seated = tuple(sorted(order[:size]))
            if seated not in found:
                break
        found[seated] = None
        for agent in seated:
            sat[agent] += 1
    return list(found)


def _shuffled(items: Sequence[int], number: int) -> list[int]:
    """The items in the number-th keyed order."""
    return scalar.permutation(scalar.word(_KEY, number), list(items))
