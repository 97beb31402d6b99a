"""Changes of text and bytes: lines, words, encodings, line endings, control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.contents import PLANTED
from fuzz.trees import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

CONTROL = (
    *("\0", "\x07", "\x08", "\x1b[31m", "\x1b]0;t\x07", "\x7f", "\x85", "\x9b2J", "\u2028"),
    *("\u202e", "\u2066", "\u061c", "\u200f", "\ufeff", "\r", "\f", "\v", "\t"),
)
COMMANDS = (
    f"::add-mask::{PLANTED}",
    f"  ::stop-commands::{PLANTED}",
    f"##[add-matcher]{PLANTED}",
    f"::error file=a,line=1::{PLANTED}",
)
BYTES = (b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\x00", b"\xf4\x90\x80\x80")


def changed(content: bytes, random: Random) -> bytes:
    """A text with one to three changes."""
    for _ in range(random.choice((1, 1, 2, 3))):
        if random.random() < 0.85:
            text = content.decode(errors="surrogateescape")
            text = random.choice(TEXT)(text, random)
            content = text.encode(errors="surrogateescape")
        else:
            content = random.choice(RAW)(content, random)
    return content


def _line(text: str, random: Random) -> str:
    """One line cut, doubled, moved or written over."""
    lines = text.splitlines(keepends=True) or [""]
    number = random.randrange(len(lines))
    line = lines[number]
    key, _, after = line.partition(":")
    lines[number] = random.choice(
        (
            "",
            line * 2,
            f"  {line}",
            line.lstrip(),
            f"\t{line}",
            f"---\n{line}",
            f"{key}: [1, {{a: b}}]\n",
            f"{key}: {random.choice(WORDS)}\n",
            f"{key}: &a{after}",
            f"{key}: *a\n",
            f"{key}: !!binary aGk=\n",
            f"{key}: |\n{line}",
            line.replace(": ", ":", 1),
            line.replace("{", "[", 1),
            line.rstrip("\n") + " # gptoss: ignore\n",
            line.rstrip("\n") + f" # gptoss: ignore {random.choice(WORDS)} because x\n",
            line.rstrip("\n") + " \\\n",
            lines[random.randrange(len(lines))],
        )
    )
    return "".join(lines)


def _word(text: str, random: Random) -> str:
    """One word of a line taken away, doubled, exchanged or written over."""
    lines = text.splitlines(keepends=True) or [""]
    number = random.randrange(len(lines))
    words = lines[number].split(" ")
    at = random.randrange(len(words))
    other = random.choice(words)
    new = random.choice(("", other, *WORDS, "--", "--x=", "&&", "|", "<<E", "${", "$((", "{1..9}"))
    words[at : at + 1] = random.choice(([], [new], [words[at], new], [words[at]] * 2))
    lines[number] = " ".join(words)
    return "".join(lines)


def _control(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(CONTROL) + text[at:]


def _workflow_command(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True)
    line = random.choice(COMMANDS)
    before = random.choice(("", "# ", 'x: "\\n', "- "))
    lines.insert(random.randrange(len(lines) + 1), f"{before}{line} || trtllm-serve x\n")
    return "".join(lines)


def _cut(text: str, random: Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def _part_again(text: str, random: Random) -> str:
    one, other = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:other] + text[one:]


def _line_ends(text: str, random: Random) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", "\u2028")))


def _bytes(content: bytes, random: Random) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice(BYTES) + content[at + random.randrange(2) :]


def _recoded(content: bytes, random: Random) -> bytes:
    text = content.decode(errors="replace")
    return text.encode(random.choice(("utf-16", "utf-32", "utf-8-sig", "utf-16-be")))


TEXT: tuple[Callable[[str, Random], str], ...] = (
    _line,
    _line,
    _line,
    _word,
    _word,
    _word,
    _control,
    _workflow_command,
    _cut,
    _part_again,
    _line_ends,
)
RAW: tuple[Callable[[bytes, Random], bytes], ...] = (_bytes, _recoded)
