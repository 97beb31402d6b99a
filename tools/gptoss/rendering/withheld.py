"""Secrets of a target: scripts and compose files take them from whoever starts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.errors import InputError
from gptoss.text.secrets import is_secret, words_without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.rendering.one_container import RenderedContainer


def secrets_of(containers: Iterable[RenderedContainer]) -> list[str]:
    """Names of the variables that whoever starts these has to bring."""
    given = (variable for found in containers for variable in found.environment.items())
    return sorted({name for name, value in given if is_secret(name, value)})


def notes_on_secrets(containers: Iterable[RenderedContainer]) -> tuple[str, ...]:
    """What to do before the start, where something has to be brought."""
    names = secrets_of(containers)
    return (f"not written, for secrets: {', '.join(names)}; export before you start",) * bool(names)


def refuse_in_words(containers: Iterable[RenderedContainer]) -> None:
    """Refuses what would stand in a command line for all to read, in the file and in ``ps``.

    Raises:
        InputError: A word of a command is a secret.
    """
    for found in containers:
        hidden = words_without_secrets(found.words)
        for before, word, shown in zip(("", *found.words), found.words, hidden, strict=False):
            if word != shown:
                flag = word.partition("=")[0] if word.startswith("-") else before
                raise InputError(
                    f"{found.name}: an argument holds a secret, at or after {flag}, and is not "
                    "written for all to read; leave it out and add it where this is started"
                )
