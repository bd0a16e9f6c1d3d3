"""What agents of both games share: a frozen dataclass whose parameters carry their bounds and whose text is its spec.

An agent has no state between calls. Agents of one class with equal parameters are equal, and are asked together, in one
call for all their seats. A new strategy is a class like this one:

    @dataclass(frozen=True)
    class Bold(StellaAgent):
        \"\"\"Marks every fit above a threshold.\"\"\"

        fit: Annotated[float, Ge(-5), Le(5)] = 0.2

        def mark(self, view: MarkView) -> Marks:
            return marks_above(view.fit, self.fit, view.rules.minimum_marks, view.rules.maximum_marks)

`Bold(fit=9)` is refused with a message, and `str(Bold())` is `"module:Bold:fit=0.2"`, from which
`agents.registry.make` makes it again.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from agents.parameters import parameters_of, spec_number

__all__ = ["Agent"]


@dataclass(frozen=True)
class Agent:
    """Base of all agents: validates the parameters, and tells itself as a spec."""

    registered_name: ClassVar[str]
    """The name in the registry, set by `agents.registry.register`; other classes are known by module:Class."""

    def __post_init__(self) -> None:
        """Check and normalise every parameter (1 becomes 1.0 where a float is asked for).

        Raises ValueError: names agent, parameter, value and what is allowed. TypeError: a class with parameters that
        is not a dataclass.
        """
        for name, parameter in parameters_of(type(self)).items():
            value = getattr(self, name)
            if isinstance(value, np.generic):
                value = value.item()
            object.__setattr__(self, name, parameter.checked(value))

    def __str__(self) -> str:
        """The spec: name, then own parameters that are not None; inherited and keyword-only ones where not default."""
        cls = type(self)
        declared = inspect.get_annotations(cls)
        own = {field.name for field in fields(cls) if field.name in declared and not field.kw_only}
        parts = []
        for name, parameter in parameters_of(cls).items():
            value = getattr(self, name)
            if value is not None and (name in own or value != parameter.default):
                parts.append(f"{name}={spec_number(value)}")
        registered = cls.__dict__.get("registered_name")
        spec = registered if registered else f"{cls.__module__}:{cls.__qualname__}"
        return f"{spec}:{','.join(parts)}" if parts else spec

    @classmethod
    def spec_name(cls) -> str:
        """How messages call this class: the registered name, else module:Class."""
        return str(cls.__dict__.get("registered_name") or f"{cls.__module__}:{cls.__qualname__}")
