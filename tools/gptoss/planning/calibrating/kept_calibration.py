"""A calibration in a file beside the target that it is of."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptoss.planning.calibrating.correction import Correction, Estimate
from gptoss.planning.layouts import Load
from gptoss.planning.prediction import Belief, Judged
from gptoss.text import plain_json
from gptoss.text.bounds import found_file
from gptoss.text.errors import InputError
from gptoss.text.files import read_text
from gptoss.text.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gptoss.planning.calibrating.calibration import Calibration, Seen
    from gptoss.planning.layouts import System
    from gptoss.planning.prediction import Prediction

VERSION = 1
PARTS = ("prefill", "decode", "overhead")
# A load is near a measured one with up to so many times its clients, and lengths that differ less.
CLIENTS, LENGTHS = 2.0, 1.25


@dataclass(frozen=True, slots=True)
class Kept:
    """A calibration as its file holds it.

    Attributes:
        file: The file.
        by: The correction.
        loads: What was measured.
    """

    file: Path
    by: Correction
    loads: tuple[Load, ...]

    def judged(self, prediction: Prediction) -> Prediction:
        """A prediction that says so where it is near what was measured."""
        if not any(_are_near(load, prediction.load) for load in self.loads):
            return prediction
        return replace(prediction, judged=Judged(Belief.MEASURED))


def file_of(source: str) -> Path:
    """Where the calibration of a source is kept: beside its file, else in the current folder."""
    path = Path(source.partition(" + ")[0])
    folder = path.parent if path.exists() else Path()
    name = path.stem if path.is_file() else path.resolve().name
    return folder / f"{name}.calibration.json"


def keep(calibration: Calibration, system: System, seen: Sequence[Seen], path: Path) -> None:
    """Writes a calibration, whole or not at all.

    Raises:
        InputError: It cannot be written.
    """
    content = {
        "version": VERSION,
        "of": layouts_of(system),
        **asdict(calibration),
        "loads": [asdict(point.load) for point in seen],
    }
    write_whole(path, json.dumps(content, indent=2) + "\n")


def kept(source: str, system: System) -> Kept | None:
    """The calibration that is kept for a source; None where there is none.

    Raises:
        InputError: The file is no calibration, one of other engines, or a link that leads out.
    """
    path = file_of(source)
    if not found_file(path):
        return None
    content = _content(path)
    if content.get("of") != layouts_of(system):
        raise InputError(
            f"{path}: this was measured with {content.get('of')}, and {source} is "
            f"{layouts_of(system)}: give runs of it with --measured, or delete the file"
        )
    return Kept(path, _correction(content, path), _loads(content, path))


def layouts_of(system: System) -> str:
    """What a calibration is of: other layouts have other factors."""
    layouts = " + ".join(f"{engine.layout} ({engine.layout.kv})" for engine in system.engines)
    return f"{system.decode.layout.gpu}, {layouts}"


def _content(path: Path) -> dict[str, Any]:
    try:
        content = plain_json.load(read_text(path))
    except ValueError as error:
        raise InputError(f"{path}: this is no whole JSON ({error}); calibrate again") from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise InputError(f"{path}: this is no calibration of this gptoss; calibrate again")
    return content


def _correction(content: dict[str, Any], path: Path) -> Correction:
    by = content.get("by")
    found = []
    for name in PARTS:
        part = by.get(name) if isinstance(by, dict) else None
        numbers = [part.get(key) for key in ("value", "error")] if isinstance(part, dict) else []
        known = [float(n) for n in numbers if isinstance(n, int | float) and math.isfinite(n)]
        if len(known) != len(("value", "error")) or (name != "overhead" and known[0] <= 0):
            raise InputError(f"{path}: by.{name} is no number with its error; calibrate again")
        found.append(Estimate(*known))
    return Correction(*found)


def _loads(content: dict[str, Any], path: Path) -> tuple[Load, ...]:
    try:
        return tuple(
            Load(int(x["clients"]), int(x["isl"]), int(x["osl"])) for x in content["loads"]
        )
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path}: loads is no list of loads; calibrate again") from None


def _are_near(one: Load, other: Load) -> bool:
    pairs = (
        (one.clients, other.clients, CLIENTS),
        (one.isl, other.isl, LENGTHS),
        (one.osl, other.osl, LENGTHS),
    )
    return all(max(a, b) <= most * min(a, b) for a, b, most in pairs)
