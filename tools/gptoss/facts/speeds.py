"""How long iterations of an engine take, in closed form (``schema/speed.yaml``).

A few coefficients a layout, fitted to what NVIDIA's measured data say: enough to tell which part of
a deployment starves, without the library that has the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Of 128 experts a token goes to 4.
UNTOUCHED = 1 - 4 / 128
# Tokens of one iteration, times the GPUs that the experts are spread over, between which kernels of
# the experts come to larger tiles.
TILE, LARGER = 2048, 3072


def decode_terms(batch: float, length: float, ranks: int, gpus: int) -> tuple[float, ...]:
    """What the time of a decode iteration is a sum of.

    They are what every iteration costs, experts whose weights are read, sequences, their KV cache,
    work that does not fill the GPU, and larger tiles.

    Args:
        batch: Sequences, a rank.
        length: Tokens of a sequence on average.
        ranks: Attention data parallel ranks.
        gpus: GPUs that the experts are spread over.
    """
    tokens = batch * ranks
    touched = 1 - UNTOUCHED**tokens
    return 1.0, touched, batch, batch * length, batch**0.5, _larger(tokens * gpus)


def prefill_terms(tokens: float, length: float, ranks: int, gpus: int) -> tuple[float, ...]:
    """What the time of a prefill iteration is a sum of.

    They are what every iteration costs, work that does not fill the GPU, tokens, their attention to
    the tokens before them, and larger tiles.

    Args:
        tokens: Tokens of prompts, a rank.
        length: Tokens of one prompt.
        ranks: Attention data parallel ranks.
        gpus: GPUs that the experts are spread over.
    """
    return 1.0, tokens**0.5, tokens, tokens * length, _larger(tokens * ranks * gpus)


def _larger(tokens: float) -> float:
    """How far the kernels have come to larger tiles: from 0 to 1."""
    return min(1.0, max(0.0, (tokens - TILE) / (LARGER - TILE)))


@dataclass(frozen=True, slots=True)
class Speed:
    """Iterations of one replica of an engine, each rank doing the same.

    Attributes:
        ranks: Attention data parallel ranks; each has its own batch.
        gpus: GPUs of the replica.
        decode, prefill: Milliseconds that a unit of each term takes.
    """

    ranks: int
    gpus: int
    decode: tuple[float, ...]
    prefill: tuple[float, ...]

    def decode_time(self, batch: float, length: float) -> float:
        """Milliseconds of a token for each of ``batch`` sequences of a rank."""
        return _sum(self.decode, decode_terms(batch, length, self.ranks, self.gpus))

    def prefill_time(self, tokens: float, length: float) -> float:
        """Milliseconds of a pass over ``tokens`` of a rank, of prompts of ``length`` tokens."""
        return _sum(self.prefill, prefill_terms(tokens, length, self.ranks, self.gpus))


def _sum(coefficients: Sequence[float], terms: Sequence[float]) -> float:
    return sum(each * term for each, term in zip(coefficients, terms, strict=True))


@dataclass(frozen=True, slots=True)
class Speeds:
    """Everything that is known in closed form.

    Attributes:
        model: Repository id of the model that it is about.
        by_layout: By GPU, layout and type of the KV cache, as in ``gb200 DEP4 fp8``.
    """

    model: str
    by_layout: Mapping[str, Speed]

    def of(self, gpu: str, gpus: int, *, attention_dp: bool, kv: str) -> Speed | None:
        """The speed of a layout; None where there are no data.

        Args:
            gpu: Kind of GPU, a key of ``schema/hardware.yaml``.
            gpus: Tensor parallel size.
            attention_dp: Whether each GPU attends to requests of its own.
            kv: Type of the KV cache: bfloat16 or fp8.
        """
        return self.by_layout.get(layout_key(gpu, gpus, kv, attention_dp=attention_dp))


def layout_key(gpu: str, gpus: int, kv: str, *, attention_dp: bool) -> str:
    """How the file calls a layout."""
    return f"{gpu} {'DEP' if attention_dp and gpus > 1 else 'TP'}{gpus} {kv}"


def speeds_of(content: Mapping[str, Any]) -> Speeds:
    """What the file says."""
    return Speeds(content["model"], {k: _speed(k, v) for k, v in content["speeds"].items()})


def _speed(key: str, entry: Mapping[str, Any]) -> Speed:
    layout = key.split()[1]
    gpus = int(layout.lstrip("DEPT"))
    ranks = gpus if layout.startswith("DEP") else 1
    return Speed(ranks, gpus, tuple(entry["decode"]), tuple(entry["prefill"]))
