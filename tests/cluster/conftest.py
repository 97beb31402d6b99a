"""One cluster for a whole session, and the server that answers for its pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from testcluster.control_plane import Cluster, control_plane
from tests.chart.good_model import good
from tests.chart.odd_server import Odd, odd_server
from tests.cluster.argo_cd_programs import argo_cd
from tests.cluster.proven import table
from tests.scheduling import together

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tests.cluster.argo_cd import ArgoCd


# Beginnings of their names.
PREPARED = (
    "test_argo_cd",
    "test_claims",
    "test_flux",
    "test_lab",
    "test_operator",
    "test_preflight",
    "test_release",
    "test_scaled",
    "test_storage",
)


def answer(path: str, body: Any) -> Any:
    """As Dynamo's frontend answers once its workers are there."""
    return {"status": "healthy"} if path == "/health" else good(path, body)


def prepared(nodeid: str) -> str | None:
    """The modules of a test that prepare the cluster for all of them."""
    module = nodeid.partition("::")[0].rpartition("/")[2]
    return next((part for part in PREPARED if module.startswith(part)), None)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Keeps tests together whose modules prepare the cluster for all of them."""
    return together(config, log, prepared)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Generator[None, Any, Any]:
    """Adds the cluster's state to the report of what failed on it."""
    report = yield
    running = item.funcargs.get("cluster")
    if report.failed and isinstance(running, Cluster):
        report.sections.append(("cluster", running.state()))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Sums up what has been proven of each target."""
    reports = [r for found in terminalreporter.stats.values() for r in found]
    noted = [pair for r in reports for pair in getattr(r, "user_properties", ())]
    if proven := {tuple(value) for name, value in noted if name == "proven"}:
        terminalreporter.section("what is proven")
        terminalreporter.write_line(table(proven))


@pytest.fixture(scope="session")
def server() -> Iterator[Odd]:
    with odd_server(answer) as running:
        yield running


@pytest.fixture(scope="session")
def cluster(server: Odd) -> Iterator[Cluster]:
    port = int(server.address.rpartition(":")[2])
    with control_plane(port) as running:
        yield running


@pytest.fixture(scope="session")
def argo(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArgoCd]:
    with argo_cd(cluster, tmp_path_factory.mktemp("argocd")) as running:
        yield running
