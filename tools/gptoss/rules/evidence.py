"""Where the facts behind rules are stated, and for which releases; each rule's in a file.

The file of D003 is ``evidence/D003.yaml`` of its family's folder; ``docs/extending.md`` has its
form. It is read when the rule has found something, or when somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.facts.versions import trtllm_number, version_number
from gptoss.text import plain_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.facts.world import Release

DYNAMO, TRTLLM = "Dynamo", "TensorRT-LLM"
NUMBERS: dict[str, Callable[[str], tuple[int, ...]]] = {
    DYNAMO: version_number,
    TRTLLM: trtllm_number,
}
SPAN = re.compile(
    rf"(?P<program>{DYNAMO}|{TRTLLM}) (?:(?P<first>[\w.]+) to (?P<last>[\w.]+)"
    r"|from (?P<since>[\w.]+)|up to (?P<until>[\w.]+)|(?P<only>[\w.]+))"
)
# The keys of each kind of entry, by the one that tells it; those that it may have beside.
KINDS = {
    "repository": {"path", "commit", "line"},
    "package": {"path", "line"},
    "page": {"line"},
    "thread": {"says"},
    "run": {"says"},
}
QUOTING = frozenset({"repository", "package", "page", "run"})


@dataclass(frozen=True, slots=True)
class Span:
    """Releases of one program, from the first to the last, both included.

    Attributes:
        text: As it is written, as in ``Dynamo 1.0.2 to 1.2.1``.
        program: ``Dynamo`` or ``TensorRT-LLM``.
        first: The first release as a number; () where there is none.
        last: The last, the same way.
    """

    text: str
    program: str
    first: tuple[int, ...]
    last: tuple[int, ...]

    def includes(self, release: Release) -> bool:
        """Whether a Dynamo release, or the TensorRT-LLM that it ships, is one of them."""
        version = release.version if self.program == DYNAMO else release.trtllm
        number = NUMBERS[self.program](version)
        return self.first <= number and (not self.last or number <= self.last)


@dataclass(frozen=True, slots=True)
class Seen:
    """One place where a fact is stated, or was seen.

    Attributes:
        kind: ``repository``, ``package`` (a wheel, or a Go module), ``page``, ``thread`` (a user's
            or maintainer's report), or ``run`` (a test of this repository).
        where: The place, as in ``NVIDIA/TensorRT-LLM PATH @COMMIT``.
        says: Its very words, or for a thread or a run what it says in one clause.
        span: The releases that it holds for; None where they do not matter.
    """

    kind: str
    where: str
    says: str
    span: Span | None

    @property
    def is_quote(self) -> bool:
        """Whether what it says are the words of a line."""
        return self.kind in QUOTING - {"run"}

    @property
    def quotes(self) -> bool:
        """Whether a line says it, or a program did it; not merely a person."""
        return self.kind in QUOTING

    def __str__(self) -> str:
        """In one line."""
        said = f'"{self.says}"' if self.is_quote else self.says
        return f"{self.where}: {said}{f' ({self.span.text})' if self.span else ''}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a rule is true, and for which releases.

    Attributes:
        seen: Where it is stated.
        holds: The releases outside of which it is not true; None where it always is.
        inferred: What it is inferred from, where no line says it; '' otherwise.
    """

    seen: tuple[Seen, ...]
    holds: Span | None = None
    inferred: str = ""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The releases for which it was seen; () where they do not matter."""
        spans = dict.fromkeys(seen.span for seen in self.seen if seen.span)
        return () if any(s.quotes and not s.span for s in self.seen) else tuple(spans)

    @property
    def seen_for(self) -> str:
        """The releases for which it was seen, in words."""
        return " and ".join(span.text for span in self.spans)

    def is_false_of(self, release: Release | None) -> bool:
        """Whether a release is known not to be concerned."""
        return bool(release and self.holds and not self.holds.includes(release))

    def is_unseen_in(self, release: Release | None) -> bool:
        """Whether nobody looked at a release, though others were looked at."""
        spans = self.spans
        return bool(release and spans and not any(span.includes(release) for span in spans))

    def __str__(self) -> str:
        """All of it in one line."""
        inferred = [f"inferred from {self.inferred}"] if self.inferred else []
        return "; ".join([*map(str, self.seen), *inferred])


@cache
def read_evidence(path: Path) -> Evidence:
    """The evidence in a file.

    Raises:
        ValueError: There is no such file, or something in it is not in the form.
    """
    if not path.is_file():
        raise ValueError(f"{path} is missing; docs/extending.md says what stands in it")
    content = plain_yaml.load(path.read_text(encoding="utf-8"))
    if not isinstance(content, Mapping) or content.keys() - {"seen", "holds", "inferred"}:
        raise ValueError(f"{path} has to hold seen, and may hold holds and inferred")
    holds, inferred = content.get("holds"), str(content.get("inferred", ""))
    seen = tuple(_seen(entry, path) for entry in content.get("seen", ()))
    if not seen and not inferred:
        raise ValueError(f"{path} says neither where it was seen nor what it is inferred from")
    return Evidence(seen, _span(holds, path) if holds else None, inferred)


def _seen(entry: Any, path: Path) -> Seen:
    kind = next((kind for kind in KINDS if isinstance(entry, Mapping) and kind in entry), "")
    if not kind or entry.keys() - {"for"} != KINDS[kind] | {kind}:
        wanted = "; ".join(f"{kind}, {', '.join(sorted(KINDS[kind]))}" for kind in KINDS)
        raise ValueError(f"{path}: {entry} is none of these, each with or without for: {wanted}")
    commit = f" @{entry['commit']}" if "commit" in entry else ""
    where = " ".join((str(entry[kind]), *([entry["path"]] if "path" in entry else []))) + commit
    says = str(entry.get("line", entry.get("says", "")))
    return Seen(kind, where, says, _span(entry["for"], path) if "for" in entry else None)


def _span(text: Any, path: Path) -> Span:
    match = SPAN.fullmatch(str(text))
    if not match:
        raise ValueError(f'{path}: {text} is not of the form "{DYNAMO} 1.0.2 to 1.6.1"')
    program, first, last, since, until, only = match.groups()
    number = NUMBERS[program]
    ends = (number(end) if end else () for end in (first or since or only, last or until or only))
    return Span(str(text), program, *ends)
