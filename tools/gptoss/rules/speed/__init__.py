"""Speed: what holds it up?"""

from gptoss.rules.family import Family

FAMILY = Family(
    letter="T",
    name="Speed",
    question="what holds it up?",
    order=10,
)
