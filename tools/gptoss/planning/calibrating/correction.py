"""Step times as somebody's own measurements say they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import StepTimes, Times


@dataclass(frozen=True, slots=True)
class Estimate:
    """A fitted number with its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Correction:
    """What step times are multiplied by, and what is added to them.

    Attributes:
        prefill, decode: Factors of the time that prompts and answers take.
        overhead: Milliseconds that an iteration with prompts takes longer.
    """

    prefill: Estimate
    decode: Estimate
    overhead: Estimate


@dataclass(frozen=True, slots=True)
class CorrectedTimes:
    """Times of every layout, corrected alike."""

    times: Times
    by: Correction

    def of(self, layout: Layout) -> StepTimes:
        """The times of a layout.

        Raises:
            InputError: There are no data for it.
        """
        return CorrectedSteps(self.times.of(layout), self.by)


@dataclass(frozen=True, slots=True)
class CorrectedSteps:
    """The corrected times of one layout."""

    steps: StepTimes
    by: Correction

    def prefill(self, prompts: int, isl: int) -> float:
        """As ``StepTimes.prefill``."""
        return self._with_prompts(self.steps.prefill(prompts, isl))

    def decode(self, batch: int, length: int) -> float:
        """As ``StepTimes.decode``."""
        return self.by.decode.value * self.steps.decode(batch, length)

    def mixed(self, tokens: int, isl: int, batch: int, osl: int) -> float:
        """As ``StepTimes.mixed``: what it takes longer than its answers alone is prefill."""
        answers = self.steps.decode(batch, isl + osl // 2)
        prompts = max(0.0, self.steps.mixed(tokens, isl, batch, osl) - answers)
        return self.by.decode.value * answers + self._with_prompts(prompts)

    def _with_prompts(self, milliseconds: float) -> float:
        """No pass is faster than half of what prompts take in it, whatever was fitted."""
        prompts = self.by.prefill.value * milliseconds
        return max(prompts / 2, prompts + self.by.overhead.value)
