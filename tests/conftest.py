"""What the whole session shares: what is kept of earlier ones, and oracles, one process each."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

from gptoss.planning.steps.library import Library
from gptoss.sources.chart import helm
from gptoss.text import deadline
from tests import kept_renderings, kept_times
from tests.oracles.client import (
    AIPERF_VERSION,
    DYNAMO_RELEASES,
    EVALS_VERSION,
    Oracle,
    oracle,
)

# What is not foreseen fails a test with its trace, not with the line that people get.
os.environ.setdefault("GPTOSS_TRACEBACK", "1")
# A loaded machine is no reason to be out of time either.
deadline.SECONDS = 600.0
# A loaded machine is no reason to fail, and CI tries the same examples every time.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("here", deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session", autouse=True)
def renderings_are_kept() -> Iterator[None]:
    """Give commands that are called in the session what Helm has already rendered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helm, "limited", kept_renderings.limited)
        yield


@pytest.fixture(scope="session", autouse=True)
def step_times_are_kept() -> Iterator[None]:
    """Give predictions the step times that have already been asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Library, "_answer", kept_times.answer)
        yield


@pytest.fixture(scope="session")
def dynamo_oracles() -> Iterator[dict[str, Oracle]]:
    """Return the oracle of each Dynamo release that has one."""
    with ExitStack() as stack:
        yield {
            release: stack.enter_context(oracle(f"dynamo-{release}")) for release in DYNAMO_RELEASES
        }


@pytest.fixture(scope="session")
def aiperf_oracle() -> Iterator[Oracle]:
    """Return the oracle of aiperf."""
    with oracle(f"aiperf-{AIPERF_VERSION}") as aiperf:
        yield aiperf


@pytest.fixture(scope="session")
def evals_oracle() -> Iterator[Oracle]:
    """Return the oracle of OpenAI's evaluations."""
    with oracle(f"gpt-oss-{EVALS_VERSION}") as evals:
        yield evals
