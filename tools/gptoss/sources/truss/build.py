"""Reads a Truss ``config.yaml``: how Baseten describes a model server.

Both generations with ``inference_stack: v2`` are read, with checkpoints that are fetched at start
and with those of ``model_cache``. ``trt_llm.runtime`` has the settings that Baseten knows by name
and ``patch_kwargs`` in it the others, which win (basetenlabs/truss warns when one shadows the
other). What only Baseten's platform reads becomes a problem of the kind ``truss-key``, for
``gptoss import`` to explain; no rule judges it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gptoss.deployment.hub import is_commit
from gptoss.deployment.model import Platform, Problem
from gptoss.deployment.pods import Mount, Pod
from gptoss.deployment.settings import Layer, Settings
from gptoss.precedence.claims import Book, engine_claims
from gptoss.sources.parts.assembly import Origin, assemble
from gptoss.sources.parts.container import container_of
from gptoss.sources.parts.engine_yaml import EngineYaml, repeated_key, repeated_keys
from gptoss.sources.parts.pod_spec import ReadPod
from gptoss.sources.parts.reading import a_map, as_rendered, maps, string, string_map
from gptoss.sources.parts.server import PROGRAM
from gptoss.sources.truss import keys
from gptoss.text.command import Command, Variable
from gptoss.text.errors import InputError
from gptoss.text.places import Located
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gptoss.deployment.model import Deployment
    from gptoss.deployment.settings import Claim
    from gptoss.facts.world import Facts, Gpu
    from gptoss.sources.truss.keys import PlatformKey

ACCELERATOR = re.compile(r"(?P<name>[A-Za-z0-9_]+?)(?::(?P<count>[1-9][0-9]?))?")
WORKER = "worker"
KIND = "truss-key"
# What Truss fills in itself where a file leaves a setting out (truss 0.18.35,
# truss/base/trt_llm_config.py, TRTLLMRuntimeConfigurationV2).
DEFAULTS = {"max_batch_size": 256, "max_num_tokens": 8192, "enable_chunked_prefill": True}
# Baseten brings the weights to the container.
HUB_CACHE = "/root/.cache/huggingface"


def build_truss(
    tree: Tree, source: str, facts: Facts, release: str | None = None, gpu: str | None = None
) -> Deployment:
    """The deployment that a Truss configuration describes, as ``trtllm-serve`` would run it.

    Args:
        tree: The configuration.
        source: The file it was read from, as the user named it.
        facts: What is known about releases, GPUs, models and engine settings.
        release: Dynamo release to take it for; Baseten's builds belong to none.
        gpu: Kind of GPU, where the accelerator is not one that is known.

    Raises:
        InputError: It runs another engine, or a field has a shape that Truss would refuse.
    """
    engine = _engine_section(tree)
    runtime = a_map(engine.at("runtime"), "trt_llm.runtime") or Tree({}, engine.where)
    model, revision = _checkpoint(tree, engine, runtime)
    kind, gpus = _accelerator(tree, facts, gpu)
    place = tree.place
    words = [Located(PROGRAM, place), Located("serve", place), model]
    served = runtime.at("served_model_name")
    name = string(served, "served_model_name")
    if served is not None and name:
        words += _flag("--served_model_name", Located(name, served.where))
    if revision is not None:
        words += _flag("--revision", revision)
    pod = Pod(
        place,
        commands=(Command(tuple(words)),),
        environment=_environment(tree),
        mounts=(Mount(HUB_CACHE, None, None, False, None, model.place),),
    )
    container = replace(
        container_of(WORKER, ReadPod(pod, gpus, ())), engine=EngineYaml(runtime, known=True)
    )
    origin = Origin(
        name=_name(tree),
        place=place,
        source=source,
        platform=Platform.CONTAINERS,
        release=release,
        gpu=kind,
    )
    made = assemble([container], origin, facts)
    (worker,) = made.workers
    settings = _settings(runtime, worker.engine, facts)
    repeated = (repeated_key(key, place) for key, place in repeated_keys(tree))
    return replace(
        made,
        workers=(replace(worker, engine=settings),),
        problems=(*repeated, *_platform_keys(tree, engine, runtime)),
    )


def _engine_section(tree: Tree) -> Tree:
    server = tree.at("docker_server")
    if server is not None and tree.at("trt_llm") is None:
        command = server.text("start_command") if server.is_map else None
        program = f" ({command.split()[0]} …)" if command and command.split() else ""
        raise InputError(
            f"docker_server starts a server of its own{program} instead of Baseten's TensorRT-LLM; "
            "give that command as a script if it is trtllm-serve, another engine is not read",
            server.where,
        )
    engine = a_map(tree.at("trt_llm"), "trt_llm")
    if engine is None:
        raise InputError(
            "this Truss has no trt_llm section, so that nothing says how TensorRT-LLM would serve "
            "it",
            tree.place,
        )
    stack = engine.at("inference_stack")
    if stack is None or stack.value != "v2":
        raise InputError(
            "trt_llm without inference_stack: v2 builds a TensorRT engine, which gpt-oss is not "
            "served with; only inference_stack: v2 is read",
            (stack or engine).where,
        )
    return engine


def _checkpoint(
    tree: Tree, engine: Tree, runtime: Tree
) -> tuple[Located[str], Located[str] | None]:
    """The repository that is served with its revision: that of the cache that it is read from."""
    build = a_map(engine.at("build"), "trt_llm.build")
    found = a_map(build.at("checkpoint_repository") if build else None, "checkpoint_repository")
    patch = a_map(runtime.at("patch_kwargs"), "patch_kwargs")
    path = string(patch.at("model_path") if patch else None, "model_path")
    for entry in maps(tree.at("model_cache"), "model_cache"):
        folder = string(entry.at("volume_folder"), "volume_folder")
        if path and folder and path.rstrip("/").endswith(f"/{folder}"):
            return _repository(entry, "repo_id", tree)
    return _repository(found, "repo", tree)


def _repository(
    entry: Tree | None, key: str, tree: Tree
) -> tuple[Located[str], Located[str] | None]:
    named = entry.at(key) if entry else None
    name = string(named, key)
    if entry is None or named is None or not name:
        raise InputError(
            "the Truss names no checkpoint; give trt_llm.build.checkpoint_repository.repo",
            (entry or tree).where,
        )
    revision = entry.at("revision")
    text = string(revision, "revision")
    located = Located(text, revision.where) if revision is not None and text else None
    return Located(name, named.where), located


def _accelerator(
    tree: Tree, facts: Facts, asked: str | None
) -> tuple[Gpu | None, Located[int] | None]:
    """Kind and number of GPUs."""
    kind = facts.gpu(asked) if asked else None
    resources = a_map(tree.at("resources"), "resources")
    named = resources.at("accelerator") if resources else None
    text = string(named, "resources.accelerator")
    if named is None or not text:
        return kind, None
    match = ACCELERATOR.fullmatch(text)
    if match is None:
        raise InputError(f"accelerator is {text}; write a GPU and a count, as H100:2", named.where)
    count = Located(int(match["count"] or 1), named.where)
    return kind or facts.gpus.get(match["name"].lower()), count


def _flag(name: str, value: Located[str]) -> list[Located[str]]:
    return [Located(name, value.place), value]


def _environment(tree: Tree) -> dict[str, Variable]:
    variables = string_map(tree.at("environment_variables"), "environment_variables")
    return {name: Variable(name, value, None, found.where) for name, value, found in variables}


def _name(tree: Tree) -> str:
    """The model's name as a Kubernetes name."""
    text = string(tree.at("model_name"), "model_name") or ""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "truss"


def _settings(runtime: Tree, read: Settings, facts: Facts) -> Settings:
    """Engine settings by name, and those of ``patch_kwargs`` laid over them."""
    patch = a_map(runtime.at("patch_kwargs"), "patch_kwargs") or Tree({}, runtime.where)
    first_class = _without(runtime, {*keys.RUNTIME, "patch_kwargs"})
    book = Book({})
    revision = read["revision"]
    book.lay(("revision", claim) for claim in revision.claims)
    named = engine_claims(first_class, facts, as_rendered)
    others = engine_claims(_without(patch, keys.PATCH_KWARGS), facts, as_rendered)
    book.lay(_by_name(_switches(named, facts)))
    book.lay(_switches(others, facts))
    defaults = {key: default for key in read.keys if (default := read[key].default) is not None}
    defaults |= DEFAULTS
    return Settings(book.settings(runtime.where, defaults), runtime.where, defaults)


def _by_name(claims: Iterator[tuple[str, Claim]]) -> Iterator[tuple[str, Claim]]:
    """Claims of the settings that Baseten knows by name: it hands them over like flags."""
    for key, claim in claims:
        yield key, replace(claim, layer=Layer.FLAG, spelling=f"trt_llm.runtime.{key}")


def _switches(claims: Iterator[tuple[str, Claim]], facts: Facts) -> Iterator[tuple[str, Claim]]:
    """Claims with the 0 and 1 that Baseten's examples write for switches as the engine reads it."""
    for key, claim in claims:
        is_switch = facts.engine_fields.get(key, {}).get("type") == "bool"
        value = bool(claim.value) if is_switch and claim.value in (0, 1) else claim.value
        yield key, replace(claim, value=value)


def _without(tree: Tree, keys: Mapping[str, PlatformKey] | set[str]) -> Tree:
    """A map without some of its keys."""
    return Tree({k: v for k, v in tree.items() if k not in keys}, tree.place, tree.key)


def _platform_keys(tree: Tree, engine: Tree, runtime: Tree) -> Iterator[Problem]:
    """What Baseten's platform alone reads, each with what to use here."""
    patch = a_map(runtime.at("patch_kwargs"), "patch_kwargs")
    runtime_keys = {k: v for k, v in keys.RUNTIME.items() if k != "served_model_name"}
    yield from _explained(tree, "", keys.TOP)
    yield from _explained(tree.at("model_metadata"), "model_metadata", keys.METADATA)
    yield from _explained(tree.at("resources"), "resources", keys.RESOURCES)
    yield from _explained(runtime, "trt_llm.runtime", runtime_keys)
    yield from _explained(patch, "patch_kwargs", keys.PATCH_KWARGS)
    overrides = engine.at("version_overrides")
    if overrides is not None:
        yield _problem("version_overrides", keys.VERSIONS, overrides)
    _, revision = _checkpoint(tree, engine, runtime)
    if revision and not is_commit(revision.value):
        told = keys.REVISION
        message = f"revision {revision.value} {told.does}; here: {told.instead}"
        yield Problem(KIND, message, revision.place)


def _explained(tree: Tree | None, path: str, table: Mapping[str, PlatformKey]) -> Iterator[Problem]:
    for key, value in tree.items() if tree else ():
        if key in table:
            yield _problem(f"{path}.{key}" if path else key, table[key], value)


def _problem(key: str, told: PlatformKey, tree: Tree) -> Problem:
    return Problem(KIND, f"{key} {told.does}; here: {told.instead}", tree.where)
