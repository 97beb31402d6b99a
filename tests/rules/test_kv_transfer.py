"""Rules about KV transfer hold for the releases and the transceiver that they are true of."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.rules.rule import Severity
from tests.rules.examples import FACTS, deployment_of, read

NIXL = "cache_transceiver_config: {backend: NIXL"


def told(text: str, release: str) -> dict[str, Severity]:
    """Severities of what the family says of an example on a release."""
    found = run(deployment_of(read(f"# release: {release}\n{text}\n")), FACTS).findings
    return {f.rule.id: f.severity for f in found if f.rule.id.startswith("D")}


@pytest.mark.parametrize(
    ("release", "reuse", "refused"),
    [
        ("1.0.2", "true", True),
        ("1.0.2", "false", False),
        ("1.1.1", "true", True),
        ("1.1.1", "false", False),
        ("1.2.1", "true", False),
        ("1.3.1", "true", False),
        ("1.6.1", "true", False),
    ],
)
def test_prefill_may_run_with_the_overlap_scheduler_where_the_engine_does_not_refuse_it(
    release: str, reuse: str, refused: bool
) -> None:
    text = "# prefill.yaml\ndisable_overlap_scheduler: false\n"
    found = told(f"{text}kv_cache_config: {{enable_block_reuse: {reuse}}}", release)
    assert ("D001" in found) is refused


@pytest.mark.parametrize(
    ("transceiver", "release", "stops"),
    [
        ("transceiver_runtime: CPP, ", "1.6.1", True),
        ("transceiver_runtime: PYTHON, ", "1.3.1", False),
        ("transceiver_runtime: PYTHON, ", "1.6.1", False),
        ("", "1.3.1", True),
        ("", "1.6.1", False),
    ],
)
def test_only_the_transceiver_in_cpp_asks_for_whole_blocks(
    transceiver: str, release: str, stops: bool
) -> None:
    both = "# decode.yaml and prefill.yaml\n"
    found = told(f"{both}{NIXL}, {transceiver}max_tokens_in_buffer: 11010}}", release)
    assert ("D003" in found) is stops


@pytest.mark.parametrize("release", ["1.0.2", "1.3.1", "1.6.1"])
def test_a_buffer_that_nobody_sets_holds_the_longest_sequence(release: str) -> None:
    both = "# decode.yaml and prefill.yaml\n"
    assert "D004" not in told(f"{both}{NIXL}, max_tokens_in_buffer: null}}", release)


@pytest.mark.parametrize(("release", "told_of"), [("1.2.1", True), ("1.3.1", False)])
def test_decode_may_speculate_alone_from_the_release_on_that_can(
    release: str, told_of: bool
) -> None:
    text = "# decode.yaml\nspeculative_config: {decoding_type: NGram, max_draft_len: 3}"
    assert ("D006" in told(text, release)) is told_of


@pytest.mark.parametrize(
    ("variable", "differ"), [("TRTLLM_USE_NIXL_KVCACHE", False), ("TRTLLM_USE_UCX_KVCACHE", True)]
)
def test_the_default_transport_is_the_one_that_a_variable_chooses(
    variable: str, differ: bool
) -> None:
    text = f"# decode.yaml\n{NIXL}}}\n---\n# prefill.yaml\n{NIXL.replace('NIXL', 'DEFAULT')}}}\n"
    found = told(f'{text}---\n# prefill env\n{variable}: "1"', "1.3.1")
    assert ("D005" in found) is differ


def test_prefill_may_be_shorter_than_decode_where_the_prompts_of_the_benchmark_fit() -> None:
    assert "D008" not in told("# prefill.yaml\nmax_seq_len: 1800", "1.3.1")
    assert "D008" in told("# prefill.yaml\nmax_seq_len: 768", "1.3.1")


@pytest.mark.parametrize(
    ("transports", "starts"),
    [
        ("tcp", False),
        ("rc,sm,self", False),
        ("^cuda", False),
        ("^cuda_copy,ib", False),
        ("all", True),
        ("^gdr_copy", True),
        ("rc_x,rc,dc_x,dc,cuda_copy,cuda_ipc", True),
        ("$(TRANSPORTS)", True),
    ],
)
def test_ucx_needs_a_transport_that_knows_gpu_memory(transports: str, starts: bool) -> None:
    for backend in ("UCX", "NIXL", "DEFAULT"):
        text = f"# decode.yaml and prefill.yaml\ncache_transceiver_config: {{backend: {backend}}}\n"
        found = told(f'{text}---\n# decode env\nUCX_TLS: "{transports}"', "1.3.1")
        assert ("D019" not in found) is starts


@pytest.mark.parametrize(
    ("backend", "variable", "ignored"),
    [
        ("UCX", "TRTLLM_USE_MPI_KVCACHE", True),
        ("UCX", "TRTLLM_USE_UCX_KVCACHE", False),
        ("DEFAULT", "TRTLLM_USE_UCX_KVCACHE", False),
        ("DEFAULT", "TRTLLM_USE_UCX_KV_CACHE", True),
    ],
)
def test_a_variable_chooses_the_transport_only_where_the_engine_yaml_leaves_it_open(
    backend: str, variable: str, ignored: bool
) -> None:
    text = f"# decode.yaml and prefill.yaml\ncache_transceiver_config: {{backend: {backend}}}\n"
    found = told(f'{text}---\n# decode env and prefill env\n{variable}: "1"', "1.3.1")
    assert ("D017" in found) is ignored


def test_the_python_transceiver_does_not_start_where_a_variable_takes_nixl_away() -> None:
    both = "# decode.yaml and prefill.yaml\n"
    text = f"{both}cache_transceiver_config: {{backend: DEFAULT, transceiver_runtime: PYTHON}}\n"
    variable = '---\n# decode env and prefill env\nTRTLLM_USE_UCX_KVCACHE: "1"'
    assert told(text + variable, "1.3.1")["D016"] is Severity.ERROR
    assert "D016" not in told(text, "1.3.1")


def test_a_known_crash_weighs_less_in_the_release_after_the_one_that_names_it() -> None:
    both = "# decode.yaml and prefill.yaml\n"
    found = told(f"{both}{NIXL}, transceiver_runtime: PYTHON}}", "1.5.1")
    assert found["D023"] is Severity.INFO
