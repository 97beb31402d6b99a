"""What is taken for a secret where it is printed, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gptoss import rules  # noqa: F401 (declares the rules)
from gptoss.rules.rule import RULES
from gptoss.text.secret_names import names_secret
from gptoss.text.secrets import (
    HIDDEN,
    is_secret,
    line_without_secrets,
    lines_without_secrets,
    shown,
    text_without_secrets,
    without_secrets,
    words_without_secrets,
)
from tests.cli.planted import ISSUED, leaks


def _words(text: str) -> list[str]:
    return text.split()


SECRET = _words("""
DB_PASSWORD HF_TOKEN --api-key token password PGPASSWORD dbPassword X-Api-Key Authorization
client_secret clientSecret AWS_SECRET_ACCESS_KEY AccountKey NGC_API_KEY WANDB_KEY private_key
auth MY_TOKEN_VALUE GITHUB_TOKEN_2 MYSQL_PWD REDIS_PASS AWS_SESSION_TOKEN SSH_PASSPHRASE
credentials
""")
HARMLESS = _words("""
max_tokens max_num_tokens tokenizer --tokenizer-path tokens_per_block secretName secretKeyRef
tokenSecret existingSecret hf-token-secret sort-key kv_cache_dtype encoding_key key keys
topologyKey HF_TOKEN_PATH PWD OLDPWD token_count eos_token TIKTOKEN_ENCODINGS_BASE --max-num-
tokens cache_key matchLabelKeys author authority imagePullSecrets serviceAccountName
skip_tokenizer_init MAX_TOKENS password_file concurrency monkey keyboard bypass
time_to_first_token --ssl-keyfile
""")
READABLE = [
    "modelCache: {download: {tokenSecret: {name: hf-token-secret, key: HF_TOKEN}}}",
    "secretKeyRef: {name: hf-token-secret, key: token}",
    "- name: HF_TOKEN",
    "max_tokens: 5, max_num_tokens=8192 --max-num-tokens 8192",
    "HF_TOKEN=$HF_TOKEN PASSWORD=${PASSWORD} TOKEN=$(cat /run/token) KEY={{ .Values.apiKey }}",
    "model: openai/gpt-oss-120b@sha256:6d3a28ab1d2a0c0b6c2a38a5e9ad6f6d2f3a28ab1d2a0c0b6c2a38a5",
    "/cache/hub/models--openai--gpt-oss-120b/snapshots/b5c939de8f754692c1647ca79fbf85e8c1e70f8a",
    "hf_transfer hf_hub_download task-force sk-learn ghp eyJ",
    "git@github.com: https://host:8000/v1 http://user@host/x",
    "automountServiceAccountToken: false",
    "selector: {key: nvidia.com/gpu.product, operator: In}",
    "a bearer token, Basic settings, the password is not set",
]
PROSE = [
    "--api-key needs a value, HF_TOKEN: missing",
    "token: the worker loads at its newest commit",
    "decode: $HF_TOKEN looks like a secret in plain text; put it into a Secret",
]
LINES = [
    "PASSWORD=hunter2 trtllm-serve m --port 8000",
    "trtllm-serve m --api-key hunter2 --port 8000",
    "trtllm-serve m --api-key=hunter2",
    "curl -H 'Authorization: Bearer hunter2.x' http://x",
    "curl -H 'X-Api-Key: hunter2' http://x",
    "env: {A: b, DB_PASSWORD: hunter2}",
    "  password: more hunter2  # why",
    "- {name: DB_PASSWORD, value: hunter2}",
    '{"name": "DB_PASSWORD", "value": "hunter2"}',
    '"password":"x\\"hunter2"',
    r"{\"password\": \"hunter2\"}",
    "postgres://user:hunter2@host/x",
    "https://x?token=hunter2&y=1",
    'args: ["--api-key", "hunter2", "--port", "1"]',
    "docker run -e DB_PASSWORD=hunter2 --env=API_KEY=hunter2 image",
    'docker run -e "DB_PASSWORD=a hunter2" image',
    "x=${PASSWORD:-hunter2}",
]


def test_names_tell_secrets() -> None:
    assert [name for name in SECRET if not names_secret(name)] == []
    assert [name for name in HARMLESS if names_secret(name)] == []


@pytest.mark.parametrize("line", READABLE)
def test_what_is_harmless_stays_readable(line: str) -> None:
    assert lines_without_secrets([line]) == [line]
    assert without_secrets(line) == line


@pytest.mark.parametrize("text", PROSE)
def test_a_sentence_about_secrets_stays_readable(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_none(line: str) -> None:
    (shown_line,) = lines_without_secrets([line])
    assert "hunter2" not in shown_line
    assert HIDDEN in shown_line


@pytest.mark.parametrize("value", ISSUED.values(), ids=ISSUED)
def test_what_issuers_give_out_is_known_in_any_sentence(value: str) -> None:
    assert leaks(without_secrets(f"the value {value} is not known")) == []
    assert is_secret("PLAIN", value)


def test_lines_around_tell_that_a_line_is_secret() -> None:
    text = """env:
- name: DB_PASSWORD
  # the word
  value: hunter2
- value: hunter2
  name: API_KEY
- name: LEVEL
  value: fine
password: |
  hunter2

  hunter2
next: 1
pem: |
  -----BEGIN RSA PRIVATE KEY-----
  hunter2
  -----END RSA PRIVATE KEY-----
args:
- --api-key
- hunter2
- --port
- "8000"
---
kind: Secret
stringData:
  anything: hunter2
  other: |
    hunter2
metadata:
  name: kept
"""
    hidden = text_without_secrets(text)
    assert "hunter2" not in hidden
    assert len(hidden.splitlines()) == len(text.splitlines())
    for kept in ("value: fine", "next: 1", '"8000"', "name: kept"):
        assert kept in hidden


def test_a_line_is_known_by_those_before_it_alone() -> None:
    assert "hunter2" not in line_without_secrets("  value: hunter2", "- name: DB_PASSWORD")
    assert line_without_secrets("  value: fine", "- name: LEVEL") == "  value: fine"


def test_the_word_behind_a_flag_is_hidden_and_no_other() -> None:
    words = ["serve", "--api-key", "hunter2", "--port", "80", "--password=a b", "X_KEY=hunter2"]
    hidden = [HIDDEN if "hunter2" in w else w for w in words]
    hidden[5:] = [f"--password={HIDDEN}", f"X_KEY={HIDDEN}"]
    assert words_without_secrets(words) == hidden


def test_a_value_is_shown_with_what_is_harmless_in_it() -> None:
    assert shown("DATABASE_URL", "postgres://u:hunter2@h/x") == f"postgres://u:{HIDDEN}@h/x"
    assert shown("DB_PASSWORD", "hunter2") == HIDDEN
    assert shown("DB_PASSWORD", "") == ""
    assert shown("TOKEN_BUDGET", "5") == shown("token", "5") == "5"


@given(st.text(st.characters(codec=None)))
def test_what_is_hidden_stays_hidden_and_keeps_its_lines(text: str) -> None:
    once = text_without_secrets(text)
    assert once.count("\n") == text.count("\n")
    assert without_secrets(without_secrets(text)) == without_secrets(text)


@pytest.mark.parametrize(
    "part", ["password=", "--api-key ", '"', "-", " ", "- ", "-eyJaaaaaaaa", "hf__", "a:b@", "\\"]
)
def test_a_long_line_of_anything_is_read_once(part: str) -> None:
    """A line on which a pattern went back and forth would take hours."""
    line = part * (200_000 // len(part))
    assert len(lines_without_secrets([line])) == 1
    assert without_secrets(line)


def test_what_rules_say_themselves_is_never_hidden() -> None:
    for rule in RULES.values():
        for text in (rule.summary, rule.reason, rule.source):
            assert without_secrets(text or "") == (text or "")


@pytest.mark.parametrize(
    "comment",
    ["Half the bytes of a token: more tokens a second, and room for twice as many.", "key: value"],
)
def test_a_sentence_in_a_comment_is_no_secret(comment: str) -> None:
    text = f"dtype: fp8  # {comment}\n# {comment}\n"
    assert text_without_secrets(text) == text


def test_a_secret_in_a_comment_is_hidden() -> None:
    assert "hunter2" not in text_without_secrets("# password: hunter2\na: 1  # DB_PASSWORD=hunter2")


def test_a_status_after_a_token_is_no_secret() -> None:
    said = "it does not answer one token: HTTP 404: Model not found"
    assert without_secrets(said) == said
