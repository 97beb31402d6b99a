"""Files that an input names: opened only inside the folder of what names them.

What a change proposes may name any file of the machine that judges it, and findings show lines.

This module imports nothing heavy: the command line is judged before Helm starts.
"""

from __future__ import annotations

import os
from pathlib import Path

from gptoss.text.errors import InputError


class OutsideError(InputError):
    """A file lies outside the folder whose files may be opened, or a hidden one is named."""


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
    if resolved is None:
        return None
    home = bounds(folder)
    if not resolved.is_relative_to(home):
        raise OutsideError(f"{path} is outside {home}: it is not read")
    near = folder.resolve()
    relative = resolved.relative_to(near if resolved.is_relative_to(near) else home)
    if any(part.startswith(".") for part in relative.parts):
        raise OutsideError(f"{path} is hidden: it is not read")
    return path


def found_file(path: Path) -> Path | None:
    """A file that is looked for under a name of its own, as ``.env``, beside something.

    Returns:
        The path as given; None when no regular file is there.

    Raises:
        OutsideError: It is a link that leads out of the bounds of its folder.
    """
    resolved = _regular(path)
    if resolved is None:
        return None
    home = bounds(path.parent)
    if not resolved.is_relative_to(home):
        raise OutsideError(f"{path} is a link that leads out of {home}: it is not followed")
    return path


def refuse_link(path: Path) -> None:
    """Refuses a path that is given on the command line when links lead out of the repository.

    Whoever may change the repository would choose what is read; elsewhere links are the user's own.

    Raises:
        OutsideError: They do.
    """
    here = bounds(Path())
    try:
        if (here / ".git").exists() and leads_out(path):
            raise OutsideError(f"{path} is a link that leads out of {here}: it is not followed")
    except (OSError, ValueError, RuntimeError):  # reading it says why it cannot be read
        return


def leads_out(path: Path) -> bool:
    """Whether links lead from where a file seems to lie to outside the bounds there."""
    seeming, resolved, here = Path(os.path.abspath(path)), path.resolve(), bounds(Path())  # noqa: PTH100 (keeps links)
    if seeming.is_relative_to(here):
        return not resolved.is_relative_to(here)
    return not resolved.is_relative_to(bounds(path.parent))


def bounds(folder: Path) -> Path:
    """The folder whose files something in a folder may name.

    That is the repository, else the current folder where it holds the folder, else the folder
    itself. Neither a home folder nor the root of the file system counts as a repository.
    """
    near, here = folder.resolve(), Path.cwd()
    too_wide = (Path(near.anchor), _home())
    for above in (near, *near.parents):
        if above not in too_wide and (above / ".git").exists():
            return above
    return here if near.is_relative_to(here) and here not in too_wide else near


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:  # nobody's
        return None


def _regular(path: Path) -> Path | None:
    """The file that a path leads to: neither a folder nor a pipe nor a device."""
    try:
        resolved = path.resolve()
        return resolved if resolved.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a loop of links, a name that none can have
        return None
