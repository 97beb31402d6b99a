#!/usr/bin/env python3
"""Stands for aiperf in tests: writes, for the words that it is given, what aiperf 0.13 writes.

AIPERF_DOES says what goes wrong: words of ``fail=N`` (requests), ``mismatch=N``, ``tokens=N``,
``effective=N``, ``seconds=N``, ``exit=N``, ``cut``, ``nothing``, ``wait``, ``runs``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

DOES = dict(word.partition("=")[::2] for word in os.environ.get("AIPERF_DOES", "").split())
MESSAGE = "Prefill execution failed: no instances found for endpoint dynamo/prefill/generate"
ERROR = {
    "code": 500,
    "type": "Internal Server Error",
    "message": json.dumps({"message": MESSAGE, "type": "Internal Server Error", "code": 500}),
}


def value(flag: str) -> str:
    return sys.argv[sys.argv.index(flag) + 1]


def spread(number: float) -> dict[str, float]:
    return {"avg": number, "p50": number, "p99": number, "max": number}


def summary(requests: int, failed: int) -> dict[str, Any]:
    tokens = int(DOES.get("tokens", value("--output-tokens-mean")))
    measured = {
        "aiperf_version": "0.13.0",
        "is_complete": True,
        "was_cancelled": False,
        "request_count": {"unit": "requests", "avg": float(requests - failed)},
        "request_throughput": {"avg": int(value("--concurrency")) / 10},
        "request_latency": {"unit": "ms", **spread(2000.0)},
        "time_to_first_token": {"unit": "ms", **spread(97.5)},
        "output_sequence_length": {"unit": "tokens", **spread(tokens)},
        "osl_mismatch_count": {"avg": float(DOES.get("mismatch", 0))},
        "benchmark_duration": {"unit": "sec", "avg": float(DOES.get("seconds", 60))},
        "effective_concurrency": {"avg": float(DOES.get("effective", value("--concurrency")))},
        "error_summary": [],
    }
    if failed:
        measured["error_request_count"] = {"avg": float(failed)}
        measured["error_summary"] = [{"error_details": ERROR, "count": failed}]
    return measured


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write("0.13.0\n")
        return 0
    folder = Path(value("--artifact-dir"))
    if "runs" in DOES:
        folder /= "profile_runs/run_0001"
    requests, failed = int(value("--request-count")), int(DOES.get("fail", 0))
    for phase in ("warmup", "profiling"):
        (folder / "phases" / phase).mkdir(parents=True)
        other = {"request_count": {"avg": 1.0}, "request_throughput": {"avg": 999.0}}
        (folder / "phases" / phase / "profile_export_aiperf.json").write_text(json.dumps(other))
    with (folder / "profile_export.jsonl").open("w") as records:
        for number in range(-2, requests):
            phase = "warmup" if number < 0 else "profiling"
            error = ERROR if number < failed else None
            record = {"metadata": {"benchmark_phase": phase}, "error": error}
            records.write(json.dumps(record) + "\n")
        records.write('{"metadata": {"bench')
    if "wait" in DOES:
        # As aiperf's own services: they are not told of an interrupt.
        ignore = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); signal.pause()"
        subprocess.Popen([sys.executable, "-c", ignore])
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        sys.stdout.write("waiting\n")
        sys.stdout.flush()
        signal.sigwait([signal.SIGINT])
    text = json.dumps(summary(requests, failed) | {"was_cancelled": "wait" in DOES})
    if "nothing" not in DOES and failed < requests:
        path = folder / "profile_export_aiperf.json"
        path.write_text(text[: len(text) // 2] if "cut" in DOES else text)
    return int(DOES.get("exit", failed == requests))


if __name__ == "__main__":
    sys.exit(main())
