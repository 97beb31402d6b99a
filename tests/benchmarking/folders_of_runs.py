"""Folders of runs for tests: what aiperf wrote, with the plan and the outcome that a run keeps."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
VERSIONS = sorted(path.name for path in DATA.iterdir() if path.is_dir())
PLAN: dict[str, Any] = {
    "version": 1,
    "target": "disagg-gb200",
    "release": "1.3.1",
    "runtime": "dynamo",
    "model": "openai/gpt-oss-120b",
    "gpu": "gb200",
    "gpus": {"prefill": 1, "decode": 4},
    "isl": 64,
    "osl": 20,
    "stream_interval": {"prefill": 20, "decode": 20},
    "settings": {"decode.max_batch_size": 512, "decode.stream_interval": 20},
    "started": "2026-11-22T00:27:00Z",
    "argv": [["aiperf", "profile"], ["aiperf", "profile"]],
    "steps": [
        {"concurrency": 2, "requests": 12, "warmup": 2, "folder": "concurrency_2"},
        {"concurrency": 4, "requests": 12, "warmup": 2, "folder": "concurrency_4"},
    ],
    "versions": {"aiperf": "0.13.0", "python": "3.11.2", "gptoss": "0.1.0"},
}
OUTCOME: dict[str, Any] = {
    "version": 1,
    "finished": "2026-11-22T00:28:00Z",
    "code": 0,
    "steps": [
        {
            "concurrency": concurrency,
            "requests": 12,
            "errors": 0,
            "lengthMismatches": 0,
            "effectiveConcurrency": concurrency * 0.99,
            "complete": True,
            "problems": [],
        }
        for concurrency in (2, 4)
    ],
}
# A result of benchmark_serving with every field that its main() writes without --save-detailed.
SERVING: dict[str, Any] = {
    "date": "20261122-003000",
    "backend": "openai-chat",
    "model_id": "openai/gpt-oss-120b",
    "tokenizer_id": "openai/gpt-oss-120b",
    "num_prompts": 100,
    "duration": 50.0,
    "completed": 98,
    "total_input_tokens": 98 * 1000,
    "total_output_tokens": 98 * 500,
    "request_throughput": 1.96,
    "request_goodput:": 1.5,
    "output_throughput": 980.0,
    "total_token_throughput": 2940.0,
    "user_throughput": 90.0,
    "mean_ttft_ms": 110.0,
    "median_ttft_ms": 100.0,
    "std_ttft_ms": 10.0,
    "p99_ttft_ms": 150.0,
    "mean_tpot_ms": 10.0,
    "median_tpot_ms": 9.5,
    "p99_tpot_ms": 14.0,
    "mean_itl_ms": 190.0,
    "median_itl_ms": 185.0,
    "p99_itl_ms": 260.0,
    "mean_e2el_ms": 5000.0,
    "median_e2el_ms": 4900.0,
    "std_e2el_ms": 500.0,
    "p99_e2el_ms": 7000.0,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 16,
}


def run_folder(folder: Path, kind: str = "sweep", version: str = "0.13.0", **plan: Any) -> Path:
    """Artifacts in a folder of their own with a plan and an outcome; None leaves a key out."""
    shutil.copytree(DATA / version / kind, folder)
    content = {key: value for key, value in {**PLAN, **plan}.items() if value is not None}
    write_json(folder / "plan.json", content)
    write_json(folder / "outcome.json", OUTCOME)
    return folder


def write_json(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
