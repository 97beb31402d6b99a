"""What a release says it is made from: its bill of materials and where it comes from."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from gptoss.facts import folders
from gptoss.facts.world import Facts
from gptoss.text.errors import InputError
from publish.bill import LOCK, bill_of_materials, locked
from publish.commit import Commit, released_commit
from publish.provenance import provenance
from publish.signing import sign, signing_key
from tests.chart.rendering import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMIT = Commit("0123456789abcdef" * 2 + "01234567", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
SOURCE = "https://git.example.com/platform/gpt-oss"
MADE = """\
from tests.publish.test_materials import COMMIT, SOURCE, bill_of_materials
print(bill_of_materials("gpt-oss", "0.1.0", SOURCE, COMMIT), end="")
"""


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(bill_of_materials("gpt-oss", "0.1.0", SOURCE, COMMIT))
    return loaded


def test_the_bill_is_one_by_cyclonedx_s_own_schema(bill: dict[str, Any]) -> None:
    found = resources.files("cyclonedx.schema._res")
    schemas = [
        json.loads(found.joinpath(f"{name}.SNAPSHOT.schema.json").read_text("utf-8"))
        for name in ("bom-1.6", "jsf-0.82", "spdx")
    ]
    registry: Registry[Any] = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas
    )
    assert list(Draft7Validator(schemas[0], registry=registry).iter_errors(bill)) == []


def test_the_bill_has_every_locked_package_with_all_its_hashes(bill: dict[str, Any]) -> None:
    text = (ROOT / LOCK).read_text(encoding="utf-8")
    found = {
        part["purl"]: {each["content"] for each in part["hashes"]}
        for part in bill["components"]
        if part["type"] == "library"
    }
    expected = {f"pkg:pypi/{p.name}@{p.version}": set(p.hashes) for p in locked(text)}
    assert found == expected
    assert sum(map(len, found.values())) == text.count("--hash=sha256:")


def test_the_bill_has_every_image_with_its_digest_or_says_that_there_is_none(
    bill: dict[str, Any],
) -> None:
    said = {
        part["bom-ref"]: part["hashes"][0]["content"]
        if "hashes" in part
        else part["properties"][0]["value"]
        for part in bill["components"]
        if part["type"] == "container"
    }
    assert said == {
        name: (known.digest or ":none confirmed").partition(":")[2]
        for name, known in Facts().digests.items()
    }


def test_the_bill_of_a_commit_is_the_same_text_wherever_it_is_made() -> None:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("tools", "."))
    elsewhere = subprocess.run(
        [sys.executable, "-c", MADE],
        env={"PYTHONPATH": path, "PYTHONHASHSEED": "1", "TZ": "UTC+9"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert elsewhere.stdout == bill_of_materials("gpt-oss", "0.1.0", SOURCE, COMMIT)


@pytest.fixture
def statement(tmp_path: Path) -> dict[str, Any]:
    for name in ("gpt-oss-0.1.0.tgz", "helm-v4.3.1"):
        (tmp_path / name).write_text(name)
    (tmp_path / "helm4").symlink_to("helm-v4.3.1")
    text = provenance(
        [tmp_path / "gpt-oss-0.1.0.tgz"],
        source=SOURCE,
        version="0.1.0",
        commit=COMMIT,
        builder="https://git.example.com/platform/gpt-oss/actions/runs/1",
        helm=tmp_path / "helm4",
    )
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_the_statement_is_one_by_in_toto_s_and_slsa_s_own_definitions(
    statement: dict[str, Any],
) -> None:
    read = json_format.ParseDict(statement, statement_pb2.Statement())
    assert (read.type, read.predicate_type) == (
        "https://in-toto.io/Statement/v1",
        "https://slsa.dev/provenance/v1",
    )
    made = json_format.ParseDict(statement["predicate"], provenance_pb2.Provenance())
    # What SLSA requires.
    assert made.build_definition.build_type
    assert made.build_definition.external_parameters.fields
    assert made.run_details.builder.id


def test_the_statement_names_files_commit_and_tool_by_their_digests(
    statement: dict[str, Any],
) -> None:
    sha256 = {
        name: hashlib.sha256(name.encode()).hexdigest()
        for name in ("gpt-oss-0.1.0.tgz", "helm-v4.3.1")
    }
    described = [{"name": name, "digest": {"sha256": sum_}} for name, sum_ in sha256.items()]
    checked_out = {"uri": f"git+{SOURCE}@{COMMIT.id}", "digest": {"gitCommit": COMMIT.id}}
    assert statement["subject"] == described[:1]
    definition = statement["predicate"]["buildDefinition"]
    assert definition["resolvedDependencies"] == [checked_out, *described[1:]]


def git(folder: Path, *words: str) -> str:
    mine = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *mine, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_release_is_of_the_commit_and_not_of_what_has_changed_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "root", lambda: tmp_path)
    with pytest.raises(InputError, match="a release is made from a commit"):
        released_commit()
    (tmp_path / "charts" / "gpt-oss").mkdir(parents=True)
    (tmp_path / "charts" / "gpt-oss" / "Chart.yaml").touch()
    (tmp_path / "CHANGELOG.md").touch()
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "elsewhere").touch()
    assert released_commit().id == git(tmp_path, "rev-parse", "HEAD")
    chart = tmp_path / "charts" / "gpt-oss"
    (chart / "new.yaml").touch()
    with pytest.raises(InputError, match="commit first what has changed: charts/"):
        released_commit()
    # Git ignores it and Helm does not.
    (tmp_path / ".gitignore").write_text("new.yaml\n__pycache__/\n")
    with pytest.raises(InputError, match="commit first what has changed: charts/"):
        released_commit()
    (chart / "new.yaml").unlink()
    (chart / "__pycache__").mkdir()
    (chart / "__pycache__" / "a.pyc").touch()
    assert released_commit().id == git(tmp_path, "rev-parse", "HEAD")


@pytest.fixture
def keyring() -> Iterator[Path]:
    """A new secret key, in a path that is short enough for GnuPG's sockets."""
    with tempfile.TemporaryDirectory(prefix="gptoss-key-") as name:
        folder = Path(name)
        quiet = ["gpg", "--homedir", name, "--batch", "--pinentry-mode", "loopback"]
        quiet += ["--passphrase", ""]
        for words in (
            ["--quick-generate-key", "charts@example.com", "ed25519", "sign", "2y"],
            ["--output", str(folder / "secring.gpg"), "--export-secret-keys"],
        ):
            subprocess.run([*quiet, *words], capture_output=True, check=True)
        yield folder / "secring.gpg"
        subprocess.run(["gpgconf", "--homedir", name, "--kill", "all"], check=True)


@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs GnuPG")
def test_a_signature_is_the_key_s_over_the_file_as_it_is(keyring: Path, tmp_path: Path) -> None:
    file = tmp_path / "statement.json"
    file.write_text("{}")
    signature = sign(file, keyring, signing_key(keyring, "charts"), None)
    verify = ["gpg", "--homedir", str(keyring.parent), "--verify", str(signature), str(file)]
    assert subprocess.run(verify, capture_output=True, check=False).returncode == 0
    file.write_text("{ }")
    assert subprocess.run(verify, capture_output=True, check=False).returncode == 1
