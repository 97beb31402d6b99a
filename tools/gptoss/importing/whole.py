"""What a deployment is as a whole: runtime, model, hardware, storage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.comparing.compare import revision_of
from gptoss.deployment.hub import is_commit, snapshot_of
from gptoss.deployment.model import Runtime
from gptoss.facts.programs import SERVE
from gptoss.importing.claim_values import claim_blocks
from gptoss.importing.context import leaf
from gptoss.importing.document import Block, Leaf
from gptoss.importing.pods import node_selector
from gptoss.importing.rdma_values import rdma_block
from gptoss.sources.parts.releases import tag_of
from gptoss.sources.parts.workers import GPU_LABEL

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.importing.context import Context
    from gptoss.text.places import Located, Place

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
# Annotations that tools write for themselves.
TOOLS = (
    "kubectl.kubernetes.io/",
    "meta.helm.sh/",
    "argocd.argoproj.io/",
    "deployment.kubernetes.io/",
)
SELF_HOST = (1, 2, 1)


def runtime(context: Context) -> Block:
    """Kind, release, and an image that is not the release's own."""
    deployment, release = context.deployment, context.release
    found: Block = {"kind": Leaf(deployment.runtime.value)}
    where = deployment.release_place
    if "--release" in context.asked:
        found["release"] = Leaf(release.version, "--release")
    elif deployment.release and deployment.release.version == release.version:
        found["release"] = leaf(release.version, where)
    elif deployment.release is not None:
        found["release"] = Leaf(release.version)
        context.chosen(
            f"release {release.version}, for the chart deploys no {deployment.release.version}; "
            f"gptoss upgrade --to {release.version} says what changes",
            where,
        )
    else:
        found["release"] = Leaf(release.version)
        context.chosen(
            f"the release is not told by the source; {release.version} is taken, which ships "
            f"TensorRT-LLM {release.trtllm}; give --release for another one",
            where,
        )
    image = next((w.pod.image for w in deployment.workers if w.pod.image), None)
    if is_split_server(deployment):
        context.mended(
            "trtllm-serve disaggregated: the chart splits prefill and decode under Dynamo, whose "
            "frontend takes the place of its server",
            image.place if image else where,
        )
        return found
    if image is None:
        return found
    own = _images(context)
    repository = image.value.partition("@")[0].removesuffix(f":{tag_of(image.value)}")
    if image.value in own:
        return found
    if "@" not in image.value and repository in {name.rpartition(":")[0] for name in own}:
        context.mended(
            f"image {image.value}: the chart runs release {release.version}, whose image is "
            f"{own[0]}; set runtime.image to keep the other",
            image.place,
        )
    else:
        found["image"] = leaf(image.value, image.place)
    return found


def is_split_server(deployment: Deployment) -> bool:
    """Whether it is what ``trtllm-serve disaggregated`` leads to, on its way to Dynamo."""
    programs = {worker.arguments.program.name for worker in deployment.workers}
    return deployment.runtime is Runtime.DYNAMO and SERVE in programs


def _images(context: Context) -> list[str]:
    """The images that the release stands for."""
    release, facts = context.release, context.facts
    if context.deployment.runtime is Runtime.SERVE:
        return [f"{facts.serve_image}:{release.trtllm}"]
    return [f"{facts.image}:{release.version}"]


def model(context: Context) -> Block:
    """Repository, revision and public name."""
    deployment = context.deployment
    named = next((w.model for w in deployment.workers if w.model), None)
    found: Block = {}
    known = deployment.model or next(iter(context.facts.models.values()))
    identifier = deployment.model.id if deployment.model else _repository(named, deployment)
    if identifier is None or named is None:
        context.chosen(
            f"no repository is known for the model {named.value if named else ''}; {known.id} is "
            "taken, write model.id and model.revision if it is another",
            named.place if named else deployment.place,
        )
        identifier = known.id
    found["id"] = leaf(identifier, named.place) if named else Leaf(identifier)
    found["revision"] = _revision(identifier, context)
    served = _served_name(deployment)
    if served and served.value != identifier:
        if deployment.runtime is Runtime.DYNAMO and context.release.number < SELF_HOST:
            context.left_out(
                f"the public name {served.value}: release {context.release.version} finds a model "
                "only by its id; take release 1.2.1 or newer for another name",
                served.place,
            )
        else:
            found["servedName"] = leaf(served.value, served.place)
    return found


def _repository(named: Located[str] | None, deployment: Deployment) -> str | None:
    """The repository of a model: its id, or of a folder the id that ends in its name."""
    if named is None:
        return None
    snapshot = snapshot_of(named.value)
    if snapshot:
        return snapshot.repository
    if REPOSITORY.fullmatch(named.value):
        return named.value
    said = [download.model for download in deployment.downloads]
    folder = named.value.rstrip("/").rpartition("/")[2]
    for other in (*said, _served_name(deployment)):
        if other and REPOSITORY.fullmatch(other.value) and other.value.endswith(f"/{folder}"):
            return other.value
    return None


def _served_name(deployment: Deployment) -> Located[str] | None:
    return next((w.served_name for w in deployment.workers if w.served_name), None)


def _revision(identifier: str, context: Context) -> Leaf:
    side = revision_of(context.deployment)
    if isinstance(side.value, str) and side.place and is_commit(side.value):
        return leaf(side.value, side.place)
    known = context.facts.models.get(identifier)
    told = f"revision {side.value}, which is no commit" if side.value else "no revision is pinned"
    if known is None:
        context.chosen(f"{told}, and no commit of {identifier} is known; write one", side.place)
        return Leaf("", f"a commit of {identifier}")
    pinned = known.revision
    context.mended(f"{told}; the chart pins one, here {pinned}", side.place)
    return Leaf(pinned)


def hardware(context: Context) -> Block:
    """Kind of GPU, and labels that nodes must have beside."""
    gpu = context.gpu
    told = next((worker for worker in context.deployment.workers if worker.gpu), None)
    found: Block = {"gpu": leaf(gpu.key, _gpu_place(told)) if told else Leaf(gpu.key)}
    for worker in context.deployment.workers:
        if worker.gpu and worker.gpu is not gpu:
            context.left_out(
                f"{worker.name}: it asks for {worker.gpu.name}; all workers of the chart have one "
                f"kind of GPU, here {gpu.name}",
                _gpu_place(worker),
            )
    if "--gpu" in context.asked:
        found["gpu"] = Leaf(gpu.key, "--gpu")
    labels = node_selector(context)
    if labels:
        found["nodeSelector"] = labels
    rdma = rdma_block(context)
    if rdma:
        found["rdma"] = rdma
    return found | claim_blocks(context)


def _gpu_place(worker: Worker) -> Place:
    """Where the kind of GPU is told: by a node label, else along with the number of GPUs."""
    labels = [asked.place for asked in worker.pod.nodes if asked.key == GPU_LABEL]
    counted = worker.gpus_per_pod.place if worker.gpus_per_pod else worker.place
    return labels[0] if labels else counted


def graph_annotations(context: Context) -> Block:
    """Annotations of the graph that people write."""
    return {
        key: leaf(value.value, value.place)
        for key, value in context.deployment.annotations.items()
        if not key.startswith(TOOLS)
    }


def pull_secrets(context: Context) -> Leaf | None:
    """Names of image pull Secrets."""
    pods = [component.pod for component in context.deployment.components]
    found = {
        secret.value: secret.place
        for pod in pods
        for secret in pod.pull_secrets
        if OBJECT_NAME.fullmatch(secret.value)
    }
    if not found:
        return None
    return leaf(list(found), next(iter(found.values())))
