"""Reads a command line as Python's click reads it, and tells everything that it refuses.

``trtllm-serve`` is a click command with one positional argument, the model. Unlike argparse click
takes no abbreviations, and whatever follows a flag that takes a value is its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.arguments import Fault, Given, Kind, unresolved
from gptoss.facts.programs import Flag
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.command_lines.arguments import Arguments

SUB_COMMAND = "serve"
HELP = Flag("--help", "exit")


def read_click(arguments: Arguments, words: Sequence[Located[str]]) -> None:
    """Reads the words that follow ``trtllm-serve`` into its arguments.

    Without its sub-command click takes flags before the model for flags of the group, which has
    none.
    """
    named = bool(words) and words[0].value == SUB_COMMAND
    _Reader(arguments, words[named:]).read(named=named)


class _Reader:
    def __init__(self, arguments: Arguments, words: Sequence[Located[str]]) -> None:
        self.arguments = arguments
        self._known = {**arguments.program.spellings, HELP.name: HELP}
        self._words = words
        # Words that may be the value of a flag that the command does not have.
        self._doubtful: list[Located[str]] = []

    def read(self, *, named: bool) -> None:
        position, after_unknown = 0, False
        first = self._words[0] if self._words and not named else None
        if first and first.value.partition("=")[0] in self._known:
            self._fault(Kind.MISPLACED, first)
        while position < len(self._words):
            word = self._words[position]
            position += 1
            if word.value == "--":
                self.arguments.words.extend(self._words[position:])
                break
            if not _is_option(word.value):
                (self._doubtful if after_unknown else self.arguments.words).append(word)
                after_unknown = False
                continue
            name, equals, attached = word.value.partition("=")
            flag = self._known.get(name)
            after_unknown = flag is None and not equals
            if flag is None:
                if unresolved(word.value):
                    self.arguments.rest.append(word)
                else:
                    self.arguments.faults.append(Fault.unknown(word, self._value_at(position)))
            elif flag.takes_value:
                value = Located(attached, word.place) if equals else None
                if value is None and position < len(self._words):
                    value = self._words[position]
                    position += 1
                self._take(flag, name, word, value)
            elif equals:
                self._fault(Kind.STRAY, word, flag, f"{flag.name} takes no value")
            else:
                self.arguments.given.append(Given(flag, name, word))
        self._settle()

    def _value_at(self, position: int) -> Located[str] | None:
        """The word at a position, if there is one and it is no option."""
        word = self._words[position] if position < len(self._words) else None
        return None if word is None or _is_option(word.value) else word

    def _take(self, flag: Flag, name: str, word: Located[str], value: Located[str] | None) -> None:
        if value is None:
            self._fault(Kind.NO_VALUE, word, flag)
        else:
            self.arguments.given.append(Given(flag, name, word, (value,)))

    def _settle(self) -> None:
        """Decides which word is the model: one whose meaning is clear before a doubtful one."""
        words = self.arguments.words
        if not words:
            words.extend(self._doubtful[:1])
        for word in words[1:]:
            if unresolved(word.value):
                self.arguments.rest.append(word)
            else:
                self._fault(Kind.STRAY, word)

    def _fault(
        self, kind: Kind, word: Located[str], flag: Flag | None = None, told: str = ""
    ) -> None:
        self.arguments.faults.append(Fault(kind, word, flag, told))


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1
