"""What a benchmark adds to the body of every request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gptoss.text import plain_json

if TYPE_CHECKING:
    from gptoss.command_lines.arguments import Arguments
    from gptoss.text.places import Located

EXTRA_INPUTS = "--extra-inputs"


class Added(NamedTuple):
    """A field of every request: its value as JSON has it, and where it is given."""

    value: object
    at: Located[str]


def extra_inputs(arguments: Arguments | None) -> dict[str, Added]:
    """The fields that a load generator's command line adds, by their names in the request."""
    return {
        name: Added(value, word)
        for given in (arguments.given if arguments else ())
        if given.flag.name == EXTRA_INPUTS
        for word in given.values
        for name, value in _pairs(word.value).items()
    }


def _pairs(text: str) -> dict[str, object]:
    """A pair, or the pairs of an object in JSON."""
    read = _read(text)
    if isinstance(read, dict):
        return read
    name, _, value = text.partition(":")
    return {name.strip(): _read(value.strip())}


def _read(text: str) -> object:
    """What a text is in JSON, for 0 and 0.0 are one temperature; itself where it is none."""
    try:
        return plain_json.load(text)
    except ValueError:
        return text
