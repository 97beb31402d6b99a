"""Faults as they are written; quick, without Dynamo."""

import pytest

from gptoss.live.fault_times import Fault, parse_fault
from gptoss.text.errors import InputError


def test_a_fault_names_a_part_an_action_and_when() -> None:
    assert parse_fault("prefill:kill@10s") == Fault("prefill", "kill", 10)
    assert parse_fault("decode-1:start@2.5") == Fault("decode-1", "start", 2.5)


@pytest.mark.parametrize(
    "text", ["prefill", "prefill:kill", "prefill:burn@3s", "prefill:kill@soon"]
)
def test_a_fault_that_is_written_otherwise_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="prefill:kill@10s"):
        parse_fault(text)
