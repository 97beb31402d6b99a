"""How tests that run Dynamo for real are spread over cores."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Any

from tests.scheduling import together

if TYPE_CHECKING:
    import pytest

# Begun first: one that is begun last keeps a single core at work.
LONGEST = ("test_tutorial.py", "test_rehearsal.py", "test_shutdown.py", "test_bench_run_live.py")
# What starts tests in the background has them ignore these, and with them what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
FAULTS = re.compile(r"test_faults\.py::.*(\d+\.\d+\.\d+)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest first."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


def shared(nodeid: str) -> str | None:
    """The running target that tests of faults share, by its release."""
    found = FAULTS.search(nodeid)
    return f"faults on {found[1]}" if found else None


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Keeps the faults of one release together: they injure one running target."""
    return together(config, log, shared)
