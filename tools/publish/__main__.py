"""Packages, signs and pushes the chart, and renders it from there.

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
from gptoss.text.whole_files import write_whole
from publish.bill import bill_of_materials
from publish.commit import released_commit
from publish.package import metadata, stage
from publish.provenance import provenance
from publish.registry import Published, exists, package, program, push, template
from publish.signing import sign, signing_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from publish.signing import Key

HELMS = ("helm3", "helm4")
# What is off by default has templates too.
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
    parser.add_argument(
        "--builder", default="", help="BUILDER: address of what makes the release, as a run of CI"
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
    commit = released_commit()
    folder = folders.root() / "dist" / "release"
    source = options.source.rstrip("/")
    staged = stage(folder, source, key, options.key_url)
    made = package(staged, folder, key, keyring, passphrase)
    _tell(f"packaged and signed {made.relative_to(folders.root())}")
    targets = list(folders.target_files())
    compare(str(made), (), targets)
    _tell(f"{len(targets)} targets render from the package as from here, with Helm 3 and 4")
    bill, origin = (made.with_suffix(ending) for ending in (".cdx.json", ".provenance.json"))
    write_whole(bill, bill_of_materials(published.name, published.version, source, commit))
    subjects = (made, Path(f"{made}.prov"), bill)
    said = {"source": source, "version": published.version, "builder": options.builder}
    write_whole(origin, provenance(subjects, **said, commit=commit, helm=program("helm4")))
    signature = sign(origin, keyring, key, passphrase)
    _tell(f"wrote {bill.name}, {origin.name} and {signature.name} beside it")
    digest = push(made, registry)
    _tell(f"pushed {published.address}:{published.version}")
    compare(published.address, published.flags, targets[:1])
    print(_summary(published, key, digest, targets[0]))


def compare(chart: str, flags: Sequence[str], targets: Sequence[str]) -> None:
    """Renders targets from a package or a registry, with Helm 3 and 4, and from here.

    Raises:
        InputError: Helm refuses one, or renders it otherwise than from here.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda target: _compare(chart, flags, target), targets))


def _compare(chart: str, flags: Sequence[str], target: str) -> None:
    values = ("--values", str(folders.values_files()[target]))
    here = _objects(template("helm4", str(folders.chart()), *values, *EVERYTHING))
    for helm in HELMS:
        chosen = ("--set", f"target={target}", *EVERYTHING)
        if _objects(template(helm, chart, *flags, *chosen)) != here:
            raise InputError(f"{chart}: {helm} renders {target} otherwise than from here")


def _objects(manifests: str) -> list[object]:
    return [document for document in plain_yaml.load_all(manifests) if document]


def _tell(step: str) -> None:
    print(step, file=sys.stderr, flush=True)


def _summary(published: Published, key: Key, digest: str, target: str) -> str:
    version = f"--version {published.version}"
    return f"""{published.address}:{published.version}@{digest}
signed by {key.name} ({key.fingerprint}), and installed from there with Helm 3 and 4

helm install gpt-oss {published.address} {version} --set target={target}"""


if __name__ == "__main__":
    sys.exit(main())
