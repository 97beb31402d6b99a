"""Loops of a script.

A loop whose turns are known is walked that often, any other once, with what its turns may change
unknown from its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.text.budget import Kind
from gptoss.text.shell.expansion import calculated, words
from gptoss.text.shell.flow import TURNED, Status, Walker, nothing
from gptoss.text.shell.nodes import Count, For, While
from gptoss.text.shell.parts import Parameter
from gptoss.text.shell.variables import More, common

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.text.shell.nodes import Body

MAX_TURNS = 500
MAX_PASSES = 8
# Commands that the known turns of a loop may come to; the rest of them counts as not known.
MAX_WORK = 1000


class LoopWalker(Walker):
    """A walker that knows loops."""

    def loop(self, command: While | For | Count) -> Status:
        """Runs a loop."""
        if isinstance(command, For):
            return self._for(command)
        if isinstance(command, While):
            return self._while(command)
        return self._count(command)

    def _for(self, loop: For) -> Status:
        variables, texts, whole = self.variables, list[str](), True
        before = variables.assumptions
        for word in loop.words or ():
            found, sure = words(word, variables)
            texts += found
            whole &= sure
        given = loop.words is None or any(
            isinstance(part, Parameter) and part.name == "@" for w in loop.words for part in w.parts
        )
        if loop.words is None:
            texts, whole = variables.arguments[1:], variables.more is not More.UNKNOWN
        if given and not texts:
            whole &= variables.more is More.NONE
        variables.budget.spend(Kind.WORDS, len(loop.words or ()) + len(texts))
        assumed = variables.assumptions > before

        def turn(text: str | None) -> Status:
            self.variables.values[loop.name] = text
            self.variables.assumed.discard(loop.name)
            if assumed:
                self.variables.assumed.add(loop.name)
            return self.run(loop.body)

        if not whole:
            return self._uncounted(lambda: turn(texts[0] if len(texts) == 1 else None))
        limit = self.work + MAX_WORK
        for position, text in enumerate(texts):
            turn(text)
            if self._left():
                break
            if self.may_leave or self.work > limit:
                rest = texts[position + 1 :]
                return self._uncounted(lambda: turn(None)) if rest else self._end_of_loop()
        return self._end_of_loop()

    def _while(self, loop: While) -> Status:
        def condition() -> Status:
            status = self.run(loop.condition)
            return TURNED.get(status, Status.UNKNOWN) if loop.negated else status

        return self._turns(condition, loop.body, nothing)

    def _turns(
        self, condition: Callable[[], Status], body: Body, step: Callable[[], object]
    ) -> Status:
        """Walks through a loop as long as its condition is known to hold."""
        start, done, written = self.variables.copy(), len(self.steps), len(self.documents)
        limit = self.work + MAX_WORK
        for _ in range(MAX_TURNS):
            before = self.variables.copy()
            status = condition()
            if status is Status.NO:
                return self._end_of_loop()
            if status is not Status.YES:
                break
            self.run(body)
            if self._left():
                return self._end_of_loop()
            step()
            if self.may_leave or self.variables == before or self.work > limit:
                break
        del self.steps[done:], self.documents[written:]
        self.variables = start
        self.may_leave -= {"break", "continue"}

        def turn() -> Status:
            condition()
            status = self.run(body)
            step()
            return status

        return self._uncounted(turn)

    def _uncounted(self, turn: Callable[[], Status]) -> Status:
        """Walks through a loop that runs it is not known how often."""
        outside, self.counted = self.counted, False
        for _ in range(MAX_PASSES):
            done, written, may_leave = len(self.steps), len(self.documents), set(self.may_leave)
            before = self.variables.copy()
            turn()
            self.leaving = ""
            after = common([before, self.variables])
            if after == before:
                break
            del self.steps[done:], self.documents[written:]
            self.variables, self.may_leave = after, may_leave
        else:
            self.variables.forget()
            after = self.variables
            turn()
        self.variables = after
        self.leaving, self.counted = "", outside
        return self._end_of_loop()

    def _left(self) -> bool:
        """Whether the loop is left after this turn; ``continue`` goes on with the next."""
        if self.leaving == "continue" and self.levels == 1:
            self.leaving = ""
        return bool(self.leaving)

    def _end_of_loop(self) -> Status:
        if self.leaving in ("break", "continue"):
            self.levels -= 1
            if self.levels < 1:
                self.leaving, self.levels = "", 1
        self.may_leave -= {"break", "continue"}
        return Status.LIKELY

    def _count(self, loop: Count) -> Status:
        start, condition, step = (*loop.header.split(";"), "", "", "")[:3]
        calculated(start, self.variables)
        return self._turns(
            lambda: self.calculate(condition) if condition.strip() else Status.YES,
            loop.body,
            lambda: calculated(step, self.variables),
        )
