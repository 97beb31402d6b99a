"""Print the flags of `aiperf profile` as JSON, started by the interpreter of aiperf's environment.

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
from aiperf.config.flags.resolver import resolve_config
from aiperf.config.loader import build_benchmark_plan

BASE = ["--model", "m", "--url", "http://frontend:8000", "--endpoint-type", "chat"]
BOUND = re.compile(r"Input should be (greater|less) than( or equal to)? (-?[\d.]+)")
KINDS: dict[Any, str] = {bool: "bool", int: "int", float: "float"}


def refusal(words: list[str]) -> str:
    """Return what aiperf says to a command line; '' when it takes it."""
    count = [] if "--request-count" in words else ["--request-count", "10"]
    try:
        _, bound, _ = app.parse_args(
            [*BASE, *count, *words], exit_on_error=False, print_error=False
        )
        flags = bound.arguments["cli_config"]
        build_benchmark_plan(resolve_config(flags, flags.config_file))
    except Exception as error:  # noqa: BLE001 -- whatever it raises is its refusal
        return str(error)
    return ""


def facts(argument: Any) -> dict[str, Any]:
    """Return the facts about one flag."""
    name, *aliases = sorted(argument.names, key=lambda n: (n.startswith("--no-"), len(n) < 3))
    flag: dict[str, Any] = {"aliases": aliases} if aliases else {}
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
        flag |= listed(name)
    if flag["type"].split()[0] in ("int", "float"):
        flag |= bounds(name)
    return flag


def listed(name: str) -> dict[str, Any]:
    """Return the type of a flag that takes one number or several with commas between them."""
    said = refusal([name, "no-such-value"])
    for text, kind in (("invalid literal for int", "int"), ("string to float", "float")):
        if text in said:
            return {"type": f"{kind} list"}
    return {}


def bounds(name: str) -> dict[str, Any]:
    """Return the bounds of a number."""
    found: dict[str, Any] = {}
    for word in ("-1000000000", "1000000000000"):
        told = BOUND.search(refusal([name, word]))
        if told:
            side = "minimum" if told.group(1) == "greater" else "maximum"
            key = side if told.group(2) else f"exclusive_{side}"
            number = float(told.group(3))
            found[key] = int(number) if number.is_integer() else number
    return found


def main() -> None:
    """Print the flags."""
    flags = {}
    for argument in app.assemble_argument_collection():
        names = [name for name in argument.names if name != "--cli-config"]
        if names:
            shown = facts(argument)
            first = next(n for n in argument.names if n not in shown.get("aliases", ()))
            flags[first] = shown
    print(json.dumps({"flags": flags}))  # noqa: T201


if __name__ == "__main__":
    main()
