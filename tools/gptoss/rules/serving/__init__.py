"""Serving: do clients get what they ask for, from the files that are meant?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="S",
    name="Serving",
    question="do clients get what they ask for, from the files that are meant?",
    order=8,
)
