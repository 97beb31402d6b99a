"""Step times out of NVIDIA's measured data: aiconfigurator-core, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gptoss.live import environments
from gptoss.live.cached import filled
from gptoss.planning.steps.curves import KNOTS
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gptoss.planning.layouts import Layout
    from gptoss.planning.steps.step_times import StepTimes

SERVER = Path(__file__).with_name("step_server.py")
# The first answer for a layout that was never asked for takes two seconds.
PATIENCE = 120.0
# Answers and prompts of an iteration up to which a curve is asked at once.
MANY_ANSWERS, MANY_PROMPTS = 1280, 32
KNOTS_SET = frozenset(KNOTS)
# What TensorRT-LLM's kernels take on each GPU; the library names its own systems.
SYSTEMS = {
    "gb200": ("gb200", "w4a8_mxfp4_mxfp8"),
    "b200": ("b200_sxm", "w4a8_mxfp4_mxfp8"),
    "h200": ("h200_sxm", "w4a16_mxfp4"),
    "h100": ("h100_sxm", "w4a16_mxfp4"),
}


class Library:
    """The process that answers, and what it has answered so far.

    Args:
        process: Runs ``step_server.py``.
        said: Its standard error.
        patience: Seconds that an answer may take.
    """

    def __init__(self, process: subprocess.Popen[str], said: IO[str], patience: float) -> None:
        self._process = process
        self._said = said
        self._patience = patience
        self._of: dict[Layout, Answers] = {}

    def of(self, layout: Layout) -> StepTimes:
        """The times of a layout.

        Where each expert is cut over GPUs there are no measured rows: then those where the experts
        are spread over the same GPUs stand in.

        Raises:
            InputError: The library has no data for the GPU.
        """
        if layout.gpu not in SYSTEMS:
            known = ", ".join(SYSTEMS)
            raise InputError(f"there are no performance data for {layout.gpu}, only for {known}")
        return self._of.setdefault(layout, Answers(self, layout))

    def ask(self, layout: Layout, steps: Sequence[tuple[Any, ...]]) -> list[float]:
        """The milliseconds of steps of a layout.

        Raises:
            InputError: The library cannot answer.
        """
        system, moe = SYSTEMS[layout.gpu]
        dp = layout.ranks
        of = {"system": system, "tp": layout.gpus // dp, "dp": dp, "moe_ep": layout.gpus}
        question = {"layout": {**of, "moe": moe, "kv": str(layout.kv)}, "steps": steps}
        answer = self._answer(json.dumps(question))
        if "error" in answer:
            raise InputError(f"no prediction for {layout} on {layout.gpu}: {why(answer['error'])}")
        found: list[float] = answer["ms"]
        return found

    def _answer(self, question: str) -> dict[str, Any]:
        pipe, answers = self._process.stdin, self._process.stdout
        if pipe is None or answers is None:
            raise ValueError("the process has no pipes")
        with contextlib.suppress(BrokenPipeError):
            pipe.write(f"{question}\n")
            pipe.flush()
        if not select.select([answers], [], [], self._patience)[0]:
            self._process.kill()
            raise InputError(
                f"the performance data have not answered within {self._patience:g} s; try again"
            )
        line = answers.readline()
        if not line:
            raise InputError(f"the process with the performance data has ended{self._last_words()}")
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            said = line.strip()
            raise InputError(f"the process with the performance data says: {said}") from None
        return answer

    def _last_words(self) -> str:
        self._process.wait()
        self._said.seek(0)
        lines = self._said.read().strip().splitlines()
        return f": {lines[-1]}" if lines else f" with code {self._process.returncode}"


@dataclass
class Answers:
    """The times of one layout, each asked once; what curves will ask next is asked beside."""

    library: Library
    layout: Layout
    known: dict[tuple[Any, ...], float] = field(default_factory=dict)

    def prefill(self, prompts: int, isl: int) -> float:
        """As ``StepTimes.prefill``."""
        return self._time(prompts, lambda at: ("prefill", at, isl), MANY_PROMPTS)

    def decode(self, batch: int, length: int) -> float:
        """As ``StepTimes.decode``."""
        return self._time(batch, lambda at: ("decode", at, length), MANY_ANSWERS)

    def mixed(self, tokens: int, isl: int, batch: int, osl: int) -> float:
        """As ``StepTimes.mixed``."""
        return self._time(batch, lambda at: ("mixed", tokens, isl, at, osl), MANY_ANSWERS)

    def _time(self, at: int, step: Callable[[int], tuple[Any, ...]], many: int) -> float:
        wanted = step(at)
        if wanted not in self.known:
            near = [step(knot) for knot in KNOTS if at in KNOTS_SET and knot <= many]
            steps = [wanted, *(one for one in near if one not in self.known and one != wanted)]
            self.known.update(zip(steps, self.library.ask(self.layout, steps), strict=True))
        return self.known[wanted]


def why(error: str) -> str:
    """An error of the library in words that help, where there are any."""
    if "MoE data missing" in error:
        return "its experts have not been measured; give a replica another number of GPUs"
    return error


@contextmanager
def library() -> Iterator[Library]:
    """The library, as long as it is needed; its environment is made on first use.

    Raises:
        InputError: The environment cannot be made here.
    """
    python = environments.planning()
    specs = filled("plan-specs", SERVER.read_bytes() + str(python).encode())
    words = [str(python), "-I", str(SERVER), str(specs)]
    with asked(words) as found:
        yield found


@contextmanager
def asked(words: Sequence[str], patience: float = PATIENCE) -> Iterator[Library]:
    """A process that answers as ``step_server.py`` does; it ends with the context.

    Raises:
        InputError: It cannot be started.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
        _started(words, said) as process,
    ):
        try:
            yield Library(process, said, patience)
        finally:
            process.kill()
            # What a process that has ended did not read is still to be sent.
            with contextlib.suppress(BrokenPipeError):
                process.communicate()


def _started(words: Sequence[str], said: IO[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=said, text=True)
    except OSError as error:
        folder = Path(words[0]).parent.parent
        raise InputError(
            f"cannot start {words[0]}: {error.strerror or error}; delete {folder}, and it is made "
            "anew"
        ) from None
