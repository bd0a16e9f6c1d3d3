"""temporary"""
from __future__ import annotations
from pydantic import BaseModel, ConfigDict


class Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes):
        return type(self)(**{**self.model_dump(), **changes})
