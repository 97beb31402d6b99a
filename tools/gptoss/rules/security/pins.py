"""Does anything have more rights than it needs, or less certainty about what it runs?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.deployment.hub import is_commit
from gptoss.rules.fixes import remove_key
from gptoss.rules.readings import is_true
from gptoss.rules.rule import KUBERNETES, Said, Severity, rule
from gptoss.rules.subjects import DOWNLOADS, PODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Download
    from gptoss.deployment.pods import Pod
    from gptoss.facts.world import Facts
    from gptoss.text.command import Variable

TOKEN = re.compile(r"^(hf_[A-Za-z0-9]{16,}|nvapi-[\w-]{16,}|ghp_\w{16,}|AKIA[A-Z0-9]{16})$")
# Any other key under a name that is for one; "None", "<token>" and "your-token-here" are none.
KEY = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_=+/.-]{16,}$")
# Different characters of a token; hf_xxxxxxxxxxxxxxxxxxxx stands for one.
VARIED = 4
SECRET_NAMES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN", "NGC_API_KEY")
HUB_PACKAGE = re.compile(r"huggingface[_-]hub(\[[^]]*\])?==(\d+)\.")


@rule(
    "X001",
    "privileged-container",
    Severity.WARNING,
    of=PODS,
    fixable=True,
)
def privileged_container(pod: Pod) -> Iterator[Said]:
    """A container is privileged.

    It can do on its node what root can. Namespaces with a Pod Security Standard refuse it. No
    component and no Job of a gpt-oss deployment needs it; RDMA needs the capability IPC_LOCK.
    """
    if pod.privileged:
        yield Said(
            pod.privileged,
            "a container runs privileged",
            "remove privileged: true",
            fix=remove_key(pod.privileged, "privileged"),
        )


@rule(
    "X002",
    "runs-as-root",
    Severity.WARNING,
    of=PODS,
    platforms=KUBERNETES,
)
def runs_as_root(pod: Pod) -> Iterator[Said]:
    """A pod asks to run as root.

    The runtime image has an ordinary user and needs no other. Only memory that is pinned for RDMA
    asks for root, for IPC_LOCK does nothing for another user, and what fills a disk of the node,
    whose folder belongs to root.
    """
    fills = bool(pod.variable("MODEL_REVISION")) and any(
        mount.source.startswith("hostPath") and not mount.read_only for mount in pod.mounts
    )
    if pod.root and not fills and not pod.capability("IPC_LOCK"):
        yield Said(
            pod.root, "the pod runs as user 0", "write runAsNonRoot: true and runAsUser: 1000"
        )


@rule(
    "X003",
    "token-in-plain-text",
    Severity.WARNING,
    of=PODS,
)
def token_in_plain_text(pod: Pod) -> Iterator[Said]:
    """A token stands in the manifest, in a variable or on a command line.

    Whoever can read the repository or the object has it. It belongs into a Secret.
    """
    for variable in pod.environment.values():
        if _is_token(variable):
            yield Said(
                variable,
                f"{variable.name} holds a token in plain text",
                "put it into a Secret, refer to it with valueFrom.secretKeyRef, and revoke "
                "this one",
            )
    for command in pod.commands:
        for word in command.words:
            if _looks_secret(word.value.rpartition("=")[2].rpartition(" ")[2]):
                yield Said(
                    word,
                    "the command holds a token in plain text",
                    "put it into a Secret, refer to its variable, and revoke this one",
                )


def _is_token(variable: Variable) -> bool:
    value = variable.value or ""
    return _looks_secret(value) or (variable.name in SECRET_NAMES and bool(KEY.match(value)))


def _looks_secret(value: str) -> bool:
    """Whether a word is a token of a known kind, and not one that is written to be filled in."""
    return bool(TOKEN.match(value)) and len(set(value.rpartition("_")[2].lower())) >= VARIED


@rule(
    "X004",
    "download-not-pinned",
    Severity.WARNING,
    of=DOWNLOADS,
)
def download_not_pinned(job: Download, facts: Facts) -> Iterator[Said]:
    """The download Job fetches whatever is newest in the model's repository.

    A branch moves: tomorrow's cache holds other files, and nobody decided so. A commit does not.
    """
    if job.model is None or (job.revision and is_commit(job.revision.value)):
        return
    says = f"revision {job.revision.value!r}" if job.revision else "no revision"
    known = facts.models.get(job.model.value)
    commit = known.revision if known else "the commit's 40 digits"
    yield Said(
        job.revision or job.model,
        f"{job.model.value} is fetched at {says}, which moves",
        f"pin --revision {commit}",
    )


@rule(
    "X005",
    "hf-transfer-ignored",
    Severity.INFO,
    of=DOWNLOADS,
)
def hf_transfer_ignored(job: Download) -> Iterator[Said]:
    """``HF_HUB_ENABLE_HF_TRANSFER`` is set for a huggingface_hub that ignores it.

    Version 1.0 dropped hf_transfer. Downloads are not faster, and hf_transfer is installed for
    nothing. Its successor is switched to full speed with HF_XET_HIGH_PERFORMANCE=1.
    """
    switch = job.pod.environment.get("HF_HUB_ENABLE_HF_TRANSFER")
    version = _hub_version(job.pod)
    if switch and is_true(switch.value) and version is not None and version >= 1:
        yield Said(
            switch,
            f"{switch.name} has no effect with huggingface_hub {version}.x",
            "remove it and hf_transfer; set HF_XET_HIGH_PERFORMANCE=1",
        )


def _hub_version(pod: Pod) -> int | None:
    """The major version of huggingface_hub that a Job installs, when it names one."""
    for command in pod.commands:
        found = HUB_PACKAGE.search(command.line)
        if found:
            return int(found[2])
    return None
