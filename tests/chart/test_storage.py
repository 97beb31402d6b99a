"""Where the weights lie and what brings them there: claims, disks of nodes, images, storages."""

from typing import Any

import pytest

from tests.chart.rendering import components, environment, objects, one, refusal, run

DISAGG, SERVE = "disagg-gb200", "serve-h100-2"
BENCHMARK = "benchmark.enabled=true"
REVISION = "b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
NEXT = "a000000000000000000000000000000000000002"
VOLUME = "/opt/model-volume"


def readers(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Pod specs of what serves and measures, by name."""
    specs = {name: component["spec"] for name, component in components(found).items()}
    job = one("Job", found, "-benchmark-")
    return specs | {"benchmark": job["spec"]["template"]["spec"]}


def waiting(spec: dict[str, Any]) -> dict[str, Any]:
    init: dict[str, Any] = spec["initContainers"][0]
    assert init["name"] == "wait-for-model-cache"
    return init


def mounts(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {mount["mountPath"]: mount for mount in container["volumeMounts"]}


def volume(spec: dict[str, Any], name: str = "model-cache") -> dict[str, Any]:
    (found,) = [each for each in spec["volumes"] if each["name"] == name]
    return {key: value for key, value in found.items() if key != "name"}


def download(*settings: str, target: str = DISAGG) -> dict[str, Any]:
    job = one("Job", objects(target, *settings), "-download-")
    spec: dict[str, Any] = job["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("target", [DISAGG, SERVE])
def test_a_claim_of_several_releases_is_laid_out_by_each_pod_and_read_only_there(
    target: str,
) -> None:
    found = objects(target, "modelCache.existingClaim=weights", BENCHMARK)
    assert not [each for each in found if each["kind"] == "PersistentVolumeClaim"]
    for name, spec in readers(found).items():
        init, main = waiting(spec), spec["containers"][0]
        assert environment(init)["MODEL_VOLUME"] == VOLUME, name
        assert "MODEL_DIR" not in environment(init), name
        assert mounts(init)["/opt/models"] == {"name": "models", "mountPath": "/opt/models"}
        for container in (init, main):
            read = {"name": "model-cache", "mountPath": VOLUME, "readOnly": True}
            assert mounts(container)[VOLUME] == read, name
        assert mounts(main)["/opt/models"]["readOnly"] is True
        assert volume(spec) == {"persistentVolumeClaim": {"claimName": "weights"}}, name
        assert volume(spec, "models") == {"emptyDir": {}}, name
    spec = one("Job", found, "-download-")["spec"]["template"]["spec"]
    assert environment(spec["containers"][0])["SHARED_CACHE"] == "true"
    assert mounts(spec["containers"][0])["/opt/models"] == {
        "name": "model-cache",
        "mountPath": "/opt/models",
    }


def test_a_claim_that_is_only_read_is_filled_by_nobody_and_served_from_its_plain_folder() -> None:
    settings = ("existingClaim=weights", "readOnly=true", "path=gpt-oss-120b", "subPath=team/a")
    found = objects(DISAGG, *(f"modelCache.{each}" for each in settings), BENCHMARK)
    assert not [each for each in found if "-download" in each["metadata"]["name"]]
    for spec in readers(found).values():
        claim = {"claimName": "weights", "readOnly": True}
        assert volume(spec) == {"persistentVolumeClaim": claim}
        assert environment(waiting(spec))["MODEL_DIR"] == f"{VOLUME}/gpt-oss-120b"
        assert mounts(spec["containers"][0])[VOLUME]["subPath"] == "team/a"


def test_a_plain_folder_that_is_filled_here_is_read_by_the_links_that_the_job_makes() -> None:
    found = objects(DISAGG, "modelCache.existingClaim=weights", "modelCache.path=a/b", BENCHMARK)
    spec = one("Job", found, "-download-")["spec"]["template"]["spec"]
    assert environment(spec["containers"][0])["MODEL_DIR"] == "/opt/models/a/b"
    assert all("MODEL_DIR" not in environment(waiting(spec)) for spec in readers(found).values())


def test_an_image_with_the_checkpoint_is_a_volume_that_nothing_fills() -> None:
    image = "registry.example.com/gpt-oss-120b:1"
    settings = (f"modelCache.image={image}", "modelCache.path=models", BENCHMARK)
    found = objects(DISAGG, *settings)
    kinds = {each["kind"] for each in found if "-download" in each["metadata"]["name"]}
    assert kinds == set()
    for spec in readers(found).values():
        assert volume(spec) == {"image": {"reference": image, "pullPolicy": "IfNotPresent"}}
        assert environment(waiting(spec))["MODEL_DIR"] == f"{VOLUME}/models"


def test_disks_of_nodes_are_filled_on_every_gpu_node_and_all_readers_run_there() -> None:
    found = objects(DISAGG, "modelCache.hostPath=/mnt/nvme", BENCHMARK)
    filler = one("DaemonSet", found, "-download")
    template = filler["spec"]["template"]
    selected = filler["spec"]["selector"]["matchLabels"]
    assert selected.items() <= template["metadata"]["labels"].items()
    specs = readers(found) | {"download": template["spec"]}
    placed = specs["decode"]
    for name, spec in specs.items():
        disk = {"hostPath": {"path": "/mnt/nvme", "type": "DirectoryOrCreate"}}
        assert volume(spec) == disk, name
        assert spec["nodeSelector"] == placed["nodeSelector"], name
        assert spec["affinity"] == placed["affinity"], name
    (main,) = template["spec"]["containers"]
    assert "model_download.py && touch /tmp/filled && exec sleep" in main["command"][2]
    assert main["securityContext"]["runAsUser"] == 0
    assert main["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "gpu" not in str(main["resources"])
    assert not [each for each in found if each["kind"] == "PersistentVolumeClaim"]


def test_a_storage_is_fetched_from_by_rclone_and_verified_without_the_hub() -> None:
    settings = (
        "source=s3://models/gpt-oss",
        "client.existingSecret=keys",
        "client.env.AWS_REGION=x",
    )
    spec = download(*(f"modelCache.download.{each}" for each in settings))
    (fetch,), (main,) = spec["initContainers"], spec["containers"]
    folder = f"/opt/models/checkpoints/{REVISION}"
    assert fetch["command"][:4] == ["rclone", "copy", ":s3:models/gpt-oss", folder]
    assert fetch["image"] == "docker.io/rclone/rclone:1.75.1"
    assert fetch["envFrom"] == [{"secretRef": {"name": "keys"}}]
    given = {"RCLONE_S3_ENV_AUTH": "true", "RCLONE_S3_PROVIDER": "AWS", "AWS_REGION": "x"}
    assert given.items() <= environment(fetch).items()
    asked = {"MODEL_DIR": folder, "MODEL_SOURCE": "s3://models/gpt-oss"}
    assert asked.items() <= environment(main).items()
    mirrored = ("global.imageRegistry=reg.example.com/m", "modelCache.download.source=gs://a/b")
    (fetch,) = download(*mirrored)["initContainers"]
    assert fetch["command"][2] == ":gcs:a/b"
    assert environment(fetch)["RCLONE_GCS_ENV_AUTH"] == "true"
    assert fetch["image"] == "reg.example.com/m/rclone/rclone:1.75.1"


def test_the_claim_takes_what_static_volumes_need_and_no_class_is_said_as_such() -> None:
    settings = ("volumeName=weights", "selector.matchLabels.models=x", "labels.team=a")
    more = ("annotations.owner=b", "storageClassName=")
    found = objects(DISAGG, *(f"modelCache.{each}" for each in (*settings, *more)))
    claim = one("PersistentVolumeClaim", found)
    assert claim["spec"]["storageClassName"] == ""
    assert claim["spec"]["volumeName"] == "weights"
    assert claim["spec"]["selector"] == {"matchLabels": {"models": "x"}}
    assert claim["metadata"]["labels"]["team"] == "a"
    assert claim["metadata"]["annotations"]["owner"] == "b"
    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


def test_the_download_runs_where_workers_may_when_told_so() -> None:
    spec = download("modelCache.download.onGpuNodes=true")
    worker = components(objects(DISAGG))["decode"]["spec"]
    assert spec["affinity"] == worker["affinity"]
    assert spec["nodeSelector"] == worker["nodeSelector"]
    assert download()["affinity"] != worker["affinity"]


def test_what_comes_next_is_fetched_without_a_change_to_what_serves() -> None:
    now = components(objects(DISAGG))
    settings = (
        f"prefetch.revisions={{{NEXT}}}",
        "prefetch.releases={1.6.1}",
        "prefetch.images={a/b:1}",
    )
    found = objects(DISAGG, *settings)
    assert components(found) == now
    job = one("Job", found, "-download-")["spec"]["template"]["spec"]["containers"][0]
    assert environment(job)["FURTHER_REVISIONS"] == NEXT
    assert environment(job)["MODEL_REVISION"] == REVISION
    spec = one("DaemonSet", found, "-prefetch")["spec"]["template"]["spec"]
    release = now["decode"]["spec"]["containers"][0]["image"].replace(":1.3.1", ":1.6.1")
    assert [each["image"] for each in spec["initContainers"]] == [release, "a/b:1"]
    assert spec["affinity"] == now["decode"]["spec"]["affinity"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert "nvidia.com/gpu" not in str(spec["containers"] + spec["initContainers"])
    server = one("DaemonSet", objects(SERVE, "prefetch.releases={1.6.1}"), "-prefetch")
    (init,) = server["spec"]["template"]["spec"]["initContainers"]
    assert "/tensorrt-llm/release:" in init["image"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("existingClaim=a", "hostPath=/b"), "modelCache.existingClaim and modelCache.hostPath"),
        (("readOnly=true",), "nothing could fill it"),
        (("image=a:1", "download.source=s3://a/b"), "with modelCache.image nothing is fetched"),
        (("path=../up",), "modelCache"),
        (("download.source=http://a/b",), "modelCache"),
    ],
)
def test_what_contradicts_itself_is_refused(settings: tuple[str, ...], said: str) -> None:
    assert said in refusal(DISAGG, *(f"modelCache.{each}" for each in settings))


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("modelCache.download.enabled=false", "with modelCache.download.enabled: false nothing is"),
        ("modelCache.download.source=gs://a/b", "leave modelCache.download.source out"),
    ],
)
def test_revisions_are_not_fetched_ahead_where_nothing_fetches_them(
    setting: str, said: str
) -> None:
    assert said in refusal(DISAGG, f"prefetch.revisions={{{NEXT}}}", setting)


@pytest.mark.parametrize(
    ("settings", "waits", "claim"),
    [
        ((), "job -l app.kubernetes.io/component=download", True),
        (("hostPath=/mnt/nvme",), "rollout status -n default daemonset/gpt-oss-download", False),
        (("existingClaim=weights", "readOnly=true"), "", False),
    ],
)
def test_the_notes_wait_for_what_fills_the_cache_and_name_the_claim_that_stays(
    settings: tuple[str, ...], waits: str, claim: bool
) -> None:
    words = [word for each in settings for word in ("--set", f"modelCache.{each}")]
    chart = ("gpt-oss", "charts/gpt-oss", "--set", f"target={DISAGG}", *words)
    done = run("helm4", "install", *chart, "--dry-run=client")
    notes = done.stdout.partition("NOTES:")[2]
    assert waits in notes
    assert ("download" in notes) == bool(waits)
    assert ("delete -n default pvc gpt-oss-model-cache" in notes) == claim
