"""Print the flags of `aiperf profile`, and what a request can be held against, as JSON.

Started by the interpreter of aiperf's environment.

Names, types and choices are those of aiperf's own command line. Bounds of numbers are read from
what its configuration loader says to values that are far too small and far too large.
"""

import enum
import json
import re
import types
import typing
from typing import Any

from aiperf.cli_commands.profile import app
from aiperf.common.enums import MetricFlags, MetricType
from aiperf.config.flags.cli_config import CLIConfig
from aiperf.config.flags.resolver import resolve_config
from aiperf.config.loader import build_benchmark_plan
from aiperf.metrics.metric_registry import MetricRegistry

BASE = {"model_names": ["m"], "urls": ["http://frontend:8000"], "request_count": 10}
# What a dataset that is made refuses may be taken with one that is ready.
READY_DATASET = {"public_dataset": "sharegpt"}
BOUND = re.compile(
    r"Input should be (?P<side>greater|less) than(?P<inclusive> or equal to)? (?P<limit>-?[\d.]+)"
    r".*?input_value='?(?P<given>[-+.\de]+)"
)
NOT_OF_TEXT = (
    MetricFlags.INTERNAL
    | MetricFlags.ERROR_ONLY
    | MetricFlags.SUPPORTS_IMAGE_ONLY
    | MetricFlags.SUPPORTS_AUDIO_ONLY
    | MetricFlags.PRODUCES_VIDEO_ONLY
)
KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float"}


def refusal(settings: dict[str, Any]) -> str:
    """Return what aiperf says to the settings that flags make; '' when it takes them."""
    try:
        build_benchmark_plan(resolve_config(CLIConfig(**BASE | settings), None))
    except Exception as error:  # noqa: BLE001 -- whatever it raises is its refusal
        return str(error)
    return ""


def facts(argument: Any) -> dict[str, Any]:
    """Return the facts about one flag."""
    aliases = sorted(argument.names, key=lambda n: (n.startswith("--no-"), len(n) < 3))[1:]
    flag: dict[str, Any] = {"aliases": aliases} if aliases else {}
    (field,) = argument.keys
    hint = argument.hint
    several = typing.get_origin(hint) is list or hint is list
    if several:
        hint = (*typing.get_args(hint), str)[0]
    flag["type"] = KINDS.get(hint, "str")
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        flag |= {"choices": sorted(str(member.value) for member in hint), "late": True}
    elif typing.get_origin(hint) is typing.Literal:
        flag["choices"] = [str(choice) for choice in typing.get_args(hint)]
    elif typing.get_origin(hint) in (typing.Union, types.UnionType, tuple):
        flag["type"] = "other"
    if several:
        flag["nargs"] = "*" if argument.parameter.consume_multiple else "append"
    if flag["type"] != "bool" and argument.token_count()[0] != 1:
        flag |= {"type": "other"}
    if flag["type"] == "str" and not several and "choices" not in flag:
        flag |= listed(field)
    if flag["type"].split()[0] in ("int", "float"):
        flag |= bounds(field, flag["type"].split()[0])
    return flag


def listed(field: str) -> dict[str, Any]:
    """Return the type of a flag that takes one number or several with commas between them."""
    said = refusal({field: "no-such-value"})
    for text, kind in (("invalid literal for int", "int"), ("string to float", "float")):
        if text in said:
            return {"type": f"{kind} list"}
    return {}


def bounds(field: str, kind: str) -> dict[str, Any]:
    """Return the bounds of a number."""
    return tightest(field, kind, -(10**9)) | tightest(field, kind, 10**12)


def tightest(field: str, kind: str, number: float) -> dict[str, Any]:
    """Return the bound that is told last when values go from a far one towards those taken.

    The flag has its own bound, and what it becomes part of may have a tighter one, which counts
    where it holds for every dataset.
    """
    found: dict[str, Any] = {}
    while told := BOUND.search(refusal({field: str(number)})):
        side = "minimum" if told["side"] == "greater" else "maximum"
        limit = float(told["limit"])
        limit = int(limit) if limit.is_integer() else limit
        bound = {side if told["inclusive"] else f"exclusive_{side}": limit}
        if bound == found or float(told["given"]) != number:
            break
        if found and not refusal({field: number} | READY_DATASET):
            break
        found = bound
        inward = (1 if kind == "int" else 1e-9) * (1 if side == "minimum" else -1)
        number = limit if told["inclusive"] else limit + inward
    return found


def metrics() -> list[str]:
    """Return the metrics of one request that answers with text."""
    return sorted(
        MetricRegistry.tags_applicable_to(MetricFlags.NONE, NOT_OF_TEXT, MetricType.RECORD)
    )


def main() -> None:
    """Print the flags and metrics."""
    flags = {}
    for argument in app.assemble_argument_collection():
        names = [name for name in argument.names if name != "--cli-config"]
        if names:
            shown = facts(argument)
            first = next(n for n in argument.names if n not in shown.get("aliases", ()))
            flags[first] = shown
    said = {"parser": "cyclopts", "metrics": metrics(), "flags": flags}
    print(json.dumps(said))  # noqa: T201


if __name__ == "__main__":
    main()
