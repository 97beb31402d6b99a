"""The one error that people see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.shortened import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gptoss.text.places import Place


class InputError(Exception):
    """Something given to the command cannot be read or used.

    The command prints the message, with the place when there is one, and exits with code 2.

    Args:
        message: One sentence that says what is wrong and what to do.
        place: Where it stands, when it stands in a file.
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = shortened(message)
        self.place = place
        super().__init__(f"{place}: {self.message}" if place else self.message)


def unknown(what: str, name: str, known: Iterable[str], place: Place | None = None) -> InputError:
    """What to raise where a name is none of those that are known.

    Args:
        what: What it would be the name of.
        name: The name.
        known: The names that are known.
        place: Where it stands, when it stands in a file.
    """
    return InputError(f"{what} {name} is not known; it is one of {', '.join(known)}", place)
