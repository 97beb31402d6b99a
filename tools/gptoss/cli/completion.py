"""What a shell offers to complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    import click


def sources_like(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The shipped targets that begin so, with the files that do; else files alone."""
    return _shipped_like("target", incomplete)


def overlays_like(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The shipped overlays that begin so, with the files that do; else files alone."""
    return _shipped_like("overlay", incomplete)


def _shipped_like(kind: str, incomplete: str) -> list[CompletionItem]:
    from gptoss.showing.targets import rows
    from gptoss.text.errors import InputError
    from gptoss.text.printable import printable

    try:
        found = [row for row in rows() if row["kind"] == kind]
    except InputError:
        found = []
    named = [row for row in found if row["name"].startswith(incomplete)]
    if not named:
        return [CompletionItem(incomplete, type="file")]
    shipped = [CompletionItem(row["name"], help=row["description"]) for row in named]
    # Shells that are told to offer files offer nothing else, so these stand by name.
    files = sorted(path.name for path in Path().glob(f"{incomplete}*")) if incomplete else []
    return [*shipped, *(CompletionItem(name) for name in files if printable(name) == name)]


def files_like(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Any file."""
    return [CompletionItem(incomplete, type="file")]


def releases_like(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The Dynamo releases that begin so."""
    from gptoss.facts.world import Facts

    return [
        CompletionItem(version, help=f"TensorRT-LLM {release.trtllm}")
        for version, release in Facts().releases.items()
        if version.startswith(incomplete)
    ]


def gpus_like(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The GPUs that begin so."""
    from gptoss.facts.world import Facts

    gpus = Facts().gpus.items()
    return [CompletionItem(key, help=gpu.name) for key, gpu in gpus if key.startswith(incomplete)]


def rules_like(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The rules whose identifiers, or else whose names, begin so."""
    from gptoss import rules as _rules  # noqa: F401 (declares the rules)
    from gptoss.rules.rule import RULES

    by_id = {rule.id: rule for rule in RULES.values() if rule.id.startswith(incomplete.upper())}
    by_name = {rule.name: rule for rule in RULES.values() if rule.name.startswith(incomplete)}
    found = by_id or by_name
    return [CompletionItem(word, help=rule.summary) for word, rule in sorted(found.items())]
