"""Changes of plain data: values of other types and sizes, keys moved, parts exchanged."""

from __future__ import annotations

import copy
import datetime
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Path = tuple[str | int, ...]

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

WORDS = (
    "",
    " ",
    "-",
    "--",
    "~",
    "null",
    "{}",
    "[]",
    "0",
    "-1",
    "1e400",
    "0x7fffffffffffffff",
    "²",
    "१",
    "NaN",
    "a: [",
    "- a",
    "sh -c '",
    "$(X)",
    "$(HF_TOKEN)",
    "${X:-${Y}}",
    "`id`",
    "$((1/0))",
    "%s%n",
    "{{ .Values.x }}",
    "${{ secrets.X }}",
    "../../../outside/notes.txt",
    "/etc/hostname",
    "/dev/zero",
    "--set",
    "--max-batch-size",
    "\x1b[2J\x1b]0;x\x07",
    "a\nb: c",
    "\u202egnp.exe",
    "\u2028x",
    "\ud7ff\uffff",
    "9" * 400,
    "x" * 5000,
)
NUMBERS: tuple[int | float, ...] = (
    0,
    -1,
    1,
    3,
    2**31,
    2**63,
    -(2**63),
    10**30,
    10**400,
    0.5,
    -0.0,
    1e-320,
    1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
)
OTHERS: tuple[Any, ...] = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"a": {"b": ["c", {"d": 1}]}},
    [1, "a", None, {"x": 1}],
    b"bytes",
    datetime.date(2020, 1, 1),
    datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC),
    {1: 2, None: 3, False: 4, 1.5: 5},
)


def value(random: Random) -> Any:
    """A value of any type."""
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(WORDS)
    if kind == 1:
        return random.choice(NUMBERS)
    if kind == 2:
        return random.randrange(-10, 300_000)
    return copy.deepcopy(random.choice(OTHERS))


def changed(data: Any, other: Any, random: Random) -> Any:
    """Data with one to four changes; parts of the other data may come into it."""
    box = {"": copy.deepcopy(data)}
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        _change(box, other, random)
    return box[""]


def paths(data: Any, path: Path = ()) -> Iterator[Path]:
    """Where everything is, from the outside in."""
    if path:
        yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for key, item in inner:
        if isinstance(item, dict | list):
            yield from paths(item, (*path, key))
        else:
            yield (*path, key)


def at(data: Any, path: Path) -> Any:
    """What stands at a path."""
    for step in path:
        data = data[step]
    return data


def dumped(data: Any, random: Random) -> bytes:
    """Data as YAML in one of its styles; parts that stand twice become an anchor and aliases."""
    text = yaml.dump(
        data,
        Dumper=DUMPER,
        default_flow_style=random.choice((False, False, False, None, True)),
        sort_keys=False,
        width=random.choice((60, 4000)),
        allow_unicode=True,
    )
    return text.replace("'<<':", "<<:").encode(errors="replace")


def _change(box: dict[str, Any], other: Any, random: Random) -> None:
    everything = list(paths(box))
    path = random.choice(everything)
    *above, key = path
    home, item = at(box, tuple(above)), at(box, path)
    if isinstance(item, str) and "\n" in item and ": " in item and random.random() < 0.8:
        _change_inside(home, key, item, random)
        return
    what = random.randrange(9)
    if what <= 2 or len(path) == 1:
        home[key] = value(random)
    elif what == 3:
        del home[key]
    elif what == 4 and isinstance(home, dict):
        name = random.choice((f"{key}x", str(key)[:-1], str(key).upper(), *WORDS, "<<"))
        home[name] = home.pop(key) if random.random() < 0.7 else item
    elif what == 5 and isinstance(home, list):
        home.insert(random.randrange(len(home) + 1), item)
    elif what == 6:
        _put(box, random.choice(everything), copy.deepcopy(item))
    elif what == 7:
        _put(box, random.choice(everything), item)
    elif isinstance(other, dict | list) and other:
        home[key] = copy.deepcopy(at(other, random.choice(list(paths(other)))))


def _put(box: Any, path: Path, item: Any) -> None:
    """Puts a part elsewhere; what lies inside itself, or is gone, stays as it is."""
    try:
        *above, key = path
        home = at(box, tuple(above))
        if not _within(item, home):
            home[key] = item
    except (LookupError, TypeError):
        return


def _within(item: Any, home: Any) -> bool:
    """Whether a place lies inside an item, which then cannot be put there."""
    inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return item is home or any(_within(part, home) for part in inner)


def _change_inside(home: Any, key: str | int, text: str, random: Random) -> None:
    """Changes the YAML that is a value, as the engine YAML of a ConfigMap."""
    try:
        inside = yaml.load(text, Loader=LOADER)  # noqa: S506 (a safe loader)
    except (yaml.YAMLError, ValueError):
        inside = None
    if isinstance(inside, dict) and inside:
        box = {"": inside}
        _change(box, None, random)
        home[key] = dumped(box[""], random).decode()
    else:
        home[key] = text.replace(random.choice(text.split(" ")), random.choice(WORDS), 1)
