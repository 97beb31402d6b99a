"""What is printed as XML 1.0: well-formed, and with nothing that a log obeys."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

# Characters that XML 1.0 cannot hold.
UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# What a terminal obeys though XML can hold it, and how runners of GitHub know a command.
OBEYED = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|#(?=#\\[)|^(\\s*):(?=:)",
    re.MULTILINE,
)


def as_xml(text: str) -> str:
    """A text with a mark in the place of every character that XML cannot hold."""
    return UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def xml_text(root: ET.Element) -> str:
    """A tree as text that reads the same, with what would be obeyed as references."""
    text = ET.tostring(root, encoding="unicode")
    return OBEYED.sub(lambda found: f"{found[1] or ''}&#{ord(found[0][-1])};", text)
