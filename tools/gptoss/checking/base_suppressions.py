"""Suppressions that stand in the base of a change already: it cannot silence its own findings."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.checking.config import TOML_NAME, YAML_NAME, config_files, config_in
from gptoss.checking.written_suppressions import ANNOTATION, BY_ANNOTATION, in_comments, scope_of
from gptoss.facts import folders
from gptoss.text.bounds import bounds
from gptoss.text.errors import InputError
from gptoss.text.executables import on_path
from gptoss.text.files import is_there, text_of
from gptoss.text.yaml_tree import parse_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gptoss.checking.written_suppressions import Suppression
    from gptoss.text.yaml_tree import Tree

    ReadText = Callable[[str], str | None]

ALL, NONE, BASE = "all", "none", "base:"
FORMS = "all, none, base:REVISION, or base:/FOLDER or base:./FOLDER of a checkout"
COMMIT = re.compile(r"[0-9a-f]{40,64}")
FOLLOWED = ("cat-file", "--batch", "--follow-symlinks")
BLOB = re.compile(rb"^[0-9a-f]{40,64} blob \d+$")
# Path of keys, rule and reason.
Written = tuple[str, str, str]


def base_of(told: str) -> ReadText | None:
    """What gives the text of a file in the base; None where every suppression counts.

    Args:
        told: ``all``, ``none``, or ``base:`` with a revision of Git, or with a folder, which begins
            with a slash or a dot, as no revision does.

    Raises:
        InputError: It is none of these, or the base is not there.
    """
    if told == ALL:
        return None
    if told == NONE:
        return lambda _: None
    name = told.removeprefix(BASE)
    if not told.startswith(BASE) or not name:
        raise InputError(f"--suppressions {told}: say {FORMS}")
    return _in_folder(Path(name)) if name.startswith(("/", ".")) else _in_revision(name)


def not_in_base(
    found: Iterable[Suppression], read_text: ReadText, base: ReadText
) -> set[Suppression]:
    """The suppressions that the base does not have.

    It has those of the same file, rule, scope and reason, on whichever line, as often as there.
    Those on the command line are the caller's own, and count. Of configurations that alone counts
    which holds in the base: a change may remove the nearer one.

    Raises:
        InputError: A file of the base is no YAML.
    """
    by_file: dict[str, list[Suppression]] = {}
    for suppression in sorted(found, key=lambda each: each.place):
        file = suppression.place.file
        if not file.startswith("--") or is_there(file):  # a file may be called as an argument is
            by_file.setdefault(file, []).append(suppression)
    new = set()
    for file, own in by_file.items():
        text = base(file) if not _is_config(file) or file == _config_of(base) else None
        there = Counter(_written(text, file)) if text else Counter[Written]()
        scopes = _annotated_at(read_text(file) or "", file)
        for each in own:
            scope = scopes.get((each.place.line, each.rule), "") if _is_note(each) else each.scope
            written = (scope, each.rule, each.reason)
            if there[written] > 0:
                there[written] -= 1
            else:
                new.add(each)
    return new


def _is_note(suppression: Suppression) -> bool:
    return suppression.scope == BY_ANNOTATION


def _written(text: str, file: str) -> Iterator[Written]:
    """Every suppression that a file of the base has."""
    for each in in_comments(text, file):
        yield each.scope, each.rule, each.reason
    for path, rule, tree in _annotations(text, file):
        yield path, rule, str(tree.value).strip()
    if _is_config(file):
        config = config_in(text, file, Path(file).parent)
        for ignore in config.ignores if config else ():
            yield scope_of(ignore), ignore.rule, ignore.reason


def _is_config(file: str) -> bool:
    return Path(file).name in (YAML_NAME, TOML_NAME)


def _config_of(base: ReadText) -> str | None:
    """The file whose configuration holds here in the base."""
    for path in config_files(Path.cwd()):
        shown = os.path.relpath(path)
        text = base(shown)
        if text is not None and config_in(text, shown, path.parent) is not None:
            return shown
    return None


def _annotated_at(text: str, file: str) -> dict[tuple[int, str], str]:
    """The paths of annotations by line and rule."""
    return {(tree.place.line, rule): path for path, rule, tree in _annotations(text, file)}


def _annotations(text: str, file: str) -> Iterator[tuple[str, str, Tree]]:
    """Path with the object that it is of, rule and value of every annotation that suppresses."""
    if ANNOTATION not in text or not file.endswith((".yaml", ".yml", ">")):
        return
    for tree in parse_documents(text, file):
        name = f"{tree.text('kind')} {tree.text('metadata', 'name')}"
        waiting = [(name, tree)]
        while waiting:
            path, at = waiting.pop()
            waiting += [(f"{path}[{each.text('name')}]", each) for each in at.elements()]
            for key, value in at.items():
                if key.startswith(ANNOTATION):
                    yield path, key.removeprefix(ANNOTATION), value
                waiting.append((f"{path}.{key}", value))


def _in_folder(folder: Path) -> ReadText:
    if not folder.is_dir():
        raise InputError(f"--suppressions {BASE}{folder}: there is no such folder")

    def read(file: str) -> str | None:
        path = _path_of(file)
        return text_of(path if path.startswith("/") else str(folder / path)) if path else None

    return read


def _in_revision(name: str) -> ReadText:
    top = bounds(Path())
    done = _run(top, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
    if b"ambiguous" in done.stderr:
        # Git takes a tag for it, which more people may make than a branch that is protected.
        raise InputError(
            f"--suppressions {BASE}{name}: a branch and a tag may be meant; give the commit, or "
            "the whole name, as refs/remotes/origin/main"
        )
    commit = done.stdout.decode(errors="replace").strip()
    if not COMMIT.fullmatch(commit):
        raise InputError(
            f"--suppressions {BASE}{name}: {top} has no such revision; fetch it, as with "
            "fetch-depth: 0 of actions/checkout"
        )

    def read(file: str) -> str | None:
        path = _path_of(file)
        if path is None or path.startswith("/"):
            return text_of(path) if path else None
        # Links are those of the base, for a change may put one in the place of a file.
        given = f"{commit}:{path}".encode(errors="surrogateescape")
        told = b"" if b"\n" in given else _run(top, *FOLLOWED, given=given).stdout
        head, _, content = told.partition(b"\n")
        return content[:-1].decode("utf-8-sig", errors="replace") if BLOB.search(head) else None

    return read


def _path_of(file: str) -> str | None:
    """A file's path from the top of the repository; None when it is not in it.

    What the chart brings is in no change elsewhere: its path is absolute.
    """
    resolved, top = Path(file).resolve(), bounds(Path())
    written = Path(os.path.abspath(file))  # noqa: PTH100 (keeps links)
    if resolved.is_relative_to(top):
        # A folder is left by ".." otherwise than it is written where it is a link.
        same = written.is_relative_to(top) and written.resolve() == resolved
        return (written if same else resolved).relative_to(top).as_posix()
    return str(resolved) if resolved.is_relative_to(folders.root().resolve()) else None


def _run(top: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs Git's plumbing, which runs no hooks and no filters."""
    git = on_path("git")
    if git is None:
        raise InputError(f"--suppressions {BASE}REVISION needs git on the PATH")
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    variables |= {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    told = ("--no-replace-objects", "-c", "core.warnAmbiguousRefs=true", "-C", str(top))
    return subprocess.run(
        [git, *told, *arguments],
        env=variables,
        input=given,
        capture_output=True,
        check=False,
    )
