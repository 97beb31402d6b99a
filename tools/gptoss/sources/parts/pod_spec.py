"""Pods out of pod templates, however the kind of object writes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from gptoss.deployment.pods import Pod
from gptoss.sources.parts.commands import Words, read_commands, words_of
from gptoss.sources.parts.devices import device_claims, gpus_with_claims
from gptoss.sources.parts.environment import variables, whole_secrets
from gptoss.sources.parts.identity import before, identity
from gptoss.sources.parts.placement import anti_affinity, node_requirements, tolerations
from gptoss.sources.parts.reading import (
    a_map,
    is_on,
    maps,
    quantity,
    shown,
    string_map,
    strings,
    whole_number,
)
from gptoss.sources.parts.volumes import claim_mounts, mounts, old_claim_mount
from gptoss.sources.parts.written_probes import probes
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.deployment.pods import Devices
    from gptoss.sources.parts.reading import Scope
    from gptoss.text.command import Variable
    from gptoss.text.shell.result import HereDocument

GPU = "nvidia.com/gpu"
HOST_NAMESPACES = ("hostIPC", "hostNetwork", "hostPID")


@dataclass(frozen=True, slots=True)
class PodTemplate:
    """The parts of a pod template, with what a v1alpha1 service writes beside it.

    Attributes:
        home: The component or Job.
        spec: The pod's spec.
        container: Its main container.
        annotations: Annotations of the pod.
        common: Variables set for every component. They beat the container's own ones, and a
            service's ``envs`` beat them; in v1beta1 the container's own ones win.
        default_command, default_args: What the operator starts when nothing is written.
        service: The v1alpha1 service, when the template belongs to one.
        shared_memory: Size of /dev/shm.
        devices: What claims hand out that are given along.
    """

    home: Tree
    spec: Tree | None
    container: Tree | None
    annotations: Tree | None
    common: Mapping[str, Variable] = field(default_factory=dict)
    default_command: tuple[str, ...] = ()
    default_args: tuple[str, ...] = ()
    service: Tree | None = None
    shared_memory: Tree | None = None
    devices: Mapping[tuple[str, str], dict[str, Devices]] = field(default_factory=dict)

    @property
    def words(self) -> Words:
        """The words of its command and arguments, with what the operator adds where none are."""
        command = words_of(self.container, "command")
        args = words_of(self.container, "args")
        if not command:
            command = [(word, self.home) for word in self.default_command]
            args = args or [(word, self.home) for word in self.default_args]
        return command + args

    @property
    def text(self) -> str:
        """Its words in one line, to look for names of programs."""
        return " ".join(word for word, _ in self.words)


@dataclass(frozen=True, slots=True)
class ReadPod:
    """A pod with what only its reader needs.

    Attributes:
        pod: The pod.
        gpus: GPUs of its main container.
        documents: Here-documents of its script.
    """

    pod: Pod
    gpus: Located[int] | None
    documents: tuple[HereDocument, ...]


def main_container(spec: Tree | None) -> Tree | None:
    """The container named ``main``, else the first one."""
    containers = maps(spec.at("containers") if spec else None, "containers")
    named = [container for container in containers if container.text("name") == "main"]
    return next(iter(named or containers), None)


def read_pod(template: PodTemplate, scope: Scope) -> ReadPod:
    """Reads a pod template.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    spec = template.spec or Tree({}, template.home.where)
    container = template.container or Tree({}, template.home.where)
    service = template.service or Tree({}, template.home.where)
    own = variables(container.at("env"), scope)
    if template.service:
        environment = {**own, **template.common, **variables(service.at("envs"), scope)}
    else:
        environment = {**template.common, **own}
    commands = read_commands(template.words, environment, scope)
    secret = scope.text("secrets", service.at("envFromSecret"))
    resources = [container.at("resources"), service.at("resources")]
    size = quantity(template.shared_memory, "the size of shared memory")
    claims = tuple(device_claims(spec, resources, template.devices, scope))
    pod = Pod(
        place=scope.here(template.home.where),
        image=scope.text("image", container.at("image")),
        commands=commands.commands,
        uses_shell=commands.uses_shell,
        environment={**environment, **commands.exports},
        secrets=(*whole_secrets(container.at("envFrom"), scope), *([secret] if secret else [])),
        mounts=(
            *mounts(spec, container, scope),
            *claim_mounts(service.at("volumeMounts"), scope),
            *old_claim_mount(service, container, scope),
        ),
        nodes=tuple(node_requirements(spec, scope)),
        anti_affinity=tuple(anti_affinity(spec, scope)),
        spread=_spread(spec, scope),
        tolerations=tuple(tolerations(spec, scope)),
        requests=_quantities(resources, "requests", scope),
        limits=_quantities(resources, "limits", scope),
        annotations={
            key: Located(value, scope.entry("annotations", key, tree.where))
            for key, value, tree in string_map(template.annotations, "annotations")
        },
        pull_secrets=_pull_secrets(spec, scope),
        privileged=_privileged(container, scope),
        root=_root(spec, container, scope),
        non_root=_non_root(spec, container, scope),
        identity=tuple(identity(spec, container, scope)),
        before=tuple(before(spec, scope)),
        capabilities=_capabilities(container, scope),
        host_namespaces=_host_namespaces(spec, scope),
        probes=probes(container, service, scope),
        termination_grace=scope.whole(
            "termination_grace",
            spec.at("terminationGracePeriodSeconds"),
            "terminationGracePeriodSeconds",
        ),
        shared_memory=_shared_memory(template.shared_memory, size, scope),
        mentions=commands.mentions,
        device_claims=claims,
        ports=_ports(container),
    )
    gpus = gpus_with_claims(_gpus(resources, scope), claims, scope)
    return ReadPod(pod, gpus, commands.documents)


def _spread(spec: Tree, scope: Scope) -> Place | None:
    constraints = spec.at("topologySpreadConstraints")
    asked = maps(constraints, "topologySpreadConstraints")
    return scope.at("spread", constraints.where) if constraints and asked else None


def _ports(container: Tree) -> tuple[int, ...]:
    entries = maps(container.at("ports"), "ports")
    numbers = (port.value for entry in entries if (port := entry.at("containerPort")))
    return tuple(number for number in numbers if isinstance(number, int))


def _shared_memory(tree: Tree | None, size: str | None, scope: Scope) -> Located[str] | None:
    if tree is None or size is None:
        return None
    return Located(size, scope.at("shared_memory", tree.where))


def _quantities(
    resources: list[Tree | None], kind: Literal["requests", "limits"], scope: Scope
) -> dict[str, Located[str]]:
    """Requests or limits by name; those of a v1alpha1 service are written over the container's."""
    found = {}
    for tree in resources:
        amounts = _amounts(tree, kind)
        for name, amount in amounts.items():
            value = quantity(amount, f"resources.{kind}.{name}")
            if value is not None and name not in ("gpu", "gpuType", GPU):
                found[name] = Located(value, scope.entry(kind, name, amount.where))
    return found


def _amounts(resources: Tree | None, kind: str) -> dict[str, Tree]:
    """The quantities of a ``resources`` block, those under ``custom`` too."""
    table = a_map(resources, "resources")
    amounts = a_map(table.at(kind), f"resources.{kind}") if table else None
    if amounts is None:
        return {}
    custom = a_map(amounts.at("custom"), f"resources.{kind}.custom")
    own = {name: tree for name, tree in amounts.items() if name != "custom"}
    return {**own, **dict(custom.items() if custom else ())}


def _gpus(resources: list[Tree | None], scope: Scope) -> Located[int] | None:
    """GPUs of a pod: limit before request, service before container."""
    for kind in ("limits", "requests"):
        for tree in reversed(resources):
            amounts = _amounts(tree, kind)
            found = amounts.get("gpu") or amounts.get(GPU)
            if found is None or found.value is None:
                continue
            if "gpu" in amounts and not isinstance(found.value, str):
                raise InputError(
                    f'the number of GPUs must be a string here; write "{shown(found)}"', found.place
                )
            text = quantity(found, "the number of GPUs") or ""
            if not (text.isascii() and text.isdecimal() and len(text) < 6):
                raise InputError(
                    f"the number of GPUs must be a whole number, not {shown(found)}", found.place
                )
            return Located(int(text), scope.at("gpus", found.where))
    return None


def _pull_secrets(spec: Tree, scope: Scope) -> tuple[Located[str], ...]:
    entries = maps(spec.at("imagePullSecrets"), "imagePullSecrets")
    located = [scope.text("pull_secrets", entry.at("name")) for entry in entries]
    return tuple(secret for secret in located if secret)


def _security(tree: Tree, key: str) -> Tree | None:
    context = a_map(tree.at("securityContext"), "securityContext")
    found = context.at(key) if context else None
    return found if found is not None and found.value is not None else None


def _privileged(container: Tree, scope: Scope) -> Place | None:
    found = _security(container, "privileged")
    return scope.at("privileged", found.where) if found and is_on(found, "privileged") else None


def _root(spec: Tree, container: Tree, scope: Scope) -> Place | None:
    found = _security(container, "runAsUser") or _security(spec, "runAsUser")
    if found is None or whole_number(found, "runAsUser") != 0:
        return None
    return scope.at("root", found.where)


def _non_root(spec: Tree, container: Tree, scope: Scope) -> Place | None:
    found = _security(container, "runAsNonRoot") or _security(spec, "runAsNonRoot")
    return scope.at("non_root", found.where) if found and is_on(found, "runAsNonRoot") else None


def _capabilities(container: Tree, scope: Scope) -> tuple[Located[str], ...]:
    found = a_map(_security(container, "capabilities"), "capabilities")
    added = strings(found.at("add"), "capabilities.add") if found else []
    return tuple(
        Located(name, scope.entry("capabilities", name, tree.place)) for name, tree in added
    )


def _host_namespaces(spec: Tree, scope: Scope) -> tuple[Located[str], ...]:
    return tuple(
        Located(name, scope.entry("host_namespaces", name, found.where))
        for name in HOST_NAMESPACES
        if (found := spec.at(name)) and is_on(found, name)
    )
