"""A service of a compose file as the pod template that says the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gptoss.sources.containers.compose_amounts import stop_grace
from gptoss.sources.containers.compose_text import words
from gptoss.sources.containers.isolation import chosen
from gptoss.sources.parts.inner_shells import SHELLS
from gptoss.sources.parts.pod_spec import GPU, PodTemplate
from gptoss.sources.parts.reading import a_map, elements, is_on, shown, string
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

ALL = "all"
# Chooses of the GPUs that a container has.
CUDA = "CUDA_VISIBLE_DEVICES"
# A source that begins with one of these is a path of the host, any other the name of a volume.
PATHS = (".", "/", "~")


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of the host that a container sees.

    Attributes:
        source: Its path as written.
        target: Where in the container.
        place: Where that is written.
    """

    source: str
    target: str
    place: Tree


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs of a service.

    Attributes:
        ids: Numbers of those that it computes on, where they are named.
        count: How many; None for all of the machine.
        place: Where that is written.
        handed: Numbers of those that it is given; None for all of the machine.
    """

    ids: tuple[str, ...]
    count: int | None
    place: Tree
    handed: frozenset[str] | None = None


def pod_template(
    service: Tree, gpus: Gpus | None, machine: int | None, memory: Tree | None, text: str
) -> PodTemplate:
    """The pod template that says what a service does.

    Args:
        service: The service, variables filled in.
        gpus: Its GPUs.
        machine: GPUs of the machine, for a service that has them all; None when not known.
        memory: Size of its /dev/shm as a Kubernetes quantity; None when not known.
        text: The whole file.

    Raises:
        InputError: A field has a shape that compose refuses.
    """
    spec: dict[str, Tree] = {}
    container: dict[str, Tree] = {}
    image = service.at("image")
    if image is not None:
        container["image"] = image
    commands = [
        _escaped(words(service.at(field), field, text)) for field in ("entrypoint", "command")
    ]
    container["command"] = _tree(commands[0] + commands[1], service)
    container["env"] = _tree(list(environment(service)), service)
    spec["volumes"], container["volumeMounts"] = _volumes(service)
    count = machine if gpus and gpus.count is None else gpus and gpus.count
    if gpus and count is not None:
        limits = _tree({GPU: _tree(str(count), gpus.place)}, gpus.place)
        container["resources"] = _tree({"limits": limits}, gpus.place)
    container["securityContext"] = _security(service)
    grace = stop_grace(service)
    if grace is not None:
        spec["terminationGracePeriodSeconds"] = grace
    for field, name in (("ipc", "hostIPC"), ("network_mode", "hostNetwork"), ("pid", "hostPID")):
        found = service.at(field)
        if found is not None and found.value == "host":
            spec[name] = Tree(True, found.place, found.key)
    return PodTemplate(
        home=service,
        spec=_tree(spec, service),
        container=_tree(container, service),
        annotations=_string_map(service.at("labels"), "labels"),
        shared_memory=memory,
    )


def environment(service: Tree) -> Iterator[Tree]:
    """The variables of a service as a pod writes them; what the caller's shell sets has no value.

    Raises:
        InputError: It is neither a map nor a list.
    """
    for name, value in _pairs(service.at("environment"), "environment"):
        entry: dict[str, Tree] = {"name": Tree(name, value.place, value.key)}
        if value.value is None:
            entry["valueFrom"] = Tree({}, value.place, value.key)
        else:
            literal = _plain(value, f"the value of {name}").replace("$", "$$")
            entry["value"] = Tree(literal, value.place, value.key)
        yield Tree(entry, value.where)


def gpus_of(service: Tree) -> Gpus | None:
    """The GPUs of a service, however it asks for them; None when it asks for none.

    Raises:
        InputError: A field has a shape that compose refuses.
    """
    visible = _visible(service, CUDA)
    devices = service.at("deploy", "resources", "reservations", "devices")
    given = _asked(devices) or _asked(service.at("gpus")) or _of_runtime(service)
    if given is None or visible is None:
        return given or visible
    ids = chosen(visible.ids, given.ids)
    return replace(visible, ids=ids, handed=given.handed) if ids else given


def _of_runtime(service: Tree) -> Gpus | None:
    """The GPUs that the NVIDIA runtime gives a service without a reservation."""
    runtime = service.at("runtime")
    if runtime is None or runtime.value != "nvidia":
        return None
    return _visible(service, "NVIDIA_VISIBLE_DEVICES") or Gpus((), None, runtime)


def binds(service: Tree) -> list[Bind]:
    """The files and folders of the host that a service sees.

    Raises:
        InputError: A volume has a shape that compose refuses.
    """
    return [
        Bind(source, target, tree)
        for source, target, _, tree in _mounted(service)
        if source.startswith(PATHS)
    ]


def label(service: Tree, name: str) -> str | None:
    """The value of a label."""
    labels = _string_map(service.at("labels"), "labels")
    return labels.text(name) if labels else None


def _visible(service: Tree, name: str) -> Gpus | None:
    """GPUs that a variable makes visible, by their numbers."""
    for key, value in _pairs(service.at("environment"), "environment"):
        if key == name and value.value not in (None, "", ALL, "void", "none"):
            ids = tuple(part.strip() for part in str(value.value).split(","))
            return Gpus(ids, len(ids), value, frozenset(ids) if name != CUDA else None)
    return None


def _asked(tree: Tree | None) -> Gpus | None:
    if tree is None or tree.value is None:
        return None
    if tree.value == ALL:
        return Gpus((), None, tree)
    for device in elements(tree, "devices"):
        fields = a_map(device, "a device") or device
        kinds = [str(item.value) for item in elements(fields.at("capabilities"), "capabilities")]
        if fields.at("capabilities") is not None and "gpu" not in kinds:
            continue
        ids = elements(fields.at("device_ids"), "device_ids")
        if ids:
            place = fields.at("device_ids") or device
            named = tuple(str(item.value) for item in ids)
            return Gpus(named, len(named), place, frozenset(named))
        count = fields.at("count")
        if count is None or count.value in (None, ALL, -1):
            return Gpus((), None, count or device)
        if not str(count.value).isdecimal():
            raise InputError(f"count must be a number or all, not {shown(count)}", count.place)
        return Gpus((), int(str(count.value)), count)
    return None


def _mounted(service: Tree) -> Iterator[tuple[str, str, bool, Tree]]:
    """Source, target, whether read-only, and where, of every volume that has a source."""
    for tree in elements(service.at("volumes"), "volumes"):
        if tree.is_map:
            source = string(tree.at("source"), "source")
            target = string(tree.at("target"), "target")
            read_only = bool(is_on(tree.at("read_only"), "read_only"))
        else:
            parts = (string(tree, "a volume") or "").split(":")
            source, target = (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0])
            read_only = len(parts) > 2 and "ro" in parts[2].split(",")
        if not target:
            raise InputError("a volume needs a target, as in models:/opt/models", tree.place)
        if source:
            yield source, target, read_only, tree


def _volumes(service: Tree) -> tuple[Tree, Tree]:
    """The volumes of a service as those of a pod, and where its container mounts them."""
    volumes, mounts = [], []
    for number, (source, target, read_only, tree) in enumerate(_mounted(service)):
        name = Tree(f"volume-{number}", tree.place)
        claim = _tree({"claimName": Tree(source, tree.place)}, tree)
        volumes.append(_tree({"name": name, "persistentVolumeClaim": claim}, tree))
        mount = {"name": name, "mountPath": Tree(target, tree.place)}
        mounts.append(_tree(mount | {"readOnly": Tree(read_only, tree.place)}, tree))
    return _tree(volumes, service), _tree(mounts, service)


def _security(service: Tree) -> Tree:
    """The security context that says what a service says of user and privilege."""
    found: dict[str, Tree] = {}
    user = service.at("user")
    if user is not None and str(user.value).partition(":")[0] in ("0", "root"):
        found["runAsUser"] = Tree(0, user.place, user.key)
    elif user is not None and user.value is not None:
        found["runAsNonRoot"] = Tree(True, user.place, user.key)
    privileged = service.at("privileged")
    if privileged is not None:
        found["privileged"] = privileged
    added = service.at("cap_add")
    if added is not None:
        found["capabilities"] = _tree({"add": added}, added)
    return _tree(found, service)


def _escaped(found: list[tuple[str, Tree]]) -> list[Tree]:
    """Words as a pod writes them: a dollar sign that means itself is doubled, save in a script."""
    is_script = bool(found) and found[0][0].rpartition("/")[2] in SHELLS
    return [
        Tree(text if is_script else text.replace("$", "$$"), tree.place, tree.key, tree.indent)
        for text, tree in found
    ]


def _pairs(tree: Tree | None, what: str) -> Iterator[tuple[str, Tree]]:
    """Names and values of a map, or of a list of ``NAME=value``."""
    if tree is None or tree.value is None:
        return
    if tree.is_map:
        yield from tree.items()
        return
    for item in elements(tree, what):
        name, equals, value = (string(item, f"every element of {what}") or "").partition("=")
        yield name, Tree(value if equals else None, item.place)


def _string_map(tree: Tree | None, what: str) -> Tree | None:
    if tree is None or tree.value is None:
        return None
    table = {
        name: Tree(_plain(value, name) if value.value is not None else "", value.place, value.key)
        for name, value in _pairs(tree, what)
    }
    return Tree(table, tree.place, tree.key)


def _plain(tree: Tree, what: str) -> str:
    """A scalar as the text that compose passes on."""
    if tree.is_container:
        raise InputError(f"{what} must be text, a number or a switch", tree.place)
    return str(tree.value).lower() if isinstance(tree.value, bool) else str(tree.value)


def _tree(value: object, at: Tree) -> Tree:
    """Something that is not written like this, where what says it is."""
    return Tree(value, at.place, at.key)
