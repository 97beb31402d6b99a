"""Sizes while TensorRT-LLM still had a ``build_config``, up to 1.2.0rc3.

Programs pass one that their flags fill, defaults included. Its sizes replace those of the root, so
that who wins is another one than for all other settings (schema/engine/validators.yaml, ``sizes``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gptoss.deployment.settings import Claim, Layer
from gptoss.precedence.claims import BUILD_CONFIG
from gptoss.precedence.periods import period_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.world import Facts
    from gptoss.precedence.claims import Book

SIZES = ("max_batch_size", "max_num_tokens", "max_seq_len", "max_beam_width")
BUILT = "built"

Claims = list[tuple[str, Claim]]


def sizes_law(version: str, facts: Facts) -> str:
    """``built`` or ``copied``; '' for a version without ``build_config``, or that is not known."""
    return str(period_of(version, facts.engine["merge"]["sizes"]).get("law", ""))


def lay_sizes(
    book: Book,
    law: str,
    arguments: Arguments,
    flags: Iterable[tuple[str, Claim]],
    engine: Iterable[tuple[str, Claim]],
    overrides: Iterable[tuple[str, Claim]] = (),
) -> None:
    """Lays the claims on the four sizes, weakest first.

    Args:
        book: The claims.
        law: Whether sizes at the root of the YAML are lost (``built``) or win (``copied``).
        arguments: The command line; its defaults fill ``build_config`` too.
        flags: Claims of flags.
        engine: Claims of the engine YAML.
        overrides: Claims of overrides, which never reach ``build_config``.
    """
    engine = list(engine)
    root, over, given = _of_sizes(engine), _of_sizes(overrides), _of_sizes(flags)
    if law == BUILT:
        book.lay(root)
    book.lay(over)
    claimed = {key for key, _ in root + over} - {key for key, _ in given}
    book.lay(pair for pair in _defaults(arguments) if pair[0] in claimed)
    book.lay(given)
    book.lay(_built(engine, arguments))
    if law != BUILT:
        book.lay(root)


def size_defaults(arguments: Arguments) -> dict[str, Any]:
    """What the flags put into ``build_config`` when nobody gives them."""
    return {key: claim.value for key, claim in _defaults(arguments)}


def others(claims: Iterable[tuple[str, Claim]]) -> Claims:
    """The claims that are not on a size."""
    return [pair for pair in claims if pair[0] not in SIZES]


def _of_sizes(claims: Iterable[tuple[str, Claim]]) -> Claims:
    return [pair for pair in claims if pair[0] in SIZES]


def _defaults(arguments: Arguments) -> Iterator[tuple[str, Claim]]:
    """What the flags that nobody gives put into ``build_config``."""
    place = arguments.command.place
    for flag in arguments.program.flags.values():
        for key in flag.engine:
            if key in SIZES and flag.default is not None:
                yield key, Claim(Layer.DEFAULT, flag.name, flag.default, place)


def _built(engine: Claims, arguments: Arguments) -> Iterator[tuple[str, Claim]]:
    """What a ``build_config`` of the YAML says, and its defaults for what it leaves out."""
    inside = f"{BUILD_CONFIG}."
    written = {k.removeprefix(inside): claim for k, claim in engine if k.startswith(inside)}
    if not written:
        return
    first = next(iter(written.values()))
    for key, default in _defaults(arguments):
        if key not in written:
            yield key, replace(default, spelling=BUILD_CONFIG, place=first.place)
    for key in SIZES:
        if key in written:
            yield key, written[key]
