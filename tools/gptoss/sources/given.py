"""What a file on the command line is, and the deployment in it where it is one by itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role
from gptoss.sources.containers.compose import ComposeFile, build_compose, compose_in, is_compose
from gptoss.sources.containers.script import build_script, is_script
from gptoss.sources.engine_alone import build_engine, is_engine_yaml
from gptoss.sources.files import STDIN, SUFFIXES, read, read_stdin, read_text
from gptoss.sources.truss.build import build_truss, is_truss
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.request import Request
    from gptoss.text.yaml_tree import Tree


def files_of_scripts(names: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """Engine files that are given along with a script, and so belong to it.

    Raises:
        InputError: A file cannot be read.
    """
    paths = [Path(name) for name in names if name != STDIN and Path(name).is_file()]
    others = [path for path in paths if path.suffix not in SUFFIXES]
    if not any(is_script(read_text(path), str(path)) for path in others):
        return ()
    found = []
    for path in paths:
        trees = parse_documents(read_text(path), str(path)) if path.suffix in SUFFIXES else []
        if len(trees) == 1 and is_engine_yaml(trees[0], facts):
            found.append(str(path))
    return tuple(found)


def read_given(
    name: str, request: Request, facts: Facts, beside: tuple[str, ...] = ()
) -> Deployment | list[Tree]:
    """The deployment that a file holds by itself; the documents of one that does not.

    A compose file, a script, a Truss and an engine file do.

    Args:
        name: A file, a folder, or ``-`` for standard input. A folder with a compose file is that
            file.
        request: What it is to be read as.
        facts: What is known about releases, GPUs, models and engine settings.
        beside: Engine files that belong to a script.

    Raises:
        InputError: It cannot be read.
    """
    path = Path(name)
    if path.is_dir():
        compose = compose_in(path)
        if compose is None:
            return read(name)
        path = compose
    text = read_stdin() if name == STDIN else read_text(path)
    shown = "<stdin>" if name == STDIN else str(path)
    if is_script(text, shown):
        given = (request.release, request.gpu, request.gpus)
        return build_script(text, shown, facts, *given, beside)
    trees = parse_documents(text, shown)
    if len(trees) == 1 and is_compose(trees[0]):
        folder = Path() if name == STDIN else path.parent
        file = ComposeFile(name, text, trees[0], folder)
        return build_compose(file, facts, request.release, request.gpu)
    if len(trees) == 1 and is_truss(trees[0]):
        return build_truss(trees[0], name, facts, request.release, request.gpu)
    if len(trees) == 1 and is_engine_yaml(trees[0], facts):
        role = Role(request.role) if request.role else None
        return build_engine(trees[0], name, facts, request.release, request.gpu, request.gpus, role)
    return trees
