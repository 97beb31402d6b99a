"""Fixes are planned on texts, checked, and written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gptoss.checking.checked import Checked, findings_of
from gptoss.checking.checker import run
from gptoss.fixing.own_files import write_all
from gptoss.fixing.rounds import UNDECIDED, FixPlan, plan_fixes
from gptoss.sources.load import load
from gptoss.sources.request import Request
from gptoss.text.errors import InputError

AS_FOUND = Path("examples/as-found")


def plan_of(*sources: str, settings: tuple[str, ...] = ()) -> FixPlan:
    def check() -> list[Checked]:
        loaded = load(Request(sources=sources, settings=settings))
        return [Checked(d, run(d, loaded.facts)) for d in loaded.deployments]

    return plan_fixes(check, sources)


@pytest.fixture
def found(tmp_path: Path) -> Path:
    for file in AS_FOUND.glob("*.yaml"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_deployment_as_found_is_fixed_until_nothing_changes(found: Path) -> None:
    before = {file: file.read_text() for file in found.iterdir()}
    plan = plan_of(str(found))
    assert {file: file.read_text() for file in found.iterdir()} == before
    assert [f for f in findings_of(plan.checked) if f.rule.severity.word == "error"] == []
    for line in ("+      componentType: worker", "-    num_postprocess_workers: 2"):
        assert line in plan.diff().splitlines()
    plan.write()
    assert sorted(file.name for file in found.iterdir()) == sorted(file.name for file in before)
    again = plan_of(str(found))
    assert (again.diff(), again.fixed) == ("", [])
    assert findings_of(again.checked) == findings_of(plan.checked)


def test_line_breaks_and_byte_order_mark_are_kept(found: Path) -> None:
    deploy = found / "deploy.yaml"
    content = b"\xef\xbb\xbf" + deploy.read_bytes().replace(b"\n", b"\r\n")
    deploy.write_bytes(content)
    deploy.chmod(0o640)
    plan_of(str(found)).write()
    written = deploy.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    assert written.count(b"\r\n") == written.count(b"\n")
    assert b"componentType: worker" in written
    assert deploy.stat().st_mode & 0o777 == 0o640


def test_a_target_is_fixed_in_its_values_file(tmp_path: Path) -> None:
    values = tmp_path / "mine.yaml"
    shipped = Path("values/disagg-gb200.yaml").read_text()
    engine = (
        "    engine:\n      cuda_graph_config: {max_batch_size: 16}  # small\n    env: *transfer\n"
    )
    values.write_text(shipped.replace("    env: *transfer\n", engine))
    plan = plan_of(str(values))
    assert [finding.rule.id for finding in plan.fixed] == ["E006"]
    plan.write()
    assert values.read_text() == shipped.replace(
        "    env: *transfer\n", engine.replace("16", "1280")
    )


def test_what_stands_on_the_command_line_is_left_and_said() -> None:
    setting = "workers.decode.engine.cuda_graph_config.max_batch_size=16"
    plan = plan_of("disagg-gb200", settings=(setting,))
    assert [f.rule.id for f in plan.open if plan.reason(f) != UNDECIDED] == ["E006"]
    assert "max_batch_size" not in plan.diff()
    assert "it stands on the command line" in plan.summary()


def test_two_workers_that_share_a_file_come_to_rest(found: Path) -> None:
    deploy = found / "deploy.yaml"
    text = deploy.read_text()
    shared = text.replace("/etc/engine/prefill.yaml", "/etc/engine/decode.yaml")
    deploy.write_text(shared)
    plan = plan_of(str(found))
    plan.write()
    assert plan_of(str(found)).changed == []


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1")
    two.write_text("changed")
    with pytest.raises(InputError, match="changed meanwhile"):
        write_all({one: ("1", "new"), two: ("2", "new")})
    assert one.read_text() == "1"
    assert sorted(tmp_path.iterdir()) == [one, two]
