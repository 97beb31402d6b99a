"""What an hour of a GPU costs, as somebody says; nothing is assumed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gptoss.facts.world import Facts
from gptoss.text.errors import InputError
from gptoss.text.files import read_text
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Dollars an hour by kind of GPU, a key of schema/hardware.yaml.
Prices = dict[str, float]


def prices_of(given: Sequence[str], file: Path | None) -> Prices:
    """The prices of ``--price``, which go before those of ``--prices``.

    Args:
        given: Each as in ``gb200=10.5``.
        file: A YAML map of the same.

    Raises:
        InputError: A GPU is not known, a price is no amount, or the file cannot be read.
    """
    pairs = [(f"--price {text}", *text.partition("=")[::2]) for text in given]
    listed = _listed(file) if file else []
    return {gpu: _amount(told, gpu, text) for told, gpu, text in [*listed, *pairs]}


def _listed(file: Path) -> list[tuple[str, str, str]]:
    documents = parse_documents(read_text(file), str(file))
    if len(documents) != 1 or not documents[0].is_map:
        raise InputError(f"{file}: it is not a map")
    return [(f"{file}: {gpu}", gpu, str(price.plain())) for gpu, price in documents[0].items()]


def _amount(told: str, gpu: str, text: str) -> float:
    known = Facts().gpus
    if gpu not in known:
        raise InputError(f"{told}: it prices no known GPU; those are {', '.join(known)}")
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not 0 < price < math.inf:
        raise InputError(f"{told}: give dollars an hour of one GPU, as in {gpu}=3.5")
    return price
