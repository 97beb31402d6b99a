"""What a given file is, and what reads it: the door of the house.

A reader is imported when there is a file for it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gptoss.sources.chart.values_files import is_values
from gptoss.sources.given import MEASURES, SCRIPT_SUFFIXES, GivenFile, rendered_first
from gptoss.sources.recognise import (
    is_compose,
    is_disaggregated,
    is_engine_yaml,
    is_script,
    is_truss,
    other_chart,
)
from gptoss.text.errors import InputError
from gptoss.text.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.request import Request


class Asked(NamedTuple):
    """What files are to be read as.

    Attributes:
        request: The release, and what an engine file does not tell.
        facts: What is known about releases, GPUs, models and engine settings.
    """

    request: Request
    facts: Facts


@dataclass(frozen=True, slots=True)
class Kind:
    """What a given file may be.

    Attributes:
        name: What to call it.
        recognise: Whether a file is one. It is asked only what those before it are not.
        read: The deployment in it; None for what is none by itself: Helm renders values files;
            scripts, engine files and manifests are read together, and a benchmark is of another
            deployment.
    """

    name: str
    recognise: Callable[[GivenFile, Facts], bool]
    read: Callable[[GivenFile, Asked], Deployment] | None = None


def _is_script(file: GivenFile, _: Facts) -> bool:
    return is_script(file.text, file.name)


def _is_workload(file: GivenFile, facts: Facts) -> bool:
    if not _is_script(file, facts) or MEASURES.search(file.text) is None:
        return False
    from gptoss.sources.containers.script import build_workload
    from gptoss.sources.containers.script_group import GivenScript

    return build_workload(GivenScript(file.text, file.name)) is not None


def _compose(file: GivenFile, asked: Asked) -> Deployment:
    from gptoss.sources.containers.compose import ComposeFile, build_compose

    compose = ComposeFile(file.label, file.text, file.trees[0], file.folder)
    return build_compose(compose, asked.facts, asked.request.release, asked.request.gpu)


def _truss(file: GivenFile, asked: Asked) -> Deployment:
    from gptoss.sources.truss.build import build_truss

    request = asked.request
    return build_truss(file.trees[0], file.label, asked.facts, request.release, request.gpu)


def _is_engine(file: GivenFile, facts: Facts) -> bool:
    return file.only_tree is not None and is_engine_yaml(file.only_tree, facts)


VALUES_FILE = Kind("a values file of the chart", lambda file, _: is_values(file))
WORKLOAD = Kind("a load generator's command line", _is_workload)
SCRIPT = Kind("a shell script or command line", _is_script)
COMPOSE = Kind(
    "a docker compose file",
    lambda file, _: file.only_tree is not None and is_compose(file.only_tree),
    _compose,
)
TRUSS = Kind(
    "a Truss config.yaml",
    lambda file, _: file.only_tree is not None and is_truss(file.only_tree),
    _truss,
)
DISAGGREGATED = Kind(
    "a configuration of trtllm-serve disaggregated",
    lambda file, _: file.only_tree is not None and is_disaggregated(file.only_tree),
)
ENGINE = Kind("an engine file of TensorRT-LLM", _is_engine)
MANIFESTS = Kind(
    "Kubernetes manifests",
    lambda file, _: any(tree.is_map and tree.at("kind") is not None for tree in file.trees),
)
KINDS = (VALUES_FILE, WORKLOAD, SCRIPT, COMPOSE, TRUSS, DISAGGREGATED, ENGINE, MANIFESTS)


def kind_of(file: GivenFile, facts: Facts) -> Kind | None:
    """What a file is; None when nothing here reads it.

    Raises:
        InputError: It cannot be read, or is neither a script nor YAML.
    """
    if file.among_manifests:
        return MANIFESTS
    try:
        return next((kind for kind in KINDS if kind.recognise(file, facts)), None)
    except InputError:
        if file.is_stdin or file.is_yaml or file.path.suffix in SCRIPT_SUFFIXES:
            raise
        file.text  # noqa: B018 (what cannot be read says so itself)
        return None


def not_understood(file: GivenFile) -> InputError:
    """That nothing here reads a file, with what would be read."""
    with suppress(InputError):
        if file.only_tree is not None and (chart := other_chart(file.only_tree)):
            said = f"these are values of {chart}; gptoss import {file.label} carries them over"
            return InputError(said, Place(file.name))
    if file.name.endswith(".yaml") and (file.folder / "Chart.yaml").is_file():
        return InputError(rendered_first(file.folder), Place(file.name))
    *names, last = (kind.name for kind in KINDS)
    understood = f"{', '.join(names)} and {last}"
    said = "it is not clear what this is" if file.text.strip() else "this is empty"
    return InputError(f"{said}; understood are {understood}", Place(file.name))
