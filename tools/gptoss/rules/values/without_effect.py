"""V: values that Helm takes and nothing reads."""

from __future__ import annotations

from gptoss.rules.rule import ANY, Severity, rule


@rule(
    "V040",
    "value-without-effect",
    Severity.INFO,
    reports="value-without-effect",
    hint="leave it out, or what it stands beside",
    runtimes=ANY,
)
def value_without_effect() -> None:
    """A value is set that nothing reads, because of another one.

    The size and the class of a claim say nothing about a claim that exists, and what an object
    storage's client is given says nothing where the hub is the source.
    """
