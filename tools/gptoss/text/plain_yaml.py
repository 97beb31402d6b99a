"""YAML read into plain values, by libyaml where PyYAML was built with it: ten times as fast."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader  # type: ignore[assignment]

__all__ = ["SafeLoader", "load", "load_all"]


def load(text: str | bytes | IO[str]) -> Any:
    """The value of a text's one document; None where it holds none.

    Raises:
        yaml.YAMLError: It is no YAML, or holds several documents.
    """
    return yaml.load(text, Loader=SafeLoader)


def load_all(text: str | bytes | IO[str]) -> Iterator[Any]:
    """The values of a text's documents, one after the other.

    Raises:
        yaml.YAMLError: It is no YAML; as soon as a document is reached that is none.
    """
    yield from yaml.load_all(text, Loader=SafeLoader)
