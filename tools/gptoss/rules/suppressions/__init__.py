"""Suppressions: is every suppression needed, and does it say why?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="Z",
    name="Suppressions",
    question="is every suppression needed, and does it say why?",
    order=16,
    suppressible=False,
)
