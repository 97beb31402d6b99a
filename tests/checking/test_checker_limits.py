"""What the rules may say about what others wrote."""

from __future__ import annotations

import pytest

from gptoss.checking.checker import run
from gptoss.sources.kubernetes.build import build
from gptoss.text import budget
from gptoss.text.budget import Kind
from gptoss.text.errors import InputError
from gptoss.text.shortened import LONGEST
from gptoss.text.yaml_tree import parse_documents
from tests.rules.examples import FACTS, read, text_of

BAD = """\
# decode.yaml
cache_transceiver_config: {max_tokens_in_buffer: 11010}
"""


def test_findings_of_a_run_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    deployment = build(parse_documents(text_of(read(BAD)), "m.yaml"), "m.yaml", FACTS)
    assert run(deployment, FACTS).findings
    monkeypatch.setattr(Kind.FINDINGS, "limit", 0)
    with budget.run(), pytest.raises(InputError, match=r"m\.yaml:\d+:\d+: more than 0 findings"):
        run(deployment, FACTS)


def test_a_finding_about_a_long_word_is_no_longer_than_one_reads() -> None:
    flag = f"          - --{'x' * 50_000}\n"
    text = text_of(read(BAD)).replace(
        "          - --model-path\n", f"{flag}          - --model-path\n"
    )
    findings = run(build(parse_documents(text, "m.yaml"), "m.yaml", FACTS), FACTS).findings
    assert any(finding.message.endswith(" …") for finding in findings)
    assert max(len(finding.message) for finding in findings) <= LONGEST + 2
