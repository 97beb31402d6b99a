"""YAML read into plain values, by libyaml where PyYAML was built with it: ten times as fast."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

__all__ = ["SafeLoader", "load", "load_all"]


class SafeLoader(_Loader):
    """Reads as Helm and Kubernetes do: = and << are text where they are values."""


for _kind in ("value", "merge"):
    SafeLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", SafeLoader.construct_yaml_str)  # type: ignore[type-var]


def load(text: str | bytes | IO[str]) -> Any:
    """The value of a text's one document; None where it holds none.

    Raises:
        yaml.YAMLError: It is no YAML, or holds several documents.
    """
    return yaml.load(text, Loader=SafeLoader)  # noqa: S506 (is safe)


def load_all(text: str | bytes | IO[str]) -> Iterator[Any]:
    """The values of a text's documents, one after the other.

    Raises:
        yaml.YAMLError: It is no YAML; as soon as a document is reached that is none.
    """
    yield from yaml.load_all(text, Loader=SafeLoader)
