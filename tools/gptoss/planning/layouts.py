"""How the engines of a deployment lie on its GPUs: what a prediction is made for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum


class KvType(StrEnum):
    """The type in which the KV cache is kept, as the performance data spells it."""

    BF16 = "bfloat16"
    FP8 = "fp8"


@dataclass(frozen=True, slots=True)
class Layout:
    """One replica of an engine on its GPUs.

    Attributes:
        gpu: Kind of GPU, a key of ``schema/hardware.yaml``.
        gpus: GPUs of the replica: its tensor parallel size.
        attention_dp: Whether each GPU attends to requests of its own.
        moe_ep: GPUs that the experts are spread over; the rest of ``gpus`` cut each expert.
        kv: Type of the KV cache.
    """

    gpu: str
    gpus: int
    attention_dp: bool
    moe_ep: int
    kv: KvType

    @property
    def ranks(self) -> int:
        """Attention data parallel ranks; each has its own batch and KV cache."""
        return self.gpus if self.attention_dp else 1

    def __str__(self) -> str:
        """As people write it: TP4, or DEP4 with attention data parallelism."""
        return f"{'DEP' if self.attention_dp and self.gpus > 1 else 'TP'}{self.gpus}"


@dataclass(frozen=True, slots=True)
class Engine:
    """All replicas of one worker, with what bounds their batches.

    Attributes:
        layout: One replica.
        replicas: How many there are.
        max_batch_size: Requests of one iteration, a rank.
        max_num_tokens: Tokens of one iteration, a rank.
        chunked_prefill: Whether a prompt may be computed in pieces.
        kv_tokens: Tokens that the KV cache of a rank holds, each in full length in every layer.
        moe_backend: Kernels of the experts, as in ``TRTLLM``.
    """

    layout: Layout
    replicas: int
    max_batch_size: int
    max_num_tokens: int
    chunked_prefill: bool
    kv_tokens: int
    moe_backend: str

    @property
    def gpus(self) -> int:
        """GPUs of all replicas."""
        return self.layout.gpus * self.replicas

    @property
    def ranks(self) -> int:
        """Attention data parallel ranks of all replicas."""
        return self.layout.ranks * self.replicas

    def with_replicas(self, replicas: int) -> Engine:
        """The same engine in another number."""
        return replace(self, replicas=replicas)

    def __str__(self) -> str:
        """As people write it: 2 x TP1."""
        return f"{self.replicas} x {self.layout}"


@dataclass(frozen=True, slots=True)
class System:
    """The engines of a deployment.

    Attributes:
        name: What to call it.
        decode: The engine that answers, and prefills too where there is no other.
        prefill: The engine that only prefills; None for aggregated serving.
        trtllm: Version of TensorRT-LLM, as in 1.3.0rc19; None when unknown.
        unused: GPUs that are there for it, and that no engine uses.
    """

    name: str
    decode: Engine
    prefill: Engine | None = None
    trtllm: str | None = None
    unused: int = 0

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Its engines, prefill before decode."""
        return (self.prefill, self.decode) if self.prefill else (self.decode,)

    @property
    def owned(self) -> dict[str, int]:
        """GPUs owned by kind; those that no engine uses count with the engine that answers."""
        found: Counter[str] = Counter()
        for engine in self.engines:
            found[engine.layout.gpu] += engine.gpus
        found[self.decode.layout.gpu] += self.unused
        return dict(found)

    @property
    def gpus(self) -> int:
        """GPUs owned."""
        return sum(self.owned.values())


@dataclass(frozen=True, slots=True)
class Load:
    """A closed loop: each client sends its next request when it has its answer.

    Attributes:
        clients: Requests that are on their way at once.
        isl, osl: Tokens of a prompt and of an answer.
    """

    clients: int
    isl: int
    osl: int
