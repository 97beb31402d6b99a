"""Packages, signs and pushes the chart, then renders every target from the registry.

``make release`` gives it what it needs; see ``docs/releasing.md``.
"""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.text import plain_yaml
from gptoss.text.errors import InputError
from publish.package import metadata, stage
from publish.registry import Published, exists, package, push, template
from publish.signing import signing_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from publish.signing import Key

HELMS = ("helm3", "helm4")
# Jobs and tests are rendered too.
EVERYTHING = ("--set", "benchmark.enabled=true")
AT_ONCE = 2
EXAMPLE = """example:
  make release REGISTRY=oci://ghcr.io/OWNER/charts SOURCE=https://github.com/OWNER/REPOSITORY \\
    KEY=charts@example.com KEYRING=secring.gpg KEY_URL=https://example.com/charts.asc
"""
GIVEN = {
    "registry": "REGISTRY: folder of the OCI registry, as in oci://ghcr.io/OWNER/charts",
    "source": "SOURCE: this repository's address, as in https://github.com/OWNER/REPOSITORY",
    "key": "KEY: the key that signs, by user id or fingerprint",
    "keyring": "KEYRING: file with the secret key, written by gpg --export-secret-keys",
    "key-url": "KEY_URL: where its public part can be fetched, as in https://example.com/charts.asc",
}
ADDRESSES = {
    "registry": r"oci://[^\s/]+(/[^\s/]+)*/?",
    "source": r"https?://\S+",
    "key-url": r"https?://\S+",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        release(_options(arguments))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was given.

    Raises:
        InputError: Something is missing, or is no address.
    """
    parser = argparse.ArgumentParser(
        prog="publish",
        description=(__doc__ or "").splitlines()[0],
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, help_ in GIVEN.items():
        parser.add_argument(f"--{name}", default="", help=help_)
    parser.add_argument(
        "--passphrase-file", default="", help="PASSPHRASE_FILE: the key's passphrase"
    )
    options = parser.parse_args(arguments)
    given = {name: str(getattr(options, name.replace("-", "_"))) for name in GIVEN}
    wrong = [
        help_
        for name, help_ in GIVEN.items()
        if not re.fullmatch(ADDRESSES.get(name, r".+"), given[name])
    ]
    if wrong:
        raise InputError(
            "give what a release needs, and docs/releasing.md explains:\n" + "\n".join(wrong)
        )
    return options


def release(options: argparse.Namespace) -> None:
    """Publishes the chart and says how to install it.

    Raises:
        InputError: A step fails; nothing is pushed unless all before it went well.
    """
    keyring = Path(options.keyring).expanduser().resolve()
    passphrase = Path(options.passphrase_file) if options.passphrase_file else None
    key = signing_key(keyring, options.key)
    chart = metadata()
    registry = options.registry.rstrip("/")
    published = Published(registry, chart["name"], chart["version"], keyring)
    if exists(published):
        raise InputError(
            f"{published.address} has version {published.version} already, and what is published "
            "stays; raise version in charts/gpt-oss/Chart.yaml"
        )
    folder = folders.root() / "dist" / "release"
    staged = stage(folder, options.source.rstrip("/"), key, options.key_url)
    made = package(staged, folder, key, keyring, passphrase)
    _tell(f"packaged and signed {made.relative_to(folders.root())}")
    digest = push(made, registry)
    _tell(f"pushed {published.address}:{published.version}")
    targets = install(published)
    print(_summary(published, key, digest, targets))


def install(published: Published) -> list[str]:
    """Renders every target from the registry, with Helm 3 and 4, and from here; returns the names.

    Raises:
        InputError: What is published renders otherwise than what lies here.
    """
    targets = [
        name
        for name, path in folders.values_files().items()
        if folders.overlay_for(path.read_text(encoding="utf-8")) is None
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for target, difference in zip(
            targets, pool.map(lambda name: _differs(published, name), targets), strict=True
        ):
            if difference:
                raise InputError(f"{published.address}: {target} differs under {difference}")
            _tell(f"{target} renders from the registry")
    return targets


def _differs(published: Published, target: str) -> str:
    """The Helm that renders a target from the registry otherwise than from here; empty if none."""
    values = ("--values", str(folders.values_files()[target]))
    here = _objects(template("helm4", str(folders.chart()), *values, *EVERYTHING))
    for helm in HELMS:
        chosen = ("--set", f"target={target}", *EVERYTHING)
        there = _objects(template(helm, published.address, *published.flags, *chosen))
        if there != here:
            return helm
    return ""


def _objects(manifests: str) -> list[object]:
    return [document for document in plain_yaml.load_all(manifests) if document]


def _tell(step: str) -> None:
    print(step, file=sys.stderr, flush=True)


def _summary(published: Published, key: Key, digest: str, targets: list[str]) -> str:
    version = f"--version {published.version}"
    return f"""{published.address}:{published.version}@{digest}
signed by {key.name} ({key.fingerprint})
{len(targets)} targets render from there as from here, with Helm 3 and 4

helm install gpt-oss {published.address} {version} --set target={targets[0]}"""


if __name__ == "__main__":
    sys.exit(main())
