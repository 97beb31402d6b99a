"""How long one iteration of an engine takes: what every prediction is made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gptoss.planning.layouts import Layout


class StepTimes(Protocol):
    """Iterations of one replica, each rank doing the same; milliseconds.

    Of an attention data parallel layout counts are of one rank.
    """

    def prefill(self, prompts: int, isl: int) -> float:
        """A pass over whole prompts of ``isl`` tokens each."""
        ...

    def decode(self, batch: int, length: int) -> float:
        """One token for each of ``batch`` sequences that are ``length`` tokens long on average."""
        ...

    def mixed(self, tokens: int, isl: int, batch: int, osl: int) -> float:
        """A pass over ``tokens`` of prompts with a token for each of ``batch`` answers beside.

        The prompts are ``isl`` long, the answers are on average half of ``osl`` under way.
        """
        ...


class Times(Protocol):
    """Where the times of a layout come from."""

    def of(self, layout: Layout) -> StepTimes:
        """The times of a layout.

        Raises:
            InputError: There are no data for it.
        """
        ...
