"""aiperf's summary of one run, of versions 0.10 to 0.13.

The layout is that of ``JsonExportData`` (aiperf wheels, common/models/export_models.py): each
metric is an object of a unit and statistics, all beside each other; 0.1 kept them under
``records``.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gptoss.benchmarking.aiperf_traffic import sent_as
from gptoss.benchmarking.plans import json_object
from gptoss.benchmarking.runs import Latency, Point
from gptoss.text.errors import InputError
from gptoss.text.secrets import without_secrets

if TYPE_CHECKING:
    from pathlib import Path

NAME = "profile_export_aiperf.json"
OLDEST = (0, 10)
IN_FOLDER_NAME = re.compile(r"concurrency[-_](\d+)")
# Below this share of its time a run was answering, and its rates are of that share alone.
WHOLE_TIME = 0.9


def read_summary(path: Path) -> Point:
    """What a summary says.

    Raises:
        InputError: It is no whole JSON, no summary of aiperf, or one of a version before 0.10.
    """
    content = json_object(path)
    version = _version(content, path)
    config = _object(content, "input_config")
    endpoint = _object(config, "endpoint")
    errors = _whole(content, "error_request_count") or 0
    cancelled = bool(content.get("was_cancelled"))
    return Point(
        folder=path.parent,
        tool=f"aiperf {version}",
        model=_model(config),
        endpoint=_text(endpoint.get("type")),
        concurrency=_concurrency(config, path),
        effective_concurrency=_effective_concurrency(content),
        requests=_whole(content, "request_count") or 0,
        errors=errors,
        duration=_of(content, "benchmark_duration"),
        requests_per_second=_of(content, "request_throughput"),
        tokens_per_second=_of(content, "output_token_throughput"),
        total_tokens_per_second=_total_tokens_per_second(content),
        tokens_per_second_per_user=_of(content, "output_token_throughput_per_user"),
        tokens_per_second_per_request=_of(content, "e2e_output_token_throughput"),
        goodput=_of(content, "goodput"),
        ttft=_latency(content, "time_to_first_token"),
        itl=_latency(content, "inter_token_latency"),
        icl=_latency(content, "inter_chunk_latency"),
        e2el=_latency(content, "request_latency"),
        isl_client=_isl_of_client(content, config, endpoint),
        isl_server=_of(content, "usage_prompt_tokens"),
        osl=_of(content, "output_sequence_length"),
        osl_mismatches=_whole(content, "osl_mismatch_count"),
        causes=_causes(content),
        cut_short=cancelled or content.get("is_complete") is False,
        started=_text(content.get("start_time")),
        sent_as=sent_as(config),
        problems=_not_the_whole_time(content) if errors else (),
    )


def _version(content: dict[str, Any], path: Path) -> str:
    """The version that wrote a summary."""
    again = "measure again with 0.10 or newer"
    if "records" in content:
        raise InputError(f"{path}: aiperf before 0.2 wrote this (it has `records`); {again}")
    version = content.get("aiperf_version")
    numbers = re.match(r"(\d+)\.(\d+)", version) if isinstance(version, str) else None
    if not numbers:
        raise InputError(f"{path}: aiperf_version is missing, so this is no summary of aiperf")
    if tuple(map(int, numbers.groups())) < OLDEST:
        raise InputError(f"{path}: aiperf {version} wrote this, which is not read; {again}")
    return str(version)


def _object(content: dict[str, Any], key: str) -> dict[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}


def _of(content: dict[str, Any], metric: str, statistic: str = "avg") -> float | None:
    """A statistic of a metric; None where it is missing or no number."""
    value = _object(content, metric).get(statistic)
    return float(value) if isinstance(value, int | float) else None


def _whole(content: dict[str, Any], metric: str) -> int | None:
    value = _of(content, metric)
    return None if value is None else round(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _latency(content: dict[str, Any], metric: str) -> Latency:
    return Latency(*(_of(content, metric, statistic) for statistic in ("avg", "p50", "p90", "p99")))


def _total_tokens_per_second(content: dict[str, Any]) -> float | None:
    """As aiperf says it, else in the proportion of its totals: rates are by the same time."""
    own = _of(content, "total_token_throughput")
    rate = _of(content, "output_token_throughput")
    prompts, answers = _of(content, "total_isl"), _of(content, "total_osl")
    if own is not None or rate is None or prompts is None or not answers:
        return own
    return rate * (prompts + answers) / answers


def _effective_concurrency(content: dict[str, Any]) -> float | None:
    """Requests in flight on the mean: aiperf's own from 0.12, else by Little's law."""
    own = _of(content, "effective_concurrency")
    duration, latency = _of(content, "benchmark_duration"), _of(content, "request_latency")
    count = _of(content, "request_count")
    if own is not None or not duration or latency is None or count is None:
        return own
    return latency / 1000 * count / duration


def _isl_of_client(
    content: dict[str, Any], config: dict[str, Any], endpoint: dict[str, Any]
) -> float | None:
    """Tokens of a prompt as the client made it.

    With ``--use-server-token-count`` aiperf puts the server's count into its own metric, and the
    length that was asked for is the client's.
    """
    if not endpoint.get("use_server_token_count"):
        return _of(content, "input_sequence_length")
    datasets = config.get("datasets")
    first = datasets[0] if isinstance(datasets, list) and datasets else {}
    isl = _object(_object(first if isinstance(first, dict) else {}, "prompts"), "isl")
    mean = isl.get("mean")
    return float(mean) if isinstance(mean, int | float) else None


def _model(config: dict[str, Any]) -> str | None:
    items = _object(config, "models").get("items")
    first = items[0] if isinstance(items, list) and items else None
    return _text(first.get("name")) if isinstance(first, dict) else _text(first)


def _concurrency(config: dict[str, Any], path: Path) -> int | None:
    """The concurrency of the measured phase, else the one that the folder is named by."""
    phases = config.get("phases")
    for phase in phases if isinstance(phases, list) else []:
        if isinstance(phase, dict) and not phase.get("exclude_from_results"):
            concurrency = phase.get("concurrency")
            if isinstance(concurrency, int):
                return concurrency
    named = IN_FOLDER_NAME.search(path.parent.name)
    return int(named[1]) if named else None


def _causes(content: dict[str, Any]) -> dict[str, int]:
    """Failed requests by cause, most frequent first, without secrets."""
    causes: dict[str, int] = {}
    summary = content.get("error_summary")
    for entry in summary if isinstance(summary, list) else []:
        details = _object(entry, "error_details") if isinstance(entry, dict) else {}
        cause = cause_of(details)
        causes[cause] = causes.get(cause, 0) + int(entry.get("count") or 0) if details else 0
    return dict(sorted(causes.items(), key=lambda pair: -pair[1]))


def cause_of(details: dict[str, Any]) -> str:
    """A failure in one line: the code or the kind, and what the server or the client said."""
    message = str(details.get("message") or "")
    inner = re.search(r'"message"\s*:\s*"((?:[^"\\]|\\.)*)"', message)
    said = inner[1] if inner else re.sub(r"^\w+\('(.*)'\)$", r"\1", message, flags=re.DOTALL)
    kind = details.get("code") or details.get("type") or "error"
    return without_secrets(" ".join(f"{kind}: {said}".split()))


def _not_the_whole_time(content: dict[str, Any]) -> tuple[str, ...]:
    """Says where rates leave out the time after the last answer, in which requests only failed.

    Up to 0.11 aiperf divides by the time from the first request to the last answer (wheel 0.10.0,
    metrics/types/output_token_throughput_metrics.py); from 0.12 by the time that was observed.
    """
    tokens, rate = _of(content, "total_osl"), _of(content, "output_token_throughput")
    try:
        start = datetime.fromisoformat(str(content.get("start_time")))
        took = (datetime.fromisoformat(str(content.get("end_time"))) - start).total_seconds()
    except (ValueError, TypeError):
        return ()
    counted = tokens / rate if tokens and rate else took
    if counted >= took * WHOLE_TIME:
        return ()
    text = (
        f"rates are too high: this aiperf divides by the {counted:.1f} s up to the last answer, "
        f"and the run took {took:.1f} s"
    )
    return (text,)
