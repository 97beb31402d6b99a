"""Print the flags of one program of the installed ai-dynamo as JSON.

Started by the interpreter of an environment that holds ai-dynamo without its heavy dependencies, so
that only the standard library is at hand:

    cd tools; python -m setup.read_flags dynamo.trtllm

Names, types and choices are those of the argument parser that the program itself builds. Bounds of
numbers and further choices are found by asking it: they are checked after parsing.
"""

import argparse
import json
import logging
import os
import re
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

from setup.asked_program import Parse, StandIns, asking, captured, entry_of

TYPES = {
    "int": "int",
    "float": "float",
    "str": "str",
    "Path": "str",
    "nullable_int": "int or None",
    "nullable_float": "float or None",
    "validate_model_name": "name",
    "validate_model_path": "folder",
}
LARGE = 1 << 50
# Flags that a program takes out of its command line before it parses the rest.
BEFORE_PARSING = ("--publish-events-and-metrics",)
# Values that name things which are looked up where the program runs.
UNBOUNDED = ("--custom-jinja-template", "--model-path", "--endpoint", "--config")

Flag = dict[str, Any]


def flags_of(
    parser: argparse.ArgumentParser, variables: dict[str, str], ask: Parse
) -> Iterator[tuple[str, Flag]]:
    """Yield the name and the facts of each flag."""
    for action in parser._actions:
        name = next(o for o in action.option_strings if o.startswith("--"))
        flag = read_of(name, action)
        if action.option_strings[0] in variables:
            flag["env"] = variables[action.option_strings[0]]
        yield name, flag | asked_of(name, flag, ask)
    for name in BEFORE_PARSING:
        if name not in parser._option_string_actions and ask([name]) is None:
            negation = f"--no-{name[2:]}"
            yield (
                name,
                {"aliases": [negation], "type": "bool", "negatable": True, "deprecated": True},
            )


def read_of(name: str, action: argparse.Action) -> Flag:
    """Return what the parser itself says of a flag."""
    flag: Flag = {}
    if others := [o for o in action.option_strings if o != name]:
        flag["aliases"] = others
    flag |= kind_of(action)
    if action.choices:
        flag["choices"] = sorted(str(choice) for choice in action.choices)
    if action.nargs in ("*", "+", "?"):
        flag["nargs"] = action.nargs
    if (default := plain(action.default)) is not None:
        flag["default"] = default
    return flag | notes_of(action)


def asked_of(name: str, flag: Flag, ask: Parse) -> Flag:
    """Return what only the program's answers tell of a flag."""
    found: Flag = {}
    if "choices" not in flag and name not in UNBOUNDED and flag["type"] not in ("bool", "exit"):
        found |= limits(name, flag, ask)
    if flag["type"].endswith("or None") and ask([name, ""]) is None:
        found["type"] = f"{flag['type']} or empty"
    wrong = "" if flag["type"] == "name" else "no-such-value"
    if "env" in flag and ask([], {flag["env"]: wrong}) is not None:
        found["env_checked"] = True
        if "None" in flag["type"] and ask([], {flag["env"]: "None"}) is not None:
            found["env_plain"] = True
    return found


def kind_of(action: argparse.Action) -> Flag:
    """Return the type, for a flag without value how it is switched."""
    if isinstance(action, argparse._HelpAction | argparse._VersionAction):
        return {"type": "exit"}
    if isinstance(action, argparse.BooleanOptionalAction):
        return {"type": "bool", "negatable": True}
    if action.nargs == 0:
        return {"type": "bool"}
    name = getattr(action.type, "__name__", "str").lstrip("_")
    return {"type": TYPES.get(name, "other")}


def notes_of(action: argparse.Action) -> Flag:
    """Return what the parser does with a flag besides reading it."""
    kind, text = type(action).__name__, action.help or ""
    if "Ignored" in kind or "but ignored" in text:
        return {"ignored": True}
    old = re.search(r"deprecating flag: (--[\w-]+)", text)
    if old:
        return {"old_spelling": old.group(1)}
    old_way = "Deprecated" in kind or text.startswith("[Deprecated]")
    return {"deprecated": True} if old_way else {}


def plain(value: Any) -> Any:
    """Return a default as JSON can say it; None for one that says nothing."""
    if value is None or value == argparse.SUPPRESS or value == [] or type(value) is object:
        return None
    if isinstance(value, Enum):
        value = value.value
    return value if isinstance(value, bool | int | float | str | list) else str(value)


def limits(name: str, flag: Flag, ask: Parse) -> Flag:
    """Return bounds and choices that the program checks after parsing."""
    kind = flag["type"].partition(" ")[0]
    if kind == "str":
        refusal = ask([name, "no-such-value"])
        named = re.search(r"(?:choose from|options are:?) *(.*)", refusal or "")
        if not named:
            return {}
        return {"choices": sorted(re.findall(r"[\w.-]+", named.group(1))), "late": True}
    found: Flag = {}
    if kind in ("int", "float") and ask([name, "1"]) is None:
        if ask([name, "-1"]) is not None:
            found["minimum"] = 0 if ask([name, "0"]) is None else 1
        if ask([name, str(LARGE)]) is not None:
            found["maximum"] = largest(name, ask)
    return found


def largest(name: str, ask: Parse) -> int:
    """Return the largest whole number that a flag takes."""
    taken, refused = 1, LARGE
    while refused - taken > 1:
        middle = (taken + refused) // 2
        if ask([name, str(middle)]) is None:
            taken = middle
        else:
            refused = middle
    return taken


def main() -> None:
    """Print the flags of the program that the command line names."""
    program = sys.argv[1]
    for name in [name for name in os.environ if name.startswith("DYN_")]:
        del os.environ[name]
    sys.meta_path.append(StandIns())
    sys.argv = [program]
    logging.disable()
    entry = entry_of(program)
    parser, variables = captured(entry)
    ask = asking(entry)
    read: dict[str, Any] = {
        "parser": "argparse",
        "flags": dict(flags_of(parser, variables, ask)),
    }
    if ask(["--trtllm.a.b", "1"]) is None:
        read["dotted"] = "--trtllm."
    print(json.dumps(read))  # noqa: T201


if __name__ == "__main__":
    main()
