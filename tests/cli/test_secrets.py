"""Secrets that stand in a source are in nothing that a command prints or makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gptoss import rules  # noqa: F401 (declares the rules)
from gptoss.cli import main
from gptoss.sources.chart import helm
from tests.cli.planted import BESIDE, ISSUED, NAMED, SOURCES, VARIABLES, leaks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FORMATS = ("text", "json", "sarif", "junit", "github", "gitlab", "table")
COMMANDS = [
    *(f"check {{}} --format {form}" for form in FORMATS),
    "check {} --explain --verbose",
    "check {} --release 1.6.1 --quiet",
    "check {} --fix --diff",
    "check {} --release 1.6.1 --fix --diff",
    *(f"show {{}} --format {form}" for form in ("text", "json")),
    *(f"bench {{}} --format {form}" for form in ("text", "json")),
    *(f"diff {{}} agg-gb200 --format {form} --places" for form in ("text", "json")[:1]),
    "diff agg-gb200 {} --format json",
    *(f"upgrade {{}} --to 1.6.1 --format {form} --diff" for form in ("text", "json")),
    *(f"import {{}} --gpu gb200 --format {form}" for form in ("text", "json")),
    *(f"render {{}} --as {form}" for form in ("values", "manifests", "shell", "compose", "truss")),
    "bench manifest.yaml {}",
    "check manifest.yaml {} --release 1.6.1",
    "images {}",
    "check {} {}.yaml",
]


@pytest.fixture(autouse=True, scope="module")
def once() -> Iterator[None]:
    """Helm renders the same only once."""
    run: Callable[..., helm.Rendering] = helm.run_helm
    done: dict[str, helm.Rendering] = {}

    def remembered(source: helm.ChartSource, argv: list[str]) -> helm.Rendering:
        key = repr(
            (argv, source.inline, [Path(a).read_bytes() for a in argv if a.endswith(".yaml")])
        )
        return done.setdefault(key, done.get(key) or run(source, argv))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helm, "run_helm", remembered)
        yield


@pytest.fixture(autouse=True)
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (SOURCES | BESIDE).items():
        Path(name).write_text(text)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_planted_is_printed(command: str, source: str) -> None:
    result = CliRunner().invoke(main, command.replace("{}", source).split())
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert leaks(result.output) == []


@pytest.mark.parametrize(
    "command", ["plan values.yaml", "plan values.yaml --format json", "tune values.yaml"]
)
def test_nothing_planted_is_in_predictions(command: str) -> None:
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code in (0, 1), result.output
    assert leaks(result.output) == []


def test_thirty_are_planted_and_known() -> None:
    assert len(ISSUED) + len(NAMED) >= 30
    assert len(leaks("\n".join(VARIABLES.values()))) == len(VARIABLES)


@pytest.mark.parametrize("source", ["manifest.yaml", "compose.yaml", "serve.sh", "config.yaml"])
def test_an_imported_file_holds_none_of_them(source: str) -> None:
    words = ["import", source, "--gpu", "gb200", "--output", "imported.yaml"]
    CliRunner().invoke(main, words)
    path = Path("imported.yaml")
    assert leaks(path.read_text()) == [] if path.exists() else True


@pytest.mark.parametrize("source", SOURCES)
def test_a_fix_keeps_them_as_they_are(source: str) -> None:
    before = len(leaks(Path(source).read_text()))
    CliRunner().invoke(main, ["check", source, "--release", "1.6.1", "--fix"])
    written = Path(source).read_text()
    assert "(hidden)" not in written
    assert len(leaks(written)) == before
