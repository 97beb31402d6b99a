"""Release: is everything spelled as this release spells it?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="R",
    name="Release",
    question="is everything spelled as this release spells it?",
    order=14,
)
