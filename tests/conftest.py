"""The oracles, one process each for the whole session."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

from gptoss.text import deadline
from tests.oracles.client import (
    AIPERF_VERSION,
    DYNAMO_RELEASES,
    EVALS_VERSION,
    Oracle,
    oracle,
)

# A loaded machine is no reason to be out of time either.
deadline.SECONDS = 600.0
# A loaded machine is no reason to fail, and CI tries the same examples every time.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("here", deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", parent=settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


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
