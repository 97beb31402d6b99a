import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from gptoss.benchmarking.calibrating import seen_in
from gptoss.cli import main
from gptoss.planning.calibrating.calibration import Calibration, Seen, calibrate
from gptoss.planning.calibrating.calibration_text import calibration_lines
from gptoss.planning.calibrating.correction import CorrectedTimes, Correction, Estimate
from gptoss.planning.calibrating.kept_calibration import file_of, keep, kept
from gptoss.planning.layouts import Layout, Load, System
from gptoss.planning.loops.burst import ttft_of_run
from gptoss.planning.loops.closed_loop import predict
from gptoss.planning.prediction import Belief
from gptoss.planning.steps.step_times import StepTimes, Times
from gptoss.planning.systems import system_of
from gptoss.planning.telling.planned import Asked, planned
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError
from predicted.held_out import of_sweep, sweeps
from predicted.records import HELD_OUT, differences
from tests.benchmarking.folders_of_runs import DATA, PLAN
from tests.planning.systems import aggregated, split
from tests.planning.test_systems import engine

NOTHING = Correction(Estimate(1, 0), Estimate(1, 0), Estimate(0, 0))
TRUTH = Correction(Estimate(1.3, 0), Estimate(0.9, 0), Estimate(6, 0))


@dataclass(frozen=True)
class Made:
    """Times that somebody made up: no data are needed to fit them."""

    def of(self, layout: Layout) -> StepTimes:
        assert layout
        return self

    def prefill(self, prompts: int, isl: int) -> float:
        return 5 + prompts * isl / 100

    def decode(self, batch: int, length: int) -> float:
        return 3 + batch * 0.05 + batch * length / 1e6

    def mixed(self, tokens: int, isl: int, batch: int, osl: int) -> float:
        return self.decode(batch, isl + osl // 2) + tokens / 100


def seen_of(system: System, times: Times, clients: tuple[int, ...]) -> list[Seen]:
    found = [predict(system, Load(each, 2000, 500), times) for each in clients]
    return [Seen(p.load, 10, ttft_of_run(p, 10, times), p.itl) for p in found]


SYSTEMS = (aggregated("b200", "TP1"), split("gb200", (1, "TP1"), (1, "TP4")))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_what_made_the_measurements_is_found_again(system: System) -> None:
    seen = seen_of(system, CorrectedTimes(Made(), TRUTH), (1, 4, 16, 64))
    found = calibrate(system, seen, Made())
    assert found.by.prefill.value == pytest.approx(1.3, rel=0.05)
    assert found.by.decode.value == pytest.approx(0.9, rel=0.03)
    assert found.by.overhead.value == pytest.approx(6, abs=3)
    assert found.after[0] < 0.01 < found.before[0]


def test_the_truth_lies_within_the_error_bars_and_more_points_narrow_them() -> None:
    system = SYSTEMS[0]
    true = CorrectedTimes(Made(), TRUTH)
    one, many = (
        calibrate(system, seen_of(system, true, clients), Made()).by
        for clients in ((16,), (1, 2, 4, 8, 16, 32, 64))
    )
    for by in (one, many):
        assert abs(by.decode.value - 0.9) < 2 * by.decode.error
        assert abs(by.prefill.value - 1.3) < 2 * by.prefill.error
    assert many.decode.error < one.decode.error
    assert many.prefill.error < one.prefill.error


def test_points_that_scatter_widen_the_error_bars() -> None:
    system, clients = SYSTEMS[0], (1, 4, 16, 64)
    clean = seen_of(system, CorrectedTimes(Made(), TRUTH), clients)
    scattered = [
        replace(point, itl=point.itl * off)
        for point, off in zip(clean, (1.2, 0.8, 1.2, 0.8), strict=True)
    ]
    narrow, wide = (calibrate(system, seen, Made()).by for seen in (clean, scattered))
    assert wide.decode.error > 2 * narrow.decode.error


def test_no_overhead_makes_a_pass_faster_than_half_of_its_prompts() -> None:
    less = replace(NOTHING, overhead=Estimate(-100, 1))
    alone = SYSTEMS[0].decode.layout
    whole, corrected = (times.of(alone) for times in (Made(), CorrectedTimes(Made(), less)))
    assert corrected.prefill(1, 2000) == whole.prefill(1, 2000) / 2
    assert corrected.mixed(2000, 2000, 8, 500) > whole.decode(8, 2250)


def test_runs_without_a_point_are_refused() -> None:
    with pytest.raises(InputError, match="no point to calibrate by"):
        calibrate(SYSTEMS[0], [], Made())


def test_runs_of_something_else_are_refused() -> None:
    seen = seen_of(SYSTEMS[0], Made(), (4, 16, 64))
    wrong = [replace(point, itl=point.itl / 9) for point in seen]
    with pytest.raises(InputError, match="do not look like this deployment"):
        calibrate(SYSTEMS[0], wrong, Made())


def test_what_is_recorded_of_a_published_sweep_is_what_its_steps_say(times: Times) -> None:
    name = "b200, TP2, 7373/922"
    assert not list(differences(HELD_OUT.read()[name], of_sweep(sweeps()[name], times)))


def made_now(system: System) -> tuple[Calibration, list[Seen]]:
    seen = seen_of(system, CorrectedTimes(Made(), TRUTH), (4, 16))
    return calibrate(system, seen, Made()), seen


def test_a_calibration_is_kept_beside_the_file_that_it_is_of(tmp_path: Path) -> None:
    system = SYSTEMS[1]
    values = tmp_path / "mine.yaml"
    values.write_text("", encoding="utf-8")
    calibration, seen = made_now(system)
    keep(calibration, system, seen, file_of(str(values)))
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "mine.calibration.json",
        "mine.yaml",
    ]
    found = kept(str(values), system)
    assert found is not None
    assert found.by == calibration.by
    near, far = (predict(system, Load(n, 2000, 500), Made()) for n in (20, 500))
    assert found.judged(near).judged.belief is Belief.MEASURED
    assert found.judged(far) == far
    longer = predict(system, Load(16, 4000, 500), Made())
    assert found.judged(longer) == longer


def test_a_name_of_a_target_is_kept_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_of("disagg-gb200") == Path("disagg-gb200.calibration.json")
    assert file_of("disagg-gb200 + more.yaml") == Path("disagg-gb200.calibration.json")
    assert kept("disagg-gb200", SYSTEMS[0]) is None


def test_a_calibration_of_other_engines_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calibration, seen = made_now(SYSTEMS[1])
    keep(calibration, SYSTEMS[1], seen, file_of("mine"))
    with pytest.raises(InputError, match=r"measured with gb200, TP1 \(fp8\) \+ TP4 \(fp8\)"):
        kept("mine", SYSTEMS[0])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no whole JSON"),
        ("[]", "no calibration of this gptoss"),
        ('{"version": 2}', "no calibration of this gptoss"),
        ('{"version": 1, "of": "b200, TP1 (fp8)"}', "by.prefill is no number"),
    ],
)
def test_a_damaged_calibration_is_named(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file_of("mine").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"mine.calibration.json: .*{why}"):
        kept("mine", SYSTEMS[0])


def run_folder(folder: Path, **plan: object) -> Path:
    """A run of one point: what aiperf wrote, with a plan."""
    source = DATA / "0.13.0"
    summary = next(source.rglob("profile_export_aiperf.json"))
    (folder / "concurrency_4").mkdir(parents=True)
    target = folder / "concurrency_4" / summary.name
    target.write_bytes(summary.read_bytes())
    content = {**PLAN, "steps": [{"concurrency": 4, "folder": "concurrency_4"}], **plan}
    (folder / "plan.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_latencies_of_chunks_are_told_as_without_chunks(tmp_path: Path) -> None:
    alone = {"stream_interval": {"decode": 1}}
    (plain,) = seen_in([run_folder(tmp_path / "plain", **alone)])
    (chunks,) = seen_in([run_folder(tmp_path / "chunks", stream_interval={"decode": 4})])
    whole = plain.ttft + plain.itl * (plain.load.osl - 1)
    assert chunks.ttft + chunks.itl * (chunks.load.osl - 1) == pytest.approx(whole)
    assert chunks.itl > plain.itl


def test_a_simulated_run_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its engine was simulated"):
        seen_in([run_folder(tmp_path / "run", simulated=True)])


def test_plan_keeps_what_was_measured_and_uses_it_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: Times
) -> None:
    (deployment,) = load(Request(("disagg-gb200",))).deployments
    monkeypatch.chdir(tmp_path)
    asked = Asked((64,), 8192, 1024)
    plain = planned(deployment, asked, times).predictions[0]
    slower = Seen(plain.load, 10, plain.ttft * 2, plain.itl * 1.5)
    first = planned(deployment, replace(asked, seen=(slower,)), times)
    again = planned(deployment, asked, times)
    assert first.predictions[0].itl == pytest.approx(plain.itl * 1.5, rel=0.1)
    assert again.predictions == first.predictions
    assert again.predictions[0].judged.belief is Belief.MEASURED
    told = list(calibration_lines(first))
    assert "disagg-gb200.calibration.json" in told[0]
    assert max(map(len, told)) <= 100


def test_nothing_is_kept_where_nobody_says_the_load(tmp_path: Path) -> None:
    deployment = engine(tmp_path, "tensor_parallel_size: 1\n")
    seen = tuple(seen_of(system_of(deployment), Made(), (4, 16)))
    assert "give --clients" in planned(deployment, Asked(seen=seen), Made()).why_not
    assert not file_of(deployment.source).exists()
    told = planned(deployment, Asked((8,), 2000, 500, seen=seen), Made())
    assert told.calibration is not None
    assert file_of(deployment.source).exists()


def test_runs_are_of_one_deployment(tmp_path: Path) -> None:
    words = ["plan", "disagg-gb200", "agg-gb200", "--measured", str(tmp_path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "--measured calibrates one deployment" in done.output
