"""The oracles, one process each for the whole session."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.oracles.client import AIPERF_VERSION, DYNAMO_RELEASES, Oracle, oracle


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
