"""Precedence: who wins where the same thing is said twice?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="C",
    name="Precedence",
    question="who wins where the same thing is said twice?",
    order=2,
)
