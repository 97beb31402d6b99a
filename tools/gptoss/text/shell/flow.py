"""Walks through the commands of a script: chains and branches.

A condition that is known chooses its branch. Where it is not, every branch is walked as one that
may run, and what the branches leave different is unknown after them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from gptoss.text.budget import Kind
from gptoss.text.shell.conditions import fits
from gptoss.text.shell.expansion import calculated, joined
from gptoss.text.shell.nodes import Case, Function, Group, If, Simple
from gptoss.text.shell.parts import Text
from gptoss.text.shell.resolved import is_resolved
from gptoss.text.shell.variables import Variables, common

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gptoss.text.shell.nodes import Body, Chain, Command, Count, For, Pipeline, While
    from gptoss.text.shell.result import HereDocument, Step

MAX_DEPTH = 48


class Status(Enum):
    """Whether a command succeeds; ``LIKELY`` is a program that is started to do so."""

    YES = auto()
    NO = auto()
    LIKELY = auto()
    UNKNOWN = auto()


TURNED = {Status.YES: Status.NO, Status.NO: Status.YES}


class Walker(ABC):
    """What has happened so far, and the way on.

    Attributes:
        steps: The commands that were started.
        documents: The here-documents that were written.
        variables: What is known here.
        leaving: ``break``, ``continue``, ``return`` or ``exit`` while one of them is on its way.
        levels: How many loops ``break`` or ``continue`` still leaves.
        may_leave: Those of them that a branch may have taken.
        choices: The branches that are walked as such that may run.
        background: Whether the script goes on while this runs.
        counted: Whether it is known how often this runs.
        work: Commands walked through.
    """

    def __init__(self, variables: Variables) -> None:
        self.steps: list[Step] = []
        self.documents: list[HereDocument] = []
        self.variables = variables
        self.leaving = ""
        self.levels = 1
        self.may_leave: set[str] = set()
        self.choices: tuple[tuple[int, int], ...] = ()
        self.background = False
        self.counted = True
        self.work = 0
        self._choices_made = 0
        self._depth = 0

    @abstractmethod
    def simple(self, command: Simple) -> Status:
        """Runs a simple command."""

    @abstractmethod
    def loop(self, command: While | For | Count) -> Status:
        """Runs a loop."""

    @abstractmethod
    def define(self, function: Function) -> None:
        """Notes a function."""

    def run(self, body: Body) -> Status:
        """Walks through commands; the status of the last."""
        status = Status.YES
        for position, chain in enumerate(body):
            status = self._chain(chain)
            if self.leaving:
                break
            if self.may_leave and position + 1 < len(body):
                self.choose([partial(self.run, body[position + 1 :]), nothing])
                return Status.UNKNOWN
        return status

    def choose(self, branches: Sequence[Callable[[], object]]) -> None:
        """Walks through branches of which one is taken, it is not known which."""
        self._choices_made += 1
        number, outside, before = self._choices_made, self.choices, self.variables
        ends: list[Variables] = []
        left: list[str] = []
        for branch, run in enumerate(branches):
            self.choices = (*outside, (number, branch))
            self.variables = before.copy()
            self.deeper(run)
            left.append(self.leaving)
            if self.leaving != "exit":
                ends.append(self.variables)
            self.leaving = ""
        self.choices = outside
        self.variables = common(ends or [before])
        if all(left):
            self.leaving = next((how for how in left if how != "exit"), "exit")
        else:
            self.may_leave |= {*left} - {"", "exit"}

    def apart(self, run: Callable[[], Status]) -> Status:
        """Runs something in a shell of its own, which changes nothing in this one but files."""
        before = self.variables
        self.variables = before.copy()
        may_leave, self.may_leave = self.may_leave, set()
        status = self.deeper(run)
        before.files = self.variables.files
        self.variables, self.leaving, self.may_leave = before, "", may_leave
        return status

    def deeper(self, run: Callable[[], object]) -> Status:
        """Runs what stands inside something else, unless that goes too deep."""
        if self._depth >= MAX_DEPTH:
            self.variables.forget()
            return Status.UNKNOWN
        self._depth += 1
        status = run()
        self._depth -= 1
        return status if isinstance(status, Status) else Status.UNKNOWN

    def _chain(self, chain: Chain) -> Status:
        if not chain.background:
            return self._links(chain.links)
        outside, self.background = self.background, True
        self.apart(partial(self._links, chain.links))
        self.background = outside
        return Status.YES

    def _links(self, links: Sequence[tuple[str, Pipeline]]) -> Status:
        (_, first), *others = links
        status = self._pipeline(first)
        if status is Status.UNKNOWN and [symbol for symbol, _ in others] == ["&&", "||"]:
            self.choose([partial(self._pipeline, pipeline) for _, pipeline in others])
            return status
        for symbol, pipeline in others:
            if self.leaving:
                break
            passes = (Status.YES, Status.LIKELY) if symbol == "&&" else (Status.NO,)
            stops = (Status.NO,) if symbol == "&&" else (Status.YES,)
            if status in passes:
                status = self._pipeline(pipeline)
            elif status not in stops:
                self.choose([partial(self._pipeline, pipeline), nothing])
        return status

    def _pipeline(self, pipeline: Pipeline) -> Status:
        if len(pipeline.commands) == 1:
            status = self._command(pipeline.commands[0])
        else:
            for command in pipeline.commands:
                status = self.apart(partial(self._command, command))
        return TURNED.get(status, Status.UNKNOWN) if pipeline.negated else status

    def _command(self, command: Command) -> Status:
        self.work += 1
        self.variables.budget.spend(Kind.STEPS, 1)
        if isinstance(command, Simple):
            return self.simple(command)
        if isinstance(command, Function):
            self.define(command)
            return Status.YES
        return self.deeper(partial(self._compound, command))

    def _compound(self, command: Group | If | While | For | Count | Case) -> Status:
        if isinstance(command, Group):
            return self._group(command)
        if isinstance(command, If):
            return self._if(command.branches, command.otherwise)
        if isinstance(command, Case):
            return self._case(command)
        return self.loop(command)

    def _group(self, group: Group) -> Status:
        return self.apart(partial(self.run, group.body)) if group.subshell else self.run(group.body)

    def calculate(self, expression: str) -> Status:
        """Whether an arithmetic command says yes."""
        before = self.variables.assumptions
        value = calculated(expression, self.variables)
        if value is None or self.variables.assumptions > before:
            return Status.UNKNOWN
        return Status.YES if value else Status.NO

    def _if(self, branches: Sequence[tuple[Body, Body]], otherwise: Body) -> Status:
        for position, (condition, body) in enumerate(branches):
            status = self.run(condition)
            if self.leaving:
                return status
            if status is Status.YES:
                return self.run(body)
            if status is not Status.NO:
                rest = branches[position + 1 :]
                self.choose([partial(self.run, body), partial(self._if, rest, otherwise)])
                return Status.UNKNOWN
        return self.run(otherwise)

    def _case(self, case: Case) -> Status:
        taken = None if case.falls_through else self._branch(case)
        if taken is not None:
            return self.run(case.branches[taken][1]) if taken >= 0 else Status.YES
        runs: list[Callable[[], object]] = [partial(self.run, body) for _, body in case.branches]
        if not any(pattern.literal == "*" for patterns, _ in case.branches for pattern in patterns):
            runs.append(nothing)
        self.choose(runs)
        return Status.UNKNOWN

    def _branch(self, case: Case) -> int | None:
        """The branch that a ``case`` takes, -1 for none of them; None where it is not known."""
        before = self.variables.assumptions
        subject = joined(case.word.parts, self.variables)
        if not is_resolved(subject) or self.variables.assumptions > before:
            return None
        for number, (patterns, _) in enumerate(case.branches):
            for pattern in patterns:
                text = joined(pattern.parts, self.variables)
                self.variables.budget.spend(Kind.EXPANDED, len(subject))
                quoted = any(not isinstance(p, Text) or p.quoted for p in pattern.parts)
                fit = fits(subject, text, quoted=quoted) if is_resolved(text) else None
                if fit is not False:
                    return None if fit is None else number
        return -1


def nothing() -> None:
    """The branch that is not there."""
