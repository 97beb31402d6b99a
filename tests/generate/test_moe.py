"""docs/moe.md says what rules say: each cell of its tables is asked of check, on every release."""

from __future__ import annotations

from itertools import product

import pytest

from generate.moe import ANOTHER, UNKNOWN, WORKS, cell, refused_backends
from gptoss.checking.checker import run
from gptoss.deployment.moe_backends import backend_of
from gptoss.facts.moe_kernels import moe_kernels
from gptoss.facts.world import Facts
from gptoss.rules.kernels.matrix import OVERRIDE, default_algorithm
from gptoss.rules.rule import RULES, Severity
from gptoss.sources.containers.script import build_script
from gptoss.sources.containers.script_group import GivenScript

FACTS = Facts()
KERNELS = moe_kernels()
OF_KERNELS = [RULES[f"M00{number}"] for number in (1, 2, 5, 6, 7, 8)]
BACKENDS = [*KERNELS.backends, *refused_backends()]
SCRIPT = """\
# gptoss: gpu={gpu} release={release}
cat > engine.yaml <<END
{engine}
END
{override} trtllm-serve openai/gpt-oss-120b --config engine.yaml --tp_size 4 --ep_size 4
"""


def said(backend: str, algorithm: str, gpu: str, release: str) -> dict[str, Severity]:
    """The rules that find something, with how bad it is."""
    override = f"{OVERRIDE}={algorithm}" if algorithm else ""
    engine = f"moe_config: {{backend: {backend}}}" if backend else "max_batch_size: 8"
    text = SCRIPT.format(gpu=gpu, release=release, engine=engine, override=override)
    deployment = build_script([GivenScript(text, "serve.sh")], FACTS)
    result = run(deployment, FACTS, OF_KERNELS)
    assert not result.not_applied, text
    return {finding.rule.id: finding.rule.severity for finding in result.findings}


@pytest.mark.parametrize("gpu", ["b200", "h200"])
@pytest.mark.parametrize("release", FACTS.releases)
def test_every_cell_is_what_check_says(gpu: str, release: str) -> None:
    generation = KERNELS.generation(FACTS.gpus[gpu])
    assert generation is not None
    for backend, algorithm in product(BACKENDS, KERNELS.activations):
        told, *named = cell(backend, algorithm, generation, FACTS.releases[release])
        found = said(backend, algorithm, gpu, release)
        at = f"{backend} {algorithm} {gpu} {release}: {told}"
        refused = Severity.ERROR in found.values()
        assert refused == (told == "refused"), at
        assert set(named) == set(found) - ({"M005", "M006", "M007"} if refused else set()), at
        assert told in ("refused", WORKS, UNKNOWN, ANOTHER, "CUTLASS runs")


@pytest.mark.parametrize("gpu", FACTS.gpus)
def test_what_the_page_calls_auto_and_default_is_what_rules_count_with(gpu: str) -> None:
    generation = KERNELS.generation(FACTS.gpus[gpu])
    assert generation is not None, "a GPU whose generation schema/moe.yaml does not have"
    text = SCRIPT.format(gpu=gpu, release="1.3.1", engine="max_batch_size: 8", override="")
    (worker,) = build_script([GivenScript(text, "serve.sh")], FACTS).workers
    assert backend_of(worker) == generation.auto
    assert default_algorithm(worker) == generation.algorithm
    assert said("", "", gpu, "1.3.1") == {}
    assert generation.algorithm in KERNELS.backends[generation.auto].runs[generation.name]


def test_backends_and_algorithms_of_the_facts_go_together() -> None:
    for backend in KERNELS.backends.values():
        assert bool(backend.instead) != bool(backend.runs), backend.name
        assert not backend.instead or backend.instead in KERNELS.backends
        for kind, algorithms in (*backend.runs.items(), *backend.doubtful.items()):
            assert kind in KERNELS.generations
            assert set(algorithms) <= set(KERNELS.activations)
