"""Reads a command line as Python's click reads it, and tells everything that it refuses.

``trtllm-serve`` is a click command with one positional argument, the model. Unlike argparse click
takes no abbreviations, and whatever follows a flag that takes a value is its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.command_lines.argparse_words import Arguments, Fault, Given, Kind, unresolved
from gptoss.facts.programs import Flag
from gptoss.text.places import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.facts.programs import Program
    from gptoss.text.command import Command

HELP = Flag("--help", "exit")


def read(program: Program, words: Sequence[Located[str]], *, named: bool = True) -> Arguments:
    """Reads the words that follow the command's name.

    Args:
        program: The command's flags.
        words: What follows ``trtllm-serve`` or ``trtllm-serve serve``.
        named: Whether the sub-command is written. Without it click takes flags before the model
            for flags of the group, which has none.
    """
    reader = _Reader(program, words)
    reader.read(named=named)
    return reader.arguments


class _Reader:
    def __init__(self, program: Program, words: Sequence[Located[str]]) -> None:
        self.arguments = Arguments()
        self._known = {**program.spellings, HELP.name: HELP}
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
                self.arguments.words += self._words[position:]
                break
            if not _is_option(word.value):
                (self._doubtful if after_unknown else self.arguments.words).append(word)
                after_unknown = False
                continue
            name, equals, attached = word.value.partition("=")
            flag = self._known.get(name)
            after_unknown = flag is None and not equals
            if flag is None:
                if not unresolved(word.value):
                    self._fault(Kind.UNKNOWN, Located(name, word.place))
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

    def _take(self, flag: Flag, name: str, word: Located[str], value: Located[str] | None) -> None:
        if value is None:
            self._fault(Kind.NO_VALUE, word, flag)
        else:
            self.arguments.given.append(Given(flag, name, word, (value,)))

    def _settle(self) -> None:
        """Decides which word is the model: one whose meaning is clear before a doubtful one."""
        words = self.arguments.words
        if not words:
            words += self._doubtful[:1]
        for word in words[1:]:
            if not unresolved(word.value):
                self._fault(Kind.STRAY, word)

    def _fault(
        self, kind: Kind, word: Located[str], flag: Flag | None = None, told: str = ""
    ) -> None:
        self.arguments.faults.append(Fault(kind, word, flag, told))


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1


SUB_COMMAND = "serve"


def arguments_of(program: Program, command: Command) -> Arguments:
    """What follows ``trtllm-serve [serve]``, read with the flags of a version.

    Args:
        program: The flags.
        command: The command from the program's name on.
    """
    named = len(command.words) > 1 and command.words[1].value == SUB_COMMAND
    return read(program, command.words[1 + named :], named=named)
