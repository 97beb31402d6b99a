"""Who sets each engine setting of ``trtllm-serve``, and who wins.

``trtllm-serve`` builds the engine's arguments from its flags and their defaults and lays the YAML
of ``--config`` over them, ``kv_cache_config`` key by key. Up to TensorRT-LLM 1.3.0rc14 the YAML
wins; from 1.3.0rc18 a flag that is written wins over it (NVIDIA/TensorRT-LLM#14812).
``schema/engine/validators.yaml`` says in which version which is so.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.deployment.settings import Layer, Settings
from gptoss.facts.engine_keys import schema_for
from gptoss.facts.versions import trtllm_number
from gptoss.precedence.built_sizes import lay_sizes, others, sizes_law
from gptoss.precedence.claims import Book, engine_claims, flag_claims
from gptoss.precedence.periods import period_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.programs import Flag, Program
    from gptoss.facts.world import Facts
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree


BLOCK = "kv_cache_config"
UNDECIDED = "undecided"


def flags_win(version: str, facts: Facts) -> bool | None:
    """Whether a written flag beats the YAML; None where that is undecided or unknown."""
    wins = period_of(version, _periods(facts)).get("wins", UNDECIDED)
    return None if wins == UNDECIDED else wins[0] == "flag"


def _periods(facts: Facts) -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = facts.engine["merge"]["order"]["trtllm_serve"]
    return known


def serve_settings(
    version: str,
    arguments: Arguments,
    engine: Tree | None,
    home: Place,
    facts: Facts,
    locate: Callable[[str, Place], Place],
) -> Settings:
    """The engine settings of a server with everybody who sets them.

    Where it is undecided who wins, the YAML is taken to.

    Args:
        version: Version of TensorRT-LLM; '' when it is not known.
        arguments: The command line of ``trtllm-serve``.
        engine: The engine YAML, when there is one.
        home: Where to point when nobody sets a key.
        facts: Defaults, open blocks and the order of flags and YAML.
        locate: Gives the place to show for a dotted key and its place in the engine YAML.
    """
    flags, yaml = list(flag_claims(arguments)), list(engine_claims(engine, facts, locate))
    replaces = period_of(version, _periods(facts)).get(BLOCK) == "replaced"
    book = Book({Layer.ENGINE: (BLOCK,) if replaces else ()})
    if law := sizes_law(version, facts):
        lay_sizes(book, law, arguments, flags, yaml)
        flags, yaml = others(flags), others(yaml)
    layers = [flags, yaml]
    for layer in reversed(layers) if flags_win(version, facts) else layers:
        book.lay(layer)
    known = schema_for(facts, version).defaults if trtllm_number(version) else facts.engine_defaults
    defaults = {**known, **_defaults(arguments.program)}
    return Settings(book.settings(home, defaults), home, defaults)


@cache
def _defaults(program: Program) -> dict[str, Any]:
    """What the flags that nobody gives set, by engine key."""
    return {key: _default(flag) for flag in program.flags.values() for key in flag.engine}


def _default(flag: Flag) -> Any:
    return not flag.default if flag.inverted else flag.default
