"""Programs of the machine that are started.

This module imports nothing heavy: Helm starts before Python has imported its libraries.
"""

from __future__ import annotations

import os
import shutil


def on_path(name: str) -> str | None:
    """Path of a program on the PATH; None where there is none.

    Only absolute folders of the PATH count: ``.`` is wherever somebody's change is checked out.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))
