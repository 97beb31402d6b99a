"""Reads what is asked for and judges it, as every command that reports findings does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.reports import Checked
    from gptoss.sources.request import Request


def judged(request: Request, against: str | None = None) -> list[Checked]:
    """Reads everything and applies rules and suppressions.

    Args:
        request: What is asked for.
        against: What is installed already, to compare with.

    Raises:
        InputError: A source cannot be read.
    """
    from gptoss.load import load

    loaded = load(request)
    from gptoss.checker import run
    from gptoss.config import find_config
    from gptoss.reports import Checked
    from gptoss.suppressions import apply_all, text_of

    deployments = loaded.deployments
    if against is not None:
        from gptoss.against import with_installed

        installed = load(replace(request, sources=(against,), files=(), settings=(), release=None))
        deployments = with_installed(deployments, installed.deployments)
    checked = [Checked(d, run(d, loaded.facts)) for d in deployments]
    return apply_all(checked, find_config(), text_of)
