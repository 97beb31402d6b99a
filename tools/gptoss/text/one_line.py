"""What an input says, as it may be printed."""

from __future__ import annotations

from gptoss.text.printable import printable
from gptoss.text.secrets import without_secrets


def one_line(text: str) -> str:
    """A text of an input as one line, without secrets and with nothing that is obeyed."""
    return printable(without_secrets(text))
