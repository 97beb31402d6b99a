"""Will the operator accept the graph, and is it whole?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gptoss.deployment.model import Role, Worker
from gptoss.rules.fixes import remove_key
from gptoss.rules.right_answers import component_key
from gptoss.rules.rule import ANY, Need, Said, Severity, rule
from gptoss.rules.subjects import COMPONENTS, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.model import Component, Deployment
    from gptoss.facts.world import Release

NAME_LIMIT = 45
# The first release whose operator shortens the deployment's name, and to what at the least.
SHORTENS_FROM = (1, 2)
SHORTEST = 8
LABEL_LIMIT = 63
HASH_DIGITS = 8
LEADER_SUFFIX = "-ldr"
GROVE_ANNOTATION = "nvidia.com/enable-grove"


@rule(
    "G005",
    "name-too-long",
    Severity.ERROR,
    of=COMPONENTS,
)
def name_too_long(component: Component, deployment: Deployment) -> Iterator[Said]:
    """The names of deployment and component together are longer than the operator allows.

    Pod names are made of both, and the operator's webhook refuses the deployment at more than 45
    characters unless Grove is switched off with the annotation nvidia.com/enable-grove: "false".
    For several nodes the component's name counts twice, the second time with "-ldr". From release
    1.2 on the operator shortens the deployment's name, to 8 characters if it must: only what the
    component adds may be too long then. The Service of a component bears both names in full, and
    has at most 63 characters. So has a label: pods get one of the namespace and the deployment's
    name, and without Grove a worker's pods one of its Deployment's name, which ends in a hash.
    """
    grove = deployment.annotations.get(GROVE_ANNOTATION)
    off = grove is not None and grove.value.lower() == "false"
    said = None if off else _refused_by_grove(component, deployment)
    said = said or _too_long_for_an_object(component, deployment, grove_is_off=off)
    if said:
        yield Said(
            component,
            said[0],
            f"shorten the deployment's or the component's name by {said[1]}",
            also=[(deployment, "the deployment's name")],
        )


def _too_long_for_an_object(
    component: Component, deployment: Deployment, *, grove_is_off: bool
) -> tuple[str, int] | None:
    """What the API server refuses in names made of these, and how many characters are too many."""
    both = f"{deployment.name}-{component.name.lower()}"
    found = [(both, "the name of a Service")]
    one_node = isinstance(component, Worker) and component.nodes.value == 1
    if grove_is_off and one_node:
        found.append((f"{both}-{'0' * HASH_DIGITS}", "the label nvidia.com/selector"))
    first = next(iter(deployment.components))
    if deployment.namespace and component is first:
        label = f"{deployment.namespace.value}-{deployment.name}"
        found.append((label, "the label nvidia.com/dynamo-namespace"))
    for name, what in found:
        if len(name) > LABEL_LIMIT:
            full = f"{name!r} has {len(name)} characters"
            return f"{full}; {what} has at most {LABEL_LIMIT}", len(name) - LABEL_LIMIT
    return None


def _refused_by_grove(component: Component, deployment: Deployment) -> tuple[str, int] | None:
    """What makes the webhook refuse the names, and how many characters are too many."""
    name, release = deployment.name, deployment.release
    shortens = release is None or release.number >= SHORTENS_FROM
    parts = [name[:SHORTEST] if shortens else name, component.name.lower()]
    if isinstance(component, Worker) and component.nodes.value > 1:
        parts.append(component.name.lower() + LEADER_SUFFIX)
    length = sum(map(len, parts))
    if length <= NAME_LIMIT:
        return None
    total = " + ".join(f"{part!r} ({len(part)})" for part in parts)
    return f"{total} = {length} characters; the operator allows {NAME_LIMIT}", length - NAME_LIMIT


@rule(
    "G006",
    "replicas-left-to-the-operator",
    Severity.INFO,
    of=COMPONENTS,
    fixable=True,
)
def replicas_left_to_the_operator(component: Component, deployment: Deployment) -> Iterator[Said]:
    """A component leaves its replicas to the operator's defaulting.

    The operator writes replicas: 1 into the stored object. A GitOps tool that compares it with the
    manifest sees a difference for ever. What a scaling adapter owns is left out on purpose.
    """
    asked = deployment.operator.components.get(component.name)
    if component.replicas is None and not (asked and asked.scaling):
        yield Said(
            component,
            "replicas is left out; the operator adds 1 and GitOps sees drift",
            "write replicas: 1",
            fix=component_key(component, "replicas", 1),
        )


@rule(
    "G007",
    "field-ignored-by-operator",
    Severity.INFO,
    of=COMPONENTS,
    fixable=True,
)
def field_ignored_by_operator(component: Component) -> Iterator[Said]:
    """A component sets a field that the operator accepts and ignores.

    dynamoNamespace is computed from the Kubernetes namespace and the deployment's name, and
    autoscaling was replaced by scalingAdapter. The webhook only warns.
    """
    for field, place in component.ignored.items():
        yield Said(
            place,
            f"{field} is deprecated and ignored by the operator",
            f"remove {field}" + (" and use scalingAdapter" if field == "autoscaling" else ""),
            fix=None if field == "autoscaling" else remove_key(place, field),
        )


@rule(
    "G008",
    "half-of-disaggregation-missing",
    Severity.ERROR,
)
def half_of_disaggregation_missing(deployment: Deployment) -> Iterator[Said]:
    """There are prefill workers but no decode workers, or the other way round.

    A prefill worker alone never makes the model appear in /v1/models; a decode worker alone gets
    no prefilled requests to continue.
    """
    if deployment.frontend is None or deployment.workers_with(Role.AGGREGATED):
        return
    halves = {role: deployment.workers_with(role) for role in (Role.PREFILL, Role.DECODE)}
    for role, other in ((Role.PREFILL, Role.DECODE), (Role.DECODE, Role.PREFILL)):
        if halves[role] and not halves[other]:
            worker = halves[role][0]
            yield Said(
                worker,
                f"{worker.name} is a {role} worker but the graph has no {other} worker",
                f"add a worker with --disaggregation-mode {other}, or make {worker.name} an "
                "aggregated one",
            )


@rule(
    "G009",
    "frontend-missing",
    Severity.WARNING,
)
def frontend_missing(deployment: Deployment) -> Iterator[Said]:
    """The graph has workers but nothing that answers HTTP.

    Workers do not speak HTTP to clients. A graph without a frontend works only when a frontend of
    another graph serves a namespace shared with it.
    """
    entry = [c for c in deployment.others if c.type and c.type.value == "epp"]
    if deployment.workers and deployment.frontend is None and not entry:
        yield Said(
            deployment,
            f"{deployment.name} has workers but no frontend, so nothing answers requests",
            "add a component that runs python3 -m dynamo.frontend with componentType: frontend",
        )


@rule(
    "G010",
    "api-version-not-served",
    Severity.ERROR,
    needs=(Need.RELEASE,),
)
def api_version_not_served(release: Release, deployment: Deployment) -> Iterator[Said]:
    """The manifest is written in an API version that the release's operator does not serve.

    v1beta1 of DynamoGraphDeployment came with release 1.2.0. An older cluster answers that it has
    no such resource.
    """
    version = deployment.api_version.value.rpartition("/")[2]
    if version not in release.api_versions:
        served = " or ".join(f"nvidia.com/{v}" for v in release.api_versions)
        yield Said(
            deployment.api_version,
            f"apiVersion is {deployment.api_version.value}, which the operator of release "
            f"{release.version} does not serve",
            f"write apiVersion: {served}",
            also=[(deployment.release_place, f"release {release.version}")],
        )


@rule(
    "G011",
    "gpu-limit-missing",
    Severity.WARNING,
    of=WORKERS,
    runtimes=ANY,
)
def gpu_limit_missing(worker: Worker) -> Iterator[Said]:
    """A worker has no GPU limit, and no claim that hands out GPUs.

    Without one the scheduler may put the worker on a node without GPUs, and the container sees
    none. A claim whose template is not given along may hand them out.
    """
    if worker.gpus_per_pod is None and not worker.pod.claims_unknown:
        yield Said(
            worker,
            "there is no GPU limit, so the container gets no GPU",
            f'write resources.limits.gpu: "{worker.ranks // worker.nodes.value or 1}"',
        )
