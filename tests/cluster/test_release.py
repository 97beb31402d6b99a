"""docs/releasing.md, carried out: a registry, a key, a release from CI, and who installs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from publish.signing import signing_key
from testcluster.control_plane import BIN
from tests.chart.rendering import CHART, HELMS, ROOT, SHIPPED
from tests.cluster.registry import PASSWORD, USER, registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcluster.control_plane import Cluster

pytestmark = pytest.mark.cluster

PAGE = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
INSTALL = PAGE.partition("## Install")[2].partition("\n## ")[0]
SOURCE = "https://git.example.com/platform/gpt-oss"
SIGNER = "charts@example.com"
PASSPHRASE = "long and secret"  # noqa: S105
PATIENCE = 300


@dataclass(frozen=True)
class Released:
    """A release from CI.

    Attributes:
        host: The registry's host and port.
        folder: Where its maintainer keeps keys; ``charts.asc`` is the public one.
        environment: What commands of maintainer and users see.
        said: What the workflow's script printed.
    """

    host: str
    folder: Path
    environment: dict[str, str]
    said: str

    @property
    def address(self) -> str:
        return f"oci://{self.host}/owner/charts/gpt-oss"

    def types(self, command: str, helm: str = "helm4") -> subprocess.CompletedProcess[str]:
        """A command of the page as its reader types it, with his registry."""
        typed = command.replace("oci://ghcr.io/OWNER/charts/gpt-oss", self.address)
        if typed.startswith("helm"):
            typed = f"{BIN / helm}{typed.removeprefix('helm')} --plain-http"
        return shell(typed, self.folder, self.environment)

    def helm(self, helm: str, command: str) -> str:
        done = self.types(f"helm {command}", helm)
        assert done.returncode == 0, done.stderr
        return done.stdout


def shell(
    script: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def workflow_script(host: str, environment: dict[str, str]) -> str:
    """What the page's workflow runs, with the command of `make release` in its place."""
    (block,) = re.findall(r"```yaml\n# \.github.*?\n(.*?)```", PAGE, re.DOTALL)
    job = plain_yaml.load(block)["jobs"]["release"]
    step = next(step for step in job["steps"] if step.get("name") == "Release")
    script = str(step["run"])
    wanted = {*job["env"], *step["env"]}
    assert wanted <= set(environment), "the workflow sets something that this test does not"
    # make would install this checkout into the environment that runs this test.
    made = shell("make -n release", ROOT, environment).stdout
    release = made[made.index(".venv/bin/python -m publish") :]
    script = script.replace("make release", release)
    return script.replace("login ghcr.io", f"login {host} --plain-http")


@pytest.fixture(scope="module")
def key() -> Iterator[Path]:
    """A folder with a signer's keys, whose path is short enough for GnuPG's sockets."""
    with tempfile.TemporaryDirectory(prefix="gptoss-key-") as name:
        folder = Path(name)
        home = {"GNUPGHOME": str(folder / "gnupg")}
        (folder / "gnupg").mkdir(mode=0o700)
        quiet = f"gpg --batch --quiet --pinentry-mode loopback --passphrase '{PASSPHRASE}'"
        done = shell(
            f"{quiet} --quick-generate-key {SIGNER} ed25519 sign 2y\n"
            f"{quiet} --export-secret-keys {SIGNER} >secring.gpg\n"
            f"gpg --quiet --export --armor {SIGNER} >charts.asc\n"
            "gpgconf --kill all",
            folder,
            home,
        )
        assert done.returncode == 0, done.stderr
        yield folder


@pytest.fixture(scope="module")
def released(key: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Released]:
    folder = tmp_path_factory.mktemp("registry")
    with registry(folder) as host:
        secret = shell("base64 -w0 secring.gpg", key, {}).stdout
        environment = {
            "PYTHONPATH": "tools:.",
            "HELM_REGISTRY_CONFIG": str(folder / "helm-login.json"),
            "GITHUB_ACTOR": USER,
            "GITHUB_REF_NAME": f"v{version()}",
            "TOKEN": PASSWORD,
            "SECRING": secret,
            "PASSPHRASE": PASSPHRASE,
            "KEYRING": str(folder / "keyring.gpg"),
            "PASSPHRASE_FILE": str(folder / "passphrase"),
            "KEY": SIGNER,
            "KEY_URL": "https://example.com/charts.asc",
            "REGISTRY": f"oci://{host}/owner/charts",
            "SOURCE": SOURCE,
            "BUILDER": f"{SOURCE}/actions/runs/1",
        }
        done = shell(workflow_script(host, environment), ROOT, environment)
        assert done.returncode == 0, done.stderr
        assert PASSPHRASE not in done.stdout + done.stderr
        yield Released(host, key, environment, done.stdout)


def version() -> str:
    return str(plain_yaml.load((CHART / "Chart.yaml").read_text("utf-8"))["version"])


def test_a_release_says_what_it_did_and_how_to_install_it(released: Released) -> None:
    lines = released.said.splitlines()
    pushed = re.escape(f"{released.address}:{version()}")
    signed = rf"signed by .*{SIGNER}.* \([0-9A-F]{{40}}\), and installed .*"
    for form in (rf"{pushed}@sha256:[0-9a-f]{{64}}", signed):
        assert [line for line in lines if re.fullmatch(form, line)], form
    assert released.helm("helm4", lines[-1].removeprefix("helm ").replace("install", "template"))


def test_what_a_release_is_made_from_is_signed_and_found_again(
    released: Released, tmp_path: Path
) -> None:
    made = ROOT / "dist" / "release"
    for kind in (".tgz", ".tgz.prov", ".cdx.json", ".provenance.json", ".provenance.json.asc"):
        shutil.copy(made / f"gpt-oss-{version()}{kind}", tmp_path)
    (block,) = re.findall(r"```bash\n(gpg --import.*?)```", PAGE, re.DOTALL)
    shutil.copy(released.folder / "charts.asc", tmp_path)
    with tempfile.TemporaryDirectory(prefix="gptoss-key-") as home:
        script = block.replace("0.1.0", version())
        environment = {"GNUPGHOME": home}
        done = shell(script, tmp_path, environment)
        assert done.returncode == 0, done.stderr
        (tmp_path / f"gpt-oss-{version()}.tgz").write_bytes(b"another")
        assert shell(script, tmp_path, environment).returncode == 1


def test_the_page_s_commands_show_check_and_install_the_release_on_a_cluster(
    released: Released, cluster: Cluster
) -> None:
    said = {}
    reader = Released(
        released.host,
        released.folder,
        released.environment
        | {"KUBECONFIG": str(cluster.kubeconfig), "HELM_NAMESPACE": "from-registry"},
        "",
    )
    cluster.kubectl("create", "namespace", "from-registry")
    for block in re.findall(r"```text\n(.*?)```", INSTALL, re.DOTALL):
        for command in block.splitlines():
            done = reader.types(command)
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            said[command] = done.stdout
            if command.startswith("helm install"):
                assert "STATUS: deployed" in done.stdout
                cluster.kubectl("get", "dynamographdeployment/gpt-oss", "-n", "from-registry")
                reader.types("helm uninstall gpt-oss".replace("helm", str(BIN / "helm4"), 1))
    (fingerprint,) = {
        yaml.safe_load(yaml.safe_load(text)["annotations"]["artifacthub.io/signKey"])["fingerprint"]
        for command, text in said.items()
        if command.startswith("helm show chart")
    }
    (shown,) = [text for command, text in said.items() if "--show-keys" in command]
    assert fingerprint in shown.replace(" ", "")


@pytest.mark.parametrize("helm", HELMS)
def test_what_the_package_shows_needs_no_repository(released: Released, helm: str) -> None:
    at = f"{released.address} --version {version()}"
    readme = released.helm(helm, f"show readme {at}")
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert all(link.startswith(("https://", "#")) for link in links)
    inside = [link for link in links if link.startswith(SOURCE)]
    assert inside
    for link in inside:
        path = link.removeprefix(f"{SOURCE}/blob/v{version()}/").partition("#")[0]
        assert (ROOT / path).exists(), link
    values = released.helm(helm, f"show values {at}")
    assert all(name in values for name in SHIPPED)
    # A copy of it changes nothing until a line loses its mark.
    assert plain_yaml.load(values) is None


@pytest.mark.parametrize("helm", HELMS)
def test_a_parent_chart_takes_the_release_from_the_registry(
    released: Released, helm: str, tmp_path: Path
) -> None:
    registry = released.address.removesuffix("/gpt-oss")
    wanted = {"name": "gpt-oss", "version": version(), "repository": registry}
    about = {"apiVersion": "v2", "name": "parent", "version": "1.0.0", "dependencies": [wanted]}
    (tmp_path / "Chart.yaml").write_text(yaml.safe_dump(about))
    (tmp_path / "values.yaml").write_text("gpt-oss:\n  target: serve-h100-2\n")
    released.helm(helm, f"dependency update {tmp_path}")
    rendered = released.helm(helm, f"template prod {tmp_path}")
    assert 'name: "prod-gpt-oss-server"' in rendered


@pytest.mark.parametrize("helm", HELMS)
def test_a_release_that_another_key_has_signed_is_refused(released: Released, helm: str) -> None:
    with tempfile.TemporaryDirectory(prefix="gptoss-key-") as home:
        shell(
            "gpg --batch --quiet --passphrase '' --quick-generate-key charts@example.com ed25519\n"
            "gpg --quiet --export >other.gpg; gpgconf --kill all",
            Path(home),
            {"GNUPGHOME": home},
        )
        keyring = f"--verify --keyring {home}/other.gpg"
        at = f"{released.address} --version {version()} --set target=agg-gb200 {keyring}"
        done = released.types(f"helm template gpt-oss {at}", helm)
    assert done.returncode != 0
    assert "signature made by unknown entity" in done.stderr


def test_a_version_is_never_overwritten(released: Released) -> None:
    script = workflow_script(released.host, released.environment)
    done = shell(script, ROOT, released.environment)
    assert done.returncode == 2
    assert "has version" in done.stderr
    assert "raise version in charts/gpt-oss/Chart.yaml" in done.stderr


def test_a_tag_that_is_not_the_chart_s_version_releases_nothing(released: Released) -> None:
    environment = released.environment | {"GITHUB_REF_NAME": "v99.0.0"}
    done = shell(workflow_script(released.host, environment), ROOT, environment)
    assert (done.returncode, done.stdout) == (1, "")


def test_the_key_is_found_by_user_id_or_fingerprint_and_another_one_is_told(key: Path) -> None:
    keyring = key / "secring.gpg"
    found = signing_key(keyring, SIGNER)
    assert signing_key(keyring, found.fingerprint[-16:].lower()) == found
    known = re.escape(f"{found.name} ({found.fingerprint})")
    with pytest.raises(InputError, match=f"name one key .*: {known}"):
        signing_key(keyring, "nobody@example.com")
    with pytest.raises(InputError, match="is no file of `gpg --export-secret-keys`"):
        signing_key(ROOT / "README.md", SIGNER)
    # A public key signs nothing.
    public = shell("gpg --dearmor <charts.asc >public.gpg", key, {})
    assert public.returncode == 0, public.stderr
    with pytest.raises(InputError, match="no secret key"):
        signing_key(key / "public.gpg", SIGNER)
