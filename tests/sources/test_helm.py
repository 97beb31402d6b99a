"""Promises of gptoss.sources.chart.helm: what Helm may take, and what names it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from gptoss.sources.chart import helm
from gptoss.sources.chart.helm import ChartSource, find_helm, render, run_helm
from gptoss.text import deadline
from gptoss.text.errors import InputError

SOURCE = ChartSource("mine", ())


def shell(script: str) -> list[str]:
    """A command line in place of Helm's."""
    return ["/bin/sh", "-c", script]


def test_helm_computes_within_limits() -> None:
    told = run_helm(SOURCE, shell('ulimit -t; ulimit -d; echo "$GOGC $GOMEMLIMIT"')).output
    assert told.split() == ["4", str(helm.MEMORY // 1024), "off", "200MiB"]


@pytest.mark.parametrize(
    "script",
    [
        "yes",
        "kill -KILL $$",
        "kill -XCPU $$",
        "echo 'fatal error: runtime: out of memory' >&2; exit 2",
        "echo 'fatal error: out of memory allocating heap arena metadata' >&2; exit 2",
        "echo 'SIGSEGV: segmentation violation' >&2; exit 2",
    ],
)
def test_helm_that_takes_too_much_is_told_with_the_limits(script: str) -> None:
    told = r"helm template mine: Helm is stopped at 4 s of computing, 480 MB of memory and 4 MB"
    with pytest.raises(InputError, match=told):
        run_helm(SOURCE, shell(script))


def test_helm_that_waits_is_ended_with_the_run() -> None:
    with pytest.raises(InputError, match="--timeout"), deadline.within(0.1):
        run_helm(SOURCE, shell("exec tail -f /dev/null"))


@pytest.mark.parametrize("scheme", ["secrets", "http", "oci"])
def test_helm_takes_no_name_of_a_file_for_an_address(scheme: str) -> None:
    file = Path(f"{scheme}:/host/a.yaml")
    assert str(Path.cwd() / file) in ChartSource("a", (file,)).argv("helm")


@pytest.mark.parametrize("name", ["a,base.yaml", 'q"uote.yaml', ",.yaml", '",".yaml', "s p.yaml"])
def test_helm_reads_the_one_file_that_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("not: a value\n", encoding="utf-8")
    file = tmp_path / name
    file.write_text("target: agg-gb200\nmodel: {servedName: mine}\n", encoding="utf-8")
    rendering = render(ChartSource(name, (file,)), find_helm())
    assert rendering.refused == ""
    assert "mine" in rendering.output
