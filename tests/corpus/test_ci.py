"""What NVIDIA runs gpt-oss with in its own CI has no error here, and at most one warning.

The folder that tools/setup/ci_corpus.py fills is named by the environment variable
GPTOSS_CORPUS_CI.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from gptoss.checking.checker import run
from gptoss.facts.world import Facts
from gptoss.rules.rule import RULES, Severity
from tests.corpus.ci_files import Reference, deployments_of, references

FACTS = Facts()
ROOT = Path(__file__).resolve().parents[2]
FOLDER = os.environ.get("GPTOSS_CORPUS_CI")
REFERENCES = references()

every_file = pytest.mark.parametrize("reference", REFERENCES, ids=lambda each: each.label)


@every_file
def test_a_file_is_named_exactly_with_a_known_release_and_gpu(reference: Reference) -> None:
    assert re.fullmatch("[0-9a-f]{40}", reference.commit)
    if reference.form == "graph":
        assert reference.release is reference.gpu is None, "its images tell"
    else:
        assert reference.release in FACTS.releases
        assert reference.gpu in FACTS.gpus


@every_file
def test_few_warnings_stay_and_what_stays_is_defended(reference: Reference) -> None:
    assert len(reference.warnings) <= (2 if reference.form == "graph" else 1)
    for rule, why in (reference.errors | reference.warnings).items():
        assert rule in RULES
        assert len(why) > 40


@pytest.mark.skipif(not FOLDER, reason="GPTOSS_CORPUS_CI names no folder")
@every_file
def test_a_file_has_the_findings_that_are_defended_and_no_other(
    reference: Reference, tmp_path: Path
) -> None:
    deployments = deployments_of(reference, Path(FOLDER or "", reference.place), tmp_path)
    assert all(each.workers for each in deployments)
    findings = [found for each in deployments for found in run(each, FACTS).findings]
    errors = {f.rule.id: f.message for f in findings if f.severity is Severity.ERROR}
    warnings = {f.rule.id: f.message for f in findings if f.severity is Severity.WARNING}
    assert errors.keys() == reference.errors.keys(), errors
    assert warnings.keys() == reference.warnings.keys(), warnings


def test_the_folder_is_filled_from_a_server_of_files(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for each in REFERENCES:
        file = there / each.repository / each.commit / each.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {each.label}\n", encoding="utf-8")
    handler = partial(_Quiet, directory=there)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        script = str(ROOT / "tools" / "setup" / "ci_corpus.py")
        command = [
            sys.executable,
            script,
            str(here),
            "--from",
            f"http://127.0.0.1:{server.server_port}",
        ]
        subprocess.run(command, check=True, capture_output=True)
        server.shutdown()
    for each in REFERENCES:
        assert (here / each.place).read_text(encoding="utf-8") == f"# {each.label}\n"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass
