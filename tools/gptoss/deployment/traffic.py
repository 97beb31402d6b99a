"""What flags make of a benchmark's traffic, in the words of ``aiperf profile``.

Read in ai-dynamo/aiperf 0.13.0, docs/cli_options.md and its timing modes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gptoss.command_lines.arguments import Arguments

CLOCKS = ("--request-rate", "--request-rate-series", "--user-centric-rate", "--fixed-schedule")
RECORDED = ("--input-file", "--public-dataset", "--hf-weka-dataset")
SHARED = (
    "--system-prompt",
    "--system-prompt-file",
    "--prompt-prefix-length",
    "--shared-system-prompt-length",
    "--user-context-prompt-length",
)
TURNS = "--session-turns-mean"


def starts_by_a_clock(flags: Arguments) -> bool:
    """Whether requests start by a clock, and not when an answer has come."""
    return any(given(flags, flag) for flag in CLOCKS)


def is_recorded(flags: Arguments) -> bool:
    """Whether prompts and their lengths come from a recording, and are not made up."""
    return any(given(flags, flag) for flag in RECORDED)


def begins_alike(flags: Arguments) -> bool:
    """Whether prompts that are made up share their beginning."""
    return any(given(flags, flag) for flag in SHARED)


def has_turns(flags: Arguments) -> bool:
    """Whether prompts repeat earlier turns of a conversation."""
    turns = given(flags, TURNS)
    return isinstance(turns, int | float) and turns > 1


def given(flags: Arguments, name: str) -> object:
    """What a flag is given on the command line; None when it is not, or when it says no."""
    flag = flags[name]
    if not flag.is_written or flag.value in (None, False, "", []):
        return None
    return flag.value[0] if isinstance(flag.value, list) else flag.value
