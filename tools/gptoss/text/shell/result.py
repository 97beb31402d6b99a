"""What a shell script does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.text.command import Command
    from gptoss.text.places import Located
    from gptoss.text.yaml_tree import Tree


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A here-document.

    Attributes:
        target: The file it is written to, if any.
        content: Its text, placed so that it can be read on as YAML.
    """

    target: Located[str] | None
    content: Tree


@dataclass(frozen=True, slots=True)
class Step:
    """A command with what it is started with.

    Attributes:
        command: The command.
        environment: Variables that the script gives it, by export or before the command; None
            for a value that is not known.
        function: The innermost function that it stands in, or ''.
    """

    command: Command
    environment: Mapping[str, Located[str | None]]
    function: str


@dataclass(frozen=True, slots=True)
class Script:
    """What a script does.

    Attributes:
        steps: Every command in order; assignments and control words are left out.
        documents: Its here-documents.
        exports: Variables that it puts into the environment of its commands; None for a value
            that is not known.
    """

    steps: tuple[Step, ...]
    documents: tuple[HereDocument, ...]
    exports: Mapping[str, Located[str | None]]

    @property
    def commands(self) -> tuple[Command, ...]:
        """Every command in order."""
        return tuple(step.command for step in self.steps)
