"""The commands that a script starts, with variables resolved where they are known.

A script is read from top to bottom without being run. What is not known stays as written, and
nothing here fails: odd shell gives odd words.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from gptoss.text.aligned import Aligned
from gptoss.text.budget import Kind
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place
from gptoss.text.shell.assigning import DECLARATIONS, Assigner, runs_something
from gptoss.text.shell.builtins import change
from gptoss.text.shell.conditions import holds
from gptoss.text.shell.expansion import joined, words
from gptoss.text.shell.flow import Status
from gptoss.text.shell.resolved import is_resolved
from gptoss.text.shell.result import Script, Step
from gptoss.text.shell.syntax import assigned, element, parse
from gptoss.text.shell.variables import More, Variables
from gptoss.text.shell.words import tokens
from gptoss.text.shell.written_files import written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gptoss.text.shell.nodes import Body, Function, Simple
    from gptoss.text.shell.parts import Word
    from gptoss.text.yaml_tree import Tree

T = TypeVar("T")

MAX_CALLS = 16
TESTS = {"[": "]", "[[": "]]", "test": ""}
# Programs that are started to be asked something: either answer is as good.
ASKING = ("grep", "pgrep", "command", "which", "type", "diff", "cmp", "nc", "hash")
LEAVING = ("break", "continue", "return", "exit")
# Builtins that are no step of a script.
SILENT = ("read", "unset", "shift")
STATUS = {"true": Status.YES, ":": Status.YES, "false": Status.NO}


def read_script(
    script: Tree,
    environment: Mapping[str, str | None],
    arguments: Sequence[str] = (),
    folder: str | None = None,
) -> Script:
    """Reads a shell script.

    Args:
        script: The script as a YAML string.
        environment: Variables of the container; None for a value that comes from elsewhere.
        arguments: Words after the script: ``$0``, ``$1`` and so on.
        folder: The folder that the script is in, where it is a file.

    Raises:
        InputError: It does more than a run may spend.
    """
    given = list(arguments) or ["${0}"]
    reader = _Reader(script, Variables(environment, given, folder, dict(environment)))
    try:
        reader.run(reader.parsed(str(script.value)))
    except InputError as error:
        raise InputError(error.message, reader.place(reader.offset)) from None
    last = reader.variables.exported
    exports = {name: last.get(name, located) for name, located in reader.exports.items()}
    loose = [document for document in reader.documents if document.target is None]
    documents = (*loose, *reader.variables.files.values())
    return Script(tuple(reader.steps), documents, exports, reader.variables.values)


class _Reader(Assigner):
    def __init__(self, script: Tree, variables: Variables) -> None:
        super().__init__(script, variables)
        self._functions: dict[str, Function] = {}
        self._inside: list[str] = []
        self._evaluated: Aligned | None = None
        # Assumptions made before the words of the command that is running.
        self._assumptions = 0
        self.offset = 0

    def place(self, offset: int) -> Place:
        """Where an offset stands; in what ``eval`` runs, where that stands."""
        return self._evaluated.place(offset) if self._evaluated else super().place(offset)

    def parsed(self, text: str) -> Body:
        """The commands of a text."""
        found = tokens(text)
        self.variables.budget.spend(Kind.WORDS, len(found))
        return parse(found)

    def define(self, function: Function) -> None:
        """Notes a function."""
        self._functions[function.name] = function

    def simple(self, command: Simple) -> Status:
        """Runs a simple command."""
        given, prefix = command.words, 0
        self.offset = given[0].start if given else self.offset
        self.variables.budget.spend(Kind.WORDS, len(given) + len(command.redirections))
        while prefix < len(given) and (assigned(given[prefix]) or element(given[prefix])):
            prefix += 1
        own, rest = given[:prefix], given[prefix:]
        for array in command.arrays:
            self.assign_array(array, rest[0].literal if rest else "")
        if rest:
            status = self._with(own, rest)
        else:
            for word in own:
                self.assign(word)
            status = Status.LIKELY if any(map(runs_something, own)) else Status.YES
        self.documents += written(command, self.variables, self.script.indent, self.place)
        return status

    def _with(self, own: Sequence[Word], rest: Sequence[Word]) -> Status:
        """Runs a command, with variables of its own."""
        name = rest[0].literal
        if name in DECLARATIONS:
            return self.declare(name, rest[1:])
        located, sure = self._expanded(rest)
        if not own:
            return self._run(name, located, sure)
        names = {match.group(1) for word in own if (match := assigned(word))}
        before = self.variables
        values, exported = _those(names, before.values), _those(names, before.exported)
        for word in own:
            self.assign(word, export=True)
        status = self._run(name, located, sure)
        _restore(names, self.variables.values, values)
        _restore(names, self.variables.exported, exported)
        return status

    def _expanded(self, rest: Sequence[Word]) -> tuple[list[Located[str]], int]:
        """The words of a command, and how many of them are sure to stand where they do."""
        located: list[Located[str]] = []
        unsure = None
        self._assumptions = self.variables.assumptions
        is_literal = rest[0].literal in ("[[", "((")
        for word in rest:
            if is_literal:
                texts, whole = [joined(word.parts, self.variables)], True
            else:
                texts, whole = words(word, self.variables)
            if not whole and unsure is None:
                unsure = len(located)
            place = self.place(word.start)
            located += [Located(text, place) for text in texts]
        self.variables.budget.spend(Kind.WORDS, len(located))
        return located, len(located) if unsure is None else unsure

    def _run(self, name: str, located: list[Located[str]], sure: int) -> Status:
        """Runs a builtin, a function or a program; its name may come from a variable."""
        texts, whole = [word.value for word in located[1:]], sure == len(located)
        if name == "((":
            return self.calculate("".join(texts))
        if name == "let":
            statuses = [self.calculate(text) for text in texts]
            return statuses[-1] if statuses else Status.NO
        if name in LEAVING:
            return self._leave(name, texts)
        if name == "eval":
            return self._evaluate(located[1:], whole=whole)
        change(name, texts, self.variables, whole=whole)
        if name in SILENT or not located:
            return Status.LIKELY
        if located[0].value in self._functions and len(self._inside) < MAX_CALLS:
            return self._call(located[0].value, texts, sure - 1)
        return self._start(located)

    def _start(self, located: list[Located[str]]) -> Status:
        """Notes a command."""
        step = Step(
            Command(tuple(located)),
            self.environment(),
            self._inside[-1] if self._inside else "",
            self.choices,
            self.background,
            self.counted,
            self.variables.files,
        )
        self.steps.append(step)
        name, texts = located[0].value, [word.value for word in located[1:]]
        if name == "exec" and texts:
            self.leaving = "exit"
        if name in TESTS:
            return self._test(texts[:-1] if texts[-1:] == [TESTS[name]] else texts)
        return Status.UNKNOWN if name in ASKING else STATUS.get(name, Status.LIKELY)

    def _test(self, texts: list[str]) -> Status:
        if self.variables.assumptions > self._assumptions or not all(map(is_resolved, texts)):
            return Status.UNKNOWN
        says = holds(texts)
        return Status.UNKNOWN if says is None else Status.YES if says else Status.NO

    def _call(self, name: str, texts: list[str], sure: int) -> Status:
        """Calls a function; of its arguments that many are sure."""
        variables = self.variables
        kept = variables.arguments, variables.more, self.hidden, self.may_leave
        variables.arguments = [*variables.arguments[:1], *texts[:sure]]
        variables.more = More.NONE if sure == len(texts) else More.UNKNOWN
        self.hidden, self.may_leave = {}, set()
        self._inside.append(name)
        status = self.deeper(partial(self.run, self._functions[name].body))
        self._inside.pop()
        self.uncover()
        self.variables.arguments, self.variables.more, self.hidden, self.may_leave = kept
        if self.leaving == "return":
            self.leaving = ""
            return Status.UNKNOWN
        return status

    def _leave(self, how: str, texts: list[str]) -> Status:
        is_loop = how in ("break", "continue")
        self.levels = int(texts[0]) if is_loop and texts and texts[0].isdecimal() else 1
        self.leaving = how
        return Status.LIKELY

    def _evaluate(self, located: list[Located[str]], *, whole: bool) -> Status:
        """Runs the words of ``eval``; where they are not known, anything may have changed."""
        text = " ".join(word.value for word in located)
        outside = self._evaluated
        self._evaluated = Aligned(text, located[0].place, 0) if located else None
        status = self.deeper(partial(self.run, self.parsed(text)))
        self._evaluated = outside
        if not whole or not is_resolved(text):
            self.variables.forget()
        return status


def _those(names: set[str], table: Mapping[str, T]) -> dict[str, T]:
    return {name: table[name] for name in names if name in table}


def _restore(names: set[str], now: dict[str, T], before: Mapping[str, T]) -> None:
    for name in names:
        now.pop(name, None)
        if name in before:
            now[name] = before[name]
