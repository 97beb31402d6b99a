"""What lies in the checkout of a sandbox."""

from __future__ import annotations

from dataclasses import dataclass

CANARY = "cn7r0yd0g"
"""Stands in every file outside the checkout; nothing that is printed or written may have it."""

PLANTED = "planted-by-fuzz"
"""Stands in every workflow command that is planted."""


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link; ``../outside`` is beside the checkout."""

    target: str


@dataclass(frozen=True, slots=True)
class Pipe:
    """A named pipe that nobody writes to."""


@dataclass(frozen=True, slots=True)
class Folder:
    """An empty folder."""


Content = bytes | Link | Pipe | Folder
Files = dict[str, Content]
"""By path below the checkout; bytes of a name that are no UTF-8 stand as surrogates."""


@dataclass(frozen=True, slots=True)
class Source:
    """Files and the words that name them on a command line.

    Attributes:
        kind: What they are, as in ``manifests``.
        files: What lies in the checkout.
        words: The sources, and options that they need, as in ``--gpu b200``.
        secrets: Texts in them that nothing may print.
        argv: The whole command line where it matters; else one is made from ``words``.
    """

    kind: str
    files: Files
    words: tuple[str, ...]
    secrets: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
