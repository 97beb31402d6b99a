"""Splits are chosen for a prefill that is slower than predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.planning.loops.split_loop import PREFILL_SLOWER

if TYPE_CHECKING:
    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import StepTimes, Times

# 2,000 prefill iterations of gpt-oss-120b on B200 took 48.89 ms on average where the library says
# 28.83 (ai-dynamo/aiconfigurator#1254). Predictions of splits hold a part of that already.
MEASURED_MS, SAID_MS = 48.89, 28.83
PREFILL_MARGIN = max(1.0, MEASURED_MS / SAID_MS / PREFILL_SLOWER)


@dataclass(frozen=True, slots=True)
class WithMargin:
    """Times in which engines that only prefill take PREFILL_MARGIN as long.

    Prompts that are computed beside answers keep their times: 137 measured points bear them out.
    """

    times: Times

    def of(self, layout: Layout) -> StepTimes:
        """As ``Times.of``."""
        return SlowPrefill(self.times.of(layout))


@dataclass(frozen=True, slots=True)
class SlowPrefill:
    """The times of one layout."""

    times: StepTimes

    def prefill(self, prompts: int, isl: int) -> float:
        """As ``StepTimes.prefill``, with the margin."""
        return PREFILL_MARGIN * self.times.prefill(prompts, isl)

    def decode(self, batch: int, length: int) -> float:
        """As ``StepTimes.decode``."""
        return self.times.decode(batch, length)

    def mixed(self, tokens: int, isl: int, batch: int, osl: int) -> float:
        """As ``StepTimes.mixed``."""
        return self.times.mixed(tokens, isl, batch, osl)
