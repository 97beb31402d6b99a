"""What an object holds, beside what the API server has stored of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gptoss.text.quantity import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.objects import Fixed


class Change(NamedTuple):
    """A field that cannot be changed, and is.

    Attributes:
        now: As it is to be.
        before: As it is installed.
        path: Dotted path in the object of what differs first.
    """

    now: Fixed
    before: Fixed
    path: str


def changes(deployment: Deployment) -> Iterator[Change]:
    """The first change in each field that stays as it was first written, object by object."""
    installed = deployment.installed
    before = {(f.kind, f.name, f.field): f for f in installed.fixed} if installed else {}
    for now in deployment.fixed:
        old = before.get((now.kind, now.name, now.field))
        # The address that a Service was given stays where none is asked for.
        if old is None or (now.field == "spec.clusterIP" and _is_nothing(now.value)):
            continue
        path = _first_change(now.value, old.value, now.field, filled=old.stored)
        if path is not None:
            yield Change(now, old, path)


def _first_change(now: Any, before: Any, path: str, *, filled: bool) -> str | None:
    """Where two values first differ; None where they do not.

    Args:
        now: What is to be.
        before: What is there.
        path: Where both stand.
        filled: Whether the API server filled in what was left out there.
    """
    if _is_nothing(now) and (filled or _is_nothing(before)):
        return None
    if isinstance(now, dict) and isinstance(before, dict):
        keys = [*now, *(() if filled else (key for key in before if key not in now))]
        pairs = [(f"{path}.{key}", now.get(key), before.get(key)) for key in keys]
    elif isinstance(now, list) and isinstance(before, list):
        if len(now) != len(before):
            return path
        pairs = [(f"{path}.{_name(a)}", a, b) for a, b in zip(now, before, strict=True)]
    else:
        return None if _same(now, before) else path
    found = (_first_change(a, b, at, filled=filled) for at, a, b in pairs)
    return next((each for each in found if each is not None), None)


def _is_nothing(value: Any) -> bool:
    return value is None or value in ({}, [])


def _same(now: Any, before: Any) -> bool:
    """Whether two scalars are one to the API server, which writes quantities in its own way."""
    if now == before or str(now) == str(before):
        return True
    ours, theirs = amount(str(now)), amount(str(before))
    return ours is not None and ours == theirs


def _name(entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return str(name) if name else "…"
