"""Renders the chart through real Helm.

This module imports nothing heavy: Helm works on one core while Python imports its libraries on
the other.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from gptoss.facts import folders
from gptoss.sources.chart.on_disk import Laid, on_disk
from gptoss.sources.chart.set_arguments import SET, STRENGTH, SetArgument
from gptoss.text import deadline
from gptoss.text.errors import InputError
from gptoss.text.executables import on_path

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.deployment.model import Problem
    from gptoss.text.yaml_tree import Tree

NAME = "gpt-oss"
# What Helm takes for the name of a release: that of a DNS subdomain, of at most 53 characters.
RELEASE_NAME = re.compile(
    r"(?=.{1,53}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)
TIMEOUT_SECONDS = 60
# A shipped target takes 0.2 s of computing, 90 MB and writes 130 kB.
COMPUTING_SECONDS = 4
MEMORY = 480_000_000
OUTPUT = 8000 * 512
# Set by the shell that becomes Helm: a child that Python prepares may not do so beside threads.
LIMITED = (
    f"ulimit -t {COMPUTING_SECONDS}; ulimit -d {MEMORY // 1024}; "
    f'ulimit -f {OUTPUT // 512}; exec "$@"'
)
TOO_MUCH = (
    f"Helm is stopped at {COMPUTING_SECONDS} s of computing, {MEMORY // 1_000_000} MB of memory "
    f"and {OUTPUT // 1_000_000} MB of output; give smaller values"
)
# What Go says when it gets no more memory.
NO_MEMORY = re.compile(
    r"fatal error: (runtime: )?(out of memory|cannot allocate memory)|SIGSEGV: segmentation"
)
# A Helm 3 that was built by `go install` takes a cluster that it is not told of for 1.20.
KUBERNETES = ("--kube-version", "1.37.0")


@dataclass(frozen=True, slots=True)
class ChartSource:
    """A target: values files and settings laid over the chart's own values.

    Attributes:
        label: What the user called it.
        files: Values files, first to last, as the user named them.
        settings: ``--set`` arguments, first to last.
        typed: Those of ``--set-json``, ``--set-string`` and ``--set-file``.
        name: Name of the Helm release.
        with_benchmark: Whether the benchmark Job is rendered even where it is off.
        inline: Values that stand in another file, as in an Application of Argo CD; laid over the
            values files.
        problems: What is wrong with what asks for it.
    """

    label: str
    files: tuple[Path, ...]
    settings: tuple[str, ...] = ()
    typed: tuple[SetArgument, ...] = ()
    name: str = NAME
    with_benchmark: bool = True
    inline: tuple[Tree, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def arguments(self) -> list[SetArgument]:
        """What sets single values, the strongest last."""
        plain = (SetArgument(SET, text) for text in self.settings)
        return sorted((*plain, *self.typed), key=lambda argument: STRENGTH.index(argument.flag))

    @property
    def parts(self) -> list[str]:
        """Names of the values files that make it, or of what arguments choose in the chart."""
        return [file.stem for file in self.files] or self.label.split(" + ")

    def argv(self, helm: str, laid: Laid | None = None) -> list[str]:
        """The command line that renders it.

        Args:
            helm: Path of Helm.
            laid: Where files stand instead, when texts are laid over them.
        """
        chart = laid.chart if laid else folders.chart()
        argv = [helm, "template", self.name, str(chart), *KUBERNETES]
        for file in self.files:
            argv += ["--values", _in_list(laid.file(file) if laid else file)]
        if self.inline:
            argv += ["--values", "-"]
        for argument in self.arguments:
            argv += [argument.flag, argument.text]
        return [*argv, SET, "benchmark.enabled=true"] if self.with_benchmark else argv

    def standard_input(self) -> bytes:
        """The values that stand in another file, as Helm reads them."""
        if not self.inline:
            return b""
        values: dict[str, Any] = {}
        for tree in self.inline:
            values = _merged(values, tree.plain())
        return json.dumps(values, default=str).encode()


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Values laid over others: of maps each key, of everything else the whole."""
    found = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(found.get(key), dict)
        found[key] = _merged(found[key], value) if both else value
    return found


def find_helm() -> str:
    """Path of Helm: the one that ``make`` prepared, else the one on the PATH.

    Raises:
        InputError: There is none.
    """
    prepared = folders.root() / ".tools" / "bin" / "helm"
    found = str(prepared) if prepared.is_file() else on_path("helm")
    if found is None:
        raise InputError(
            "Helm is not on the PATH; install Helm 3.14 or newer, "
            "or run `make helm` in the repository to build the pinned one with Go"
        )
    return found


@dataclass(frozen=True, slots=True)
class Rendering:
    """What ``helm template`` gave.

    Attributes:
        source: What was rendered.
        output: The manifests.
        refused: Why Helm refused, '' when it did not.
    """

    source: ChartSource
    output: str
    refused: str


def render(source: ChartSource, helm: str) -> Rendering:
    """Renders a target.

    Raises:
        InputError: Helm does not start, does not end in time, takes too much, or is killed.
    """
    with on_disk() as laid:
        return run_helm(source, source.argv(helm, laid))


def run_helm(source: ChartSource, argv: list[str]) -> Rendering:
    """What a ``helm template`` command line of a target gives.

    Raises:
        InputError: Helm does not start, does not end in time, takes too much, or is killed.
    """
    ended = limited(argv, source.standard_input())
    if ended.code in (-signal.SIGKILL, -signal.SIGXCPU) or ended.is_cut or ended.lacks_memory:
        raise InputError(f"helm template {source.label}: {TOO_MUCH}")
    if ended.code < 0:
        raise InputError(f"helm template was killed by signal {-ended.code}")
    return Rendering(source, ended.output, ended.said if ended.code else "")


class Ended(NamedTuple):
    """How a run of Helm ended: its exit code, and what it wrote to either stream, up to a limit."""

    code: int
    output: str
    said: str

    @property
    def is_cut(self) -> bool:
        """Whether it wrote more than is read."""
        return len(self.output.encode()) >= OUTPUT

    @property
    def lacks_memory(self) -> bool:
        """Whether it got no more memory."""
        return bool(NO_MEMORY.match(self.said))


def limited(argv: list[str], given: bytes) -> Ended:
    """Runs Helm with so much of the machine as a rendering may take.

    Args:
        argv: Its command line.
        given: Its standard input.

    Raises:
        InputError: It does not start, or does not end in time.
    """
    # A plugin may be asked for values files by their names, as secrets:/a.yaml. Rendering is over
    # before Go's garbage collector would pay off, unless it takes too much.
    more = {"HELM_PLUGINS": os.devnull, "GOGC": "off", "GOMEMLIMIT": "200MiB"}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as told:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", LIMITED, "sh", *argv],
                input=given,
                stdout=output,
                stderr=told,
                env=os.environ | more,
                timeout=min(TIMEOUT_SECONDS, deadline.left()),
                check=False,
            )
        except subprocess.TimeoutExpired:
            reason = "helm template did not end in time; give more with --timeout"
            raise InputError(reason) from None
        except OSError as error:
            raise InputError(f"Helm does not start: {error}") from None
        return Ended(done.returncode, _text(output), _text(told))


def _in_list(path: Path) -> str:
    """A path as Helm's ``--values`` takes it: a list in CSV, of addresses where it has a scheme."""
    text = str(path.absolute() if ":" in str(path) else path)
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(OUTPUT).decode(errors="replace")
