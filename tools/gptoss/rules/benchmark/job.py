"""Will the benchmark, accuracy and download Jobs run as they are meant to?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gptoss.rules.rule import DYNAMO, Said, Severity, rule
from gptoss.rules.subjects import ASKING_PODS, BENCHMARK, JOB_PODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gptoss.deployment.jobs import Benchmark
    from gptoss.deployment.model import Deployment
    from gptoss.deployment.pods import Pod
    from gptoss.text.places import Place

# Seconds in which the model is loaded.
LOADING = 1800
HOSTNAME = "kubernetes.io/hostname"
GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
PYTHON_INSTALLERS = ("pip", "pip3", "uv", "pipx", "python", "python3")
# A load generator by its name alone, or the newest commit of its repository or of a branch.
MOVING = re.compile(
    r"(aiperf|genai-perf|guidellm|llmperf)(\[[^]]*\])?"
    r"|(aiperf @ )?git\+https?://\S+/(aiperf|perf_analyzer)(\.git)?(@(main|master|HEAD))?(#\S*)?"
)
INSTALLERS = {
    "apt-get": ("install", "update"),
    "apt": ("install", "update"),
    "apk": ("add",),
    "dnf": ("install",),
    "yum": ("install",),
    "pip": ("install",),
    "pip3": ("install",),
    "uv": ("pip", "add", "tool"),
}


@rule(
    "B011",
    "benchmark-cannot-share-the-cluster",
    Severity.WARNING,
    of=BENCHMARK,
    runtimes=DYNAMO,
)
def benchmark_cannot_share_the_cluster(
    benchmark: Benchmark, deployment: Deployment
) -> Iterator[Said]:
    """The benchmark Job refuses every node that runs a pod of the deployment.

    On a cluster where the deployment takes all nodes, one GPU node for instance, the Job stays
    Pending for ever.
    """
    for affinity in benchmark.pod.anti_affinity:
        if not affinity.required or affinity.topology_key != HOSTNAME:
            continue
        for key, values in affinity.labels:
            if key == GRAPH_LABEL and deployment.name in values:
                yield Said(
                    affinity,
                    f"Job {benchmark.name} must not share a node with any pod of "
                    f"{deployment.name}, so it never starts where they take every node",
                    "use preferredDuringSchedulingIgnoredDuringExecution",
                )


@rule(
    "B012",
    "installs-at-run-time",
    Severity.WARNING,
    of=JOB_PODS,
)
def installs_at_run_time(pod: Pod) -> Iterator[Said]:
    """A Job installs software when it starts.

    It needs the network and root, takes minutes while GPUs wait, and runs whatever is newest that
    day. The runtime image has aiperf and the Hugging Face command line already.
    """
    found = _installer(pod)
    if found:
        yield Said(
            found[0],
            f"the Job installs software when it starts: {found[1]}",
            "use an image that has it; NVIDIA's runtime image has aiperf and hf",
        )


def _installer(pod: Pod) -> tuple[Place, str] | None:
    """The first command that installs something."""
    for command in pod.commands:
        words = [word.value.rpartition("/")[2] for word in command.words]
        for program, verbs in INSTALLERS.items():
            if program in words[:3] and any(verb in words for verb in verbs):
                line = command.line
                return command.place, line if len(line) < 60 else f"{line[:57]}..."
    return None


@rule(
    "B031",
    "client-not-pinned",
    Severity.WARNING,
    of=BENCHMARK,
)
def client_not_pinned(benchmark: Benchmark) -> Iterator[Said]:
    """The benchmark installs whatever load generator is newest.

    Versions count tokens, warm-up and percentiles differently. Two runs of one Job then differ for
    no reason that either deployment has.
    """
    for command in benchmark.pod.commands:
        words = [word.value for word in command.words]
        if "install" not in words or words[0].rpartition("/")[2] not in PYTHON_INSTALLERS:
            continue
        for word in command.words[words.index("install") + 1 :]:
            if MOVING.fullmatch(word.value):
                yield Said(
                    word,
                    f"{word.value} installs the load generator of the day",
                    "name a version, as in aiperf==0.13.0, or a commit",
                )


@rule(
    "B015",
    "pull-secret-of-another-registry",
    Severity.INFO,
    of=JOB_PODS,
)
def pull_secret_of_another_registry(pod: Pod) -> Iterator[Said]:
    """A Job names a pull secret for NVIDIA's registry but pulls from another one.

    The secret is not used; where it does not exist the events of every pod carry a warning.
    """
    for secret in pod.pull_secrets:
        named = re.search(r"nvcr|ngc", secret.value, re.IGNORECASE)
        if named and pod.image and not pod.image.value.startswith("nvcr.io/"):
            yield Said(
                secret,
                f"pull secret {secret.value} is for nvcr.io, but the image is {pod.image.value}",
                "remove it",
                also=[(pod.image, f"image {pod.image.value}")],
            )


@rule(
    "B040",
    "job-deleted-with-its-results",
    Severity.WARNING,
    of=JOB_PODS,
)
def job_deleted_with_its_results(pod: Pod) -> Iterator[Said]:
    """A Job is deleted when it has ended, and its results are nowhere else.

    Its pod and its log go with it. What keeps a release in step with its manifests, as Argo CD or
    Flux, then makes the Job again, which measures again.
    """
    if pod.kept and not any(mount.claim and not mount.read_only for mount in pod.mounts):
        yield Said(
            pod.kept,
            f"the Job is deleted {pod.kept.value:,} s after it has ended, with its log and all "
            "that it wrote",
            "let it write to a claim, or leave ttlSecondsAfterFinished out",
        )


@rule(
    "B041",
    "job-ends-before-the-model-is-loaded",
    Severity.WARNING,
    of=ASKING_PODS,
)
def job_ends_before_the_model_is_loaded(pod: Pod) -> Iterator[Said]:
    """A Job that waits for the model is ended before it can be loaded.

    Its time begins with its pod and not when the model answers: loading alone takes 15 to 30
    minutes.
    """
    if pod.deadline and pod.before and pod.deadline.value < LOADING:
        yield Said(
            pod.deadline,
            f"the Job is ended after {pod.deadline.value:,} s, those included in which it waits; "
            "loading the model takes up to half an hour",
            "set activeDeadlineSeconds to more than the wait and the work together",
        )
