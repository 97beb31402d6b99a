"""Flags of ``dynamo.trtllm`` that become engine settings (ai-dynamo 1.2.1 ``backend_args.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.places import Located

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.pods import Command, Variable


@dataclass(frozen=True, slots=True)
class EngineFlag:
    """A flag of ``dynamo.trtllm`` that becomes an engine setting.

    Attributes:
        name: The flag; its variable is ``DYN_TRTLLM_`` and the name in capitals.
        keys: The engine settings it becomes.
        kind: int, float, str or bool; a bool has a ``--no-`` form and takes no value.
    """

    name: str
    keys: tuple[str, ...]
    kind: type

    @property
    def variable(self) -> str:
        """The environment variable that gives its default."""
        return variable_of(self.name)


ENGINE_FLAGS = (
    EngineFlag("--tensor-parallel-size", ("tensor_parallel_size",), int),
    EngineFlag("--pipeline-parallel-size", ("pipeline_parallel_size",), int),
    EngineFlag("--expert-parallel-size", ("moe_expert_parallel_size",), int),
    EngineFlag("--enable-attention-dp", ("enable_attention_dp",), bool),
    EngineFlag("--gpus-per-node", ("gpus_per_node",), int),
    EngineFlag("--max-batch-size", ("max_batch_size",), int),
    EngineFlag("--max-num-tokens", ("max_num_tokens",), int),
    EngineFlag("--max-seq-len", ("max_seq_len",), int),
    EngineFlag("--max-beam-width", ("max_beam_width",), int),
    EngineFlag("--free-gpu-memory-fraction", ("kv_cache_config.free_gpu_memory_fraction",), float),
    EngineFlag("--load-format", ("load_format",), str),
    EngineFlag("--guided-decoding-backend", ("guided_decoding_backend",), str),
    EngineFlag(
        "--publish-events-and-metrics", ("return_perf_metrics", "enable_iter_perf_stats"), bool
    ),
)
"""``--kv-block-size`` is not among them: Dynamo keeps it to itself."""


def variable_of(flag: str) -> str:
    """The variable of a flag of ``dynamo.trtllm``'s own group."""
    return "DYN_TRTLLM_" + flag.removeprefix("--").upper().replace("-", "_")


def given(
    command: Command, environment: Mapping[str, Variable], *flags: str
) -> Located[str] | None:
    """The value of a flag, or else of the variable that gives its default.

    Args:
        command: The ``dynamo.trtllm`` command.
        environment: The container's variables.
        flags: The flag, then its other spellings.
    """
    if (value := command.flag(*flags)) is not None:
        return value
    variable = environment.get(variable_of(flags[0]))
    if variable is None or variable.value is None:
        return None
    return Located(variable.value, variable.place)
