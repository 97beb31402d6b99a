"""Step times that are made up, for what must hold whatever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import StepTimes


@dataclass(frozen=True)
class Made:
    """Straight lines: milliseconds of any iteration, and more for each answer and prompt token."""

    iteration: float
    answer: float
    token: float

    def of(self, layout: Layout) -> StepTimes:  # noqa: ARG002 (the same for all)
        """The same for every layout."""
        return self

    def prefill(self, prompts: int, isl: int) -> float:
        """As ``StepTimes.prefill``."""
        return self.iteration + self.token * prompts * isl

    def decode(self, batch: int, length: int) -> float:  # noqa: ARG002
        """As ``StepTimes.decode``."""
        return self.iteration + self.answer * batch

    def mixed(self, tokens: int, isl: int, batch: int, osl: int) -> float:  # noqa: ARG002
        """As ``StepTimes.mixed``."""
        return self.iteration + self.answer * batch + self.token * tokens
