"""Components of a DynamoGraphDeployment, in one form for both versions of the resource."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gptoss.facts.programs import FRONTEND
from gptoss.sources.parts.container import Container, Task
from gptoss.sources.parts.pod_spec import PodTemplate, main_container, read_pod
from gptoss.sources.parts.reading import a_map, is_on, maps, string
from gptoss.text.errors import InputError
from gptoss.text.yaml_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gptoss.sources.parts.devices import Given
    from gptoss.text.command import Variable

KIND = "DynamoGraphDeployment"
# The operator writes it on every pod of a graph, with the name of the graph.
GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
V1ALPHA1 = "nvidia.com/v1alpha1"
V1BETA1 = "nvidia.com/v1beta1"
IGNORED = ("dynamoNamespace", "autoscaling")


@dataclass(frozen=True, slots=True)
class Part:
    """A component as it is written.

    Attributes:
        name: Its name.
        tree: The component.
        type: ``componentType`` or ``type``.
        sub_type: ``subComponentType``.
        ignored: Fields that the operator accepts and ignores.
        template: Its pod template.
    """

    name: str
    tree: Tree
    type: Tree | None
    sub_type: Tree | None
    ignored: Mapping[str, Tree]
    template: PodTemplate

    @property
    def container(self) -> Container:
        """What runs in it: a worker by its command, the frontend by its type too."""
        is_frontend = self.type is not None and self.type.value == "frontend"
        is_named = FRONTEND in self.template.text
        return Container(
            name=self.name,
            read=partial(read_pod, self.template),
            may=(Task.WORKER, Task.FRONTEND, Task.OTHER),
            sign=Task.FRONTEND if is_frontend or is_named else Task.OTHER,
            replicas=self.tree.at("replicas"),
            multinode=self.tree.at("multinode"),
            type=self.type,
            sub_type=self.sub_type,
            runtime_version=self.tree.at("runtimeVersionOverride"),
            ignored=self.ignored,
        )


def parts(graph: Tree, common: Mapping[str, Variable], devices: Given) -> list[Part]:
    """The components of a graph in the order in which they are written.

    Args:
        graph: The DynamoGraphDeployment.
        common: Variables that its spec sets for every component.
        devices: What claims hand out that are given along.

    Raises:
        InputError: A field has a shape that the API server would refuse.
    """
    spec = a_map(graph.at("spec"), "spec")
    if spec is None:
        raise InputError(f"the {KIND} has no spec", graph.place)
    if graph.text("apiVersion") == V1ALPHA1:
        services = a_map(spec.at("services"), "services")
        items = services.items() if services else ()
        return [_service(name, tree, common, devices) for name, tree in items]
    components = maps(spec.at("components"), "components")
    return [_component(tree, common, devices) for tree in components]


def _service(name: str, tree: Tree, common: Mapping[str, Variable], devices: Given) -> Part:
    service = a_map(tree, f"service {name}") or Tree({}, tree.place, tree.key)
    pod = a_map(service.at("extraPodSpec"), "extraPodSpec")
    metadata = a_map(service.at("extraPodMetadata"), "extraPodMetadata")
    memory = a_map(service.at("sharedMemory"), "sharedMemory")
    command, args = _operator_defaults(service.at("componentType"))
    ignored = {field: service.at(field) for field in IGNORED}
    return Part(
        name=name,
        tree=service,
        type=service.at("componentType"),
        sub_type=service.at("subComponentType"),
        ignored={field: found for field, found in ignored.items() if found},
        template=PodTemplate(
            home=service,
            spec=pod,
            container=a_map(pod.at("mainContainer"), "mainContainer") if pod else None,
            annotations=metadata.at("annotations") if metadata else None,
            common=common,
            default_command=command,
            default_args=args,
            service=service,
            shared_memory=_shared_memory(memory),
            devices=devices,
        ),
    )


def _component(tree: Tree, common: Mapping[str, Variable], devices: Given) -> Part:
    name = string(tree.at("name"), "the name of a component")
    if not name:
        raise InputError("a component needs a name", tree.place)
    template = a_map(tree.at("podTemplate"), "podTemplate")
    spec = a_map(template.at("spec"), "spec") if template else None
    metadata = a_map(template.at("metadata"), "metadata") if template else None
    command, args = _operator_defaults(tree.at("type"))
    return Part(
        name=name,
        tree=tree,
        type=tree.at("type"),
        sub_type=None,
        ignored={},
        template=PodTemplate(
            home=tree,
            spec=spec,
            container=main_container(spec),
            annotations=metadata.at("annotations") if metadata else None,
            common=common,
            default_command=command,
            default_args=args,
            shared_memory=tree.at("sharedMemorySize"),
            devices=devices,
        ),
    )


def _shared_memory(memory: Tree | None) -> Tree | None:
    """The size of a v1alpha1 service's shared memory; 0 where it is switched off."""
    if memory is None:
        return None
    disabled = memory.at("disabled")
    if disabled is not None and is_on(disabled, "sharedMemory.disabled"):
        return Tree("0", disabled.place, disabled.key)
    return memory.at("size")


def _operator_defaults(kind: Tree | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Command and arguments that the operator gives a container without a command."""
    is_frontend = string(kind, "the type of a component") == "frontend"
    return (("python3",), ("-m", FRONTEND)) if is_frontend else (("/bin/sh", "-c"), ())
