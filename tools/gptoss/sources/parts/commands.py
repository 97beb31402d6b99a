"""Commands that a container starts, those of a shell script too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.sources.parts.alternatives import merged
from gptoss.sources.parts.environment import filled_in, references
from gptoss.sources.parts.inner_shells import opened, script_position
from gptoss.sources.parts.launchers import handed_on
from gptoss.sources.parts.reading import strings
from gptoss.text.budget import Kind, spend
from gptoss.text.command import Command, Variable
from gptoss.text.places import Located
from gptoss.text.shell.resolved import mentioned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gptoss.sources.parts.reading import Scope
    from gptoss.text.shell.result import HereDocument, Step
    from gptoss.text.yaml_tree import Tree

Words = list[tuple[str, "Tree"]]


@dataclass(frozen=True, slots=True)
class Commands:
    """What a container starts.

    Attributes:
        commands: The commands in order.
        uses_shell: Whether they come from a shell script.
        documents: Here-documents of the script.
        exports: Variables that the script sets for its commands.
        mentions: Names of the variables that the command or script refers to.
    """

    commands: tuple[Command, ...]
    uses_shell: bool
    documents: tuple[HereDocument, ...]
    exports: Mapping[str, Variable]
    mentions: frozenset[str]


def words_of(container: Tree | None, field: str) -> Words:
    """The words of ``command`` or ``args``."""
    return strings(container.at(field), field) if container else []


def read_commands(words: Words, environment: Mapping[str, Variable], scope: Scope) -> Commands:
    """Reads the words of ``command`` and ``args`` together."""
    spend(Kind.WORDS, len(words), words[0][1].where if words else None)
    position = script_position([text for text, _ in words])
    if position is None:
        located = [
            Located(filled_in(text, environment, tree.where), tree.where) for text, tree in words
        ]
        commands = [Command(_placed(located, scope))] if located else []
        names = frozenset(name for text, _ in words for name in references(text))
        return Commands(tuple(commands), False, (), _launched(commands, environment), names)
    text, tree = words[position]
    literals = {name: variable.value for name, variable in environment.items()}
    from gptoss.text.shell.evaluation import read_script  # most containers start without a shell

    script = read_script(tree, literals, [text for text, _ in words[position + 1 :]])
    exports = {
        name: Variable(name, located.value, None, scope.entry("env", name, located.place))
        for name, located in script.exports.items()
    }
    steps = merged(opened(script.steps))
    commands = [Command(_placed(step.command.words, scope)) for step in steps]
    return Commands(
        tuple(commands),
        True,
        (*script.documents, *_seen(steps)),
        {**exports, **_launched(commands, {**environment, **exports})},
        frozenset(mentioned(text)),
    )


def _launched(
    commands: Iterable[Command], environment: Mapping[str, Variable]
) -> dict[str, Variable]:
    """The variables that launchers add for the programs that they start."""
    return {
        name: variable
        for command in commands
        for name, variable in handed_on(command, environment).items()
    }


def _seen(steps: Iterable[Step]) -> Iterator[HereDocument]:
    """The files that commands name, as they find them."""
    for step in steps:
        for path, document in step.files.items():
            if any(path in word.value for word in step.command.words):
                yield document


def module_command(commands: Iterable[Command], module: str) -> Command | None:
    """The first command that runs ``python -m <module>``, from the interpreter on."""
    for command in commands:
        for position, word in enumerate(command.words[1:], 1):
            if word.value == module and command.words[position - 1].value == "-m":
                return Command(command.words[max(0, position - 2) :])
    return None


def _placed(words: Sequence[Located[str]], scope: Scope) -> tuple[Located[str], ...]:
    """The words with the places to show: a flag and its value under the flag's path."""
    placed = []
    path, takes_value = scope.path / "command", False
    for word in words:
        is_flag = word.value.startswith("-") and word.value not in ("-", "-m", "--")
        if is_flag:
            name, equals, _ = word.value.partition("=")
            path, takes_value = scope.path.entry("flags", name), not equals
        elif not takes_value:
            path = scope.path / "command"
        else:
            takes_value = False
        placed.append(Located(word.value, scope.locate(path, word.place)))
    return tuple(placed)
