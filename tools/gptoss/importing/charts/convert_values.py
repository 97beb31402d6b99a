"""A values file of another chart as one of this chart, with a report of what was left out."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.importing.charts.carrying import Carrying, in_order
from gptoss.importing.charts.llm_d import carry_llm_d
from gptoss.importing.charts.nim import carry_nim
from gptoss.importing.charts.production_stack import carry_production_stack
from gptoss.importing.convert import Imported, helm_name
from gptoss.importing.document import WIDTH, Block, Leaf, plain, take_secrets, written
from gptoss.importing.refused_texts import take_refused
from gptoss.importing.traffic import assumed_traffic
from gptoss.sources.recognise import LLM_D, NIM, PRODUCTION_STACK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gptoss.facts.world import Facts
    from gptoss.sources.request import Request
    from gptoss.text.yaml_tree import Tree

CARRY = {PRODUCTION_STACK: carry_production_stack, LLM_D: carry_llm_d, NIM: carry_nim}


def convert_values(
    tree: Tree,
    chart: str,
    request: Request,
    facts: Facts,
    name: str | None,
    file: str,
    folder: Path | None,
) -> Imported:
    """The values file for what another chart's values deploy.

    Args:
        tree: Those values.
        chart: Whose they are.
        request: What they are called, and the release and GPU to write for.
        facts: Facts.
        name: Name for the Helm release; the model's there unless given.
        file: What the file will be called.
        folder: Where it will be written; None when that is not known.

    Raises:
        InputError: Nothing tells the kind of GPU, or they serve nothing.
    """
    label = request.sources[0]
    release = facts.deployable(request.release) if request.release else facts.default_release
    gpu = facts.gpu(request.gpu) if request.gpu else None
    carrying = Carrying(tree, facts, release, gpu)
    carrying.choose("description", f"Imported from {label}")
    asked = "--release" if request.release else ""
    carrying.choose("runtime.release", release.version, asked)
    found = CARRY[chart](carrying)
    called = helm_name(name or found)
    traffic, told = assumed_traffic(_lengths(carrying.values["workers"]))
    carrying.chosen(told)
    values = in_order({**carrying.values, "workload": traffic})
    for path, leaf in take_secrets(values):
        carrying.left_out(
            f"{path} holds a secret; put it into a Secret ({leaf.comment})", tree.place
        )
    for path, leaf in take_refused(values):
        told = f"{path} {leaf.value!r}: the chart takes no such text ({leaf.comment})"
        carrying.left_out(told, tree.place)
    text = folders.values_schema_line(folder) + _header(called, chart, label, file)
    return Imported(values, text + written(values), tuple(carrying.notes), called)


def _lengths(workers: Block | Leaf) -> Iterator[int]:
    """Longest sequence of each worker, where it is told."""
    for worker in (plain(workers) if isinstance(workers, dict) else {}).values():
        if length := worker.get("engine", {}).get("max_seq_len"):
            yield length


def _header(name: str, chart: str, label: str, file: str) -> str:
    told = (
        f"{name}, carried over from {label}, values of {chart}. The comment at a setting says "
        "where it stood there; engine settings without one are TensorRT-LLM's own. The "
        "shipped targets have settings that are measured: gptoss targets lists them."
    )
    lines = textwrap.wrap(told, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    head = "".join(f"# {line}\n" for line in lines)
    return f"{head}#\n#   helm install {name} charts/gpt-oss -f {file}\n"
