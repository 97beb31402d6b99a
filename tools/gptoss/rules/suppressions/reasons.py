"""Z: is every suppression needed, and does it say why?

What these rules find is not in a deployment but in comments, annotations and the configuration;
:mod:`gptoss.checking.suppressions` reports it.
"""

from __future__ import annotations

from gptoss.rules.rule import Severity, rule
from gptoss.rules.subjects import ELSEWHERE

SOURCE = "docs/ci.md, Suppressing a finding"


@rule(
    "Z001",
    "suppression-without-reason",
    Severity.WARNING,
    of=ELSEWHERE,
)
def suppression_without_reason() -> None:
    """A suppression does not say why, and therefore does not count.

    Whoever reads it next year has to know whether it still holds. In a comment the reason stands
    behind the rules, as in ``# gptoss: ignore D003 because …``; in an annotation and in the
    configuration it is the value.
    """


@rule(
    "Z002",
    "unused-suppression",
    Severity.INFO,
    of=ELSEWHERE,
)
def unused_suppression() -> None:
    """A suppression suppresses nothing.

    It would hide the next finding of its rule, which nobody has judged. It is not reported where
    its rule could not be applied, nor when any deployment of the same run needs it.
    """


@rule(
    "Z004",
    "suppression-not-in-base",
    Severity.INFO,
    of=ELSEWHERE,
)
def suppression_not_in_base() -> None:
    """A suppression does not count, for the base of the change does not have it.

    ``check --suppressions base:REVISION`` judges somebody's change: it cannot silence what it
    brings along itself. A suppression counts that stands in the base in the same file, for the same
    rule, scope and reason, on whichever line.
    """


@rule(
    "Z003",
    "suppression-of-unknown-rule",
    Severity.WARNING,
    of=ELSEWHERE,
)
def suppression_of_unknown_rule() -> None:
    """A suppression names no rule, one that does not exist, or one that cannot be suppressed.

    What Helm refuses (V) cannot be suppressed, for nothing else is checked before it is mended, and
    neither can what is wrong with suppressions (Z).
    """
