"""What tuned siblings give, beside the documented targets that they are of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generate.markdown import table
from gptoss.planning.telling.plan_words import amount, duration
from gptoss.text.errors import InputError
from predicted.records import SIBLINGS
from predicted.siblings import siblings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from predicted.siblings import Gain, Sibling

    One = Mapping[str, Any]

ROOT = Path(__file__).resolve().parents[2]
# What is said at the head of a sibling's values file; it is written anew.
HEADER = re.compile(r"^# Predicted\b.*?\n(?!#)", re.MULTILINE | re.DOTALL)
HEAD = ("", "engines", "clients", "tokens/s/GPU", "tokens/s/user", "TTFT", "held up by", "believed")


@dataclass(frozen=True, slots=True)
class Beside:
    """A sibling beside what it is of, as a page says it.

    Attributes:
        sibling: The sibling.
        table: Both, a row for each load.
        gains: How many times the tokens, in words.
        reasons: Why the last row's numbers may be believed no more than that, in one sentence.
    """

    sibling: Sibling
    table: str
    gains: str
    reasons: str


def beside_siblings(name: str) -> list[Beside]:
    """What a target's page says of its siblings, or of what it is a sibling of."""
    record = SIBLINGS.read()
    return [_beside(one, record) for one in siblings() if name in (one.name, one.of)]


def siblings_table() -> str:
    """A row for each promise of each sibling."""
    record = SIBLINGS.read()
    head = ["instead of", "take", "clients", "tokens/s/GPU", "tokens/s/user", "TTFT", "believed"]
    rows = [head, ["---", "---", *["--:"] * (len(head) - 3), "---"]]
    for sibling in siblings():
        for gain in sibling.gains:
            _, new = _both(sibling, gain, record)
            rows.append(
                [
                    f"[{sibling.of}](targets/{sibling.of}.md)",
                    f"[{sibling.name}](targets/{sibling.name}.md)",
                    f"{gain.clients:,}",
                    f"{amount(new['per_gpu'])}, {_times(sibling, gain, record)} times",
                    amount(new["per_user"]),
                    duration(new["ttft"]),
                    new["belief"],
                ]
            )
    return table(rows)


def sibling_headers() -> dict[Path, str]:
    """The values files of the siblings, with what is predicted of them at their head."""
    record = SIBLINGS.read()
    found = {}
    for sibling in siblings():
        path = Path("values") / f"{sibling.name}.yaml"
        said = "\n".join(f"# {line}" for line in _header(sibling, record))
        found[path] = HEADER.sub(f"{said}\n", (ROOT / path).read_text("utf-8"), count=1)
    return found


def _header(sibling: Sibling, record: Mapping[str, Any]) -> Iterator[str]:
    for gain in sibling.gains:
        for name, clients in ((sibling.name, gain.clients), (sibling.of, gain.beside)):
            one = _recorded(record, name, clients)
            said = (
                f"Predicted at {clients:,} clients"
                if name == sibling.name
                else f"  {name} at {clients:,}"
            )
            yield (
                f"{said}: {amount(one['per_gpu'])} tokens/s/GPU, {amount(one['per_user'])} "
                f"tokens/s/user, TTFT {duration(one['ttft'])}; {one['belief']}"
            )
    yield f"Asked again: {sibling.question}"


def _beside(sibling: Sibling, record: Mapping[str, Any]) -> Beside:
    rows = [list(HEAD), ["---", "---", *["--:"] * 4, "---", "---"]]
    for gain in sibling.gains:
        for name, clients in ((sibling.of, gain.beside), (sibling.name, gain.clients)):
            rows.append(_row(name, clients, record))
    gains = " and ".join(_times(sibling, gain, record) for gain in sibling.gains)
    _, last = _both(sibling, sibling.gains[-1], record)
    return Beside(sibling, table(rows), gains, last["reasons"])


def _row(name: str, clients: int, record: Mapping[str, Any]) -> list[str]:
    one = _recorded(record, name, clients)
    return [
        f"[{name}]({name}.md)",
        one["engines"],
        f"{clients:,}",
        amount(one["per_gpu"]),
        amount(one["per_user"]),
        duration(one["ttft"]),
        one["bottleneck"],
        one["belief"],
    ]


def _both(
    sibling: Sibling, gain: Gain, record: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """What is recorded of the document's target and of the sibling."""
    old = _recorded(record, sibling.of, gain.beside)
    return old, _recorded(record, sibling.name, gain.clients)


def _recorded(record: Mapping[str, Any], name: str, clients: int) -> Mapping[str, Any]:
    """A prediction.

    Raises:
        InputError: It was not recorded.
    """
    found: Mapping[str, Any] | None = record.get(name, {}).get(str(clients))
    if found is None:
        raise InputError(f"{SIBLINGS.file}: no {name} at {clients} clients; run `make accuracy`")
    return found


def _times(sibling: Sibling, gain: Gain, record: Mapping[str, Any]) -> str:
    old, new = _both(sibling, gain, record)
    return f"{new['per_gpu'] / old['per_gpu']:.3g}"
