"""Who sets each engine setting of a ``dynamo.trtllm`` worker, and who wins.

``dynamo.trtllm`` builds the engine's arguments from its flags (an environment variable is the
default of its flag), lays the engine YAML over them and then its overrides (ai-dynamo 1.2.1
``dynamo/trtllm/workers/llm_worker.py``, TensorRT-LLM 1.3.0rc14
``update_llm_args_with_extra_dict``):

* A key of the YAML replaces the flag's value. ``kv_cache_config`` is merged one level deep, so the
  flag's memory fraction survives a block that leaves it out.
* By the time overrides are applied, some blocks are objects. An override of one key of such a block
  replaces the whole block; other blocks are merged.

Up to 0.7 (TensorRT-LLM 1.2.0rc3; ``dynamo/trtllm/main.py``) a ``kv_cache_config`` of the YAML
replaces that of the flags as a whole, and sizes go through ``build_config`` (``built_sizes``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gptoss.command_lines.arguments import converted, typed, unresolved
from gptoss.deployment.model import Problem
from gptoss.deployment.settings import Claim, Layer, Settings
from gptoss.facts.engine_keys import schema_for
from gptoss.facts.versions import trtllm_number
from gptoss.precedence.built_sizes import lay_sizes, others, size_defaults, sizes_law
from gptoss.precedence.claims import Book, engine_claims, flag_claims
from gptoss.precedence.periods import period_of
from gptoss.text import plain_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.command_lines.arguments import Arguments
    from gptoss.facts.world import Facts, Release
    from gptoss.text.places import Place
    from gptoss.text.yaml_tree import Tree

OVERRIDE = "--override-engine-args"
CONNECTOR, KVBM_CONNECTOR = "--connector", "kvbm"
KV_CACHE = "kv_cache_config"

BUILT_BLOCKS = ("scheduler_config", "kv_connector_config")
"""Blocks that Dynamo builds itself; one in the engine YAML replaces them as a whole."""

DYNAMO_DEFAULTS = {
    "kv_cache_config.free_gpu_memory_fraction": 0.9,
    "scheduler_config.capacity_scheduler_policy": "GUARANTEED_NO_EVICT",
    "scheduler_config.dynamic_batch_config.enable_batch_size_tuning": True,
    "scheduler_config.dynamic_batch_config.enable_max_num_tokens_tuning": False,
    "scheduler_config.dynamic_batch_config.dynamic_batch_moving_average_window": 128,
}

KVBM = {
    "kv_connector_config.connector_module": "kvbm.trtllm_integration.connector",
    "kv_connector_config.connector_scheduler_class": "DynamoKVBMConnectorLeader",
    "kv_connector_config.connector_worker_class": "DynamoKVBMConnectorWorker",
    "kv_cache_config.enable_partial_reuse": False,
}


def engine_settings(
    arguments: Arguments,
    engine: Tree | None,
    home: Place,
    facts: Facts,
    locate: Callable[[str, Place], Place],
    release: Release | None = None,
) -> Settings:
    """The engine settings of a worker with everybody who sets them.

    Args:
        arguments: What ``dynamo.trtllm`` makes of its command and variables.
        engine: The engine YAML, when there is one.
        home: Where to point when nobody sets a key.
        facts: Defaults and open blocks of the engine YAML.
        locate: Gives the place to show for a dotted key and its place in the engine YAML.
        release: The release that runs it; None is taken for the default one.
    """
    release = release or facts.default_release
    flags = [*flag_claims(arguments), *_connector_claims(arguments)]
    yaml = list(engine_claims(engine, facts, locate))
    overrides = list(_override_claims(arguments))
    order = period_of(release.trtllm, facts.engine["merge"]["order"]["dynamo"])
    replaced = (KV_CACHE,) if order.get(KV_CACHE) == "replaced" else ()
    objects = object_blocks(release.trtllm, facts)
    if replaced and not any(key.startswith(KV_CACHE) for key, _ in yaml):
        objects += replaced
    book = Book({Layer.ENGINE: BUILT_BLOCKS + replaced, Layer.OVERRIDE: objects})
    book.lay(_environment_claims(arguments))
    sizes: dict[str, Any] = {}
    if law := sizes_law(release.trtllm, facts):
        sizes = size_defaults(arguments)
        lay_sizes(book, law, arguments, flags, yaml, overrides)
        flags, yaml, overrides = others(flags), others(yaml), others(overrides)
    book.lay(flags)
    book.lay(yaml)
    book.lay(overrides)
    gone = tuple(block for block in BUILT_BLOCKS if book.replaces(block))
    built = {key: value for key, value in DYNAMO_DEFAULTS.items() if not key.startswith(gone)}
    defaults = {**schema_for(facts, release.trtllm).defaults, **sizes, **built}
    return Settings(book.settings(home, defaults), home, defaults)


def override_problem(arguments: Arguments) -> Problem | None:
    """What is wrong with ``--override-engine-args``: Dynamo stops unless it is a JSON object."""
    text = arguments[OVERRIDE].located
    if text is None or not text.value or unresolved(text.value):
        return None
    if _parsed(text.value) is not None:
        return None
    return Problem(
        "override-not-json", f"{OVERRIDE} is not a JSON object: {text.value}", text.place
    )


def object_blocks(trtllm: str, facts: Facts) -> tuple[str, ...]:
    """Blocks of the engine YAML that are objects when overrides are applied.

    They are those of the newest version read up to the one asked for, else of the oldest.
    """
    number = trtllm_number(trtllm)
    read = facts.engine["merge"]["object_blocks"]
    versions = sorted(read, key=trtllm_number)
    older = [version for version in versions if trtllm_number(version) <= number]
    return tuple(read[older[-1] if older else versions[0]])


def _environment_claims(arguments: Arguments) -> Iterator[tuple[str, Claim]]:
    for flag in arguments.program.flags.values():
        variable = arguments.variable(flag) if flag.engine else None
        if variable is not None and variable.value is not None:
            value = typed(flag, [variable.value])
            for key in flag.engine:
                yield key, Claim(Layer.ENVIRONMENT, variable.name, value, variable.place)


def _connector_claims(arguments: Arguments) -> Iterator[tuple[str, Claim]]:
    connector = arguments[CONNECTOR]
    if connector.place is None or connector.value != [KVBM_CONNECTOR]:
        return
    layer = Layer.FLAG if connector.given else Layer.ENVIRONMENT
    for key, value in KVBM.items():
        yield key, Claim(layer, connector.spelling, value, connector.place)


def _override_claims(arguments: Arguments) -> Iterator[tuple[str, Claim]]:
    override = arguments[OVERRIDE]
    if text := override.located:
        for key, value in _flat(_parsed(text.value) or {}):
            yield key, Claim(Layer.OVERRIDE, override.spelling, value, text.place)
    for name, written in arguments.dotted:
        key = name.value.removeprefix(arguments.program.dotted)
        yield key, Claim(Layer.OVERRIDE, name.value, _inferred(written.value), name.place)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        parsed = plain_json.load(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _flat(block: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in block.items():
        key = f"{path}.{name}" if path else name
        if isinstance(value, dict) and value:
            yield from _flat(value, key)
        else:
            yield key, value


def _inferred(text: str) -> Any:
    """The value of a dotted override, whose type is guessed from its text."""
    lowered = text.lower()
    if lowered in ("none", "null"):
        return None
    if lowered in ("true", "false"):
        return lowered == "true"
    number = converted(text, int)
    return converted(text, float) if isinstance(number, str) else number
