"""Write schema/cli/ anew: the flags of dynamo.trtllm, dynamo.frontend and aiperf by release.

    .venv/bin/python tools/setup/cli_flags.py [RELEASE ...]

Installs each ai-dynamo release, without the heavy ones of its dependencies, into an environment
under a temporary folder and asks its own parsers (read_flags.py). aiperf is asked in its oracle
environment, which `make oracles` makes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gptoss.text import plain_yaml

ROOT = Path(__file__).resolve().parents[2]
SETUP = Path(__file__).resolve().parent
UV = ROOT / ".venv" / "bin" / "uv"
PROGRAMS = ("dynamo.trtllm", "dynamo.frontend")
# Engine settings that flags of dynamo.trtllm become (dynamo/trtllm/workers/llm_worker.py of the
# wheels 1.2.1, 1.3.1 and 1.4.2, dynamo/trtllm/main.py of 0.5.0 to 0.9.1). --kv-block-size is not
# among them: Dynamo keeps it to itself.
ENGINE: dict[str, tuple[str, ...]] = {
    "--tensor-parallel-size": ("tensor_parallel_size",),
    "--pipeline-parallel-size": ("pipeline_parallel_size",),
    "--expert-parallel-size": ("moe_expert_parallel_size",),
    "--enable-attention-dp": ("enable_attention_dp",),
    "--gpus-per-node": ("gpus_per_node",),
    "--max-batch-size": ("max_batch_size",),
    "--max-num-tokens": ("max_num_tokens",),
    "--max-seq-len": ("max_seq_len",),
    "--max-beam-width": ("max_beam_width",),
    "--free-gpu-memory-fraction": ("kv_cache_config.free_gpu_memory_fraction",),
    "--load-format": ("load_format",),
    "--guided-decoding-backend": ("guided_decoding_backend",),
}
# One flag under several names; from 1.6.1 on KV events have a flag of their own. What it sets, by
# the first release that does.
METRICS_FLAGS = ("--publish-events-and-metrics", "--publish-metrics")
METRICS = {
    (1, 0): ("return_perf_metrics", "enable_iter_perf_stats"),
    (0, 6): ("return_perf_metrics",),
    (0, 0): (),
}
# What the parsers of any release import to build their flags.
LIGHT = ("msgspec==0.21.1", "pydantic==2.13.0", "pyyaml==6.0.3")


def environment(release: str, folder: Path) -> Path:
    """Install a release and return the interpreter of its environment."""
    place = folder / release
    packages = [f"ai-dynamo=={release}", f"ai-dynamo-runtime=={release}"]
    variables = os.environ | {"VIRTUAL_ENV": str(place)}
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, place], check=True)
    install = [str(UV), "pip", "install", "--quiet"]
    subprocess.run([*install, *LIGHT], check=True, env=variables)
    subprocess.run([*install, "--no-deps", *packages], check=True, env=variables)
    return place / "bin" / "python"


def read(python: Path, program: str) -> dict[str, Any]:
    """Return what the parser of a program of an environment says."""
    module = "read_aiperf_flags" if program == "aiperf" else "read_flags"
    answer = subprocess.run(
        [python, "-m", f"setup.{module}", program],
        check=True,
        cwd=SETUP.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    said: dict[str, Any] = json.loads(answer.stdout)
    return said


def with_engine_settings(flags: dict[str, Any], release: str) -> dict[str, Any]:
    """Return the flags of dynamo.trtllm with the engine settings that they become."""
    told = {}
    number = tuple(int(part) for part in release.split(".")[:2])
    metrics = next(keys for since, keys in METRICS.items() if number >= since)
    for name, flag in flags.items():
        spellings = {name, *flag.get("aliases", ())}
        keys = metrics if spellings & set(METRICS_FLAGS) else ENGINE.get(name, ())
        told[name] = flag | ({"engine": keys} if keys else {})
    return told


def text_of(head: dict[str, str], said: dict[str, Any]) -> str:
    """Return the text of a file of schema/cli: one flag a line."""
    document = head | said
    flags = document.pop("flags")
    if head["program"] == "dynamo.trtllm":
        flags = with_engine_settings(flags, head["release"])
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items()]
    listed = [f"    {json.dumps(name)}: {json.dumps(flag)}" for name, flag in flags.items()]
    return "{\n  " + ",\n  ".join(lines) + ',\n  "flags": {\n' + ",\n".join(listed) + "\n  }\n}\n"


def write(program: str, release: str, source: str, said: dict[str, Any]) -> None:
    """Write the file of one program and release."""
    path = ROOT / "schema" / "cli" / f"{program}-{release}.json"
    path.parent.mkdir(exist_ok=True)
    head = {"program": program, "release": release, "source": source}
    path.write_text(text_of(head, said), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")  # noqa: T201


def known() -> list[str]:
    """Return the releases of schema/releases.yaml that are not given by their changes."""
    facts = plain_yaml.load((ROOT / "schema" / "releases.yaml").read_text(encoding="utf-8"))
    entries = facts["older"] | facts["releases"]
    return [release for release, entry in entries.items() if "flags" not in entry]


def aiperf() -> list[str]:
    """Return the aiperf versions that are locked."""
    return [path.stem for path in (ROOT / "requirements" / "oracles").glob("aiperf-[0-9]*.txt")]


def main() -> None:
    """Write the files of the releases that the command line names, or all."""
    releases = sys.argv[1:] or [*known(), *aiperf()]
    with tempfile.TemporaryDirectory() as folder:
        for release in releases:
            if release.startswith("aiperf-"):
                python = ROOT / ".tools" / "oracles" / release / "bin" / "python"
                version = release.partition("-")[2]
                source = f"the command line of the aiperf {version} wheel (cyclopts)"
                write("aiperf", version, source, read(python, "aiperf"))
                continue
            python = environment(release, Path(folder))
            source = f"the argument parser of the ai-dynamo {release} wheel"
            for program in PROGRAMS:
                write(program, release, source, read(python, program))


if __name__ == "__main__":
    main()
