"""What takes memory of a GPU beside the KV cache, read from ``schema/memory.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gptoss.facts import folders
from gptoss.facts.fact_files import made, read_facts, refuse
from gptoss.facts.shapes import MEMORY, faults_of

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ExpertKernel:
    """How a MoE backend keeps the experts.

    Attributes:
        input, output, inner: Multiples to which hidden size of what goes in and of what comes out,
            and one GPU's share of the size in between, are padded.
        bias_bytes: Bytes of a number of a bias.
        source: Where that was read.
    """

    input: int
    output: int
    inner: int
    bias_bytes: int
    source: str


@dataclass(frozen=True, slots=True)
class MemorySizes:
    """The numbers of the file; its head says what each is."""

    expert_kernels: Mapping[str, ExpertKernel]
    activations: Mapping[str, Any]
    moe_workspace: Mapping[str, Any]
    communication: Mapping[str, Any]
    other: Mapping[str, Any]
    graph: Mapping[str, Any]
    transfer_buffer: Mapping[str, Any]


@cache
def memory_sizes() -> MemorySizes:
    """What is known.

    Raises:
        InputError: The file is missing or wrong.
    """
    content = read_facts(folders.root() / "schema" / "memory.yaml", "schema/memory.yaml")
    refuse("schema/memory.yaml", faults_of(content, MEMORY))
    kernels = {name: made(ExpertKernel, each) for name, each in content["expertKernels"].items()}
    return made(MemorySizes, content, expert_kernels=kernels)
