"""Models that are served, read from ``schema/models/``."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from gptoss.facts.fact_files import made

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPE_BYTES = {"bfloat16": 2, "float32": 4, "uint8": 1}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Engine settings with which a model's answers were evaluated at a reasoning effort.

    Attributes:
        max_batch_size: Requests of a batch, counted a rank under attention data parallelism.
        max_num_tokens: Tokens of a batch.
    """

    max_batch_size: int
    max_num_tokens: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of the checkpoint.

    Attributes:
        name: Its name, without that of its layer.
        part: What it belongs to, as in ``attention``.
        shape, type: As the checkpoint has it.
        cut: What tensor parallelism divides it by: ``heads``, ``kvHeads``, ``vocabulary`` or
            ``output``; None where every GPU has all of it.
        gpu_type: Its type on the GPU.
    """

    name: str
    part: str
    shape: tuple[int, ...]
    type: str
    cut: str | None
    gpu_type: str

    @property
    def bytes(self) -> int:
        """Its size in the checkpoint."""
        return prod(self.shape) * TYPE_BYTES[self.type]

    @property
    def gpu_bytes(self) -> int:
        """Its size on the GPU, uncut."""
        return prod(self.shape) * TYPE_BYTES[self.gpu_type]


@dataclass(frozen=True, slots=True)
class Model:
    """The model; the fields are those of ``schema/models/*.yaml``."""

    id: str
    revision: str
    layers: int
    hidden_size: int
    intermediate_size: int
    attention_heads: int
    kv_heads: int
    head_dimension: int
    experts: int
    experts_per_token: int
    vocabulary: int
    max_position: int
    sliding_window: int
    sliding_layers: int
    checkpoint_bytes: int
    layer_tensors: tuple[Tensor, ...]
    model_tensors: tuple[Tensor, ...]
    reasoning_parser: str
    tool_call_parser: str
    moe_backends: tuple[str, ...]
    evaluation: Mapping[str, Mapping[str, Evaluated]]

    def evaluated(self, effort: str, *, attention_dp: bool) -> Evaluated | None:
        """The settings for a reasoning effort; None for an effort that is not known."""
        kind = "attentionDataParallel" if attention_dp else "tensorParallel"
        return self.evaluation[kind].get(effort)


def model_of(facts: Mapping[str, Any]) -> Model:
    """The model of a file."""
    return made(
        Model,
        facts,
        layer_tensors=_tensors(facts["layerTensors"]),
        model_tensors=_tensors(facts["modelTensors"]),
        evaluation=_evaluation(facts["evaluation"]),
    )


def _tensors(facts: Mapping[str, Any]) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(
            name=name,
            part=each["part"],
            shape=tuple(each["shape"]),
            type=each["type"],
            cut=each.get("cut"),
            gpu_type=each.get("gpuType", each["type"]),
        )
        for name, each in facts.items()
    )


def _evaluation(facts: Mapping[str, Any]) -> dict[str, dict[str, Evaluated]]:
    return {
        kind: {
            effort: Evaluated(settings["maxBatchSize"], settings["maxNumTokens"])
            for effort, settings in efforts.items()
        }
        for kind, efforts in facts.items()
    }
