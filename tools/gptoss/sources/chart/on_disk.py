"""Texts that are laid over files, put on disk for Helm."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gptoss.facts import folders
from gptoss.text.files import texts_laid_over

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Laid:
    """Where the chart and values files stand on disk while texts are laid over them.

    Attributes:
        chart: A copy of the chart.
        files: Copies of files, by resolved path.
    """

    chart: Path
    files: Mapping[Path, Path]

    def file(self, path: Path) -> Path:
        """The copy of a file that a text is laid over, else the file itself."""
        return self.files.get(path.resolve(), path)


@contextmanager
def on_disk() -> Iterator[Laid | None]:
    """Puts the texts on disk while it lasts, for Helm; None when there are none."""
    laid = texts_laid_over()
    if not laid:
        yield None
        return
    original = folders.chart().resolve()
    with tempfile.TemporaryDirectory(prefix="gptoss-") as name:
        chart = Path(name, original.name)
        shutil.copytree(original, chart)
        files = {}
        for number, (path, text) in enumerate(laid.items()):
            if original in path.parents:
                copy = chart / path.relative_to(original)
                copy.unlink(missing_ok=True)
            else:
                copy = Path(name, f"{number}.yaml")
            copy.write_bytes(text.encode())
            files[path] = copy
        yield Laid(chart, files)
