"""Engine files that are given together: which of them are one deployment, and who has which role.

The configuration of ``trtllm-serve disaggregated`` says how many servers of each role there are; an
engine file of a role that is given along is theirs. Without it a prefill and a decode file are one
deployment when there are no others, or when they are called the same beside their role.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from gptoss.deployment.model import Role, Runtime
from gptoss.sources.engine_alone import EngineFile, Told, build_engine, build_engines
from gptoss.sources.parts.disaggregated import disaggregated
from gptoss.sources.parts.role_names import role_of_file, without_role
from gptoss.sources.recognise import SERVER_SECTIONS
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gptoss.deployment.model import Deployment
    from gptoss.facts.world import Facts
    from gptoss.sources.given import GivenFile
    from gptoss.sources.parts.disaggregated import Servers
    from gptoss.sources.request import Request
    from gptoss.text.places import Located
    from gptoss.text.yaml_tree import Tree

SPLIT = {Role.PREFILL, Role.DECODE}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An engine file that may be one of several.

    Attributes:
        file: The file.
        asked: The role that the user gives it.
    """

    file: GivenFile
    asked: Role | None

    @property
    def role(self) -> Role:
        """What its worker does beside others."""
        return self.asked or role_of_file(self.file.name) or Role.AGGREGATED

    def engine(self, replicas: Located[int] | None = None) -> EngineFile:
        """It as the file of one worker of several."""
        (tree,) = self.file.trees
        source = self.file.label
        name = PurePath(source).stem
        return EngineFile(
            name=name, source=source, place=tree.place, tree=tree, role=self.role, replicas=replicas
        )


def deployments_of_engines(
    files: Sequence[GivenFile], configs: Sequence[GivenFile], request: Request, facts: Facts
) -> Iterator[Deployment]:
    """The deployments of engine files.

    Args:
        files: Engine files.
        configs: Configurations of ``trtllm-serve disaggregated``.
        request: The release, the GPU, and what the files do not tell.
        facts: What is known about releases, GPUs, models and engine settings.

    Raises:
        InputError: The release or the GPU is not known, there are not as many roles as files, or a
            number of GPUs is given for several files.
    """
    told = Told(release=request.release, gpu=request.gpu)
    left = list(_candidates(files, request.roles))
    for config in configs:
        own = [each for each in left if each.role in SPLIT and _is_of(each, config, configs)]
        left = [each for each in left if each not in own]
        (tree,) = config.trees
        yield build_servers(tree, config.label, own, facts, told)
    for together in _groups(left, all_asked=len(request.roles) > 1):
        left = [each for each in left if each not in together]
        if request.gpus:
            raise InputError(
                "--gpus is for one engine file; of several each has as many as its sizes ask for"
            )
        yield build_engines(_told_apart([each.engine() for each in together]), facts, told)
    for each in left:
        (tree,) = each.file.trees
        given = (told.release, told.gpu, request.gpus, each.asked)
        yield build_engine(tree, each.file.label, facts, *given)


def _candidates(files: Sequence[GivenFile], roles: Sequence[str]) -> Iterator[Candidate]:
    if len(roles) > 1 and len(roles) != len(files):
        raise InputError(
            f"--role is given {len(roles)} times for {len(files)} engine files; give it once, or "
            "once for each in their order"
        )
    for number, file in enumerate(files):
        asked = roles[number] if len(roles) > 1 else roles[0] if roles else None
        yield Candidate(file, Role(asked) if asked else None)


def _is_of(each: Candidate, config: GivenFile, configs: Sequence[GivenFile]) -> bool:
    """Whether an engine file belongs to a configuration: to the only one, or that beside it."""
    return len(configs) == 1 or each.file.folder == config.folder


def build_servers(
    tree: Tree, source: str, own: Sequence[Candidate], facts: Facts, told: Told
) -> Deployment:
    """The deployment of a configuration of ``trtllm-serve disaggregated``.

    Args:
        tree: The configuration.
        source: The file it was read from, as the user named it.
        own: Engine files of its servers, which go before what it says itself.
        facts: What is known about releases, GPUs, models and engine settings.
        told: What the user says of it.

    Raises:
        InputError: The release or the GPU is not known, or a section has another shape.
    """
    read = disaggregated(tree)
    files: list[EngineFile] = []
    for servers in read.servers:
        given = [each for each in own if each.role is servers.role]
        count = servers.count if len(given) < 2 else None
        files += [each.engine(count) for each in given] or [_of_servers(source, servers)]
    if not files:
        sections = " and ".join(SERVER_SECTIONS)
        raise InputError(f"no server is listed; {sections} say how many and where", tree.place)
    return build_engines(_told_apart(files), facts, told, Runtime.SERVE, read.problems)


def _of_servers(source: str, servers: Servers) -> EngineFile:
    """The servers of one role, as the configuration writes them."""
    return EngineFile(
        name=servers.name,
        source=source,
        place=servers.place,
        tree=servers.engine,
        role=servers.role,
        replicas=servers.count,
        model=servers.model,
    )


def _groups(files: Sequence[Candidate], *, all_asked: bool) -> Iterator[list[Candidate]]:
    """The files that are one deployment, each with prefill and decode."""
    split = [each for each in files if each.role in SPLIT]
    alike: dict[str, list[Candidate]] = defaultdict(list)
    for each in split:
        is_one = all_asked or len(split) == len(SPLIT)
        alike["" if is_one else without_role(each.file.name)].append(each)
    yield from (group for group in alike.values() if {each.role for each in group} == SPLIT)


def _told_apart(files: list[EngineFile]) -> list[EngineFile]:
    """The files under names that are their own."""
    names = [file.name for file in files]
    return [
        replace(file, name=f"{file.role}-{file.name}") if names.count(file.name) > 1 else file
        for file in files
    ]
