"""Every key of the values model leads back to its line."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies

from gptoss.deployment import paths
from gptoss.deployment.paths import Path
from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.sources.chart.build import build_chart
from gptoss.sources.chart.helm import ChartSource, Rendering, find_helm, render
from gptoss.sources.chart.lines import ChartPlaces
from gptoss.sources.chart.rows import ROWS, Row, matching
from gptoss.sources.kubernetes.build import build
from gptoss.text import plain_yaml
from gptoss.text.places import Place
from gptoss.text.yaml_tree import parse_documents
from gptoss.values.contract import Values
from tests.chart.rendering import CHART, TARGETS

PODS = ("frontend", "workers.decode", "modelCache.download", "benchmark", "accuracy", "tests")
# Keys that no setting of the deployment model comes from.
UNREAD = {
    "description",
    "runtime.imagePullPolicy",
    "frontend.podLabels",
    "workers.decode.podLabels",
    "benchmark.podLabels",
    "modelCache.download.podLabels",
    "modelCache.selector",
    "modelCache.labels",
    "modelCache.annotations",
    "modelCache.keep",
    "modelCache.download.client.image",
    "modelCache.download.client.existingSecret",
    "modelCache.download.client.env",
    *(f"prefetch.{key}" for key in ("releases", "images", "podAnnotations", "podLabels")),
    *(f"prefetch.resources.{key}" for key in ("requests", "limits")),
    "prefetch.extraPodSpec",
    "modelCache.download.enabled",
    "modelCache.download.backoffLimit",
    "benchmark.enabled",
    "benchmark.waitSeconds",
    "benchmark.runId",
    "benchmark.waitForRollout",
    "accuracy.enabled",
    "accuracy.podLabels",
    "accuracy.waitSeconds",
    "accuracy.runId",
    "accuracy.waitForRollout",
    "serviceAccount.create",
    "serviceAccount.name",
    "serviceAccount.annotations",
    "serviceAccount.labels",
    "serviceAccount.automountServiceAccountToken",
    "rbac.create",
    "tests.timeoutSeconds",
    "tests.podLabels",
    "openshift.enabled",
    "podSecurityContext",
    "containerSecurityContext",
    "service.annotations",
    "service.labels",
    "service.loadBalancerClass",
    "service.loadBalancerSourceRanges",
    "ingress.labels",
    "ingress.tls",
    "httpRoute.annotations",
    "httpRoute.labels",
    "httpRoute.paths",
    "networkPolicy.enabled",
    "networkPolicy.frontend.from",
    "networkPolicy.metrics.from",
    "networkPolicy.platform.namespaceSelector",
    "networkPolicy.platform.ports",
    "networkPolicy.apiServer.cidrs",
    "networkPolicy.apiServer.ports",
    "networkPolicy.internet.cidrs",
    "networkPolicy.internet.ports",
    "networkPolicy.extraIngress",
    "networkPolicy.extraEgress",
    "monitoring.podMonitor.enabled",
    "monitoring.podMonitor.interval",
    "monitoring.podMonitor.labels",
    "monitoring.dashboard.enabled",
    "monitoring.dashboard.labels",
    "monitoring.dashboard.annotations",
    "monitoring.prometheusRule.enabled",
    "monitoring.prometheusRule.labels",
    "monitoring.prometheusRule.additionalRuleLabels",
    "monitoring.prometheusRule.thresholds.firstTokenMilliseconds",
    "monitoring.prometheusRule.thresholds.tokenMilliseconds",
    "monitoring.prometheusRule.thresholds.errorPercent",
    "monitoring.prometheusRule.thresholds.waitingPercent",
    "monitoring.prometheusRule.thresholds.cachePercent",
    "target",
    "overlays",
    "enabled",
    "initContainers.resources.requests",
    "initContainers.resources.limits",
    "graph.spec",
    "components",
    "extraObjects",
    "fullnameOverride",
    "installed",
    "global.labels",
    "global.priorityClassName",
    "global.runtimeClassName",
    *(f"{pod}.{key}ClassName" for pod in PODS for key in ("priority", "runtime")),
    *(f"{pod}.schedulerName" for pod in PODS),
    "autoscaling.kind",
    "autoscaling.behavior",
    "autoscaling.prometheus.serverAddress",
    "autoscaling.prometheus.authenticationRef",
    "frontend.autoscaling.behavior",
    "workers.decode.autoscaling.behavior",
    "updateStrategy.rollingUpdate.maxUnavailable",
}
# What only fields of the user's own in extraPodSpec lead to.
OWN_POD_FIELDS = {
    "privileged",
    "root",
    "probes",
    "host_namespaces",
    "capabilities",
    "anti_affinity",
    "device_claims",
    "command",
    "nodes",
    "termination_grace",
}
NAMES = {"{w}": ("decode",), "{n}": ("some.name",), "{k}": ("kv_cache_config", "dtype")}
FREE = (
    ".env",
    "podAnnotations",
    "podLabels",
    "annotations",
    "resources.requests",
    "resources.limits",
    "benchmark.nodeSelector",
    "accuracy.nodeSelector",
    "tests.nodeSelector",
)


def leaves(schema: dict[str, Any], root: dict[str, Any], path: str = "") -> Iterator[str]:
    """Dotted paths of the values model's keys, worker names filled in."""
    for option in schema.get("anyOf", [schema]):
        target = root["$defs"][option["$ref"].rsplit("/", 1)[1]] if "$ref" in option else option
        each = target.get("additionalProperties")
        if "properties" in target:
            for name, field in target["properties"].items():
                yield from leaves(field, root, f"{path}.{name}".strip("."))
            return
        if path == "workers":
            yield from leaves(each, root, "workers.decode")
            return
    yield path


SCHEMA = Values.model_json_schema()
LEAVES = sorted(set(leaves(SCHEMA, SCHEMA)))


def steps_of(leaf: str) -> list[str]:
    """A leaf as steps; a free map gets a key of its own."""
    steps = leaf.split(".")
    if leaf.endswith(".engine"):
        return [*steps, "kv_cache_config", "dtype"]
    return [*steps, "some.name"] if leaf.endswith(FREE) else steps


def nested(steps: list[str], value: Any) -> Any:
    return {steps[0]: nested(steps[1:], value)} if steps else value


def paths_from(leaf: str) -> list[Path]:
    """Deployment paths whose row has this values path among its candidates."""
    wanted = [tuple(steps_of(leaf)), tuple(leaf.split("."))]
    found = []
    for row in ROWS:
        steps = (name for step in row.pattern.steps for name in NAMES.get(step, (step,)))
        found += [Path(tuple(steps))] if any(line in wanted for line in row.lines(NAMES)) else []
    return found


STEPS = sorted({step for row in ROWS for step in row.pattern.steps})


@given(strategies.lists(strategies.sampled_from([*STEPS, "decode"]), max_size=6))
def test_the_rows_of_a_path_are_all_that_match_it_in_the_table_s_order(steps: list[str]) -> None:
    path = Path(tuple(steps))
    found = [(row, names) for row in ROWS if (names := row.match(path)) is not None]
    assert list(matching(path)) == found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.pattern))
def test_every_row_is_among_those_of_its_own_path(row: Row) -> None:
    steps = (name for step in row.pattern.steps for name in NAMES.get(step, (step,)))
    assert any(found is row for found, _ in matching(Path(tuple(steps))))


@pytest.mark.parametrize("leaf", [leaf for leaf in LEAVES if leaf not in UNREAD])
def test_every_key_of_the_values_model_leads_back_to_its_line(leaf: str) -> None:
    found = paths_from(leaf)
    assert found, f"no row of the table has {leaf}"
    text = f"# first line\n{yaml.safe_dump(nested(steps_of(leaf), 'x'))}"
    tree = parse_documents(text, "mine.yaml")[0]
    defaults = parse_documents("a: 1", "values.yaml")[0]
    last = len(text.splitlines())
    for path in found:
        place = ChartPlaces([], [tree], defaults, {}).locate(path, Place("rendered"))
        assert (place.file, place.line) == ("mine.yaml", last), path


def test_the_list_of_unread_keys_names_only_keys_that_there_are() -> None:
    assert set(LEAVES) >= UNREAD


def rendering(*files: str, settings: tuple[str, ...] = ()) -> Rendering:
    given = tuple(CHART / "ci" / f"{file}-values.yaml" for file in files)
    return render(ChartSource("test", given, settings), find_helm())


def test_no_row_of_the_table_is_dead() -> None:
    facts = Facts()
    seen: set[Path] = set()

    def record(path: Path, place: Place) -> Place:
        seen.add(path)
        return place

    releases = [
        rendering(
            "disagg-gb200", settings=(f"runtime.release={release}", "hardware.dra.enabled=true")
        )
        for release in ("1.0.2", "1.2.1")
    ]
    releases.append(rendering("disagg-gb200", settings=("modelCache.existingClaim=weights",)))
    told = ("runtime.release=1.6.1", "monitoring.engineMetrics=true")
    releases.append(rendering("disagg-gb200", settings=told))
    for found in (*releases, *(rendering(target) for target in TARGETS)):
        build(parse_documents(found.output, "rendered"), "target", facts, record)
    dead = [
        str(row.pattern)
        for row in ROWS
        if not any(row.match(path) is not None for path in seen)
        and not OWN_POD_FIELDS & set(row.pattern.steps)
    ]
    assert dead == []


@pytest.mark.parametrize(
    ("settings", "path", "shown"),
    [
        ((), "max_batch_size", "decode.yaml"),
        (
            ("workers.decode.engine.max_batch_size=7",),
            "max_batch_size",
            "--set workers.decode.engine.max_batch_size=7",
        ),
    ],
)
def test_an_engine_setting_points_at_its_strongest_source(
    settings: tuple[str, ...], path: str, shown: str
) -> None:
    deployment = build_chart(rendering("disagg-gb200", settings=settings), Facts())
    (decode,) = [worker for worker in deployment.workers if worker.name == "decode"]
    assert decode.engine[path].place.file.endswith(shown)


@pytest.mark.parametrize(
    ("setting", "kind", "said"),
    [
        ("workers.decode.engine.max_batchsize=1", "values-schema", "max_batchsize"),
        ("workers.decode.gpus=3", "chart-guard", "needs 4 GPUs"),
    ],
)
def test_what_helm_refuses_is_a_problem_at_the_line_to_edit(
    setting: str, kind: str, said: str
) -> None:
    deployment = build_chart(rendering("disagg-gb200", settings=(setting,)), Facts())
    (problem,) = deployment.problems
    assert problem.kind == kind
    assert said in problem.message
    assert str(problem.place) == f"--set {setting}"


def test_the_chart_s_own_defaults_are_the_values_model_s() -> None:
    text = (folders.chart() / "defaults.yaml").read_text()
    written = plain_yaml.load(text)
    model = Values.model_validate(written)
    assert model == Values()
    assert written == Values().model_dump(by_alias=True)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("worker.x=1", "worker: there is no such key; did you mean workers?"),
        ("tests.wait=1", "tests.wait: there is no such key"),
        (
            "workers.decode.engine.max_btch_size=3",
            "workers.decode.engine.max_btch_size: there is no such key; did you mean max_batch",
        ),
        (
            "workers.decode.engine.kv_cache_config.dtyp=auto",
            "workers.decode.engine.kv_cache_config.dtyp: there is no such key; did you mean dtype?",
        ),
        ("hardware.gpu=b20", "hardware.gpu: value must be one of 'h100', 'h200'"),
        ("workers.decod.engine.max_batch_size=3", "workers.decod has no role"),
        ("workers.decod.engineConfig=a.yaml", "workers.decod has no role"),
    ],
)
def test_what_helm_refuses_of_a_setting_is_said_at_the_setting(setting: str, said: str) -> None:
    refused = rendering("disagg-gb200", settings=(setting,))
    (problem,) = build_chart(refused, Facts()).problems
    assert problem.message.startswith(said)
    assert "<nil>" not in problem.message
    assert str(problem.place) == f"--set {setting}"


def test_a_misspelt_path_is_an_error_of_types() -> None:
    # mypy reports an ignore that is not needed, so it must find each of these.
    decode = paths.workers("decode")
    _ = decode / "replica"  # type: ignore[operator]
    _ = decode.entry("environ", "HF_HOME")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        ChartPlaces([], [], parse_documents("a: 1", "x")[0], {}).locate("name", Place("x"))  # type: ignore[arg-type]
