"""What all tests share: no deadlines where a first call compiles, and the same examples in every CI run."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("lab", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "lab")
