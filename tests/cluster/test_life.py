"""The life of every target with both Helms, in a namespace that admits restricted pods only.

Installations are what takes time: one release of a target goes through all of its life, and each
step says by its name what it proves.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from gptoss.deployment.model import Deployment, Runtime
from gptoss.sources.load import load
from gptoss.sources.request import Request
from testcluster.programs import PATIENCE
from testcluster.storage import CHOSEN_NODE
from tests.chart.rendering import CHART, HELMS, SHIPPED, TUNED
from tests.cluster.releases import CLAIM, TIME_OUT, Release, State, namespace, part_of
from tests.cluster.steps import gpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gptoss.facts.world import Gpu
    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

PRODUCT, ARCHITECTURE = "nvidia.com/gpu.product", "kubernetes.io/arch"
UNPLACED = "didn't match Pod's node affinity/selector"
HASH = "nvidia.com/dynamo-worker-hash"
STORED = f"{CLAIM}/gpt-oss-model-cache"
# Its engine reads it, and nothing else does.
CHANGE = "kv_cache_config.host_cache_size=1000000000"
# Of requests every container has to name what it asks for. A graph's workers are there twice
# while they are replaced.
QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {{name: team}}
spec:
  hard:
    requests.nvidia.com/gpu: {gpus}
    requests.cpu: 2k
    requests.memory: 20Ti
    persistentvolumeclaims: 1
    requests.storage: 150Gi
"""
LIMITS = """
apiVersion: v1
kind: LimitRange
metadata: {name: team}
spec:
  limits:
    - {type: PersistentVolumeClaim, max: {storage: 150Gi}}
    - {type: Container, max: {cpu: 224, memory: 2Ti}}
"""


@dataclass
class Life:
    """A release of a target, step by step.

    Attributes:
        release: It.
        deployment: The target as the checker knows it.
        proves: Notes what has been proven.
        before: What there was after the last step.
        first: What there was after the installation.
    """

    release: Release
    deployment: Deployment
    proves: Callable[[str], None]
    before: State = field(default_factory=State)
    first: State = field(default_factory=State)

    @property
    def cluster(self) -> Cluster:
        return self.release.cluster

    @property
    def target(self) -> str:
        return self.deployment.source

    @property
    def chosen(self) -> tuple[str, ...]:
        """Half of the lives have a claim that binds at first use."""
        values = ("--values", f"values/{self.target}.yaml")
        if self.release.helm == "helm3":
            return (*values, "--set", "modelCache.storageClassName=first-use")
        return values

    @property
    def is_graph(self) -> bool:
        return self.deployment.runtime is Runtime.DYNAMO

    @property
    def gpu(self) -> Gpu:
        (gpu,) = {worker.gpu for worker in self.deployment.workers}
        assert gpu is not None
        return gpu

    @property
    def parts(self) -> dict[str, int]:
        """GPUs of one pod by the label of the part that it is of."""
        workers = self.deployment.workers
        names = {w.name: w.name if self.is_graph else "server" for w in workers}
        return {names[w.name]: w.gpus_per_pod.value for w in workers if w.gpus_per_pod}

    @property
    def part(self) -> str:
        """The part of the worker that is changed."""
        return next(iter(self.parts))

    def serving(self) -> State:
        """What there is as soon as all of it serves."""
        self.release.serves(self.deployment.runtime)
        return self.release.state()

    def replaced(self, part: str) -> State:
        """What there is once a change of a worker has replaced the pods that it concerns alone."""
        old = self.before.pods()
        concerned = self._concerned(part)
        self.release.gone({pod for each in concerned for pod in old[each]})
        after = self.serving()
        new = after.pods()
        assert new.keys() == old.keys()
        for each in old:
            assert (new[each] == old[each]) is (each not in concerned), each
        return after

    def _concerned(self, part: str) -> set[str]:
        """The operator keeps the workers of a graph together: one hash is over all of them."""
        labels = [pod["metadata"]["labels"] for pod in self.before.of("Pod").values()]
        return set(self.parts) if any(HASH in each for each in labels) else {part}


def its_pods_wait_for_nodes_of_its_gpu_and_say_so(life: Life) -> None:
    if life.release.helm == "helm3":
        return  # the scheduler does not care who installs
    with without(life.cluster, life.gpu.product_labels[0]):
        command = ("install", life.release.name, str(CHART), "--wait", TIME_OUT, *life.chosen)
        helm = life.release.start(*command)
        wanted = sum(w.replica_count * w.nodes.value for w in life.deployment.workers)
        there = life.release.eventually(
            "the scheduler says why they have no node",
            lambda state: len(_unplaced(state)) == wanted,
        )
        # Of a graph Helm may know nothing yet; the operator's word counts.
        assert not _ready(there) if life.is_graph else helm.poll() is None
    said, complained = helm.communicate(timeout=PATIENCE)
    assert helm.returncode == 0, said + complained
    assert "warning" not in complained.lower()


def its_workers_are_installed_on_nodes_of_its_gpu_and_architecture(life: Life) -> None:
    if life.release.helm == "helm3":
        life.release.install(*life.chosen)
    life.release.downloaded()
    life.first = life.before = life.serving()
    nodes = {node["metadata"]["name"]: node for node in life.cluster.objects("nodes")}
    taken = dict.fromkeys(life.parts, 0)
    for pod in life.before.of("Pod").values():
        part = part_of(pod)
        assert gpus(pod) == life.parts.get(part, 0), pod["metadata"]["name"]
        if part in life.parts:
            labels = nodes[pod["spec"]["nodeName"]]["metadata"]["labels"]
            assert labels[PRODUCT] in life.gpu.product_labels
            assert labels[ARCHITECTURE] == life.gpu.architecture
            taken[part] += gpus(pod)
    assert sum(taken.values()) == life.deployment.gpus
    life.proves("install")


def its_claim_is_bound_at_once_or_at_first_use_and_the_download_fills_it(life: Life) -> None:
    claim = life.before[STORED]
    (job,) = life.before.of("Job").values()
    assert claim["status"]["phase"] == "Bound"
    assert job["status"]["succeeded"] == 1
    users = [pod for pod in life.before.of("Pod").values() if _uses(pod, claim)]
    assert {part_of(pod) for pod in users} >= {"download", *life.parts}
    at_first_use = claim["metadata"]["annotations"].get(CHOSEN_NODE)
    if life.release.helm == "helm3":
        assert at_first_use in {pod["spec"]["nodeName"] for pod in users}
    else:
        assert at_first_use is None


def a_repeated_upgrade_changes_nothing(life: Life) -> None:
    life.release.upgrade(*life.chosen)
    assert life.release.state().identities() == life.before.identities()
    life.proves("no drift")


def a_changed_engine_setting_rolls_the_workers_concerned_and_nothing_else(life: Life) -> None:
    name = life.deployment.workers[0].name
    life.release.upgrade(*life.chosen, "--set", f"workers.{name}.engine.{CHANGE}")
    after = life.replaced(life.part)
    assert after.of("Job").keys() == life.before.of("Job").keys()
    old, new = (set(state.of("ConfigMap")) for state in (life.before, after))
    assert [each for each in new - old if f"-{name}-engine-" in each] == [*(new - old)]
    life.before = after
    life.proves("upgrade")


def a_rollback_brings_back_what_was_installed(life: Life) -> None:
    life.release.rollback(1)
    after = life.replaced(life.part)
    assert after.written() == life.first.written()
    life.before = after
    life.proves("rollback")


def helm_test_makes_pods_that_find_a_node(life: Life) -> None:
    said = life.release.types("test", life.release.name, TIME_OUT)
    assert "Phase:          Succeeded" in said


def what_it_made_goes_with_it_but_the_claim_stays(life: Life) -> None:
    life.release.uninstall()
    life.release.gone(set(life.before.of("Pod")))
    left = life.release.eventually("all else is gone", lambda state: len(state) <= 1)
    assert set(left) == {STORED}
    assert left.identities()[STORED] == life.first.identities()[STORED]


STEPS = (
    its_pods_wait_for_nodes_of_its_gpu_and_say_so,
    its_workers_are_installed_on_nodes_of_its_gpu_and_architecture,
    its_claim_is_bound_at_once_or_at_first_use_and_the_download_fills_it,
    a_repeated_upgrade_changes_nothing,
    a_changed_engine_setting_rolls_the_workers_concerned_and_nothing_else,
    a_rollback_brings_back_what_was_installed,
    helm_test_makes_pods_that_find_a_node,
    what_it_made_goes_with_it_but_the_claim_stays,
)


# A tuned sibling differs from its document's target in numbers: the default Helm says enough.
@pytest.mark.parametrize(
    ("target", "helm"),
    [(name, helm) for name in SHIPPED for helm in (HELMS[-1:] if name in TUNED else HELMS)],
)
def test_a_target_lives_as_helm_promises(
    target: str,
    helm: str,
    cluster: Cluster,
    subtests: pytest.Subtests,
    record_property: Callable[[str, Any], None],
) -> None:
    (deployment,) = load(Request((target,))).deployments
    by = helm.replace("helm", "Helm ")

    def proves(what: str) -> None:
        record_property("proven", [target, by, what])

    limits = (QUOTA.format(gpus=2 * deployment.gpus), LIMITS)
    with namespace(cluster, f"{target}-{helm}", *limits) as space:
        life = Life(Release(cluster, helm, space), deployment, proves)
        for step in STEPS:
            done = False
            with subtests.test(step.__name__.replace("_", " ")):
                step(life)
                done = True
            if not done:
                break


@contextmanager
def without(cluster: Cluster, product: str) -> Iterator[None]:
    """The cluster as if it had no node with a GPU; the tests of a cluster run one by one."""
    cluster.kubectl(
        "label", "nodes", "-l", f"{PRODUCT}={product}", f"{PRODUCT}=other", "--overwrite"
    )
    try:
        yield
    finally:
        cluster.kubectl(
            "label", "nodes", "-l", f"{PRODUCT}=other", f"{PRODUCT}={product}", "--overwrite"
        )


def _unplaced(state: State) -> list[str]:
    """Pods for which there is no node of the kind that they ask for."""
    return [
        name
        for name, pod in state.of("Pod").items()
        for condition in pod["status"].get("conditions", [])
        if condition["type"] == "PodScheduled" and UNPLACED in condition.get("message", "")
    ]


def _uses(pod: dict[str, Any], claim: dict[str, Any]) -> bool:
    claims = [volume.get("persistentVolumeClaim", {}) for volume in pod["spec"]["volumes"]]
    return claim["metadata"]["name"] in [each.get("claimName") for each in claims]


def _ready(state: State) -> bool:
    """Whether the operator says of a graph that all of it runs."""
    return any(
        condition["type"] == "Ready" and condition["status"] == "True"
        for graph in state.of("DynamoGraphDeployment").values()
        for condition in graph.get("status", {}).get("conditions", [])
    )
