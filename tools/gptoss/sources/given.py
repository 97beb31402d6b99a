"""Files on the command line: each read and decoded once, those of a folder by what it holds.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.text import files
from gptoss.text.bounds import OutsideError, found_file, named_file, refuse_link
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gptoss.deployment.model import Problem
    from gptoss.text.yaml_tree import Tree

STDIN = "-"
YAML_SUFFIXES = (".yaml", ".yml")
SCRIPT_SUFFIXES = (".sh", ".bash")
COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
# The folder of a kustomize base, beside its overlays.
BASE = Path("base", "kustomization.yaml")
OVERLAYS = "overlays/*/kustomization.yaml"
# Keys at the top of a Kubernetes object or of a Truss, which a values file does not have.
MANIFEST = re.compile(r"^(apiVersion|kind|trt_llm|docker_server|model_metadata):", re.MULTILINE)
OBJECT = re.compile(r"^(apiVersion|kind):", re.MULTILINE)
# What tells Argo CD or Flux to install a chart.
RELEASES = re.compile(r"^kind: *['\"]?(Application(Set)?|HelmRelease)\b", re.MULTILINE)
SERVES = re.compile(r"(?m)^[^#\n]*(?:\btrtllm-serve\b|\bdynamo\.(?:trtllm|frontend)\b)")
MEASURES = re.compile(r"(?m)^[^#\n]*\b(?:(?:aiperf|genai-perf)\s+profile|benchmark_serving)\b")


class GivenFile:
    """A file on the command line, or of a folder there.

    Attributes:
        path: The file; ``-`` for standard input.
        label: What the user called it: of a folder's file, the folder.
        among_manifests: Whether it stands in a folder of manifests, and so is one of them.
        beside_documents: Whether it is a benchmark that counts only where the documents of its
            folder have none.
        beside_scripts: Whether it counts only as an engine file of the scripts of its folder.
    """

    def __init__(
        self,
        path: Path,
        label: str | None = None,
        *,
        among_manifests: bool = False,
        beside_documents: bool = False,
        beside_scripts: bool = False,
    ) -> None:
        self.path = path
        self.label = label or str(path)
        self.among_manifests = among_manifests
        self.beside_documents = beside_documents
        self.beside_scripts = beside_scripts

    @property
    def is_stdin(self) -> bool:
        """Whether it is standard input."""
        return self.label == STDIN

    @property
    def name(self) -> str:
        """The name that places carry."""
        return files.STDIN if self.is_stdin else str(self.path)

    @property
    def folder(self) -> Path:
        """Where the paths in it begin."""
        return Path() if self.is_stdin else self.path.parent

    @property
    def is_yaml(self) -> bool:
        """Whether it is called as YAML is."""
        return self.path.suffix in YAML_SUFFIXES

    @cached_property
    def text(self) -> str:
        """Its text.

        Raises:
            InputError: It cannot be read or is no UTF-8 text.
        """
        return files.read_stdin() if self.is_stdin else files.read_text(self.path)

    @cached_property
    def trees(self) -> list[Tree]:
        """Its YAML documents.

        Raises:
            InputError: It cannot be read or is no YAML.
        """
        from gptoss.text.yaml_tree import parse_documents

        return parse_documents(self.text, self.name)

    @property
    def only_tree(self) -> Tree | None:
        """Its one YAML document; None when it has none or several."""
        return self.trees[0] if len(self.trees) == 1 else None


def given_files(name: str, left_out: list[Problem]) -> list[GivenFile]:
    """The file of this name, or the files of the folder.

    Of a folder that is its compose file; else, if there is a manifest, every YAML file right in
    it; either with the one script that measures, where nothing else does. Else it is the scripts
    that serve or measure a model, with the engine files beside them; else every YAML file, each by
    what it is; else its kustomize base.

    Args:
        name: A path, or ``-`` for standard input.
        left_out: Gets what a folder holds and is not read: links that lead out of it, and overlays
            of its kustomize base.

    Raises:
        InputError: The folder holds nothing of that, it cannot be read, or the path is a link that
            leads out of the repository.
    """
    path = Path(name)
    if name == STDIN:
        return [GivenFile(path, name)]
    refuse_link(path)
    if not path.is_dir():
        return [GivenFile(path, name)]
    if (path / "Chart.yaml").is_file():
        raise InputError(rendered_first(path))
    found = list(_files_of(path, left_out))
    scripts = [GivenFile(file) for file in found if file.suffix in SCRIPT_SUFFIXES]
    compose = [file for file in found if file.name in COMPOSE_FILES]
    if compose:
        first = min(compose, key=lambda file: COMPOSE_FILES.index(file.name))
        return _with_benchmark([GivenFile(first, name)], scripts, left_out)
    documents = [GivenFile(file, name) for file in found if file.suffix in YAML_SUFFIXES]
    if any(OBJECT.search(file.text) for file in documents):
        manifests = [GivenFile(file.path, name, among_manifests=True) for file in documents]
        return _with_benchmark(manifests, scripts, left_out)
    runs = [file for file in scripts if SERVES.search(file.text) or MEASURES.search(file.text)]
    if runs or documents:
        return [*runs, *(GivenFile(file.path, beside_scripts=bool(runs)) for file in documents)]
    if named_file(path / BASE, path):
        left_out += _overlays(path)
        return given_files(str(path / BASE.parent), left_out)
    if left_out:
        raise InputError(left_out[0].message)
    raise InputError(
        f"{name} holds no *.yaml or *.yml file, nor a script that serves a model; "
        "give the folder that does"
    )


def rendered_first(chart: Path) -> str:
    """What to give instead of the folder of a chart, as of one that depends on this one."""
    if chart.resolve() == folders.chart().resolve():
        return f"{chart} is the chart itself; name a target of it or a values file: gptoss targets"
    return (
        f"{chart} is a Helm chart, which is read as it is rendered: "
        f"helm template NAME {chart} | gptoss check -"
    )


def _with_benchmark(
    documents: list[GivenFile], scripts: list[GivenFile], left_out: list[Problem]
) -> list[GivenFile]:
    """Documents with the script beside them that measures; their own benchmark goes before it."""
    measuring = [s for s in scripts if MEASURES.search(s.text) and not SERVES.search(s.text)]
    if len(measuring) > 1:
        names = " and ".join(file.label for file in measuring)
        message = f"{names} are not read, as each measures; give the one that is meant along"
        left_out.append(_problem("not-read", message, measuring[0].path))
        return documents
    return [*documents, *(GivenFile(file.path, beside_documents=True) for file in measuring)]


def _files_of(folder: Path, left_out: list[Problem]) -> Iterator[Path]:
    """The files right in a folder, in the order of their names, without hidden ones."""
    try:
        members: Iterable[Path] = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"cannot read {folder}: {error.strerror}") from None
    for member in members:
        if member.name.startswith(".") or member.suffix not in (*YAML_SUFFIXES, *SCRIPT_SUFFIXES):
            continue
        try:
            found = found_file(member)
        except OutsideError as error:
            left_out.append(_problem("outside", error.message, folder))
            continue
        if found is not None:
            yield found


def _overlays(folder: Path) -> Iterator[Problem]:
    """The overlays of a kustomize base, which kustomize alone can lay over it."""
    for file in sorted(folder.glob(OVERLAYS)):
        yield _problem("not-read", f"{file.parent} is not read, only what it is laid over", file)


def _problem(kind: str, message: str, path: Path) -> Problem:
    from gptoss.deployment.model import Problem
    from gptoss.text.places import Place

    return Problem(kind, message, Place(str(path)))
