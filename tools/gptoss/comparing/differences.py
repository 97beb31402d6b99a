"""Both sides of two components: engine settings, flags and variables in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.text.secrets import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.command_lines.arguments import InForce
    from gptoss.deployment.model import Worker
    from gptoss.deployment.pods import Pod
    from gptoss.deployment.settings import Setting
    from gptoss.facts.programs import Program
    from gptoss.text.places import HasPlace, Located, Place

# Flags that say where something is, or that are compared as something else.
TOLD_ELSEWHERE = {
    "--config",
    "--disaggregation-mode",
    "--extra-engine-args",
    "--extra_llm_api_options",
    "--model",
    "--model-path",
    "--override-engine-args",
    "--revision",
    "--served-model-name",
    "--served_model_name",
}
# What the platform sets: compared only where both sides give it.
PLATFORM_FLAGS = {
    "--discovery-backend",
    "--endpoint",
    "--event-plane",
    "--host",
    "--http-host",
    "--namespace",
    "--request-plane",
}
# Left empty they are the same as not set.
TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
PLATFORM_VARIABLES = {
    "CUDA_VISIBLE_DEVICES",
    "DYN_SYSTEM_ENABLED",
    "DYN_SYSTEM_PORT",
    "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
    "DYN_TCP_RESPONSE_STREAM_HOST",
    "DYN_TCP_RPC_HOST",
    "ETCD_ENDPOINTS",
    "NATS_SERVER",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "PYTHONUNBUFFERED",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting that was compared, which is not the same on both sides if it ``differs``.

    Attributes:
        subject: What it is a setting of: ``deployment``, ``frontend``, ``benchmark`` or a worker,
            by its name where both sides call it the same and by its role otherwise.
        setting: The engine setting, flag, variable or property.
        left, right: The values in force; None when there is none.
        left_place, right_place: Who sets each; None when it is a default or not there.
    """

    subject: str
    setting: str
    left: object
    right: object
    left_place: Place | None = None
    right_place: Place | None = None

    @property
    def differs(self) -> bool:
        """Whether both sides are not the same."""
        # By its text too, for a number that is none (.nan) is not equal to itself.
        return self.left != self.right and repr(self.left) != repr(self.right)


@dataclass(frozen=True, slots=True)
class Side:
    """A value on one side, and who sets it."""

    value: object
    place: Place | None = None


NONE = Side(None)


def differ(subject: str, setting: str, left: Side, right: Side) -> Iterator[Difference]:
    """Both sides of a setting."""
    yield Difference(subject, setting, left.value, right.value, left.place, right.place)


def both(subject: str, setting: str, left: Side, right: Side) -> Iterator[Difference]:
    """Both sides of a setting where both say something."""
    if left.value is not None and right.value is not None:
        yield from differ(subject, setting, left, right)


def given(subject: str, left: HasPlace | None, right: HasPlace | None) -> Iterator[Difference]:
    """Whether each side has it at all."""
    sides = [Side(found is not None, found.place if found else None) for found in (left, right)]
    yield from differ(subject, "given", *sides)


def located(value: Located[Any] | None) -> Side:
    """A value with its place; nothing for none."""
    return Side(value.value, value.place) if value else NONE


def engine(name: str, left: Worker, right: Worker) -> Iterator[Difference]:
    """Engine settings in force, defaults included, of two workers.

    An engine YAML that is not among what was given cannot be compared key by key.
    """
    if left.engine_known != right.engine_known:
        sides = [
            Side("known" if w.engine_known else "not among what was given", w.engine.home)
            for w in (left, right)
        ]
        yield from differ(name, "engine YAML", *sides)
        return
    keys = left.engine.keys | right.engine.keys
    blocks = {key.rpartition(".")[0] for key in keys}
    for key in sorted(keys - {"model", "revision"}):
        sides = [_setting(worker.engine[key], key in blocks) for worker in (left, right)]
        # An empty block on one side is told by the keys in it on the other.
        is_empty = key in blocks and {} in (sides[0].value, sides[1].value)
        if not (is_empty and any(len(w.engine.under(key)) > 1 for w in (left, right))):
            yield from differ(name, key, *sides)


def _setting(setting: Setting, is_block: bool) -> Side:
    """A setting in force; null switches a block off, which is not the same as leaving it out."""
    if not setting.is_set:
        return Side(setting.value)
    off = is_block and setting.value is None
    return Side("null" if off else setting.value, setting.place)


def flags(
    subject: str, left: Mapping[str, InForce], right: Mapping[str, InForce]
) -> Iterator[Difference]:
    """Flags in force that are no engine settings."""
    for name in sorted(left.keys() | right.keys()):
        one, other = left.get(name), right.get(name)
        given = [found is not None and found.place is not None for found in (one, other)]
        if _is_told_elsewhere(name, one or other) or (name in PLATFORM_FLAGS and not all(given)):
            continue
        # A flag that only one release has and nobody gives is no difference.
        if any(given) or (one and other):
            sides = [Side(found.value, found.place) if found else NONE for found in (one, other)]
            yield from differ(subject, name, *sides)


def _is_told_elsewhere(name: str, found: InForce | None) -> bool:
    becomes_engine = bool(found and found.flag and found.flag.engine)
    return name in TOLD_ELSEWHERE or name.startswith("--trtllm.") or becomes_engine


def environment(
    subject: str, one: Pod, other: Pod, programs: list[Program]
) -> Iterator[Difference]:
    """Variables in force that are neither a flag's nor a path."""
    of_flags = {flag.env for found in programs for flag in found.flags.values() if flag.env}
    left, right = _variables(one, of_flags), _variables(other, of_flags)
    for name in sorted(left.keys() | right.keys()):
        sides = left.get(name, NONE), right.get(name, NONE)
        if name in PLATFORM_VARIABLES and None in (sides[0].value, sides[1].value):
            continue
        yield from differ(subject, f"${name}", *sides)


def _variables(pod: Pod, of_flags: set[str]) -> dict[str, Side]:
    """Variables that the engine reads: no flag's, no part of the command line, no path."""
    found = {}
    for name, variable in pod.environment.items():
        value = variable.value
        if value is None or name in of_flags or name in (pod.mentions or ()):
            continue
        is_missing_token = name in TOKENS and not value
        if not value.startswith("/") and not is_missing_token:
            found[name] = Side(shown(name, value), variable.place)
    return found
