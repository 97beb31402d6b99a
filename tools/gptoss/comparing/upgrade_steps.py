"""What can change for a deployment on another Dynamo release."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gptoss.deployment.model import Role, Runtime
from gptoss.facts import folders, programs
from gptoss.facts.engine_keys import EngineSchema, Life, schema_for
from gptoss.facts.versions import version_number
from gptoss.fixing.edits import key_at
from gptoss.rules.fixes import set_value
from gptoss.rules.readings import pieces_of, pods, takes_tool_calls
from gptoss.rules.rule import Severity
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Deployment
    from gptoss.facts.known import Known
    from gptoss.facts.world import Facts, Release
    from gptoss.rules.finding import Finding
    from gptoss.rules.fixes import Fix
    from gptoss.text.places import Place

RUNTIME_IMAGES = "/ai-dynamo/"
SERVER_IMAGE = "/tensorrt-llm/"
TAGS = "docs/fern/pages/reference/general/releases of ai-dynamo/dynamo (artifacts)"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that changes.

    Attributes:
        kind: ``release``, ``wrong`` (refused or misread there), ``broken`` (Dynamo itself does it
            wrong there), ``default`` or ``platform``.
        message: What changes.
        do: What to do.
        source: Where that is stated.
        place: The line that it is about; None for the platform.
        fix: The change of a file that does it; None when somebody has to decide.
        severity: How bad it is when nothing is done.
    """

    kind: str
    message: str
    do: str
    source: str
    place: Place | None = None
    fix: Fix | None = None
    severity: Severity = Severity.INFO


def release_of(deployment: Deployment) -> Release:
    """The release that a deployment runs on.

    Raises:
        InputError: It is not known.
    """
    if deployment.release is None:
        raise InputError(
            f"{deployment.source}: the release it runs on is not known; tag the workers' image "
            "with a version",
            deployment.place,
        )
    return deployment.release


def release_steps(deployment: Deployment, to: Release) -> Iterator[Step]:
    """Where the release is chosen: the chart's value, or the tag of every image."""
    release = release_of(deployment)
    if release.version == to.version:
        return
    serves = deployment.runtime is Runtime.SERVE
    if key_at(deployment.release_place) != "image":
        yield Step(
            "release",
            f"the release is {release.version}",
            f"write runtime.release: {to.version}",
            TAGS,
            deployment.release_place,
            set_value(deployment.release_place, "release", to.version),
        )
        return
    for name, image in ((name, pod.image) for name, pod in pods(deployment)):
        if image is None:
            continue
        reference, digest, _ = image.value.partition("@")
        repository, _, tag = reference.rpartition(":")
        is_server = serves and SERVER_IMAGE in repository
        old, new_tag = (r.trtllm if is_server else r.version for r in (release, to))
        is_nvidia = is_server or RUNTIME_IMAGES in repository
        if not is_nvidia or (not tag.startswith(old) and not digest):
            continue
        new = f"{repository}:{new_tag}{tag.removeprefix(old)}"
        exact = tag == old and not digest
        yield Step(
            "release",
            f"{name}: the image is {image.value}",
            f"write {new}" if exact else f"write the tag or digest of {new_tag}",
            TAGS,
            image.place,
            set_value(image.place, "image", new) if exact else None,
        )


def api_version(own: Deployment, there: Deployment, to: Release) -> Iterator[Step]:
    """The version that the resource is written in from now on."""
    if own.runtime is Runtime.SERVE:
        return
    before, after = own.api_version.value, there.api_version.value
    wanted = f"nvidia.com/{to.api_versions[-1]}"
    if before != after:
        message, do = f"the chart writes {after} instead of {before}", "nothing"
    elif after and after != wanted and after.rpartition("/")[2] in to.api_versions:
        message = f"apiVersion is {after}; release {to.version} still serves it, {wanted} follows"
        do = f"nothing now; write {wanted} when you next rework the manifest"
    else:
        return
    yield Step("release", message, do, "ai-dynamo/dynamo #9235, #9262", own.api_version.place)


def wrong(finding: Finding) -> Step:
    """A finding that the deployment has only there."""
    rule = finding.rule
    message = f"{finding.message} [{rule.id}]"
    fix = finding.fixes[0] if finding.fixes else None
    return Step("wrong", message, finding.hint, rule.source, finding.place, fix, finding.severity)


def defaults(deployment: Deployment, start: Release, to: Release, facts: Facts) -> Iterator[Step]:
    """Defaults in force that become others: of the engine YAML and of flags."""
    if start.number == to.number:
        return
    old, new = schema_for(facts, start.trtllm), schema_for(facts, to.trtllm)
    exact = old.is_exact and new.is_exact
    changes = "changes" if exact else "probably changes"
    for worker in deployment.workers if old.version != new.version else ():
        for path, (before, after) in _engine_defaults(old, new).items():
            block = path.rpartition(".")[0]
            used = not block or worker.engine.under(block)
            if not worker.engine[path].is_set and used and worker.engine_known:
                yield Step(
                    "default",
                    f"{worker.name}: {path} is not set; its default {changes} from {before} to "
                    f"{after}",
                    f"write {path}: {before} to keep it",
                    "schema/engine/fields.yaml (tensorrt_llm/llmapi/llm_args.py)",
                    worker.engine.home,
                )
    serves = deployment.runtime is Runtime.SERVE
    program_of_workers = programs.SERVE if serves else programs.WORKER
    versions = (start.trtllm, to.trtllm) if serves else (start.version, to.version)
    started = [(w.name, program_of_workers, w.arguments) for w in deployment.workers]
    frontend = deployment.frontend
    if frontend and frontend.arguments:
        started.append((frontend.name, programs.FRONTEND, frontend.arguments))
    for name, program, arguments in started:
        for flag, before, after in _flag_defaults(program, start, to):
            if arguments[flag.name].place is None:
                yield Step(
                    "default",
                    f"{name}: {flag.name} is not given; its default changes from "
                    f"{_in_yaml(before)} to {_in_yaml(after)}",
                    f"give it {_in_yaml(before)} to keep it",
                    f"schema/cli, {program} {' and '.join(versions)}",
                    arguments.command.place,
                )


def _engine_defaults(old: EngineSchema, new: EngineSchema) -> dict[str, tuple[Any, Any]]:
    found = {}
    for path, known in old.facts["fields"].items():
        if "changes" not in known or {old.life(known), new.life(known)} != {Life.PRESENT}:
            continue
        before, after = old.reading(known), new.reading(known)
        both = "default" in before and "default" in after
        if both and before["default"] != after["default"]:
            found[path] = (_in_yaml(before["default"]), _in_yaml(after["default"]))
    return found


def _flag_defaults(
    name: str, start: Release, to: Release
) -> Iterator[tuple[programs.Flag, Any, Any]]:
    by_trtllm = name == programs.SERVE
    old = programs.program(name, start.trtllm if by_trtllm else start.version)
    new = programs.program(name, to.trtllm if by_trtllm else to.version)
    if old is None or new is None:
        return
    for flag in old.flags.values():
        after = new.spellings.get(flag.name)
        # None: the program decides by other things, which is told as a change of the platform.
        if after is None or None in (flag.default, after.default):
            continue
        respelt = (flag.default, after.default) == (start.aggregated_mode, to.aggregated_mode)
        if flag.default != after.default and not respelt:
            yield flag, flag.default, after.default


def _in_yaml(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def broken(deployment: Deployment, start: Release, to: Release, facts: Facts) -> Iterator[Step]:
    """What Dynamo does right where a deployment runs, and wrong there (schema/known.yaml)."""
    for known in _known_to(deployment, facts):
        if known.is_in(to) and not known.is_in(start):
            yield Step("broken", known.what, known.do, known.source, severity=Severity.WARNING)


def mended(deployment: Deployment, start: Release, to: Release, facts: Facts) -> Iterator[Known]:
    """What Dynamo does wrong where a deployment runs, and right there."""
    for known in _known_to(deployment, facts):
        if known.is_in(start) and not known.is_in(to):
            yield known


def _known_to(deployment: Deployment, facts: Facts) -> Iterator[Known]:
    if deployment.runtime is Runtime.SERVE:
        return
    yield from (known for known in facts.known.values() if _concerns(known.when, deployment))


def platform(deployment: Deployment, start: Release, to: Release) -> Iterator[Step]:
    """What changes below the deployment (schema/upgrades.yaml): all of it is Dynamo's."""
    if deployment.runtime is Runtime.SERVE:
        return
    text = (folders.root() / "schema" / "upgrades.yaml").read_text(encoding="utf-8")
    for change in plain_yaml.load(text)["changes"]:
        is_between = start.number < version_number(change["since"]) <= to.number
        if is_between and _concerns(change.get("when"), deployment):
            yield Step("platform", change["what"], change["do"], change["source"])


def _concerns(when: str | None, deployment: Deployment) -> bool:
    frontend = deployment.frontend
    if when == "kv-router":
        arguments = frontend.arguments if frontend else None
        return arguments is not None and arguments["--router-mode"].value == "kv"
    if when == "disaggregated":
        return deployment.is_disaggregated
    if when in ("tools", "pieces"):
        return any(
            takes_tool_calls(worker) and (when == "tools" or pieces_of(worker) > 1)
            for worker in deployment.workers
            if worker.role is not Role.PREFILL
        )
    if when == "unversioned":
        tags = [pod.image.value.rpartition(":")[2] for _, pod in pods(deployment) if pod.image]
        return any(not version_number(tag) for tag in tags)
    return True
