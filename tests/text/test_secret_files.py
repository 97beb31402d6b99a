"""Which files hold a secret."""

from __future__ import annotations

import pytest

from gptoss.text.secret_files import holds_secrets


@pytest.mark.parametrize(
    "text",
    [
        "HF_TOKEN: abc123",
        "env:\n  - name: DB_PASSWORD\n    value: hunter2",
        "---\na: 1\n---\nargs: [serve, --api-key, S3CRET]",
        "data: |\n  curl https://me:hunter2@host/x",
        "not: [yaml\n hf_abcDEF1234567890abcDEF",
    ],
)
def test_a_secret_is_found_wherever_it_stands(text: str) -> None:
    assert holds_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "tokenSecret: hf-token-secret",
        "env:\n  - name: HF_TOKEN\n    valueFrom: {secretKeyRef: {name: hf, key: HF_TOKEN}}",
        "OPENAI_API_KEY: not-used",
        'script.py: |\n  token = server.chat("Hi", max_tokens=1)\n  SECRET = re.compile("x")',
        "args: [serve, --max-tokens, '100', --api-key, $(API_KEY)]",
        "not: [yaml\n",
    ],
)
def test_what_only_names_one_holds_none(text: str) -> None:
    assert not holds_secrets(text)
