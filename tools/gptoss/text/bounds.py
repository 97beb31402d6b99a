"""Files that an input names: opened only inside the folder of what names them.

What a change proposes may name any file of the machine that judges it, and findings show lines.
Out of reach are hard links, which no change of a repository can hold, and whoever changes files
while they are read.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.text.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPTION = "--allow-read"
NOT_FOLLOWED = f"it is not followed without {OPTION}"
# Linux opens no longer path; to resolve one takes the square of its length.
PATH_MAX = 4096

# Folders whose files may be read besides; of the whole process, for Helm is waited for in threads.
_allowed: list[Path] = []


class OutsideError(InputError):
    """A file lies outside the folder whose files may be opened, or a hidden one is named."""


@contextmanager
def allowing(folders: Sequence[Path]) -> Iterator[None]:
    """While it lasts, files below these folders may be read, whatever names them.

    Raises:
        InputError: One is no folder, or somebody else's change is judged: on a GitHub runner.
    """
    if folders and on_runner():
        raise InputError(f"{OPTION} is for a person at a terminal; a runner reads nothing else")
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{OPTION} {folder}: this is no folder")
    before = list(_allowed)
    _allowed.extend(folder.resolve() for folder in folders)
    try:
        yield
    finally:
        _allowed[:] = before


def refuse_allowed(option: str) -> None:
    """Refuses what cannot go with folders that are allowed besides.

    Raises:
        InputError: There are some.
    """
    if _allowed:
        raise InputError(f"{OPTION} is for a person at a terminal and does not go with {option}")


def on_runner() -> bool:
    """Whether this runs in a job of GitHub Actions."""
    return bool(os.environ.get("GITHUB_ACTIONS"))


def named_file(path: Path, folder: Path) -> Path | None:
    """A file that something in a folder names.

    Args:
        path: The file, as it is opened from the current folder.
        folder: The folder of what names it.

    Returns:
        The path as given; None when no regular file is there.

    Raises:
        OutsideError: It lies outside the bounds of the folder, or links lead out of them, or it is
            hidden, as ``.git/config``, where credentials are kept.
    """
    resolved = _regular(path)
    if resolved is None or _is_allowed(resolved):
        return path if resolved else None
    home = bounds(folder)
    if not resolved.is_relative_to(home):
        raise OutsideError(f"{path} is outside {home}: it is not read without {OPTION}")
    if _is_hidden(resolved, folder, home):
        raise OutsideError(f"{path} is hidden: it is not read without {OPTION}")
    return path


def found_file(path: Path) -> Path | None:
    """A file that is looked for under a name of its own, as ``.env``, beside something.

    Returns:
        The path as given; None when no regular file is there.

    Raises:
        OutsideError: It is a link that leads out of the bounds of its folder, or to what is hidden.
    """
    resolved = _regular(path)
    if resolved is None or _is_allowed(resolved):
        return path if resolved else None
    home = bounds(path.parent)
    if not resolved.is_relative_to(home):
        raise OutsideError(f"{path} is a link that leads out of {home}: {NOT_FOLLOWED}")
    is_link = resolved != path.parent.resolve() / path.name
    if is_link and _is_hidden(resolved, path.parent, home):
        raise OutsideError(f"{path} is a link that leads to what is hidden: {NOT_FOLLOWED}")
    return path


def refuse_link(path: Path) -> None:
    """Refuses a path that is given on the command line when a repository's links lead out of it.

    Whoever may change the repository would choose what is read; elsewhere links are the user's own.

    Raises:
        OutsideError: They do, or they lead to what is hidden.
    """
    for target, where in _strays(path):
        if not _is_allowed(target):
            raise OutsideError(f"{path} is a link that leads {where}: {NOT_FOLLOWED}")


def refuse_way(path: Path) -> None:
    """The same of the folders on the way to a file that is to be written.

    Raises:
        OutsideError: Links lead out of the repository, or to what is hidden.
    """
    for _, where in _strays(path.parent):
        raise OutsideError(f"cannot write {path}: {path.parent} is a link that leads {where}")


def leads_out(path: Path) -> bool:
    """Whether a link on the way to a file leads out of where it stands.

    That is a repository or the current folder; elsewhere links are the user's own.
    """
    for folder, target in _links(path):
        home = _repository(folder)
        if home is None and folder.is_relative_to(Path.cwd()):
            home = bounds(folder)
        if home is not None and not target.is_relative_to(home):
            return True
    return False


def bounds(folder: Path) -> Path:
    """The folder whose files something in a folder may name.

    That is the repository, else the current folder where it holds the folder, else the folder
    itself. Neither a home folder nor the root of the file system counts as a repository.
    """
    repository = _repository(folder)
    if repository is not None:
        return repository
    near, here = folder.resolve(), Path.cwd()
    return here if near.is_relative_to(here) and _is_narrow(here) else near


def _repository(folder: Path) -> Path | None:
    """The repository that a folder is in; on a runner the current folder is one without Git too."""
    near, here = folder.resolve(), Path.cwd()
    for above in (near, *near.parents):
        if _is_narrow(above) and (above / ".git").exists():
            return above
    is_checkout = on_runner() and near.is_relative_to(here) and _is_narrow(here)
    return here if is_checkout else None


def _is_narrow(folder: Path) -> bool:
    return folder not in (Path(folder.anchor), _home())


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:  # nobody's
        return None


def _is_allowed(resolved: Path) -> bool:
    """Whether a file may be read besides: hidden ones only where their own folder is named."""
    return any(
        resolved.is_relative_to(folder) and not _is_hidden(resolved, folder, folder)
        for folder in _allowed
    )


def _is_hidden(resolved: Path, folder: Path, home: Path) -> bool:
    """Whether a file lies in a hidden folder, or is hidden, in which what names it is not.

    Names that begin with two dots are those of the folders behind a mounted ConfigMap.
    """
    near = folder.resolve()
    relative = resolved.relative_to(near if resolved.is_relative_to(near) else home)
    return any(part.startswith(".") and not part.startswith("..") for part in relative.parts)


def _strays(path: Path) -> Iterator[tuple[Path, str]]:
    """What a repository's links on the way lead to that they should not, and where that is."""
    for folder, target in _links(path):
        home = _repository(folder)
        if home is not None and not target.is_relative_to(home):
            yield target, f"out of {home}"
        elif home is not None and _is_hidden(target, folder, home):
            yield target, "to what is hidden"


def _links(path: Path) -> Iterator[tuple[Path, Path]]:
    """Each link on the way to a file: the folder that it stands in, and what it leads to."""
    at = Path(path.anchor) if path.is_absolute() else Path.cwd()
    try:
        for part in path.relative_to(path.anchor).parts:
            step = at.parent if part == ".." else at / part
            if part != ".." and step.is_symlink():
                target = step.resolve()
                yield at, target
                step = target
            at = step
    except (OSError, ValueError, RuntimeError):  # reading it says why it cannot be read
        return


def _regular(path: Path) -> Path | None:
    """The file that a path leads to: neither a folder nor a pipe nor a device."""
    if len(str(path)) >= PATH_MAX:
        return None
    try:
        resolved = path.resolve()
        return resolved if resolved.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a loop of links, a name that none can have
        return None
