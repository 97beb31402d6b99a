"""Engine settings with everybody who sets them.

The chain of claims is the product: which of flag, environment, engine YAML and override is in
force, and what it beats, is read from it by the precedence rules, by ``show`` and by findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from gptoss.text.shell.resolved import is_resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.text.places import Place


class Layer(IntEnum):
    """Who can set an engine setting, weakest first.

    Order of ``dynamo.trtllm``: override > engine YAML > flag > environment > default
    (ai-dynamo 1.2.1 ``dynamo/trtllm/workers/llm_worker.py``).
    """

    DEFAULT = 0
    ENVIRONMENT = 1
    FLAG = 2
    ENGINE = 3
    OVERRIDE = 4


@dataclass(frozen=True, slots=True)
class Claim:
    """One place that sets an engine setting.

    Attributes:
        layer: Who sets it.
        spelling: How it is written there, as in ``--max-batch-size``.
        value: The value claimed.
        place: Where.
    """

    layer: Layer
    spelling: str
    value: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Setting:
    """An engine setting with every place that sets it.

    Attributes:
        key: Dotted path under the root of the engine YAML.
        claims: Who sets it, weakest first; the last one is in force.
        lost: Claims that do not count although nobody set this key again: an override of a
            neighbouring key replaced their whole block.
        home: Where to point when nobody sets it: the engine file or the worker.
        default: The value in force when nobody sets it; None when unknown or null.
    """

    key: str
    claims: tuple[Claim, ...]
    home: Place
    default: Any = None
    lost: tuple[Claim, ...] = ()

    @property
    def is_set(self) -> bool:
        """Whether anybody sets it."""
        return bool(self.claims)

    @property
    def winner(self) -> Claim | None:
        """The claim in force, or None when the default is."""
        return self.claims[-1] if self.claims else None

    @property
    def beaten(self) -> tuple[Claim, ...]:
        """Claims that the winner beats, strongest first."""
        return tuple(reversed(self.claims[:-1]))

    @property
    def value(self) -> Any:
        """The value in force."""
        return self.claims[-1].value if self.claims else self.default

    @property
    def is_resolved(self) -> bool:
        """Whether no part of the value is left to a shell."""
        return _is_resolved(self.value)

    @property
    def place(self) -> Place:
        """Where the value in force is set, or ``home`` when nobody sets it."""
        return self.claims[-1].place if self.claims else self.home


class Settings:
    """The engine settings of one worker, by dotted path."""

    def __init__(
        self, settings: Mapping[str, Setting], home: Place, defaults: Mapping[str, Any]
    ) -> None:
        self._settings = dict(settings)
        self.defaults = defaults
        self.home = home

    def __getitem__(self, key: str) -> Setting:
        setting = self._settings.get(key)
        return setting or Setting(key, (), self.home, self.defaults.get(key))

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._settings.values())

    @property
    def keys(self) -> set[str]:
        """Every key that somebody sets or that has a default."""
        return self._settings.keys() | self.defaults.keys()

    def under(self, block: str) -> list[Setting]:
        """The settings that somebody sets inside a block, or the block itself."""
        inside = (s for k, s in self._settings.items() if k == block or k.startswith(f"{block}."))
        return [setting for setting in inside if setting.is_set]

    def whole(self, key: str) -> int | None:
        """The whole number in force, or None when there is none or it has another type."""
        value = self[key].value
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def positive(self, key: str) -> int | None:
        """The whole number above zero in force; None when the size is left to the engine."""
        number = self.whole(key)
        return number if number and number > 0 else None

    def number(self, key: str) -> float | None:
        """The number in force, or None when there is none or it has another type."""
        value = self[key].value
        ok = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if ok else None

    def switch(self, key: str) -> bool:
        """Whether a switch is on; off when it has another type."""
        return self[key].value is True

    def text(self, key: str) -> str | None:
        """The string in force, or None when there is none or it has another type."""
        value = self[key].value
        return value if isinstance(value, str) else None


class WatchedSettings(Settings):
    """Settings that note whose value was asked for although a shell fills it in.

    Args:
        settings: The settings.
        asked: Gets the keys.
    """

    def __init__(self, settings: Settings, asked: set[str]) -> None:
        super().__init__({s.key: s for s in settings}, settings.home, settings.defaults)
        self._asked = asked

    def __getitem__(self, key: str) -> Setting:
        setting = super().__getitem__(key)
        if not setting.is_resolved:
            self._asked.add(key)
        return setting

    def __iter__(self) -> Iterator[Setting]:
        return (setting for setting in super().__iter__() if setting.is_resolved)

    def under(self, block: str) -> list[Setting]:
        """The settings that somebody sets inside a block, but those that a shell fills in."""
        return [setting for setting in super().under(block) if setting.is_resolved]


def _is_resolved(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_resolved, value))
    return not isinstance(value, str) or is_resolved(value)


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by dotted path as the blocks of an engine YAML."""
    blocks: dict[str, Any] = {}
    for path, value in settings.items():
        *above, key = path.split(".")
        block = blocks
        for name in above:
            block = block.setdefault(name, {})
        block[key] = value
    return blocks
