"""Reads what is asked for and judges it, as every command that reports findings does."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gptoss.checking.checked import Checked
    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.request import Request

    # Gives what is installed of deployments.
    Installed = Callable[[Sequence[Deployment], Facts], Sequence[Deployment]]

STDIN = "-"


@contextmanager
def without_collector() -> Iterator[None]:
    """Keeps Python from looking for reference cycles, of which reading and judging make none.

    On many manifests the search takes a sixth of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@without_collector()
def judged(
    request: Request, against: str | Installed | None = None, suppressions: str = "all"
) -> list[Checked]:
    """Reads everything and applies rules and suppressions.

    Args:
        request: What is asked for.
        against: What is installed already, to compare with: a source, or what finds it.
        suppressions: Which count: ``all``, ``none``, or ``base:`` with a revision or a folder that
            has them already.

    Raises:
        InputError: A source cannot be read.
    """
    from gptoss.sources.load import load

    if against == STDIN and STDIN in request.sources:
        raise InputError("--against -: standard input can be read only once; give a file")
    loaded = load(request, meanwhile=_import_rules)
    from gptoss.checking.base_suppressions import base_of
    from gptoss.checking.checked import Checked
    from gptoss.checking.checker import run
    from gptoss.checking.config import find_config
    from gptoss.checking.suppressions import apply_all
    from gptoss.text.files import text_of

    deployments = loaded.deployments
    if against is not None:
        from gptoss.checking.against import with_installed

        if isinstance(against, str):
            installed: Sequence[Deployment] = load(_installed(request, against)).deployments
        else:
            installed = against(deployments, loaded.facts)
        deployments = with_installed(deployments, installed)
    checked = [Checked(d, run(d, loaded.facts)) for d in deployments]
    return apply_all(checked, find_config(), text_of, base_of(suppressions))


def _import_rules() -> None:
    import gptoss.checking.checker  # noqa: F401


def _installed(request: Request, against: str) -> Request:
    """What to read as installed: as it is, and a target under the same name."""
    from gptoss.sources.request import plan_of

    plain = replace(request, sources=(against,), files=(), settings=(), typed=(), release=None)
    plain = replace(plain, name=None)
    return replace(plain, name=request.name) if plan_of(plain).charts else plain
