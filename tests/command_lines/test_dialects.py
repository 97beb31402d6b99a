"""Promises of gptoss.command_lines.dialects: the words that follow a program's name are its own."""

from __future__ import annotations

import pytest

from gptoss.command_lines.dialects import DIALECTS, MAX_WORDS, read_command
from gptoss.facts.programs import AIPERF, SERVE, WORKER, newest, releases
from gptoss.text.command import Command
from gptoss.text.errors import InputError
from gptoss.text.places import Located, Place


@pytest.mark.parametrize(
    ("name", "line", "flag"),
    [
        (WORKER, "python3 -m dynamo.trtllm --revision x", "--revision"),
        (WORKER, "/usr/bin/start --revision x", "--revision"),
        (SERVE, "/usr/local/bin/trtllm-serve serve m --host x", "--host"),
        (SERVE, "trtllm-serve m --host x", "--host"),
        (SERVE, "tensorrt_llm.commands.serve m --host x", "--host"),
        (AIPERF, "aiperf profile --tokenizer x", "--tokenizer"),
    ],
)
def test_a_program_is_found_under_its_name_or_as_the_first_word(
    name: str, line: str, flag: str
) -> None:
    command = Command(tuple(Located(word, Place("line")) for word in line.split()))
    found = read_command(newest(name), command, {})
    assert found[flag].text == "x"
    assert found.faults == []


def test_every_known_program_says_what_reads_it() -> None:
    for name in (WORKER, "dynamo.frontend", SERVE, AIPERF):
        assert releases(name)
        assert newest(name).parser in DIALECTS


def test_a_command_of_very_many_words_is_refused_at_the_first_that_is_too_many() -> None:
    words = ["trtllm-serve", "m", *(f"w{n}" for n in range(MAX_WORDS))]
    command = Command(tuple(Located(word, Place("line", 1, n)) for n, word in enumerate(words)))
    assert read_command(newest(SERVE), Command(command.words[:MAX_WORDS]), {}).faults
    with pytest.raises(InputError, match="trtllm-serve with more than 2,000 words") as caught:
        read_command(newest(SERVE), command, {})
    assert caught.value.place == Place("line", 1, MAX_WORDS)
