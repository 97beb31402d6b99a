"""What go_tools.sh builds has the recorded sums, whatever the caller's Go is told, and stays it."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
MODULE, VERSION = "github.com/yannh/kubeconform", "v0.0.1"
PROGRAM = 'package main\n\nvar version string\n\nfunc main() { println("%s") }\n'
WORKSPACE = f"module gptoss/tools/charts\n\ngo 1.26.0\n\nrequire {MODULE} {VERSION}\n"
WEAK = {
    "GOFLAGS": "-mod=mod",
    "GONOSUMDB": "*",
    "GONOSUMCHECK": "1",
    "GOINSECURE": "*",
    "GOPRIVATE": "*",
    "GONOPROXY": "none",
    "GOSUMDB": "off",
    "GOTOOLCHAIN": "auto",
}


@dataclass(frozen=True)
class Checkout:
    """A checkout whose kubeconform is a program of three lines, and what keeps tools for it."""

    folder: Path
    environment: dict[str, str]

    @property
    def sums(self) -> Path:
        return self.folder / "tools" / "go" / "charts" / "go.sum"

    @property
    def tool(self) -> Path:
        return self.folder / ".tools" / "bin" / "kubeconform"

    @property
    def kept(self) -> Path:
        (kept,) = Path(self.environment["XDG_CACHE_HOME"]).glob("gptoss/bin/*_64")
        return kept

    def provide(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / "tools" / "setup" / "go_tools.sh", "kubeconform"],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment | environment,
        )

    def says(self) -> str:
        return subprocess.run(self.tool, capture_output=True, text=True, check=True).stderr.strip()


def publish(proxy: Path, says: str) -> None:
    """Writes the module as a proxy serves it."""
    folder = proxy / MODULE / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{VERSION}.info").write_text(f'{{"Version": "{VERSION}"}}')
    (folder / f"{VERSION}.mod").write_text(f"module {MODULE}\n")
    with zipfile.ZipFile(folder / f"{VERSION}.zip", "w") as packed:
        packed.writestr(f"{MODULE}@{VERSION}/go.mod", f"module {MODULE}\n")
        packed.writestr(f"{MODULE}@{VERSION}/cmd/kubeconform/main.go", PROGRAM % says)


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "tools" / "setup", folder / "tools" / "setup")
    workspace = folder / "tools" / "go" / "charts"
    workspace.mkdir(parents=True)
    (workspace / "go.mod").write_text(WORKSPACE)
    publish(tmp_path / "proxy", "ours")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GO")}
    environment |= {
        "GOPROXY": f"file://{tmp_path}/proxy",
        "GOMODCACHE": str(tmp_path / "modules"),
        "GOENV": "off",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "GOCACHE": go_env("GOCACHE"),
    }
    command = ["go", "mod", "download", f"{MODULE}@{VERSION}"]
    subprocess.run(command, cwd=workspace, env=environment | WEAK, check=True, capture_output=True)
    yield Checkout(folder, environment)
    command = ["go", "clean", "-modcache"]
    subprocess.run(command, cwd=workspace, env=environment, check=True)


def go_env(name: str) -> str:
    done = subprocess.run(["go", "env", name], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def forget(checkout: Checkout) -> None:
    """Removes what was fetched, as on another machine."""
    command = ["go", "clean", "-modcache"]
    subprocess.run(command, cwd=checkout.sums.parent, env=checkout.environment, check=True)


def test_a_tool_with_the_recorded_sum_is_built_from_the_caller_s_mirror(checkout: Checkout) -> None:
    done = checkout.provide(**WEAK)
    assert (done.returncode, done.stdout) == (0, f"{checkout.tool}\n"), done.stderr
    assert checkout.says() == "ours"


@pytest.mark.parametrize("weak", [{}, WEAK], ids=["as they are", "weak"])
def test_another_module_than_the_recorded_one_is_not_built(
    checkout: Checkout, weak: dict[str, str]
) -> None:
    forget(checkout)
    publish(Path(checkout.environment["GOPROXY"].removeprefix("file://")), "theirs")
    done = checkout.provide(**weak)
    assert done.returncode == 2
    assert "checksum mismatch" in done.stderr
    assert not checkout.tool.exists()


def test_a_module_without_a_recorded_sum_is_not_built_and_none_is_noted(
    checkout: Checkout, tmp_path: Path
) -> None:
    settings = tmp_path / "go.env"
    settings.write_text("GOFLAGS=-mod=mod\nGONOSUMDB=*\n")
    checkout.sums.write_text("")
    for weak in (WEAK, {"GOENV": str(settings)}):
        done = checkout.provide(**weak)
        assert done.returncode == 2
        assert "missing go.sum entry" in done.stderr
    assert checkout.sums.read_text() == ""


def test_the_caller_s_flags_have_no_part_in_a_build(checkout: Checkout) -> None:
    assert checkout.provide(GOFLAGS="-toolexec=/bin/false").returncode == 0


def test_a_work_space_around_the_checkout_has_no_part_in_a_build(checkout: Checkout) -> None:
    (checkout.folder.parent / "go.work").write_text("go 1.26.0\n\nuse ./elsewhere\n")
    assert checkout.provide().returncode == 0


def test_a_kept_tool_that_was_changed_is_made_anew_with_a_line_that_says_so(
    checkout: Checkout,
) -> None:
    assert checkout.provide().returncode == 0
    checkout.kept.write_text("#!/bin/sh\necho theirs >&2\n")
    shutil.rmtree(checkout.tool.parent)
    done = checkout.provide()
    assert f"{checkout.kept.name} is not what was kept, by its SHA-256: made anew" in done.stderr
    assert checkout.says() == "ours"


def test_a_kept_tool_is_used_again_without_go(checkout: Checkout) -> None:
    assert checkout.provide().returncode == 0
    shutil.rmtree(checkout.tool.parent)
    done = checkout.provide(PATH="/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    assert checkout.says() == "ours"


def test_a_tool_that_was_kept_without_a_record_gets_one_and_that_is_said(
    checkout: Checkout,
) -> None:
    assert checkout.provide().returncode == 0
    record = checkout.kept.with_name(f"{checkout.kept.name}.sha256")
    noted = record.read_text()
    record.unlink()
    shutil.rmtree(checkout.tool.parent)
    assert "trusted as it is, and noted" in checkout.provide().stderr
    assert record.read_text() == noted
