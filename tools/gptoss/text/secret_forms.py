"""The forms in which secrets stand in a line: what issuers give out, in addresses, headers, PEM.

Every pattern reads a line once, whatever stands in it. This module imports nothing heavy.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# With capitals or digits, for hf_transfer and sk-learn are words.
ODD = r"(?=[A-Za-z_-]{0,60}[0-9A-Z])"
# As GitHub's secret scanning lists them: docs.github.com, "Supported secret scanning patterns".
ISSUED = re.compile(
    rf"""(?<![A-Za-z0-9])(?:
    hf_(?:[A-Za-z0-9]{{12,}}|{ODD}[A-Za-z0-9_-]{{4,}})     # Hugging Face
    | nvapi-[A-Za-z0-9_-]{{6,}}                            # NVIDIA
    | gh[opusr]_[A-Za-z0-9]{{6,}} | github_pat_\w{{6,}}    # GitHub
    | gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w-]{{6,}}    # GitLab
    | sk-(?:[A-Za-z0-9]{{20,}}|{ODD}[A-Za-z0-9_-]{{8,}})   # OpenAI, Anthropic
    | [sr]k_(?:live|test)_[A-Za-z0-9]{{8,}}                # Stripe
    | A(?:KIA|SIA)[A-Z0-9]{{8,}}                           # AWS
    | xox[a-z]-[A-Za-z0-9-]{{8,}} | xapp-[A-Za-z0-9-]{{8,}}  # Slack
    | hooks\.slack\.com/services/[\w/]{{8,}}
    | AIza[\w-]{{20,}} | ya29\.[\w-]{{12,}} | GOCSPX-[\w-]{{12,}}  # Google
    | npm_[A-Za-z0-9]{{12,}} | pypi-[A-Za-z0-9][\w-]{{20,}} | dckr_pat_[\w-]{{8,}}
    | hv[sbr]\.[\w-]{{12,}} | SG\.[\w-]{{12,100}}\.[\w-]{{12,}} | dop_v1_[a-f0-9]{{16,}}
    | eyJ[\w-]{{8,400}}\.[\w-]{{8,}}(?:\.[\w-]*)?           # JSON web tokens
    | AGE-SECRET-KEY-[A-Z0-9]{{12,}}
    )""",
    re.VERBOSE,
)
# The password of an address, and all that names the user where there is no colon but a long word.
IN_ADDRESS = re.compile(r"://(?:[^\s/?#@:\"']*:([^\s/?#@\"']+)|([^\s/?#@:\"']{16,}))@")
BEARER = re.compile(r"\b(?:Bearer|Basic|bearer|basic|BEARER|BASIC)[ \t]+([A-Za-z0-9._~+/=-]{6,})")
PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^\"',}]*")
# Keys without a mark of their own, as NGC's older ones, Azure's, and the lines of a PEM file.
LONG = re.compile(r"(?<![A-Za-z0-9+/_.@:-])[A-Za-z0-9+/]{60,}={0,2}(?![\w.-])")


def marked(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand in a text that show by their form what they are."""
    for pattern in (ISSUED, PEM):
        yield from (found.span() for found in pattern.finditer(text))
    for found in IN_ADDRESS.finditer(text):
        start, end = found.span(found.lastindex or 0)
        if not text[start:end].startswith("$"):
            yield start, end
    for found in BEARER.finditer(text):
        word = found[1]
        if len(word) > 15 or not word.rstrip(".").isalpha() or not word[1:].islower():
            yield found.span(1)
    for found in LONG.finditer(text):
        if all(re.search(kind, found[0]) for kind in ("[a-z]", "[A-Z]", "[0-9]")):
            yield found.span()
