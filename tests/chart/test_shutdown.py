"""How long pods take to go: everything follows from the longest answer."""

from typing import Any

import pytest

from tests.chart.rendering import RELEASES, components, environment, objects, one, refusal

WORKER = "DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS"
FRONTEND = "DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS"


def main(component: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = component["spec"]["containers"][0]
    return container


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
@pytest.mark.parametrize("release", RELEASES)
def test_workers_answer_for_the_longest_answer_and_no_pod_is_killed_before(
    release: str, version: str
) -> None:
    settings = [f"runtime.release={release}", "shutdown.longestAnswerSeconds=600"]
    if version in ("v1beta1",) and release not in ("1.0.2", "1.1.1"):
        settings.append(f"runtime.apiVersion={version}")
    found = components(objects("disagg-gb200", *settings))
    for name in ("prefill", "decode"):
        assert environment(main(found[name]))[WORKER] == "600"
    for component in found.values():
        assert component["spec"]["terminationGracePeriodSeconds"] == 660


def test_the_chart_gives_answers_the_300_seconds_that_its_readme_promises() -> None:
    found = components(objects("agg-gb200"))
    assert environment(main(found["worker"]))[WORKER] == "300"
    assert {c["spec"]["terminationGracePeriodSeconds"] for c in found.values()} == {360}


@pytest.mark.parametrize(("release", "seconds"), [("1.2.1", None), ("1.3.1", "300")])
def test_only_a_frontend_that_leaves_when_it_is_idle_is_told_how_long_it_may_stay(
    release: str, seconds: str | None
) -> None:
    frontend = components(objects("agg-gb200", f"runtime.release={release}"))["frontend"]
    assert environment(main(frontend)).get(FRONTEND) == seconds


def test_a_frontend_serves_on_until_what_is_being_prefilled_has_become_an_answer() -> None:
    frontend = components(objects("disagg-gb200"))["frontend"]
    assert main(frontend)["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", "30"]


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ([], None),
        (["workers.decode.replicas=2"], "3"),
        (["workers.prefill.replicas=2"], None),
        (["workers.decode.replicas=2", "shutdown.migrationLimit=1"], "1"),
        (["workers.decode.replicas=2", "shutdown.migrationLimit=0"], None),
        (["shutdown.migrationLimit=2"], "2"),
    ],
)
def test_answers_may_move_where_there_is_another_worker(
    settings: list[str], limit: str | None
) -> None:
    args = main(components(objects("disagg-b200-node", *settings))["frontend"])["args"]
    found = args[args.index("--migration-limit") + 1] if "--migration-limit" in args else None
    assert found == limit


def test_a_pod_s_own_grace_wins() -> None:
    settings = ("workers.decode.terminationGracePeriodSeconds=400",)
    found = components(objects("disagg-gb200", *settings))
    assert found["decode"]["spec"]["terminationGracePeriodSeconds"] == 400
    assert found["prefill"]["spec"]["terminationGracePeriodSeconds"] == 360


def test_a_server_has_the_time_of_the_longest_answer_and_no_worker_to_move_to() -> None:
    server = one("Deployment", objects("serve-latency-b200", "shutdown.longestAnswerSeconds=90"))
    assert server["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 150
    told = refusal("serve-latency-b200", "shutdown.migrationLimit=3")
    assert "shutdown.migrationLimit" in told
