"""What a shell script does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.command import Command
    from gptoss.text.places import Located
    from gptoss.text.yaml_tree import Tree


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A here-document, with what the script has written to its file before where it appends.

    Attributes:
        target: The file it is written to, if any.
        content: Its text, placed so that it can be read on as YAML.
        known: False where something else writes to the file, or another text may stand in it.
    """

    target: Located[str] | None
    content: Tree
    known: bool = True

    def blurred(self) -> HereDocument:
        """The same where it is not known what stands in the file."""
        return replace(self, known=False)


@dataclass(frozen=True, slots=True)
class Step:
    """A command with what it is started with.

    Attributes:
        command: The command.
        environment: Variables that the script gives it, by export or before the command; None
            for a value that is not known.
        function: The innermost function that it stands in, or ''.
        choices: Each choice that is not known, by its number, and the branch that it stands in.
        background: Whether the script goes on while it runs.
        counted: Whether it is known how often a loop runs it.
        files: Here-documents by the file they have been written to before it.
    """

    command: Command
    environment: Mapping[str, Located[str | None]]
    function: str
    choices: tuple[tuple[int, int], ...] = ()
    background: bool = False
    counted: bool = True
    files: Mapping[str, HereDocument] = field(default_factory=dict)

    def excludes(self, other: Step) -> bool:
        """Whether only one of the two runs: they stand in different branches of one choice."""
        mine = dict(self.choices)
        return any(mine.get(number, branch) != branch for number, branch in other.choices)


@dataclass(frozen=True, slots=True)
class Script:
    """What a script does.

    Attributes:
        steps: Every command in order; assignments and control words are left out.
        documents: Its here-documents.
        exports: Variables that it puts into the environment of its commands; None for a value
            that is not known.
        values: All its variables where it ends; None for a value that is not known.
    """

    steps: tuple[Step, ...]
    documents: tuple[HereDocument, ...]
    exports: Mapping[str, Located[str | None]]
    values: Mapping[str, str | None]

    @property
    def commands(self) -> tuple[Command, ...]:
        """Every command in order."""
        return tuple(step.command for step in self.steps)
