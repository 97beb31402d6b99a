"""The chart as it is published: with its repository, what has changed, and the key that signs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import yaml

from gptoss.facts import folders
from gptoss.text import plain_yaml
from gptoss.text.files import read_text
from gptoss.text.whole_files import write_whole
from publish.changes import changes

if TYPE_CHECKING:
    from publish.signing import Key

LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(#[^)\s]*)?(?=\))")


def metadata() -> dict[str, Any]:
    """``Chart.yaml`` as it stands in the repository."""
    loaded: dict[str, Any] = plain_yaml.load(read_text(folders.chart() / "Chart.yaml"))
    return loaded


def stage(folder: Path, source: str, key: Key, key_url: str) -> Path:
    """Writes the chart that is to be published.

    Args:
        folder: Where its folder is written; what an earlier run left there is removed.
        source: Address of the repository, as people open it.
        key: The key that will sign it.
        key_url: Where its public part can be fetched.

    Returns:
        The chart's folder.

    Raises:
        InputError: A file cannot be read or written, or the changelog says nothing.
    """
    staged = folder / folders.chart().name
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(folders.chart(), staged)
    changelog = read_text(folders.root() / "CHANGELOG.md")
    write_whole(staged / "Chart.yaml", _stamped(metadata(), source, key, key_url, changelog))
    readme = read_text(staged / "README.md")
    write_whole(staged / "README.md", linked(readme, f"{source}/blob/v{metadata()['version']}"))
    return staged


def _stamped(chart: dict[str, Any], source: str, key: Key, key_url: str, changelog: str) -> str:
    """``Chart.yaml`` with what only a release knows."""
    chart["sources"] = [source, *chart.get("sources", [])]
    chart["annotations"] |= {
        "artifacthub.io/changes": _block(changes(changelog, chart["version"])),
        "artifacthub.io/signKey": _block({"fingerprint": key.fingerprint, "url": key_url}),
    }
    return _block(chart)


def _block(value: Any) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=10_000)


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as such."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def linked(readme: str, files: str) -> str:
    """The chart's README for readers who have the package alone.

    Args:
        readme: Its text; links lead through the repository.
        files: Address of the repository's files at this version.
    """
    chart = PurePosixPath(folders.chart().relative_to(folders.root()).as_posix())

    def absolute(match: re.Match[str]) -> str:
        path = PurePosixPath(_normal(chart / match[1]))
        return f"{files}/{path}{match[2] or ''}"

    return LINK.sub(absolute, readme)


def _normal(path: PurePosixPath) -> str:
    """A path without ``..``."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
