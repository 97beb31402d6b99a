"""plan.json and outcome.json, which a run keeps beside its artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from gptoss.text import plain_json
from gptoss.text.errors import InputError
from gptoss.text.files import read_text

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class Step(_Kept):
    """One concurrency of the plan; ``folder`` is relative to the run's."""

    concurrency: int
    requests: int | None = None
    folder: str = "."


class PredictedPoint(_Kept):
    """What a model said before: rates in tokens a second, latencies in milliseconds."""

    concurrency: int
    tokens_per_second_per_gpu: float | None = None
    tokens_per_second_per_user: float | None = None
    ttft_ms: float | None = None
    itl_ms: float | None = None


class Prediction(_Kept):
    """A prediction, by whom, and in one word or two how far it may be believed, with reasons."""

    source: str
    confidence: str
    reasons: tuple[str, ...] = ()
    points: tuple[PredictedPoint, ...]


class PlannedGpus(_Kept):
    """GPUs by the role of their workers."""

    aggregated: int = Field(0, ge=0)
    prefill: int = Field(0, ge=0)
    decode: int = Field(0, ge=0)


class Plan(_Kept):
    """What was about to run; what a writer left out is None or empty.

    ``scale`` is what the target's concurrency and requests were multiplied by; ``simulated`` says
    that no engine ran.
    """

    version: int = VERSION
    target: str | None = None
    release: str | None = None
    runtime: str | None = None
    model: str | None = None
    gpu: str | None = None
    gpus: PlannedGpus | None = None
    isl: int | None = None
    osl: int | None = None
    stream_interval: dict[str, int | None] = Field({}, alias="stream_interval")
    settings: dict[str, Any] = {}
    scale: float = 1
    simulated: bool = False
    started: str | None = None
    argv: tuple[tuple[str, ...], ...] = ()
    steps: tuple[Step, ...] = ()
    versions: dict[str, str | None] = {}
    prediction: Prediction | None = None


class Cause(_Kept):
    """Why requests failed, and how many."""

    count: int
    cause: str


class StepOutcome(_Kept):
    """What became of one step."""

    concurrency: int | None = None
    requests: int | None = None
    errors: int | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()


class Outcome(_Kept):
    """What became of the run."""

    version: int = VERSION
    steps: tuple[StepOutcome, ...] = ()


Form = TypeVar("Form", Plan, Outcome)


def read(form: type[Form], path: Path) -> Form:
    """A plan or an outcome.

    Raises:
        InputError: It cannot be read, is no JSON, or does not have this form.
    """
    content = json_object(path)
    if content.get("version", VERSION) != VERSION:
        raise InputError(
            f"{path}: version {content['version']} is not known to this gptoss; "
            f"it reads version {VERSION}"
        )
    try:
        return form.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: {where}: {first['msg']}") from None


def json_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        InputError: It cannot be read, or holds no object; a file that was cut off is such a case.
    """
    try:
        content = plain_json.load(read_text(path))
    except ValueError as error:
        raise InputError(
            f"{path}: this is no whole JSON ({error}); was the run cut off while it was written?"
        ) from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: an object is expected, this is {type(content).__name__}")
    return content
