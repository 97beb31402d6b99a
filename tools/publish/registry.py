"""Helm as one uses it to publish a chart, and to install a published one."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from publish.signing import Key

LOCAL = re.compile(r"oci://(localhost|127\.\d+\.\d+\.\d+)(:\d+)?/")


@dataclass(frozen=True, slots=True)
class Published:
    """A version of the chart in a registry.

    Attributes:
        registry: The folder that it lies in, ``oci://…``.
        name: The chart's name.
        version: Its version.
        keyring: What its signature is checked with.
    """

    registry: str
    name: str
    version: str
    keyring: Path

    @property
    def address(self) -> str:
        """What ``helm install`` is given."""
        return f"{self.registry}/{self.name}"

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of every command that reads it: the version, and its signature is checked."""
        checked = ("--verify", "--keyring", str(self.keyring))
        return ("--version", self.version, *checked, *plain_http(self.registry))


def plain_http(registry: str) -> tuple[str, ...]:
    """The flag that a registry on this machine needs, which has no certificate."""
    return ("--plain-http",) if LOCAL.match(f"{registry}/") else ()


def exists(published: Published) -> bool:
    """Whether the registry has this version already.

    A registry that cannot be asked is told of by the push.
    """
    version = ("--version", published.version, *plain_http(published.registry))
    return _run("helm4", "show", "chart", published.address, *version).returncode == 0


def package(staged: Path, folder: Path, key: Key, keyring: Path, passphrase: Path | None) -> Path:
    """Packages and signs the chart, and checks the signature; returns the package.

    Raises:
        InputError: Helm cannot.
    """
    secret = ("--passphrase-file", str(passphrase)) if passphrase else ()
    sign = ("--sign", "--key", key.name, "--keyring", str(keyring), *secret)
    said = helm("helm4", "package", str(staged), "--destination", str(folder), *sign)
    made = folder / said.strip().rpartition("/")[2]
    helm("helm4", "verify", str(made), "--keyring", str(keyring))
    return made


def push(made: Path, registry: str) -> str:
    """Pushes a package with its signature; returns the digest.

    Raises:
        InputError: The registry does not take it.
    """
    said = helm("helm4", "push", str(made), registry, *plain_http(registry))
    digest = re.search(r"sha256:[0-9a-f]{64}", said)
    return digest[0] if digest else ""


def template(name: str, chart: str, *flags: str) -> str:
    """What a Helm of a name renders.

    Raises:
        InputError: It refuses.
    """
    return helm(name, "template", "gpt-oss", chart, *flags)


def helm(name: str, *words: str) -> str:
    """What a Helm of .tools/bin says.

    Raises:
        InputError: It fails; the message is its own.
    """
    done = _run(name, *words)
    if done.returncode != 0:
        raise InputError(f"helm {words[0]}: {done.stderr.strip().removeprefix('Error: ')}")
    return done.stdout + (done.stderr if words[0] == "push" else "")


def program(name: str) -> Path:
    """The Helm of a name, in .tools/bin."""
    return folders.root() / ".tools" / "bin" / name


def _run(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    helm = program(name)
    try:
        return subprocess.run([helm, *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise InputError(f"{helm} is missing; run `make tools`") from None
