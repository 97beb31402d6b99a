"""The process with the performance data: what it answers, and what is said when it does not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gptoss.live import environments
from gptoss.planning.loops.believing import TRTLLM
from gptoss.planning.steps import library
from gptoss.text.errors import InputError
from tests.planning.systems import layout

if TYPE_CHECKING:
    from pathlib import Path

    from gptoss.planning.steps.step_times import Times

# The library's own way: its Python part, asked for a whole static run and an aggregated step.
OWN = """
import json, logging
logging.disable(logging.WARNING)
from aiconfigurator_core.sdk.backends.factory import get_backend
from aiconfigurator_core.sdk.config import RuntimeConfig
from aiconfigurator_core.sdk.config_builders import build_model_config
from aiconfigurator_core.sdk.models import get_model
from aiconfigurator_core.sdk.perf_database import get_database_view
from aiconfigurator_core.sdk.step_estimate import MixedStepInput
name, version = "openai/gpt-oss-120b", "1.3.0rc20"
data = get_database_view(
    "gb200", "trtllm", version, allow_missing_data=False, database_mode="SILICON"
)
moe = "w4a8_mxfp4_mxfp8"
config = build_model_config(1, 1, 2, 1, 2, None, "fp8", None, moe, None)
model, backend = get_model(name, config, "trtllm"), get_backend("trtllm")
def run(batch, isl, osl, mode):
    of = RuntimeConfig(isl=isl, osl=osl, batch_size=batch)
    return backend.run_static_latency_only(model, data, of, mode)
of = RuntimeConfig(isl=1024, osl=1000, batch_size=1)
step = MixedStepInput(context_tokens=2048, num_decode_requests=100)
mixed = backend.run_mixed(model, data, of, step).latency_ms
print(json.dumps([run(4, 1024, 1, "static_ctx"), run(256, 1024, 2, "static_gen"), mixed]))
"""


def test_answers_are_those_of_the_library_itself(times: Times) -> None:
    python = str(environments.planning())
    done = subprocess.run(
        [python, "-I", "-c", OWN], capture_output=True, text=True, check=True, timeout=120
    )
    prefill, decode, mixed = (float(word) for word in done.stdout.strip(" []\n").split(","))
    of = times.of(layout("gb200", "DEP2"))
    assert of.prefill(4, 1024) == pytest.approx(prefill)
    assert of.decode(256, 1024) == pytest.approx(decode)
    assert of.mixed(2048, 1024, 100, 1000) == pytest.approx(mixed)


def test_the_version_that_is_asked_is_the_one_that_doubts_compare_with() -> None:
    assert f'VERSION = "{TRTLLM}"' in library.SERVER.read_text(encoding="utf-8")


def test_experts_that_are_cut_are_answered_by_those_that_are_spread(times: Times) -> None:
    spread = layout("b200", "TP4")
    cut = replace(spread, moe_ep=1)
    assert times.of(cut).decode(64, 1024) == times.of(spread).decode(64, 1024)


def test_a_gpu_without_data_is_told(times: Times) -> None:
    with pytest.raises(InputError, match="no performance data for a100, only for gb200"):
        times.of(layout("a100", "TP4"))


def test_what_the_library_cannot_answer_is_one_message(times: Times) -> None:
    with pytest.raises(
        InputError, match="no prediction for TP1 on h100: its experts have not been measured"
    ):
        times.of(layout("h100", "TP1")).decode(4, 1024)


def test_the_library_says_nothing_beside_its_answers(tmp_path: Path) -> None:
    words = [str(environments.planning()), "-I", str(library.SERVER), str(tmp_path)]
    question = (
        '{"layout": {"system": "gb200", "tp": 1, "dp": 1, "moe_ep": 1,'
        ' "moe": "w4a8_mxfp4_mxfp8", "kv": "fp8"}, "steps": [["decode", 1, 100]]}\n'
    )
    done = subprocess.run(
        words, input=question, capture_output=True, text=True, check=True, timeout=120
    )
    assert '"ms": [' in done.stdout
    assert done.stderr == ""


def test_a_process_that_ends_says_why() -> None:
    ends = [sys.executable, "-c", "import sys; sys.exit('it has no data')"]
    with library.asked(ends) as found, pytest.raises(InputError, match=r"ended: it has no data$"):
        found.of(layout("b200", "TP1")).decode(1, 1)
    silent = [sys.executable, "-c", "import os; os._exit(7)"]
    with library.asked(silent) as found, pytest.raises(InputError, match="ended with code 7"):
        found.of(layout("b200", "TP1")).decode(1, 1)


def test_a_process_that_has_ended_before_it_is_asked_says_why() -> None:
    ends = [sys.executable, "-c", "raise SystemExit('it has no data')"]
    with library.asked(ends) as found:
        found._process.wait()
        with pytest.raises(InputError, match=r"ended: it has no data$"):
            found.of(layout("b200", "TP1")).decode(1, 1)


def test_a_process_that_cannot_be_started_says_what_to_delete(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    message = f"cannot start {python}: No such file or directory; delete {tmp_path}, "
    with pytest.raises(InputError, match=message), library.asked([str(python)]):
        pass


def test_an_answer_that_is_none_is_told() -> None:
    talks = [sys.executable, "-c", "input(); print('Segmentation fault')"]
    with (
        library.asked(talks) as found,
        pytest.raises(InputError, match=r"data says: Segmentation fault$"),
    ):
        found.of(layout("b200", "TP1")).decode(1, 1)


def test_a_process_that_does_not_answer_is_given_up() -> None:
    waits = [sys.executable, "-c", "import sys; sys.stdin.readline(); sys.stdin.read()"]
    with library.asked(waits, 0.3) as found, pytest.raises(InputError, match=r"within 0\.3 s"):
        found.of(layout("b200", "TP1")).decode(1, 1)


def test_a_process_ends_with_its_user() -> None:
    with library.asked([sys.executable, "-c", "input(); input()"]) as found:
        process = found._process
    assert process.poll() is not None
