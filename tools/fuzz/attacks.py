"""Classes of attack: each makes inputs of a size drawn at random, from harmless to a megabyte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.attacks_files import links_in, links_out, pipes
from fuzz.attacks_shell import environment, expansions, long_lines, loops
from fuzz.attacks_words import names, secrets, suppressions
from fuzz.attacks_yaml import aliases, anchors, anything, documents, nesting, numbers, scalars

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzz.contents import Source

ATTACKS: dict[str, Callable[[Random], Source]] = {
    "anything": anything,
    "nesting": nesting,
    "aliases": aliases,
    "numbers": numbers,
    "documents": documents,
    "scalars": scalars,
    "anchors": anchors,
    "environment": environment,
    "loops": loops,
    "expansions": expansions,
    "long lines": long_lines,
    "suppressions": suppressions,
    "secrets": secrets,
    "names": names,
    "links in": links_in,
    "links out": links_out,
    "pipes": pipes,
}
