"""Who sets each engine setting of a ``dynamo.trtllm`` worker, and who wins.

``dynamo.trtllm`` builds the engine's arguments from its flags (an environment variable is the
default of its flag), lays the engine YAML over them and then its overrides (ai-dynamo 1.2.1
``dynamo/trtllm/workers/llm_worker.py``, TensorRT-LLM 1.3.0rc14
``update_llm_args_with_extra_dict``):

* A key of the YAML replaces the flag's value. ``kv_cache_config`` is merged one level deep, so the
  flag's memory fraction survives a block that leaves it out.
* By the time overrides are applied, some blocks are objects. An override of one key of such a block
  replaces the whole block; other blocks are merged.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gptoss.engine_flags import ENGINE_FLAGS, given
from gptoss.model import Problem
from gptoss.settings import Claim, Layer, Setting, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gptoss.facts import Facts
    from gptoss.places import Place
    from gptoss.pods import Command, Variable
    from gptoss.yaml_tree import Tree

OVERRIDE = "--override-engine-args"
DOTTED_OVERRIDE = "--trtllm."
CONNECTOR = "--connector"
MAX_DEPTH = 64

TYPED_BLOCKS = {
    "attention_dp_config",
    "dwdp_config",
    "kv_cache_config",
    "lora_config",
    "moe_config",
    "nvfp4_gemm_config",
    "telemetry_config",
}
"""Blocks that are objects when overrides are applied."""

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
    command: Command,
    environment: Mapping[str, Variable],
    engine: Tree | None,
    home: Place,
    facts: Facts,
    locate: Callable[[str, Place], Place],
) -> Settings:
    """The engine settings of a worker with everybody who sets them.

    Args:
        command: The ``dynamo.trtllm`` command.
        environment: The container's variables.
        engine: The engine YAML, when there is one.
        home: Where to point when nobody sets a key.
        facts: Defaults and open blocks of the engine YAML.
        locate: Gives the place to show for a dotted key and its place in the engine YAML.
    """
    book = _Book()
    book.lay(_environment_claims(environment))
    book.lay(_flag_claims(command))
    book.lay(_engine_claims(engine, facts, locate) if engine else ())
    book.lay(_override_claims(command, environment))
    replaced = tuple(block for block in BUILT_BLOCKS if book.replaces(block))
    built = {key: value for key, value in DYNAMO_DEFAULTS.items() if not key.startswith(replaced)}
    defaults = {**facts.engine_defaults, **built}
    return Settings(book.settings(home, defaults), home, defaults)


def override_problem(command: Command, environment: Mapping[str, Variable]) -> Problem | None:
    """What is wrong with ``--override-engine-args``: Dynamo stops unless it is a JSON object."""
    text = given(command, environment, OVERRIDE)
    if text is None or not text.value or _parsed(text.value) is not None:
        return None
    return Problem(
        "override-not-json", f"{OVERRIDE} is not a JSON object: {text.value}", text.place
    )


class _Book:
    """Claims by key, weakest first, and claims that were lost."""

    def __init__(self) -> None:
        self._claims: dict[str, list[Claim]] = {}
        self._lost: dict[str, list[Claim]] = {}

    def lay(self, claims: Iterable[tuple[str, Claim]]) -> None:
        """Adds the claims of the next stronger layer."""
        stronger = list(claims)
        again = {key for key, _ in stronger}
        for key, claim in stronger:
            self._displace(key, claim.layer, again)
        for key, claim in stronger:
            self._claims.setdefault(key, []).append(claim)

    def replaces(self, block: str) -> bool:
        """Whether engine YAML or override set anything in a block that Dynamo builds."""
        return any(
            claim.layer >= Layer.ENGINE
            for key, claims in self._claims.items()
            if _inside(key, block)
            for claim in claims
        )

    def _displace(self, key: str, by: Layer, again: set[str]) -> None:
        """Moves claims to ``lost`` that a stronger one replaces along with their block.

        Keys that the stronger layer sets too are beaten, not lost.
        """
        block = key.partition(".")[0]
        blocks = {Layer.ENGINE: BUILT_BLOCKS, Layer.OVERRIDE: TYPED_BLOCKS}.get(by, ())
        for other, claims in self._claims.items():
            hit = block in blocks and _inside(other, block)
            if other not in again and (hit or _inside(other, key) or _inside(key, other)):
                self._lost.setdefault(other, []).extend(claims)
                claims.clear()

    def settings(self, home: Place, defaults: Mapping[str, Any]) -> dict[str, Setting]:
        return {
            key: Setting(
                key, tuple(claims), home, defaults.get(key), tuple(self._lost.get(key, ()))
            )
            for key, claims in self._claims.items()
        }


def _inside(key: str, block: str) -> bool:
    return key == block or key.startswith(f"{block}.")


def _environment_claims(environment: Mapping[str, Variable]) -> Iterator[tuple[str, Claim]]:
    for flag in ENGINE_FLAGS:
        variable = environment.get(flag.variable)
        if variable is None or variable.value is None:
            continue
        value = _converted(variable.value, flag.kind)
        for key in flag.keys:
            yield key, Claim(Layer.ENVIRONMENT, flag.variable, value, variable.place)
    connector = environment.get("DYN_CONNECTOR")
    if connector and connector.value == "kvbm":
        for key, value in KVBM.items():
            yield key, Claim(Layer.ENVIRONMENT, "DYN_CONNECTOR", value, connector.place)


def _flag_claims(command: Command) -> Iterator[tuple[str, Claim]]:
    flags = {flag.name: flag for flag in ENGINE_FLAGS}
    for name, written in command.flags():
        spelling = name.value
        if spelling == CONNECTOR and written and written.value == "kvbm":
            for key, setting in KVBM.items():
                yield key, Claim(Layer.FLAG, spelling, setting, name.place)
        flag = flags.get(spelling.replace("--no-", "--", 1))
        if flag is None or (flag.kind is not bool and (written is None or spelling != flag.name)):
            continue
        value: Any = spelling == flag.name
        if flag.kind is not bool and written is not None:
            value = _converted(written.value, flag.kind)
        for key in flag.keys:
            yield key, Claim(Layer.FLAG, spelling, value, name.place)


def _engine_claims(
    engine: Tree, facts: Facts, locate: Callable[[str, Place], Place]
) -> Iterator[tuple[str, Claim]]:
    for key, leaf in _leaves(engine, facts):
        yield key, Claim(Layer.ENGINE, key, leaf.plain(), locate(key, leaf.where))


def _leaves(tree: Tree, facts: Facts, path: str = "") -> Iterator[tuple[str, Tree]]:
    """Dotted keys of the engine YAML: lists, empty blocks and maps with free keys are leaves."""
    for name, value in tree.items():
        key = f"{path}.{name}" if path else name
        if value.is_map and value.value and not _has_free_keys(key, facts):
            yield from _leaves(value, facts, key)
        else:
            yield key, value


def _has_free_keys(key: str, facts: Facts) -> bool:
    field = facts.engine_fields.get(key, {})
    return bool(field.get("open")) or "map" in str(field.get("type"))


def _override_claims(
    command: Command, environment: Mapping[str, Variable]
) -> Iterator[tuple[str, Claim]]:
    if text := given(command, environment, OVERRIDE):
        for key, value in _flat(_parsed(text.value) or {}):
            yield key, Claim(Layer.OVERRIDE, OVERRIDE, value, text.place)
    for name, written in command.flags():
        key = name.value.removeprefix(DOTTED_OVERRIDE)
        if key and key != name.value and written is not None:
            yield key, Claim(Layer.OVERRIDE, name.value, _inferred(written.value), name.place)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _flat(block: dict[str, Any], path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    for name, value in block.items():
        key = f"{path}.{name}" if path else name
        if isinstance(value, dict) and value and depth < MAX_DEPTH:
            yield from _flat(value, key, depth + 1)
        else:
            yield key, value


def _converted(text: str, kind: type) -> Any:
    """A word as the flag's type; what does not convert stays text."""
    if kind is bool:
        return text.lower() in ("true", "1", "yes", "on")
    try:
        return kind(text)
    except ValueError:
        return text


def _inferred(text: str) -> Any:
    """The value of a dotted override, whose type is guessed from its text."""
    lowered = text.lower()
    if lowered in ("none", "null"):
        return None
    if lowered in ("true", "false"):
        return lowered == "true"
    number = _converted(text, int)
    return _converted(text, float) if isinstance(number, str) else number
