"""Explains one rule."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from gptoss import rules as _rules  # noqa: F401 (declares the rules)
from gptoss.errors import InputError
from gptoss.findings import RULES, Rule

if TYPE_CHECKING:
    from collections.abc import Callable


def find_rule(name: str) -> Rule:
    """The rule with an identifier or name.

    Raises:
        InputError: There is none.
    """
    for rule in RULES.values():
        if name.lower() in (rule.id.lower(), rule.name):
            return rule
    words = [*RULES, *(rule.name for rule in RULES.values())]
    nearest = difflib.get_close_matches(name.upper(), words, 1) or difflib.get_close_matches(
        name, words, 1
    )
    hint = f"did you mean {nearest[0]}?" if nearest else "docs/rules/README.md lists them"
    raise InputError(f"there is no rule {name}; {hint}")


def as_json(name: str) -> str:
    """The rule's documentation as JSON.

    Raises:
        InputError: There is no such rule.
    """
    rule = find_rule(name)
    keys = ("id", "name", "summary", "reason", "source", "bad", "good", "near")
    documented = {key: getattr(rule, key) for key in keys}
    return json.dumps({**documented, "severity": rule.severity.word}, indent=2, ensure_ascii=False)


def explanation(name: str, paint: Callable[[str, str], str]) -> str:
    """What a rule finds, why it matters, its source and its examples.

    Raises:
        InputError: There is no such rule.
    """
    rule = find_rule(name)
    word = rule.severity.word
    parts = [
        f"{paint(f'{rule.id} {rule.name}', 'place')}  {paint(word, word)}",
        "",
        rule.summary,
        "",
        rule.reason,
        "",
        f"{paint('source', 'hint')}: {rule.source}",
        "",
        paint("bad", "error"),
        _indented(rule.bad),
        "",
        paint("good", "ok"),
        _indented(rule.good),
    ]
    return "\n".join(parts)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
