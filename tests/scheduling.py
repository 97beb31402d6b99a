"""Tests that stay on one core when several work; pytest 9.2 hides xdist's own groups from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def together(
    config: pytest.Config, log: Any, group: Callable[[str], str | None]
) -> LoadScopeScheduling:
    """A scheduler that keeps tests of one group on one core, where they share what is prepared.

    Args:
        config: As pytest gives it to ``pytest_xdist_make_scheduler``.
        log: As pytest gives it.
        group: Name of a test -> its group; None for a test of its own.
    """

    class Together(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid) or nodeid

    return Together(config, log)
