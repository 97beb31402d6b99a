"""What the commands of the documents do, by their form: each is typed, and then looked after."""

from __future__ import annotations

import base64
import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from gptoss.facts.world import Facts
from testcluster.programs import PATIENCE
from tests.cluster.visit import INSTANCE

if TYPE_CHECKING:
    from tests.cluster.visit import Visit

SIMULATED = "simulated: no container runs here"


def follow(visit: Visit, command: str) -> None:
    """Types a command, and looks whether it did what it is there for."""
    plain = without_namespace(command)
    for form, what, look in STEPS:
        if re.match(form, plain, re.DOTALL):
            look(visit, command)
            visit.taken.append(what)
            return
    raise AssertionError(f"nothing here knows what this is to do: {command}")


def export(visit: Visit, command: str) -> None:
    visit.terminal.export(command)


def say(visit: Visit, command: str) -> None:
    assert visit.terminal.type(command).strip()


def make_namespace(visit: Visit, command: str) -> None:
    visit.terminal.type(command)
    visit.cluster.kubectl("get", "namespace", visit.namespace)


def make_secret(visit: Visit, command: str) -> None:
    visit.terminal.type(command)
    assert len(visit.objects("secrets")) == 1


def install(visit: Visit, command: str) -> None:
    said = visit.terminal.type(command)
    assert "STATUS: deployed" in said
    manifest = visit.terminal.type("helm get manifest gpt-oss -n $NAMESPACE")
    visit.cluster.accepts(manifest)


def wait_for_download(visit: Visit, command: str) -> None:
    visit.terminal.type(command)
    (claim,) = visit.objects("persistentvolumeclaims")
    assert claim["status"]["phase"] == "Bound"
    (job,) = visit.part("jobs", "download")
    assert job["status"]["succeeded"] == 1
    if "secret" in visit.taken:
        assert token_of(visit, job) == visit.terminal.variables["HF_TOKEN"]


def wait_for_model(visit: Visit, command: str) -> None:
    visit.terminal.type(command)
    pods = [pod for pod in visit.objects("pods") if gpus(pod)]
    assert sum(map(gpus, pods)) == visit.deployment.gpus
    nodes = {node["metadata"]["name"]: node for node in visit.cluster.objects("nodes")}
    for pod in pods:
        labels = nodes[pod["spec"]["nodeName"]]["metadata"]["labels"]
        found = Facts().gpu_of(labels["nvidia.com/gpu.product"])
        assert found == visit.deployment.workers[0].gpu
    for pod in visit.objects("pods", "--selector", INSTANCE):
        labels = nodes[pod["spec"]["nodeName"]]["metadata"]["labels"]
        assert gpus(pod) or "nvidia.com/gpu.product" not in labels, pod["metadata"]["name"]


def watch(visit: Visit, command: str) -> None:
    said = visit.terminal.until(command, "Running")
    assert "gpt-oss" in said


def look_for_events(visit: Visit, command: str) -> None:
    """Makes a pod that has no node, for there to be something to say."""
    spec = {"nodeSelector": {"no": "such"}, "containers": [{"name": "main", "image": "none"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "homeless"}, "spec": spec}
    here = ("--namespace", visit.namespace)
    visit.cluster.kubectl("create", *here, "--filename", "-", given=json.dumps(pod))
    scheduled = ("--for=condition=PodScheduled=False", f"--timeout={PATIENCE}s")
    visit.cluster.kubectl("wait", *here, *scheduled, "pod/homeless")
    told = ("events", *here, "--for", "pod/homeless")
    visit.eventually("it is told", lambda: "Failed" in visit.cluster.run(*told).stdout)
    assert "didn't match Pod's node affinity/selector" in visit.terminal.type(command)
    visit.cluster.kubectl("delete", "pod", "homeless", *here)


def ask_by_helm(visit: Visit, command: str) -> None:
    said = visit.terminal.type(f"{command} 2>&1")
    assert "Succeeded" in said
    assert SIMULATED in said, "the log of the pod, which is gone then"
    assert visit.part("pods", "test") == []


def forward(visit: Visit, command: str) -> None:
    visit.terminal.forward(command)
    for question in visit.asks:
        follow(visit, question)


def ask(visit: Visit, command: str) -> None:
    visit.server.asked.clear()
    said = visit.terminal.type(command)
    ((path, _),) = visit.server.asked
    assert path in command
    if "%{http_code}" in command:
        assert "200" in said
    else:
        assert "error" not in json.loads(said)


def read_log(visit: Visit, command: str) -> None:
    *_, operator, file = ["", *shlex.split(command)]
    said = visit.terminal.type(command)
    if operator == ">":
        said = (visit.terminal.folder / file).read_text(encoding="utf-8")
    assert SIMULATED in said


def follow_log(visit: Visit, command: str) -> None:
    visit.terminal.until(command, SIMULATED)
    visit.finish(part_of(command))


def start_job(visit: Visit, command: str) -> None:
    serving = visit.serving()
    visit.terminal.type(command)
    job = the_job(visit, command)
    if "$EVALS_IMAGE" in command:
        (main,) = job["spec"]["template"]["spec"]["containers"]
        assert main["image"] == visit.terminal.variables["EVALS_IMAGE"]
    assert visit.serving() == serving, "what serves is restarted"


def stop_job(visit: Visit, command: str) -> None:
    serving = visit.serving()
    visit.terminal.type(command)
    visit.eventually("the Job is gone", lambda: not visit.part("jobs", part_of(command)))
    assert visit.serving() == serving, "what serves is restarted"


def upgrade(visit: Visit, command: str) -> None:
    before = visit.images()
    visit.terminal.type(command)
    visit.eventually("every pod runs another image", lambda: not visit.images() & before)
    visit.eventually("the old pods are gone", lambda: len(visit.images()) == 1)


def remove_release(visit: Visit, command: str) -> None:
    said = visit.terminal.type(command)
    assert "uninstalled" in said
    left = ["PersistentVolumeClaim/gpt-oss-model-cache"]
    visit.eventually("all else is gone", lambda: visit.names() == left)


def delete(visit: Visit, command: str) -> None:
    visit.terminal.type(command)
    _, _, kind, name, *_ = shlex.split(without_namespace(command))
    found = visit.objects({"pvc": "persistentvolumeclaims"}.get(kind, f"{kind}s"))
    assert name not in [thing["metadata"]["name"] for thing in found]


def delete_namespace(visit: Visit, command: str) -> None:
    assert visit.names() == []
    assert visit.objects("secrets") == []
    visit.terminal.type(command)
    done = visit.cluster.run("get", "namespace", visit.namespace)
    assert "not found" in done.stderr


def the_job(visit: Visit, command: str) -> dict[str, Any]:
    (job,) = visit.part("jobs", part_of(command))
    return job


def token_of(visit: Visit, job: dict[str, Any]) -> str:
    """The token that a Job's container gets."""
    (main,) = job["spec"]["template"]["spec"]["containers"]
    (source,) = [e["valueFrom"]["secretKeyRef"] for e in main["env"] if e["name"] == "HF_TOKEN"]
    (secret,) = [s for s in visit.objects("secrets") if s["metadata"]["name"] == source["name"]]
    return base64.b64decode(secret["data"][source["key"]]).decode()


def part_of(command: str) -> str:
    """The part of the release that a command is about: benchmark or accuracy."""
    (part,) = set(re.findall(r"benchmark|accuracy", command.partition(" > ")[0]))
    return str(part)


def without_namespace(command: str) -> str:
    """A command as it would be for the namespace of the context."""
    return re.sub(r" -n \S+", "", command)


def gpus(pod: dict[str, Any]) -> int:
    containers = pod["spec"]["containers"]
    return sum(int(c["resources"].get("limits", {}).get("nvidia.com/gpu", 0)) for c in containers)


STEPS = (
    (r"export ", "export", export),
    (r"kubectl create namespace ", "namespace", make_namespace),
    (r"kubectl create secret generic ", "secret", make_secret),
    (r"kubectl get storageclass", "storage class", say),
    (r"helm install gpt-oss ", "install", install),
    (r"kubectl wait job .*component=download", "wait for download", wait_for_download),
    (r"kubectl wait dynamographdeployment/gpt-oss\b", "wait for model", wait_for_model),
    (r"kubectl rollout status deployment/gpt-oss-server\b", "wait for model", wait_for_model),
    # Not for a pod by its label: after helm there is a Job, but no pod yet; kubectl gives up.
    (r"kubectl wait job .*component=(benchmark|accuracy)", "wait for Job", say),
    (r"kubectl get pods.* -w\b", "watch", watch),
    (r"kubectl events ", "events", look_for_events),
    (r"helm test gpt-oss\b", "helm test", ask_by_helm),
    (r"kubectl port-forward ", "forward", forward),
    (r"curl ", "ask", ask),
    (r"kubectl logs.* -f\b", "follow log", follow_log),
    (r"kubectl logs ", "log", read_log),
    (r"helm upgrade gpt-oss .*(benchmark|accuracy)\.enabled=true", "start Job", start_job),
    (r"helm upgrade gpt-oss .*(benchmark|accuracy)\.enabled=false", "stop Job", stop_job),
    (r"helm upgrade gpt-oss .*runtime\.release=", "upgrade", upgrade),
    (r"helm rollback gpt-oss\b", "roll back", upgrade),
    (r"helm uninstall gpt-oss\b", "uninstall", remove_release),
    (r"kubectl delete namespace ", "delete namespace", delete_namespace),
    (r"kubectl delete (pod|pvc|secret|job) ", "delete", delete),
)
