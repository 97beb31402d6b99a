"""The performance data, asked by one process for the whole session."""

from collections.abc import Iterator

import pytest

from gptoss.planning.steps.library import library
from gptoss.planning.steps.step_times import Times


@pytest.fixture(scope="session")
def times() -> Iterator[Times]:
    """Return the times of every layout that there are data for."""
    with library() as found:
        yield found
