"""Where the weights lie, and the Secret that their download needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.hub import snapshot_of
from gptoss.importing.context import leaf
from gptoss.importing.document import Leaf
from gptoss.importing.whole import OBJECT_NAME
from gptoss.text.places import Located
from gptoss.values.identifiers import FOLDER, HOST_FOLDER

if TYPE_CHECKING:
    from gptoss.deployment.model import Deployment, Worker
    from gptoss.deployment.pods import Mount, Pod
    from gptoss.importing.context import Context
    from gptoss.importing.document import Block

CACHE_VARIABLES = ("HF_HUB_CACHE", "HF_HOME", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE")
DISK = "hostPath "
# What a cache of the hub has in its folder.
HUB = "/hub/models--"


def storage(context: Context) -> Block:
    """The volume of the model cache, and the Secret that its download needs."""
    found: Block = {}
    mount = cache_mount(context.deployment)
    if mount:
        where = f"at {mount.path}"
        if mount.claim:
            found["existingClaim"] = leaf(mount.claim, mount.place, where)
        else:
            found["hostPath"] = leaf(mount.source.removeprefix(DISK), mount.place, where)
            if not _is_filled(mount, context.deployment):
                found["readOnly"] = Leaf(True, "nothing in the source fills it")
        found |= _folders(mount, context)
    secret = _token(context.deployment)
    if secret:
        found["download"] = {"tokenSecret": {"name": leaf(secret.value, secret.place)}}
    return found


def cache_mount(deployment: Deployment) -> Mount | None:
    """The claim, or the disk of the node, that workers read the model from."""
    for worker in deployment.workers:
        paths = [worker.model.value] if worker.model and worker.model.value.startswith("/") else []
        paths += [v for name in CACHE_VARIABLES if (v := worker.pod.variable(name))]
        for mount in (worker.pod.mount_at(path) for path in paths):
            if mount and _can_be_named(mount):
                return mount
    return None


def _can_be_named(mount: Mount) -> bool:
    if mount.claim:
        return OBJECT_NAME.fullmatch(mount.claim) is not None
    return re.fullmatch(f"{DISK}{HOST_FOLDER}", mount.source) is not None


def _is_filled(mount: Mount, deployment: Deployment) -> bool:
    pods = [job.pod for job in deployment.downloads]
    return any(other.source == mount.source for pod in pods for other in pod.mounts)


def _folders(mount: Mount, context: Context) -> Block:
    """Folder of the volume, and where in it the checkpoint lies when that is no hub's cache."""
    found: Block = {}
    worker = context.deployment.workers[0]
    path = worker.model.value if worker.model else ""
    top = mount.path.rstrip("/")
    below = path.removeprefix(f"{top}/") if path.startswith(f"{top}/") else ""
    sub = [mount.sub_path or ""]
    home = worker.pod.variable("HF_HOME") or ""
    if below and snapshot_of(path):
        sub.append(f"/{below}".partition(HUB)[0].strip("/"))
    elif not path.startswith("/") and home.startswith(f"{top}/"):
        sub.append(home.removeprefix(top).strip("/"))
    folder = "/".join(part for part in sub if part)
    if folder:
        _put(found, "subPath", folder, worker, context)
    if (path == top or path.startswith(f"{top}/")) and not snapshot_of(path):
        _put(found, "path", below.rstrip("/") or ".", worker, context)
    return found


def _put(found: Block, key: str, folder: str, worker: Worker, context: Context) -> None:
    place = worker.model.place if worker.model else worker.place
    if re.fullmatch(rf"\.|{FOLDER}", folder):
        found[key] = leaf(folder, place)
    else:
        told = f"{worker.name}: the weights lie in {folder}, which modelCache.{key} does not take"
        context.left_out(told, place)


def _token(deployment: Deployment) -> Located[str] | None:
    """The Secret with the Hugging Face token, where it is not the chart's default."""
    pods: list[Pod] = [*(d.pod for d in deployment.downloads), *(w.pod for w in deployment.workers)]
    for pod in pods:
        token = pod.environment.get("HF_TOKEN")
        if token and token.secret and OBJECT_NAME.fullmatch(token.secret):
            return Located(token.secret, token.place)
        named = [secret for secret in pod.secrets if OBJECT_NAME.fullmatch(secret.value)]
        if named:
            return named[0]
    return None
