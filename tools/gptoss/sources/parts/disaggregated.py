"""The configuration of ``trtllm-serve disaggregated``: its servers by role, with their settings.

Source: NVIDIA/TensorRT-LLM ``tensorrt_llm/llmapi/disagg_utils.py`` (``extract_disagg_cfg``) and
``tensorrt_llm/commands/serve.py`` (``disaggregated_mpi_worker``). A section that says more than how
many servers there are and where is the engine YAML of its servers; what stands beside the sections
holds for both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.deployment.model import Problem, Role
from gptoss.sources.parts.reading import a_map, elements, whole_number
from gptoss.sources.recognise import SERVER_SECTIONS
from gptoss.text.places import Located
from gptoss.text.shell.resolved import is_resolved
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gptoss.text.places import Place

SECTIONS = dict(zip(SERVER_SECTIONS, (Role.PREFILL, Role.DECODE), strict=True))
# Keys at the top that are about the server in front, in any release.
OWN = frozenset(
    (
        "hostname", "port", "max_retries", "perf_metrics_max_requests", "return_perf_metrics",
        "perf_metrics_output_dir", "conditional_disagg_config", "otlp_config", "disagg_cluster",
        "node_id", "schedule_style", "allow_request_chat_template", "gen_strip_message_history",
        "gen_tokids_ctxbytes", "num_workers", "disagg_coordinator_url", *SECTIONS,
    )
)  # fmt: skip
# Keys of a section that are about its servers as a whole.
OF_SECTION = frozenset(("num_instances", "urls", "router"))
# The backend that is used anyway; trtllm-serve takes it for itself.
PYTORCH = "pytorch"
ADDRESS = re.compile(r"[^:]+:\d+")
FRACTION, KV_CACHE = "free_gpu_memory_fraction", "kv_cache_config"


@dataclass(frozen=True, slots=True)
class Servers:
    """The servers of one role.

    Attributes:
        name: Their section.
        role: What they do.
        place: Where they are written.
        count: How many; None where that is not written.
        urls: Where they answer.
        engine: Their engine YAML; None where the file has none.
        model: The model that they serve, where it is written.
    """

    name: str
    role: Role
    place: Place
    count: Located[int] | None
    urls: tuple[Located[str], ...]
    engine: Tree | None
    model: Located[str] | None

    def answers_at(self, hosts: Collection[str] | None, port: str) -> bool:
        """Whether one of them answers at a port of one of these hosts, of any for None."""
        found = (url.value.rpartition(":") for url in self.urls)
        return any(at == port and (hosts is None or host in hosts) for host, _, at in found)


@dataclass(frozen=True, slots=True)
class Disaggregated:
    """A configuration of ``trtllm-serve disaggregated``.

    Attributes:
        place: Where it begins.
        servers: Those of each role, prefill first.
        problems: What its reader refuses.
    """

    place: Place
    servers: tuple[Servers, ...]
    problems: tuple[Problem, ...]


def disaggregated(tree: Tree) -> Disaggregated:
    """Reads a configuration.

    Raises:
        InputError: A section is no map, its urls are no list, or its count is no number.
    """
    beside = {key: value for key, value in tree.items() if key not in OWN}
    found: list[Servers] = []
    problems: list[Problem] = []
    for name, role in SECTIONS.items():
        section = a_map(tree.at(name), name)
        if section is None:
            continue
        found.append(_servers(name, role, section, beside))
        problems += _contradictions(name, section, beside)
        problems += _misplaced(name, section)
    if tree.at("disagg_cluster") is None:
        problems += [problem for servers in found for problem in _uncounted(servers)]
    return Disaggregated(tree.place, tuple(found), tuple(problems))


def _servers(name: str, role: Role, section: Tree, beside: dict[str, Tree]) -> Servers:
    own = {key: value for key, value in section.items() if key not in OF_SECTION}
    settings = {**beside, **own}
    number = section.at("num_instances")
    count = whole_number(number, f"{name}.num_instances")
    model = settings.pop("model", None)
    if (backend := settings.get("backend")) and backend.value == PYTORCH:
        del settings["backend"]
    return Servers(
        name=name,
        role=role,
        place=section.where,
        count=Located(count, number.where) if number is not None and count is not None else None,
        urls=tuple(_urls(name, section.at("urls"))),
        engine=_engine(settings, section) if settings else None,
        model=Located(str(model.value), model.where) if model and model.value else None,
    )


def _urls(name: str, tree: Tree | None) -> Iterator[Located[str]]:
    for element in elements(tree, f"{name}.urls"):
        yield Located(str(element.value), element.place)


def _misplaced(name: str, section: Tree) -> Iterator[Problem]:
    """Addresses that are not a host and a port."""
    for url in _urls(name, section.at("urls")):
        if is_resolved(url.value) and not ADDRESS.fullmatch(url.value):
            said = f"{url.value} in {name}.urls is not a host and a port"
            yield Problem("disaggregated-urls", said, url.place)


def _engine(settings: dict[str, Tree], section: Tree) -> Tree:
    """The engine YAML, in which the share of memory stands where the engine has it."""
    fraction = settings.pop(FRACTION, None)
    if fraction is not None:
        block = settings.get(KV_CACHE) or Tree({}, fraction.place, fraction.key)
        if block.is_map and FRACTION not in block.value:
            settings[KV_CACHE] = replace(block, value={**block.value, FRACTION: fraction})
    return Tree(settings, section.place, section.key, duplicates=section.duplicates)


def _contradictions(name: str, section: Tree, beside: dict[str, Tree]) -> Iterator[Problem]:
    """Settings that stand at the top with another value than in the section."""
    for key, value in section.items():
        other = beside.get(key)
        if other is not None and other.plain() != value.plain():
            said = f"{key} is {_shown(value)} in {name} but {_shown(other)} at the top of the file"
            yield Problem("disaggregated-contradiction", said, value.where)


def _uncounted(servers: Servers) -> Iterator[Problem]:
    """Addresses that are more or fewer than servers."""
    count = servers.count.value if servers.count else 1
    if servers.urls and len(servers.urls) != count:
        said = f"there are {len(servers.urls)} urls for {count} {servers.role} servers"
        place = servers.count.place if servers.count else servers.urls[0].place
        yield Problem("disaggregated-urls", said, place)


def _shown(tree: Tree) -> str:
    return "a map" if tree.is_map else str(tree.plain())
