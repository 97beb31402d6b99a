"""What the command that releases the chart refuses, before it has done anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from publish.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = {
    "--registry": "oci://127.0.0.1:1/charts",
    "--source": "https://git.example.com/platform/gpt-oss",
    "--key": "charts@example.com",
    "--keyring": "secring.gpg",
    "--key-url": "https://example.com/charts.asc",
}


def said(given: dict[str, str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main([word for pair in given.items() for word in pair]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


@pytest.mark.parametrize(
    ("flag", "value"),
    [*((flag, "") for flag in GIVEN), ("--registry", "ghcr.io/o"), ("--source", "git@e.org:o/r")],
)
def test_what_is_missing_or_no_address_is_named_as_make_takes_it(
    flag: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, *named = said(GIVEN | {flag: value}, capsys).splitlines()
    assert [line.partition(":")[0] for line in named] == [
        flag.removeprefix("--").replace("-", "_").upper()
    ]


def test_a_keyring_that_is_not_there_is_told_with_the_command_that_writes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keyring = tmp_path / "secring.gpg"
    assert f"gpg --export-secret-keys YOUR_KEY >{keyring}" in said(
        GIVEN | {"--keyring": str(keyring)}, capsys
    )
