"""What is printed as XML 1.0: well-formed, without secrets, with nothing that a log obeys."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from gptoss.text.secrets import without_secrets

# Characters that XML 1.0 cannot hold.
UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# What a terminal obeys though XML can hold it, and how runners of GitHub know a command.
OBEYED = re.compile(
    "[\r\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|#(?=#\\[)|^(\\s*):(?=:)",
    re.MULTILINE,
)


def xml_text(root: ET.Element) -> str:
    """A tree as a document with what is secret hidden.

    What would be obeyed stands as references, which read as the same; characters that XML cannot
    hold have a mark in their place.
    """
    for element in root.iter():
        element.text = element.text and _held(element.text)
        element.attrib.update({name: _held(value) for name, value in element.items()})
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    obeyed = OBEYED.sub(lambda found: f"{found[1] or ''}&#{ord(found[0][-1])};", text)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{obeyed}'


def _held(text: str) -> str:
    return UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", without_secrets(text))
